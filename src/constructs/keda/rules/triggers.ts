/**
 * KE6, KE8, KE10 and KE20: names, metric types and formulas of triggers, and what single scalers demand of all their parameters together.
 */
import { cite } from '../../../facts/upstream';
import { type Rule, type Violation } from '../../../checks/rule';
import { scheduleComplaint, timeZoneComplaint } from '../../../checks/server/workloads/schedule';
import { parseQuantity } from '../../../manifests/quantity';
import { asObject, asString, isObject } from '../../../manifests/read';
import { readFormula } from '../formula';
import { isResourceTrigger, KEDA_PROJECT } from '../keda-facts';
import { scaledObjectRule, scaledRule, triggerRule } from './view';

const TRIGGERS = `${KEDA_PROJECT}, apis/keda/v1alpha1/scaletriggers_types.go`;

const namesUnique = scaledRule(
  {
    id: 'keda/trigger-names-unique',
    row: 'KE6',
    tier: 'webhook',
    severity: 'error',
    summary: 'No two triggers bear one name.',
    why: 'Formulas call triggers by name; the webhook refuses doubles.',
    source: TRIGGERS,
    fix: 'Give each trigger a name of its own, or none.',
    concerns: ['triggers'],
  },
  function* ({ triggers }) {
    const seen = new Set<string>();
    for (const { trigger, path } of triggers) {
      const name = asString(trigger.name);
      if (name === undefined || name === '') {
        continue;
      }
      if (seen.has(name)) {
        yield { path: `${path}/name`, message: `Another trigger is called ${name} already.`, found: name };
      }
      seen.add(name);
    }
  },
);

const cachedMetrics = triggerRule(
  {
    id: 'keda/cached-metrics-supported',
    row: 'KE6',
    tier: 'webhook',
    severity: 'error',
    summary: 'useCachedMetrics stands at no trigger of cpu, memory or cron.',
    why: 'Their values do not come from a poll; the webhook refuses it.',
    source: TRIGGERS,
    fix: 'Leave useCachedMetrics out.',
    concerns: ['useCachedMetrics'],
  },
  function* ({ type, trigger, path }) {
    if (trigger.useCachedMetrics === true && (isResourceTrigger(type) || type === 'cron')) {
      yield {
        path: `${path}/useCachedMetrics`,
        message: `${type} has no values to keep.`,
        found: true,
        expected: 'no useCachedMetrics',
      };
    }
  },
);

const metricType = triggerRule(
  {
    id: 'keda/metric-type-fits',
    row: 'KE10',
    tier: 'webhook',
    severity: 'error',
    summary:
      'metricType of cpu and memory is Utilization or AverageValue, and is stated; of all others it is AverageValue or Value.',
    why: 'The webhook takes any text; the controller cannot make the scaler. Before v2.18 cpu and memory had a type within the metadata instead.',
    source: `${KEDA_PROJECT}, pkg/scalers/cpu_memory_scaler.go and pkg/scalers/scaler.go`,
    fix: 'State metricType beside the metadata.',
  },
  function* ({ type, trigger, path }) {
    if (type === '') {
      return;
    }
    const stated = asString(trigger.metricType) ?? '';
    const allowed = isResourceTrigger(type) ? ['Utilization', 'AverageValue'] : ['AverageValue', 'Value'];
    if (stated === '' ? !isResourceTrigger(type) : allowed.includes(stated)) {
      return;
    }
    yield {
      path: stated === '' ? path : `${path}/metricType`,
      message: stated === '' ? `${type} states no metricType.` : `${type} has no metricType ${stated}.`,
      ...(stated === '' ? {} : { found: stated }),
      expected: allowed.join(' or '),
    };
  },
);

const resourceValue = triggerRule(
  {
    id: 'keda/resource-trigger-value',
    row: 'KE10',
    tier: 'webhook',
    severity: 'error',
    summary:
      'The value of a cpu or memory trigger is a whole percentage for Utilization, and a quantity for AverageValue.',
    why: 'The controller cannot make the scaler from anything else.',
    source: `${KEDA_PROJECT}, pkg/scalers/cpu_memory_scaler.go`,
    fix: 'Write "70" for 70 percent of the request, or a quantity such as "500m" or "2Gi".',
    concerns: ['triggers'],
  },
  function* ({ type, trigger, metadata, path }) {
    const value = asString(metadata.value);
    if (!isResourceTrigger(type) || value === undefined || value.trim() === '') {
      return;
    }
    const isPercentage = trigger.metricType === 'Utilization';
    if (!isPercentage && trigger.metricType !== 'AverageValue') {
      return;
    }
    if (isPercentage ? /^[+]?0*[1-9]\d{0,8}$/.test(value.trim()) : parseQuantity(value.trim()) !== undefined) {
      return;
    }
    yield {
      path: `${path}/metadata/value`,
      message: `${JSON.stringify(value)} is no ${isPercentage ? 'percentage' : 'quantity'}.`,
      found: value,
      expected: isPercentage ? 'a whole number such as "70", without a sign for percent' : 'a quantity such as "500m"',
    };
  },
);

const cronWindow = triggerRule(
  {
    id: 'keda/cron-window',
    row: 'KE10',
    tier: 'webhook',
    otherTiers: ['advice'],
    severity: 'error',
    summary:
      'A cron trigger has a start and an end of five fields that differ, a known time zone and at least one replica.',
    why: 'The webhook takes any text; the controller cannot make the scaler, and with an unknown time zone every look at it fails.',
    source: `${KEDA_PROJECT}, pkg/scalers/cron_scaler.go`,
    fix: 'Correct the schedule.',
    concerns: ['triggers'],
  },
  function* ({ type, metadata, path }): Iterable<Violation> {
    if (type !== 'cron') {
      return;
    }
    const text = (key: string): string => asString(metadata[key])?.trim() ?? '';
    for (const key of ['start', 'end']) {
      const complaint = text(key) === '' ? undefined : cronComplaint(text(key));
      if (complaint !== undefined) {
        yield {
          path: `${path}/metadata/${key}`,
          message: `${key} ${JSON.stringify(text(key))} must ${complaint}.`,
          found: text(key),
          expected: 'five fields, such as "0 8 * * 1-5"',
        };
      }
    }
    if (text('start') !== '' && text('start') === text('end')) {
      yield {
        path: `${path}/metadata/end`,
        message: `It starts and ends at ${text('start')}.`,
        found: text('end'),
        expected: 'another time than the start',
      };
    }
    const zone = text('timezone');
    const complaint = zone === '' || zone === 'Local' ? undefined : timeZoneComplaint(zone);
    if (complaint !== undefined) {
      yield {
        path: `${path}/metadata/timezone`,
        message: `timezone ${JSON.stringify(zone)} must ${complaint}.`,
        found: zone,
        expected: 'an IANA name such as Europe/Berlin',
      };
    }
    const replicas = text('desiredReplicas');
    if (/^-?\d+$/.test(replicas) && Number(replicas) <= 0) {
      yield {
        path: `${path}/metadata/desiredReplicas`,
        message: `desiredReplicas is ${replicas}.`,
        found: replicas,
        expected: 'at least 1; what is less belongs into minReplicaCount',
        ...(Number(replicas) < 0 ? { tier: 'advice' } : {}),
      };
    }
  },
);

/** KEDA's parser knows five fields, and a time zone in front of them. */
function cronComplaint(schedule: string): string | undefined {
  const fields = schedule.replace(/^(CRON_)?TZ=\S+\s+/, '');
  return fields.startsWith('@')
    ? 'have five fields; words such as @daily are not known to KEDA'
    : scheduleComplaint(fields);
}

const formulaTarget = scaledObjectRule(
  {
    id: 'keda/formula-has-target',
    row: 'KE8',
    tier: 'webhook',
    severity: 'error',
    summary: 'scalingModifiers have a formula and a target above zero.',
    why: 'The formula takes the place of all triggers, so there has to be something to hold its value against; the webhook refuses it otherwise.',
    fix: 'State both, the target as a number in quotes.',
    concerns: ['scalingModifiers'],
  },
  function* ({ spec }) {
    const modifiers = asObject(asObject(spec.advanced).scalingModifiers);
    const path = '/spec/advanced/scalingModifiers';
    const stated = Object.entries(modifiers).filter(([, value]) => value !== '' && value !== null);
    if (stated.length === 0) {
      return;
    }
    if (modifiers.formula === undefined || modifiers.formula === '') {
      yield { path, message: `${stated.map(([key]) => key).join(', ')} stand without a formula.`, expected: 'formula' };
      return;
    }
    const target = asString(modifiers.target);
    if (modifiers.target === undefined || target === '') {
      yield { path, message: 'There is no target.', expected: 'target, for example "10"' };
    } else if (target !== undefined && !(Number(target) > 0)) {
      yield {
        path: `${path}/target`,
        message: `The target is ${JSON.stringify(target)}.`,
        found: target,
        expected: 'a number above zero',
      };
    }
    const activation = asString(modifiers.activationTarget);
    if (activation !== undefined && activation !== '' && Number.isNaN(Number(activation))) {
      yield {
        path: `${path}/activationTarget`,
        message: `activationTarget ${JSON.stringify(activation)} is no number.`,
        found: activation,
        expected: 'a number',
      };
    }
  },
);

const formulaCompiles = scaledObjectRule(
  {
    id: 'keda/formula-compiles',
    row: 'KE8',
    tier: 'webhook',
    severity: 'error',
    summary: 'The formula is one of expr, and gives a number.',
    why: 'The webhook compiles it and refuses what does not compile; what it gives becomes the value that is scaled by.',
    source: `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledobject_webhook.go; ${cite('expr')}`,
    fix: 'Correct the formula; expr-lang.org/docs/language-definition has the language.',
    concerns: ['scalingModifiers'],
  },
  function* ({ spec }) {
    const formula = formulaOf(spec);
    const problem = formula === undefined ? undefined : readFormula(formula).problem;
    if (problem !== undefined) {
      yield {
        path: FORMULA,
        message: `At character ${problem.at + 1} of the formula: ${problem.message}.`,
        found: formula,
      };
    }
  },
);

const formulaNames = scaledObjectRule(
  {
    id: 'keda/formula-names-triggers',
    row: 'KE8',
    tier: 'webhook',
    severity: 'error',
    summary: 'Each name in the formula is that of a trigger other than cpu and memory.',
    why: 'The webhook compiles the formula with these names alone. A name with a dash is a difference to expr.',
    fix: 'Give the trigger that name, in letters, digits and underscores.',
    concerns: ['scalingModifiers'],
  },
  function* ({ spec, triggers }) {
    const formula = formulaOf(spec);
    if (formula === undefined) {
      return;
    }
    const reading = readFormula(formula);
    if (reading.problem !== undefined) {
      return;
    }
    const named = triggers.flatMap(({ type, trigger }) => {
      const name = asString(trigger.name);
      return name === undefined || name === '' ? [] : [{ name, type }];
    });
    const known = new Set(named.filter(({ type }) => !isResourceTrigger(type)).map(({ name }) => name));
    for (const name of new Set(reading.names.map((use) => use.name))) {
      if (known.has(name)) {
        continue;
      }
      const resource = named.find((candidate) => candidate.name === name);
      const dashed = [...known].find((candidate) => candidate.split('-').includes(name));
      yield {
        path: FORMULA,
        message:
          resource !== undefined
            ? `${name} is a trigger of ${resource.type}, whose value KEDA does not know.`
            : dashed !== undefined
              ? `${name} is no trigger; expr reads ${dashed} as a difference.`
              : `No trigger is called ${name}.`,
        found: formula,
        expected: known.size === 0 ? 'triggers with names' : `one of ${[...known].join(', ')}`,
        ...(dashed === undefined ? {} : { fix: `Rename the trigger to ${dashed.replaceAll('-', '_')}.` }),
      };
    }
  },
);

const FORMULA = '/spec/advanced/scalingModifiers/formula';

function formulaOf(spec: Parameters<typeof asObject>[0]): string | undefined {
  const modifiers = asObject(asObject(asObject(spec).advanced).scalingModifiers);
  const formula = isObject(modifiers) ? asString(modifiers.formula) : undefined;
  return formula === '' ? undefined : formula;
}

export const triggerRules: readonly Rule[] = [
  namesUnique,
  cachedMetrics,
  metricType,
  resourceValue,
  cronWindow,
  formulaTarget,
  formulaCompiles,
  formulaNames,
];
