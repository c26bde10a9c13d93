/**
 * Triggers of KEDA: the function of `keda.Triggers` for their scaler where it writes the same metadata, `keda.Trigger.custom` elsewhere.
 */
import { GeneratedTriggers } from '../../../../constructs/keda/generated-triggers';
import { fromEnv, type Trigger } from '../../../../constructs/keda/trigger';
import { Triggers } from '../../../../constructs/keda/triggers';
import { kedaScaler, type KedaScalerParameter } from '../../../../facts/api/keda-scalers';
import { Call, type Expression, type Fields, isFields, referenceTo, textOf } from '../expression';
import { all, at, oneOf, present } from '../proposal';

/** Functions that are written by hand, with the parameters that they take as KEDA has them. */
const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  cron: ['timezone', 'start', 'end', 'desiredReplicas'],
  prometheus: ['serverAddress', 'query', 'threshold', 'activationThreshold'],
};

/** The triggers of a list; `undefined` where one has metadata that no trigger has. */
export function triggersOf(list: Expression): readonly Call[] | undefined {
  return all(list, (trigger) => {
    const type = textOf(at(trigger, 'type'));
    const metadata = at(trigger, 'metadata');
    if (type === undefined || !isFields(metadata)) {
      return undefined;
    }
    const texts = Object.entries(metadata).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : []));
    if (texts.length < Object.keys(metadata).length) {
      return undefined;
    }
    const reference = at(trigger, 'authenticationRef', 'name');
    const shared = at(trigger, 'authenticationRef', 'kind') === 'ClusterTriggerAuthentication';
    const options: Fields = {
      name: at(trigger, 'name'),
      metricType: oneOf(at(trigger, 'metricType'), 'AverageValue', 'Value', 'Utilization'),
      useCachedMetrics: at(trigger, 'useCachedMetrics'),
      authentication:
        reference === undefined
          ? undefined
          : referenceTo(reference, shared ? 'keda.ClusterTriggerAuthentication' : 'keda.TriggerAuthentication'),
    };
    const stated = Object.fromEntries(texts) as Readonly<Record<string, string>>;
    return typed(type, stated, options) ?? new Call('keda.Trigger.custom', [present({ type, ...options, metadata })]);
  });
}

type Make = (props: object) => Trigger;

/** The call of the scaler's own function, if it writes this metadata. */
function typed(type: string, metadata: Readonly<Record<string, string>>, options: Fields): Call | undefined {
  const name = type.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const parameters = parametersOf(type, name);
  const makes = Triggers as unknown as Readonly<Record<string, Make | undefined>>;
  const make = parameters === undefined ? undefined : makes[name];
  if (parameters === undefined || make === undefined || !takes(type, options)) {
    return undefined;
  }
  const props: Record<string, Expression> = {};
  const values: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(metadata)) {
    const parameter = parameters.get(key.replace(/FromEnv$/, ''));
    const isVariable = parameter?.fromEnv === true && key === `${parameter.name}FromEnv`;
    const value = isVariable ? new Call('keda.fromEnv', [text]) : valueOf(parameter, key, text);
    if (parameter === undefined || value === undefined) {
      return undefined;
    }
    props[parameter.name] = value;
    values[parameter.name] = isVariable ? fromEnv(text) : value;
  }
  return writesSame(() => make.call(Triggers, values), metadata)
    ? new Call(`keda.Triggers.${name}`, [present({ ...props, ...options })])
    : undefined;
}

/** The parameters that the function of a scaler takes; `undefined` where there is no such function. */
function parametersOf(type: string, name: string): ReadonlyMap<string, KedaScalerParameter> | undefined {
  const byHand = Object.hasOwn(BY_HAND, name) ? BY_HAND[name] : undefined;
  const isGenerated = Object.hasOwn(GeneratedTriggers, name) && !Object.hasOwn(Triggers, name);
  const scaler = kedaScaler(type);
  return scaler === undefined || (byHand === undefined && !isGenerated)
    ? undefined
    : new Map(
        scaler.parameters
          .filter((parameter) => byHand?.includes(parameter.name) ?? true)
          .map((parameter) => [parameter.name, parameter]),
      );
}

/** Whether the function takes these options: `Utilization` is of other scalers, and cron has a name alone. */
function takes(type: string, { metricType, useCachedMetrics, authentication }: Fields): boolean {
  return (
    metricType !== 'Utilization' &&
    (type !== 'cron' || (metricType ?? useCachedMetrics ?? authentication) === undefined)
  );
}

/** The value of a parameter as its property takes it; `undefined` where its text has a form that is not written so. */
function valueOf(parameter: KedaScalerParameter | undefined, key: string, text: string): Expression {
  if (parameter?.name !== key || !parameter.fromMetadata) {
    return undefined;
  }
  switch (parameter.value) {
    case 'integer':
    case 'number':
      return String(Number(text)) === text ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : undefined;
    case 'text':
      return parameter.allowedValues?.includes(text) === false ? undefined : text;
    case 'texts':
      return parameter.allowedValues === undefined ? text.split(parameter.separator ?? ',') : undefined;
    case 'duration':
    case 'integers':
    case 'map':
    case 'query':
      return undefined;
  }
}

function writesSame(make: () => Trigger, metadata: Readonly<Record<string, string>>): boolean {
  try {
    const made = make().metadata;
    const keys = Object.keys(metadata);
    return keys.length === Object.keys(made).length && keys.every((key) => made[key] === metadata[key]);
  } catch {
    return false;
  }
}
