/**
 * A trigger: what KEDA watches, with typed parameters that are written as the texts which KEDA reads.
 */
import { type Carried, containsDeferred, embedded, isDeferred, passed } from '../../manifests/values/deferred';
import type { Duration } from 'cdk8s';
import { isDuration } from '../resources/durations';
import { kedaScaler, type KedaScaler, type KedaScalerParameter } from '../../facts/api/keda-scalers';
import { type ScaledObjectSpecTrigger } from '../../facts/api/types/keda.sh/v1alpha1';
import { missingParameters } from './scaler-parameters';
import { timeText } from './time-text';
import { type TriggerAuthenticationReference } from './trigger-authentication';
import { publicClass } from '../resources/public-class';
import { publicFunction } from '../../facts/calls/public-function';

/**
 * The value of a variable of the target's container: made with `fromEnv`.
 *
 * @example
 * keda.Triggers.rabbitmq({ host: keda.fromEnv('RABBITMQ_HOST'), queueName: 'jobs', measure: { queueLength: 5 } });
 */
@publicClass('keda.EnvironmentVariable')
export class EnvironmentVariable {
  constructor(
    /** Name of the variable. */
    readonly variable: string,
  ) {}
}

/**
 * The value that a container of the target has under this name: `envSourceContainer`, or the first one. Secrets are better taken from a
 * TriggerAuthentication, which the workload need not know.
 * @throws if it is not the name of a variable
 */
export const fromEnv = publicFunction('keda.fromEnv', (variable: string): EnvironmentVariable => {
  if (!/^[-._A-Za-z][-._A-Za-z0-9]*$/.test(variable)) {
    throw new Error(
      `variable "${variable}" must be the name of an environment variable: letters, digits, "-", "_", and ".", not beginning with a digit.`,
    );
  }
  return new EnvironmentVariable(variable);
});

/** What every trigger takes beside the parameters of its scaler. */
export interface TriggerOptions {
  /** By which a formula of `scalingModifiers` calls the value. @default - none */
  readonly name?: string;
  /** Whether the value is shared by all replicas, or is to be reached as it is. @default 'AverageValue' */
  readonly metricType?: 'AverageValue' | 'Value';
  /** Whether the autoscaler reads the value of the last poll instead of asking again. @default false */
  readonly useCachedMetrics?: boolean;
  /** The source of parameters that readers of the ScaledObject must not see. @default - none */
  readonly authentication?: TriggerAuthenticationReference;
  /** Parameters that have no property, written unchanged. @default - none */
  readonly moreMetadata?: Readonly<Record<string, Carried<string>>>;
}

/** A trigger as a ScaledObject or ScaledJob has it. */
export interface TriggerDefinition {
  /** Type of the scaler. */
  readonly type: string;
  /** Parameters of the scaler, each as a string. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Name by which a formula of `scalingModifiers` refers to the value. Absent where there is none. */
  readonly name?: string;
  /** Whether the target is divided by the number of replicas. Absent where KEDA's default applies. */
  readonly metricType?: 'AverageValue' | 'Value' | 'Utilization';
  /** Whether the autoscaler reads the value of the last poll. Absent where it asks again. */
  readonly useCachedMetrics?: boolean;
  /** The source of parameters that readers of the ScaledObject must not see. Absent where there is none. */
  readonly authentication?: TriggerAuthenticationReference;
}

/**
 * A trigger of a ScaledObject or a ScaledJob. The functions of `Triggers` make it, one for each scaler of KEDA, and
 * `Trigger.custom` for any other.
 *
 * @example
 * new keda.ScaledObject(chart, 'workers', {
 *   target: deployment,
 *   maxReplicas: 20,
 *   triggers: [keda.Triggers.cron({ timezone: 'Etc/UTC', start: '0 8 * * 1-5', end: '0 18 * * 1-5', desiredReplicas: 4 })],
 * });
 */
@publicClass('keda.Trigger')
export class Trigger {
  private constructor(private readonly definition: TriggerDefinition) {}

  /** Type of the scaler. */
  get type(): string {
    return this.definition.type;
  }

  /** Name by which a formula of `scalingModifiers` refers to the value; `undefined` where there is none. */
  get name(): string | undefined {
    return this.definition.name;
  }

  /** Parameters as KEDA will read them. */
  get metadata(): Readonly<Record<string, string>> {
    return this.definition.metadata;
  }

  /** The source of parameters that readers of the ScaledObject must not see; `undefined` where there is none. */
  get authentication(): TriggerAuthenticationReference | undefined {
    return this.definition.authentication;
  }

  /** A trigger whose texts are known. They are not compared with the scaler here; the check does that. */
  static custom(definition: TriggerDefinition): Trigger {
    return new Trigger(definition);
  }

  /**
   * A trigger of any scaler that KEDA has, with values for its parameters.
   *
   * @throws where KEDA has no such scaler, a value cannot be written as KEDA reads it, or a parameter is neither given nor left to the
   * authentication
   */
  static of<P extends TriggerOptions>(type: string, props: P): Trigger {
    const scaler = kedaScaler(type);
    if (scaler === undefined) {
      throw new Error(`unknown KEDA scaler "${type}".`);
    }
    const { name, metricType, useCachedMetrics, authentication, moreMetadata, ...values } = props;
    const metadata: Record<string, string> = {};
    for (const [property, value] of Object.entries<unknown>(values)) {
      if (value === undefined) {
        continue;
      }
      const key = parameterOf(scaler, property)?.name ?? property;
      if (value instanceof EnvironmentVariable) {
        metadata[`${key}FromEnv`] = value.variable;
      } else if (containsDeferred(value)) {
        metadata[key] = deferredText(scaler, property, value);
      } else {
        metadata[key] = textOf(scaler, property, value);
      }
    }
    Object.assign(metadata, moreMetadata);
    const given = Object.fromEntries(
      Object.entries(metadata).map(([key, value]) => [key, containsDeferred(value) ? 'an Output' : value]),
    );
    requireParameters(scaler, given, authentication !== undefined);
    return new Trigger({ type, metadata, name, metricType, useCachedMetrics, authentication });
  }

  /** The trigger as the manifest contains it. */
  toSpec(): ScaledObjectSpecTrigger {
    const { type, metadata, name, metricType, useCachedMetrics, authentication } = this.definition;
    return {
      type,
      name,
      metricType,
      useCachedMetrics,
      metadata,
      authenticationRef: authentication && {
        name: authentication.name,
        kind: authentication.kind === 'TriggerAuthentication' ? undefined : authentication.kind,
      },
    };
  }
}

function parameterOf(scaler: KedaScaler, property: string): KedaScalerParameter | undefined {
  return scaler.parameters.find(
    (candidate) => [candidate.name, candidate.property].includes(property) && candidate.deprecated !== 'removed',
  );
}

/** A value that is deferred, or a list with items that are: the items are put together once they are known. */
function deferredText(scaler: KedaScaler, name: string, value: unknown): string {
  return parameterOf(scaler, name)?.value === 'texts' || !isDeferred(value)
    ? embedded(value, (known) => textOf(scaler, name, known))
    : passed(value as Carried<string>);
}

function textOf(scaler: KedaScaler, name: string, value: unknown): string {
  const parameter = parameterOf(scaler, name);
  const time = parameter?.time ?? (parameter?.value === 'duration' || isDuration(value) ? 'go' : undefined);
  if (time !== undefined) {
    return timeText(`${scaler.type} trigger, ${parameter?.property ?? name}`, value as Duration, time);
  }
  const fail = (expected: string): never => {
    throw new Error(`${scaler.type} trigger, ${name} ${JSON.stringify(value) ?? String(value)}: expected ${expected}.`);
  };
  if (typeof value === 'boolean') {
    return String(value);
  }
  if (typeof value === 'number') {
    return numberText(value, parameter) ?? fail(parameter?.value === 'integer' ? 'a whole number' : 'a finite number');
  }
  if (typeof value === 'string') {
    return value.trim() === '' ? fail('a non-empty string') : value;
  }
  return listText(value as Listed, parameter, fail);
}

/** What a list, a map, or a query is stated as. */
type Listed = readonly unknown[] | Readonly<Record<string, string>>;

function listText(
  value: Listed,
  parameter: KedaScalerParameter | undefined,
  fail: (expected: string) => never,
): string {
  const separator = parameter?.separator ?? ',';
  const items = Array.isArray(value)
    ? value.map(String)
    : parameter?.value === 'query'
      ? [new URLSearchParams(value as Record<string, string>).toString()]
      : Object.entries(value as Record<string, string>).map(([key, item]) =>
          `${key}${item}`.includes('=') ? fail('keys and items without "="') : `${key}=${item}`,
        );
  if (items.length === 0) {
    return fail('at least one item');
  }
  if (items.some((item) => item.includes(separator))) {
    return fail(`items without ${JSON.stringify(separator)}, which separates them`);
  }
  return items.join(separator);
}

function numberText(value: number, parameter: KedaScalerParameter | undefined): string | undefined {
  return Number.isFinite(value) && (parameter?.value !== 'integer' || Number.isSafeInteger(value))
    ? String(value)
    : undefined;
}

function requireParameters(
  scaler: KedaScaler,
  metadata: Readonly<Record<string, string>>,
  hasAuthentication: boolean,
): void {
  for (const parameter of missingParameters(scaler, metadata)) {
    if (!parameter.fromMetadata && !parameter.fromEnv) {
      continue;
    }
    if (hasAuthentication && parameter.fromAuthentication) {
      continue;
    }
    const where = parameter.fromAuthentication ? ', here or by a TriggerAuthentication (`authentication`)' : '';
    throw new Error(`${scaler.type} trigger: ${parameter.property ?? parameter.name} is required${where}.`);
  }
}
