/**
 * Relabelings: steps that change, keep or drop targets and series. Whether a step can be one at all, as Prometheus judges it.
 *
 * Source: prometheus-operator v0.93, pkg/prometheus/validation/validator.go; Prometheus v3.15, model/relabel/relabel.go.
 */
import { oneOf } from '../../../facts/words';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { regularExpressionProblem } from '../../../facts/promql';

/** How the fields are called: in objects of the operator, and in Prometheus' own configuration. */
export const OPERATOR_FIELDS = { sourceLabels: 'sourceLabels', targetLabel: 'targetLabel', action: 'action' } as const;
export const PROMETHEUS_FIELDS = {
  sourceLabels: 'source_labels',
  targetLabel: 'target_label',
  action: 'action',
} as const;
type Fields = typeof OPERATOR_FIELDS | typeof PROMETHEUS_FIELDS;

export interface RelabelProblem {
  /** The member that is wrong. */
  readonly field: string;
  readonly message: string;
  /** One imperative sentence. */
  readonly fix: string;
}

const ACTIONS: ReadonlySet<string> = new Set([
  'replace',
  'keep',
  'drop',
  'hashmod',
  'labelmap',
  'labeldrop',
  'labelkeep',
  'lowercase',
  'uppercase',
  'keepequal',
  'dropequal',
]);
const NEEDS_TARGET: ReadonlySet<string> = new Set([
  'replace',
  'hashmod',
  'lowercase',
  'uppercase',
  'keepequal',
  'dropequal',
]);
const DEFAULT_REPLACEMENT = '$1';
const DEFAULT_REGEX = '(.*)';

/** The first problem of a step, as Prometheus gives one. */
function relabelProblem(step: JsonObject, fields: Fields): RelabelProblem | undefined {
  const action = (asString(step.action) ?? 'replace').toLowerCase() || 'replace';
  if (!ACTIONS.has(action)) {
    return { field: 'action', message: `unknown action "${action}"`, fix: `Set action to ${oneOf([...ACTIONS])}.` };
  }
  return regexProblem(step) ?? requirementProblem(step, action, fields) ?? restrictionProblem(step, action, fields);
}

function regexProblem(step: JsonObject): RelabelProblem | undefined {
  const regex = asString(step.regex);
  const broken = regex === undefined ? undefined : regularExpressionProblem(regex);
  return broken === undefined
    ? undefined
    : {
        field: 'regex',
        message: `the regular expression "${regex ?? ''}" is not valid RE2: ${broken}`,
        fix: 'Set regex to a valid RE2 expression, such as "(.+):9400".',
      };
}

/** What an action needs. */
function requirementProblem(step: JsonObject, action: string, fields: Fields): RelabelProblem | undefined {
  if (action === 'hashmod' && !(typeof step.modulus === 'number' && step.modulus > 0)) {
    return {
      field: 'modulus',
      message: 'the action hashmod requires a modulus greater than 0',
      fix: 'Set modulus to the number of shards, such as modulus: 4.',
    };
  }
  if (NEEDS_TARGET.has(action) && targetOf(step, fields) === '') {
    return {
      field: fields.targetLabel,
      message: `the action ${action} requires ${fields.targetLabel}`,
      fix: `Set ${fields.targetLabel} to a label name such as node.`,
    };
  }
  return undefined;
}

/** What must not be set for an action. */
function restrictionProblem(step: JsonObject, action: string, fields: Fields): RelabelProblem | undefined {
  if (KEEPS_REPLACEMENT.has(action) && hasOwnReplacement(step)) {
    return {
      field: 'replacement',
      message: `replacement must not be set for the action ${action}`,
      fix: `Remove replacement, or set ${fields.action}: replace.`,
    };
  }
  if ((action === 'keepequal' || action === 'dropequal') && hasMoreThanLabels(step)) {
    return {
      field: 'regex',
      message: `the action ${action} allows only ${fields.sourceLabels} and ${fields.targetLabel}`,
      fix: `Keep only ${fields.sourceLabels}, ${fields.targetLabel}, and ${fields.action} in the relabeling.`,
    };
  }
  if ((action === 'labeldrop' || action === 'labelkeep') && hasMoreThanRegex(step, fields)) {
    return {
      field: fields.sourceLabels,
      message: `the action ${action} allows only regex, which is matched against label names`,
      fix: `Keep only regex and ${fields.action} in the relabeling.`,
    };
  }
  return undefined;
}

const KEEPS_REPLACEMENT: ReadonlySet<string> = new Set(['lowercase', 'uppercase', 'keepequal', 'dropequal']);

function targetOf(step: JsonObject, { targetLabel }: Fields): string {
  return asString(step[targetLabel]) ?? '';
}

function hasOwnReplacement(step: JsonObject): boolean {
  const replacement = asString(step.replacement);
  return replacement !== undefined && replacement !== DEFAULT_REPLACEMENT;
}

function hasOwnSeparator({ separator }: JsonObject): boolean {
  return typeof separator === 'string' && separator !== ';';
}

function hasModulus({ modulus }: JsonObject): boolean {
  return typeof modulus === 'number' && modulus !== 0;
}

function hasMoreThanLabels(step: JsonObject): boolean {
  return (isSet(step.regex) && asString(step.regex) !== DEFAULT_REGEX) || hasOwnSeparator(step) || hasModulus(step);
}

function hasMoreThanRegex(step: JsonObject, fields: Fields): boolean {
  return (
    asArray(step[fields.sourceLabels]).length > 0 ||
    targetOf(step, fields) !== '' ||
    hasOwnReplacement(step) ||
    hasOwnSeparator(step) ||
    hasModulus(step)
  );
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The steps of a list, each with what is wrong with it. */
export function* problemsInSteps(
  steps: JsonValue | undefined,
  fields: Fields,
): Iterable<RelabelProblem & { readonly index: number }> {
  for (const [index, step] of asArray(steps).entries()) {
    const problem = relabelProblem(asObject(step), fields);
    if (problem !== undefined) {
      yield { ...problem, index };
    }
  }
}
