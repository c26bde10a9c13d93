/**
 * KE6, KE8, KE10 and KE20: names, metric types and formulas of triggers, and what single scalers demand of all their parameters together.
 */
import { oneOf } from '../../../facts/words';
import { fixesByField } from '../../../checks/rules/field-fix';
import { cite } from '../../../facts/upstream';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { scheduleComplaint, timeZoneComplaint } from '../../../checks/server/workloads/schedule';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { readFormula } from '../formula';
import { isResourceTrigger, KEDA_PROJECT } from '../keda-facts';
import { scaledObjectRule, scaledRule, triggerRule } from './view';
import { allOf } from '../../../facts/words';

const TRIGGERS = `${KEDA_PROJECT}, apis/keda/v1alpha1/scaletriggers_types.go`;

const namesUnique = scaledRule(
  {
    id: 'keda/trigger-names-unique',
    row: 'KE6',
    tier: 'webhook',
    severity: 'error',
    summary: 'The names of triggers must be unique.',
    why: 'Formulas refer to triggers by name; the webhook rejects duplicates.',
    source: TRIGGERS,
    fix: 'Set triggers[].name to a unique name, or remove it.',
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
        yield { path: `${path}/name`, message: `duplicate trigger name "${name}"`, found: name };
      }
      seen.add(name);
    }
  },
);

const triggersPresent = scaledRule(
  {
    id: 'keda/triggers-present',
    row: 'KE6',
    tier: 'webhook',
    severity: 'error',
    summary: 'A ScaledObject or ScaledJob must have at least one trigger.',
    why: 'Without triggers nothing is measured. The schema accepts an empty list, and an object without a spec; the webhook rejects both.',
    source: TRIGGERS,
    fix: 'Add a trigger to spec.triggers.',
  },
  function* ({ spec }) {
    if (asArray(spec.triggers).length === 0) {
      yield {
        path: '/spec/triggers',
        message: 'triggers must have at least one entry',
        expected: 'at least one trigger',
      };
    }
  },
);

const cachedMetrics = triggerRule(
  {
    id: 'keda/cached-metrics-supported',
    row: 'KE6',
    tier: 'webhook',
    severity: 'error',
    summary: 'useCachedMetrics must not be set on a cpu, memory, or cron trigger.',
    why: 'The values of these triggers are not polled; the webhook rejects the field.',
    source: TRIGGERS,
    fix: 'Remove useCachedMetrics from the trigger.',
    concerns: ['useCachedMetrics'],
  },
  function* ({ type, trigger, path }) {
    if (trigger.useCachedMetrics === true && (isResourceTrigger(type) || type === 'cron')) {
      yield {
        path: `${path}/useCachedMetrics`,
        message: `useCachedMetrics must not be set on a ${type} trigger`,
        found: true,
        expected: 'false or unset',
      };
    }
  },
);

const metricType = fixesByField(
  triggerRule(
    {
      id: 'keda/metric-type-fits',
      row: 'KE10',
      tier: 'webhook',
      severity: 'error',
      summary:
        'metricType must be Utilization or AverageValue for cpu and memory, and AverageValue or Value for all other triggers.',
      why: 'The webhook accepts any string; the controller cannot create the scaler. Before v2.18 cpu and memory had a type in metadata instead.',
      source: `${KEDA_PROJECT}, pkg/scalers/cpu_memory_scaler.go and pkg/scalers/scaler.go`,
      fix: 'Set triggers[].metricType, next to metadata.',
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
        message:
          stated === ''
            ? `metricType must be set for a trigger of type ${type}`
            : `unsupported metricType "${stated}" for a trigger of type ${type}`,
        ...(stated === '' ? {} : { found: stated }),
        expected: oneOf(allowed),
      };
    },
  ),
);

const resourceValue = fixesByField(
  triggerRule(
    {
      id: 'keda/resource-trigger-value',
      row: 'KE10',
      tier: 'webhook',
      severity: 'error',
      summary:
        'The value of a cpu or memory trigger must be an integer percentage for Utilization, and a quantity for AverageValue.',
      why: 'The controller cannot create the scaler from any other value.',
      source: `${KEDA_PROJECT}, pkg/scalers/cpu_memory_scaler.go`,
      fix: 'Set metadata.value to "70" for 70 percent of the request, or to a quantity such as "500m" or "2Gi".',
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
        message: `${JSON.stringify(value)} is not a valid ${isPercentage ? 'percentage' : 'quantity'}`,
        found: value,
        expected: isPercentage ? 'an integer such as "70", without a percent sign' : 'a quantity such as "500m"',
        fix: isPercentage
          ? 'Set metadata.value to an integer such as "70", for 70% of the request.'
          : 'Set metadata.value to a quantity such as "500m" or "2Gi".',
      };
    },
  ),
);

const cronWindow = fixesByField(
  triggerRule(
    {
      id: 'keda/cron-window',
      row: 'KE10',
      tier: 'webhook',
      otherTiers: ['advice'],
      severity: 'error',
      summary:
        'A cron trigger must have a start and an end with five fields that differ, a known time zone, and at least one replica.',
      why: 'The webhook accepts any string; the controller cannot create the scaler, and with an unknown time zone every poll fails.',
      source: `${KEDA_PROJECT}, pkg/scalers/cron_scaler.go`,
      fix: 'Set start and end to five cron fields, timezone to an IANA name, and desiredReplicas to at least 1.',
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
            message: `${key} ${JSON.stringify(text(key))} must ${complaint}`,
            found: text(key),
            expected: 'five fields, such as "0 8 * * 1-5"',
          };
        }
      }
      if (text('start') !== '' && text('start') === text('end')) {
        yield {
          path: `${path}/metadata/end`,
          message: `start and end must differ: "${text('start')}"`,
          found: text('end'),
          expected: 'a time other than the start',
          fix: 'Set metadata.end to a schedule that differs from metadata.start.',
        };
      }
      const zone = text('timezone');
      const complaint = zone === '' || zone === 'Local' ? undefined : timeZoneComplaint(zone);
      if (complaint !== undefined) {
        yield {
          path: `${path}/metadata/timezone`,
          message: `timezone ${JSON.stringify(zone)} must ${complaint}`,
          found: zone,
          expected: 'an IANA name such as Europe/Berlin',
          tier: 'advice',
        };
      }
      const replicas = text('desiredReplicas');
      if (/^-?\d+$/.test(replicas) && Number(replicas) <= 0) {
        yield {
          path: `${path}/metadata/desiredReplicas`,
          message: `desiredReplicas must be greater than or equal to 1, but is ${replicas}`,
          found: replicas,
          expected: 'at least 1; set a smaller number in minReplicaCount',
          ...(Number(replicas) < 0 ? { tier: 'advice' } : {}),
        };
      }
    },
  ),
);

/** KEDA's parser knows five fields, and a time zone in front of them. */
function cronComplaint(schedule: string): string | undefined {
  const fields = schedule.replace(/^(CRON_)?TZ=\S+\s+/, '');
  return fields.startsWith('@')
    ? 'have five fields; KEDA does not support macros such as @daily'
    : scheduleComplaint(fields);
}

const formulaTarget = fixesByField(
  scaledObjectRule(
    {
      id: 'keda/formula-has-target',
      row: 'KE8',
      tier: 'webhook',
      severity: 'error',
      summary: 'scalingModifiers must have a formula and a target greater than zero.',
      why: 'The result of the formula replaces the values of all triggers and is compared with the target; the webhook rejects the object otherwise.',
      fix: 'Set scalingModifiers.formula, and set scalingModifiers.target to a number in quotes.',
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
        yield {
          path,
          message: `${allOf(stated.map(([key]) => key))} must not be set without a formula`,
          expected: 'formula',
          fix: `Set scalingModifiers.formula, or remove ${allOf(stated.map(([key]) => key))}.`,
        };
        return;
      }
      const target = asString(modifiers.target);
      if (modifiers.target === undefined || target === '') {
        yield { path, message: 'target must be set when formula is set', expected: 'a number in quotes, such as "10"' };
      } else if (target !== undefined && !(Number(target) > 0)) {
        yield {
          path: `${path}/target`,
          message: `target must be greater than zero, but is ${JSON.stringify(target)}`,
          found: target,
          expected: 'a number greater than zero',
        };
      }
      const activation = asString(modifiers.activationTarget);
      if (activation !== undefined && activation !== '' && Number.isNaN(Number(activation))) {
        yield {
          path: `${path}/activationTarget`,
          message: `activationTarget must be a number, but is ${JSON.stringify(activation)}`,
          found: activation,
          expected: 'a number',
        };
      }
    },
  ),
);

const formulaCompiles = scaledObjectRule(
  {
    id: 'keda/formula-compiles',
    row: 'KE8',
    tier: 'webhook',
    severity: 'error',
    summary: 'The formula must be a valid expr expression that returns a number.',
    why: 'The webhook compiles the formula and rejects it if it does not compile; its result is the value for scaling.',
    source: `${KEDA_PROJECT}, apis/keda/v1alpha1/scaledobject_webhook.go; ${cite('expr')}`,
    fix: 'Set scalingModifiers.formula to a valid expression (see expr-lang.org/docs/language-definition).',
    concerns: ['scalingModifiers'],
  },
  function* ({ spec }) {
    const formula = formulaOf(spec);
    const problem = formula === undefined ? undefined : readFormula(formula).problem;
    if (problem !== undefined) {
      yield {
        path: FORMULA,
        message: `the formula is invalid at character ${problem.at + 1}: ${problem.message}`,
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
    summary: 'Each name in the formula must be the name of a trigger other than cpu and memory.',
    why: 'The webhook compiles the formula with only these names. expr reads a name with a hyphen as a subtraction.',
    fix: 'Set triggers[].name to the name in the formula, with letters, digits, and underscores.',
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
            ? `"${name}" is a ${resource.type} trigger, which a formula cannot use`
            : dashed !== undefined
              ? `unknown trigger "${name}": the expression reads "${dashed}" as a subtraction`
              : `unknown trigger "${name}"`,
        found: formula,
        expected:
          known.size === 0
            ? 'names of triggers'
            : `only the names ${allOf([...known].map((one) => JSON.stringify(one)))}`,
        fix:
          resource !== undefined
            ? `Remove "${name}" from scalingModifiers.formula.`
            : dashed !== undefined
              ? `Replace "${dashed}" with ${dashed.replaceAll('-', '_')} in triggers[].name and in scalingModifiers.formula.`
              : known.size === 0
                ? `Set the name of a trigger to "${name}".`
                : `Replace "${name}" in scalingModifiers.formula with ${namesInFormula(known)}, or set the name of a trigger to "${name}".`,
      };
    }
  },
);

/** Names of triggers that a formula can use: it reads others as several words. */
function namesInFormula(names: ReadonlySet<string>): string {
  const usable = [...names].filter((name) => /^[A-Za-z_]\w*$/.test(name));
  return usable.length === 0 ? 'the name of a trigger' : oneOf(usable.map((name) => `"${name}"`));
}

const FORMULA = '/spec/advanced/scalingModifiers/formula';

function formulaOf(spec: Parameters<typeof asObject>[0]): string | undefined {
  const modifiers = asObject(asObject(asObject(spec).advanced).scalingModifiers);
  const formula = isObject(modifiers) ? asString(modifiers.formula) : undefined;
  return formula === '' ? undefined : formula;
}

export const triggerRules: readonly Rule[] = [
  namesUnique,
  triggersPresent,
  cachedMetrics,
  metricType,
  resourceValue,
  cronWindow,
  formulaTarget,
  formulaCompiles,
  formulaNames,
];
