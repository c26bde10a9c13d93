/**
 * KE14 to KE17: the parameters of a trigger against what its scaler reads.
 */
import { kedaScaler, type KedaScaler, kedaScalers, type KedaScalerParameter } from '../../../facts/api/keda-scalers';
import { type Rule, type Violation } from '../../../checks/rule';
import { nearestName } from '../../../facts/spelling';
import { pointer } from '../../../manifests/pointer';
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
    summary: 'The type of a trigger is a scaler that KEDA has.',
    why: 'The webhook takes any text; the controller then finds no scaler, and nothing is scaled.',
    source: `${KEDA_PROJECT}, pkg/scaling/scalers_builder.go`,
    fix: "Write the type of one of KEDA's scalers; what KEDA does not have is an external scaler.",
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
      message: `KEDA has no scaler ${type}.`,
      found: trigger.type,
      ...(meant === undefined ? {} : { expected: meant, fix: `Write ${meant}.` }),
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

function parametersOf({ type, metadata, path }: TriggerView): readonly Placed[] {
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
    summary: 'No metricName in the metadata of a scaler that does not read it.',
    why: 'Since v2.12 KEDA names its metrics itself; a metricName is ignored, and does not choose what is measured.',
    source: `${KEDA_PROJECT}, CHANGELOG.md (v2.12.0) and pkg/scalers`,
    fix: 'Leave metricName out. To call the value by a name in a formula, state the name of the trigger.',
    concerns: [METRIC_NAME],
  },
  function* (trigger) {
    if (takesAnything(trigger.type)) {
      return;
    }
    for (const { key, parameters, path, text } of parametersOf(trigger)) {
      if (key === METRIC_NAME && parameters.length === 0) {
        yield { path, message: `${trigger.type} does not read metricName.`, found: text };
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
    summary: "Every key of a trigger's metadata is a parameter that its scaler reads.",
    why: 'KEDA passes over what it does not know without a word (it can be told to log it), so what was written does not happen.',
    source: TYPED_CONFIG,
    fix: 'Correct the name, or leave the parameter out.',
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
          message: `${trigger.type} reads ${parameter} from no variable.`,
          found: text,
          fix: `Write the value itself as ${parameter}, or give it by a TriggerAuthentication where that is read.`,
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
        message: `${trigger.type} has no parameter ${key}.`,
        found: text,
        ...(meant === undefined ? {} : { expected: meant, fix: `Write ${meant}.` }),
      };
    }
  },
);

const parameterInPlace = triggerRule(
  {
    id: 'keda/parameter-left-to-authentication',
    row: 'KE15',
    tier: 'advice',
    severity: 'error',
    summary:
      'What a scaler reads only from a TriggerAuthentication, or only from a variable, does not stand in the metadata.',
    why: 'KEDA does not look for it there, and a secret stands in the open for nothing.',
    source: TYPED_CONFIG,
    fix: 'Give it by a TriggerAuthentication, and name that in authenticationRef.',
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
        message: `${trigger.type} does not read ${key} from the metadata.`,
        expected: `${key} ${where}`,
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
      'Every parameter that a scaler demands is given: in the metadata, by a variable or by the authentication, whichever it reads.',
    why: 'The webhook does not look; the controller cannot make the scaler, and nothing is scaled.',
    source: TYPED_CONFIG,
    fix: 'State the parameter.',
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
        message: `${type} needs ${names.join(' or ')}.`,
        expected: placesOf(parameter),
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
      'The text of a parameter is what its scaler reads: a number, true or false, a duration, one of a choice, a list.',
    why: 'The webhook takes any text; the controller cannot make the scaler, and nothing is scaled.',
    source: TYPED_CONFIG,
    fix: 'Correct the value.',
    concerns: ['metadata'],
  },
  function* (trigger) {
    for (const { key, text, parameters, path, byVariable } of parametersOf(trigger)) {
      const read = parameters.find(({ fromMetadata, deprecated }) => fromMetadata && deprecated !== 'removed');
      const expected = read === undefined || byVariable ? undefined : parameterComplaint(read, text);
      if (expected !== undefined) {
        yield { path, message: `${trigger.type} cannot read ${key} ${JSON.stringify(text)}.`, found: text, expected };
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
    summary: 'No parameter that KEDA has removed or announced to remove.',
    why: 'A removed one stops the scaler, which says so; an announced one works, and is logged, until a later release.',
    source: TYPED_CONFIG,
    fix: 'Leave it out; the release notes of the scaler name what takes its place.',
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
            ? `KEDA refuses ${trigger.type} with ${key}.`
            : `KEDA is about to remove ${key} of ${trigger.type}.`,
        found: text,
        ...(old.deprecated === 'removed' ? {} : { tier: 'advice', severity: 'info' }),
        ...(isResource
          ? { fix: `Move it beside the metadata, as metricType: ${asString(trigger.metadata.type) ?? 'Utilization'}.` }
          : {}),
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
