/**
 * KE14 to KE17: the parameters of a trigger against what its scaler reads.
 */
import { oneOf } from '../../../facts/words';
import { kedaScaler, type KedaScaler, kedaScalers, type KedaScalerParameter } from '../../../facts/api/keda-scalers';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { nearestName } from '../../../facts/spelling';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { type JsonObject } from '../../../facts/api/schema';
import { asString, stringEntries } from '../../../manifests/read';
import { KEDA_PROJECT } from '../keda-facts';
import { parameterComplaint } from '../parameter-value';
import { missingParameters } from '../scaler-parameters';
import { authenticationOf, givenBy } from './authentication-view';
import { triggerRule, type TriggerView } from './view';

const TYPED_CONFIG = `${KEDA_PROJECT}, pkg/scalers/scalersconfig/typed_config.go and the struct of each scaler`;
const FROM_ENV = 'FromEnv';

const scalerKnown = triggerRule(
  {
    id: 'keda/scaler-known',
    row: 'KE14',
    tier: 'webhook',
    severity: 'error',
    summary: 'The type of a trigger must be a scaler of KEDA.',
    why: 'The webhook accepts any string; the controller then finds no scaler, and the workload is not scaled.',
    source: `${KEDA_PROJECT}, pkg/scaling/scalers_builder.go`,
    fix: 'Set triggers[].type to a KEDA scaler, such as prometheus, or to external for your own scaler.',
  },
  function* ({ type, trigger, path }) {
    if (type === '' || type === 'external-mock' || kedaScaler(type) !== undefined) {
      return;
    }
    const meant = nearestName(
      type,
      kedaScalers().map((scaler) => scaler.type),
    );
    yield {
      path: `${path}/type`,
      message: `unknown scaler "${type}"`,
      found: trigger.type,
      ...(meant === undefined ? {} : { expected: meant, fix: `Set triggers[].type to ${meant}.` }),
    };
  },
);

/** Which parameter a key of the metadata means, and whether it names a variable instead of giving the value. */
interface Meaning {
  readonly parameters: readonly KedaScalerParameter[];
  readonly byVariable: boolean;
}

function meaningOf(scaler: KedaScaler, key: string): Meaning {
  const called = (name: string): readonly KedaScalerParameter[] =>
    scaler.parameters.filter(
      (parameter) =>
        parameter.name === name ||
        parameter.alternatives?.includes(name) === true ||
        (parameter.name.endsWith('.*') && name.startsWith(parameter.name.slice(0, -1))),
    );
  const own = called(key);
  if (own.length > 0 || !key.endsWith(FROM_ENV)) {
    return { parameters: own, byVariable: false };
  }
  return { parameters: called(key.slice(0, -FROM_ENV.length)), byVariable: true };
}

/** They pass on whatever they are given. */
function takesAnything(type: string): boolean {
  return type === 'external' || type === 'external-push';
}

interface Placed extends Meaning {
  readonly key: string;
  readonly text: string;
  readonly path: string;
  readonly scaler: KedaScaler;
}

const placedParameters = new WeakMap<TriggerView, readonly Placed[]>();

/** Read once for each trigger, as `scaledView` is made once for each manifest. */
function parametersOf(trigger: TriggerView): readonly Placed[] {
  let placed = placedParameters.get(trigger);
  if (placed === undefined) {
    placedParameters.set(trigger, (placed = placedIn(trigger)));
  }
  return placed;
}

function placedIn({ type, metadata, path }: TriggerView): readonly Placed[] {
  const scaler = kedaScaler(type);
  if (scaler === undefined) {
    return [];
  }
  return stringEntries(metadata).map(([key, text]) => ({
    ...meaningOf(scaler, key),
    key,
    text,
    scaler,
    path: pointer(`${path}/metadata`, key),
  }));
}

/** Read before v2.12 by every scaler that had a metric to name. */
const METRIC_NAME = 'metricName';

const metricName = triggerRule(
  {
    id: 'keda/metric-name-ignored',
    row: 'KE10',
    tier: 'advice',
    severity: 'warning',
    summary: 'metricName must not be set for a scaler that does not read it.',
    why: 'Since v2.12 KEDA names its metrics itself; metricName is ignored and does not select what is measured.',
    source: `${KEDA_PROJECT}, CHANGELOG.md (v2.12.0) and pkg/scalers`,
    fix: 'Remove metricName, and set triggers[].name if a formula uses the metric.',
    concerns: [METRIC_NAME],
  },
  function* (trigger) {
    if (takesAnything(trigger.type)) {
      return;
    }
    for (const { key, parameters, path, text } of parametersOf(trigger)) {
      if (key === METRIC_NAME && parameters.length === 0) {
        yield { path, message: `metricName has no effect in a trigger of type ${trigger.type}`, found: text };
      }
    }
  },
);

const parameterKnown = triggerRule(
  {
    id: 'keda/parameter-known',
    row: 'KE15',
    tier: 'advice',
    severity: 'error',
    summary: "Each key in a trigger's metadata must be a parameter that its scaler reads.",
    why: 'KEDA silently ignores unknown parameters (unless it is configured to log them), so the setting has no effect.',
    source: TYPED_CONFIG,
    fix: 'Rename the key in triggers[].metadata to a parameter of the scaler, or remove it.',
    concerns: ['metadata'],
  },
  function* (trigger) {
    if (takesAnything(trigger.type)) {
      return;
    }
    for (const { key, text, parameters, path, scaler, byVariable } of parametersOf(trigger)) {
      if (parameters.length > 0 ? !byVariable || parameters.some(({ fromEnv }) => fromEnv) : key === METRIC_NAME) {
        continue;
      }
      if (parameters.length > 0) {
        const parameter = key.slice(0, -FROM_ENV.length);
        yield {
          path,
          message: `the ${trigger.type} scaler does not read ${parameter} from an environment variable`,
          found: text,
          fix: `Set metadata.${parameter} to the value itself, or provide it with a TriggerAuthentication if the scaler supports that.`,
        };
        continue;
      }
      const readable = scaler.parameters.filter(({ fromMetadata }) => fromMetadata);
      const meant = nearestName(
        key,
        readable.flatMap(({ name, alternatives = [] }) => [name, ...alternatives]),
      );
      yield {
        path,
        message: `unknown parameter "${key}" for the ${trigger.type} scaler, which ignores it`,
        found: key,
        ...(meant === undefined
          ? unknownFix(key, path, readable, trigger.metadata)
          : {
              expected: meant,
              fix: `Rename the key ${/^[\w.-]+$/.test(key) ? key : JSON.stringify(key)} in metadata to ${meant}.`,
            }),
      };
    }
  },
);

/** What to write for a key that is near none: the first parameters of the scaler that are not set, required ones before others. */
function unknownFix(
  key: string,
  path: string,
  readable: readonly KedaScalerParameter[],
  metadata: JsonObject,
): Pick<Violation, 'expected' | 'fix'> {
  const unset = readable
    .filter(({ name, deprecated }) => !Object.hasOwn(metadata, name) && deprecated === undefined)
    .sort((a, b) => Number(a.optional) - Number(b.optional))
    .map(({ name }) => name);
  const examples = oneOf(unset.slice(0, 3));
  const name = /^[\w.-]+$/.test(key) ? key : JSON.stringify(key);
  const holder = fieldOf(path.slice(0, path.lastIndexOf('/')));
  return examples === ''
    ? { fix: `Remove the key ${name} from ${holder}.` }
    : {
        expected: `a parameter such as ${examples}`,
        fix: `Rename the key ${name} in ${holder} to a parameter of the scaler, such as ${examples}, or remove it.`,
      };
}

const parameterInPlace = triggerRule(
  {
    id: 'keda/parameter-left-to-authentication',
    row: 'KE15',
    tier: 'advice',
    severity: 'error',
    summary:
      'A parameter that the scaler reads only from a TriggerAuthentication or an environment variable must not be set in the metadata.',
    why: 'KEDA does not read it there, and a secret would be exposed for no reason.',
    source: TYPED_CONFIG,
    fix: 'Provide the parameter with a TriggerAuthentication, and refer to it in authenticationRef.',
    concerns: ['metadata'],
  },
  function* (trigger, { manifest }, { set }) {
    if (takesAnything(trigger.type)) {
      return;
    }
    const authentication = authenticationOf(trigger.trigger, manifest, set);
    for (const { key, parameters, path, byVariable } of parametersOf(trigger)) {
      const [first] = parameters;
      if (byVariable || first === undefined || parameters.some(({ fromMetadata }) => fromMetadata)) {
        continue;
      }
      const where = [
        ...(first.fromAuthentication ? ['from a TriggerAuthentication'] : []),
        ...(first.fromEnv ? [`as ${key}${FROM_ENV}`] : []),
      ].join(' or ');
      const isGiven = first.fromAuthentication && authentication !== undefined && givenBy(authentication, key) !== 'no';
      yield {
        path,
        message: `the ${trigger.type} scaler does not read ${key} from metadata`,
        expected: `${key} ${where}`,
        ...(where !== '' && { fix: `Remove metadata.${key}, and provide ${key} ${where}.` }),
        ...(isGiven ? { severity: 'warning' } : {}),
      };
    }
  },
);

const parameterGiven = triggerRule(
  {
    id: 'keda/parameter-given',
    row: 'KE16',
    tier: 'webhook',
    severity: 'error',
    summary:
      'Each required parameter of a scaler must be set: in the metadata, with an environment variable, or with the authentication.',
    why: 'The webhook does not check this; the controller cannot create the scaler, and the workload is not scaled.',
    source: TYPED_CONFIG,
    fix: 'Set the parameter in triggers[].metadata, or provide it with a TriggerAuthentication.',
  },
  function* ({ type, metadata, trigger, path }, { manifest }, { set }) {
    const scaler = kedaScaler(type);
    if (scaler === undefined) {
      return;
    }
    const authentication = authenticationOf(trigger, manifest, set);
    for (const parameter of missingParameters(scaler, metadata)) {
      const names = [parameter.name, ...(parameter.alternatives ?? [])];
      // A number or a list is there, and refused by the schema.
      if (names.some((name) => !['undefined', 'string'].includes(typeof (metadata[name] ?? undefined)))) {
        continue;
      }
      if (
        parameter.fromAuthentication &&
        authentication !== undefined &&
        names.some((name) => givenBy(authentication, name) !== 'no')
      ) {
        continue;
      }
      yield {
        path: `${path}/metadata`,
        message: `the ${type} scaler requires ${oneOf(names)}, which is not set`,
        expected: placesOf(parameter),
        fix: `Set ${oneOf(names)} in ${fieldOf(path)}.metadata${parameter.fromAuthentication ? ', or provide it with a TriggerAuthentication' : ''}.`,
      };
    }
  },
);

function placesOf({ name, fromMetadata, fromEnv, fromAuthentication }: KedaScalerParameter): string {
  return [
    ...(fromMetadata ? [name] : []),
    ...(fromEnv ? [`${name}${FROM_ENV}`] : []),
    ...(fromAuthentication ? [`${name} from a TriggerAuthentication`] : []),
  ].join(', or ');
}

const parameterValue = triggerRule(
  {
    id: 'keda/parameter-value',
    row: 'KE16',
    tier: 'webhook',
    severity: 'error',
    summary:
      'The value of a parameter must have the type that its scaler reads: a number, true or false, a duration, an enum value, or a list.',
    why: 'The webhook accepts any string; the controller cannot create the scaler, and the workload is not scaled.',
    source: TYPED_CONFIG,
    fix: 'Set the parameter in triggers[].metadata to a value of the expected type.',
    concerns: ['metadata'],
  },
  function* (trigger, { manifest }, { set }) {
    const authentication = authenticationOf(trigger.trigger, manifest, set);
    for (const { key, text, parameters, path, byVariable } of parametersOf(trigger)) {
      const read = parameters.find(({ fromMetadata, deprecated }) => fromMetadata && deprecated !== 'removed');
      // Most scalers look into the authentication first.
      if (read?.fromAuthentication === true && authentication !== undefined && givenBy(authentication, key) === 'yes') {
        continue;
      }
      const expected = read === undefined || byVariable ? undefined : parameterComplaint(read, text);
      if (expected !== undefined) {
        yield {
          path,
          message: `the ${trigger.type} scaler does not accept the value ${JSON.stringify(text)} for ${key}`,
          found: text,
          expected,
          fix: `Set metadata.${key} to ${expected}.`,
        };
      }
    }
  },
);

const parameterCurrent = triggerRule(
  {
    id: 'keda/parameter-current',
    row: 'KE17',
    tier: 'webhook',
    otherTiers: ['advice'],
    severity: 'error',
    summary: 'Parameters that KEDA has removed or deprecated must not be set.',
    why: 'A removed parameter stops the scaler with an error; a deprecated one works until a later release, with a warning in the log.',
    source: TYPED_CONFIG,
    fix: 'Remove the parameter from triggers[].metadata, or replace it as the release notes of KEDA describe.',
    concerns: ['metadata'],
  },
  function* (trigger): Iterable<Violation> {
    for (const { key, text, parameters, path, byVariable } of parametersOf(trigger)) {
      const old = parameters.find(({ fromMetadata, deprecated }) => fromMetadata && deprecated !== undefined);
      if (old?.deprecated === undefined || byVariable || text.trim() === '') {
        continue;
      }
      const isResource = trigger.type === 'cpu' || trigger.type === 'memory';
      yield {
        path,
        message:
          old.deprecated === 'removed'
            ? `KEDA has removed the parameter ${key} from the ${trigger.type} scaler`
            : `the parameter ${key} of the ${trigger.type} scaler is deprecated`,
        found: text,
        ...(old.deprecated === 'removed' ? {} : { tier: 'advice', severity: 'info' }),
        ...(isResource
          ? {
              fix: `Remove metadata.${key}, and set metricType: ${asString(trigger.metadata.type) ?? 'Utilization'} in the trigger, next to metadata.`,
            }
          : { fix: `Remove metadata.${key}, or replace it as the release notes of KEDA describe.` }),
      };
    }
  },
);

export const parameterRules: readonly Rule[] = [
  scalerKnown,
  metricName,
  parameterKnown,
  parameterInPlace,
  parameterGiven,
  parameterValue,
  parameterCurrent,
];
