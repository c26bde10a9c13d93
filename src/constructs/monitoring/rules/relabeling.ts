/**
 * Relabelings: steps that change, keep or drop targets and series. Whether a step can be one at all, as Prometheus judges it.
 *
 * Source: prometheus-operator v0.93, pkg/prometheus/validation/validator.go; Prometheus v3.15, model/relabel/relabel.go.
 */
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

/** Why a step is none; the first reason, as Prometheus gives one. */
export function relabelProblem(step: JsonObject, fields: Fields): RelabelProblem | undefined {
  const action = (asString(step.action) ?? 'replace').toLowerCase() || 'replace';
  const said = (key: string): boolean => step[key] !== undefined && step[key] !== null && step[key] !== '';
  const target = asString(step[fields.targetLabel]) ?? '';
  const replacement = asString(step.replacement);
  if (!ACTIONS.has(action)) {
    return { field: 'action', message: `unknown action "${action}"` };
  }
  const regex = asString(step.regex);
  const broken = regex === undefined ? undefined : regularExpressionProblem(regex);
  if (broken !== undefined) {
    return { field: 'regex', message: `the regular expression ${regex ?? ''} is not valid RE2: ${broken}` };
  }
  if (action === 'hashmod' && !(typeof step.modulus === 'number' && step.modulus > 0)) {
    return { field: 'modulus', message: 'hashmod requires a modulus greater than 0' };
  }
  if (NEEDS_TARGET.has(action) && target === '') {
    return { field: fields.targetLabel, message: `${action} requires ${fields.targetLabel}` };
  }
  const own = replacement !== undefined && replacement !== DEFAULT_REPLACEMENT;
  if (['lowercase', 'uppercase', 'keepequal', 'dropequal'].includes(action) && own) {
    return { field: 'replacement', message: `replacement must not be set for ${action}` };
  }
  if (action === 'keepequal' || action === 'dropequal') {
    if (
      (said('regex') && regex !== DEFAULT_REGEX) ||
      (said('separator') && step.separator !== ';') ||
      (typeof step.modulus === 'number' && step.modulus !== 0)
    ) {
      return {
        field: 'regex',
        message: `${action} allows only ${fields.sourceLabels} and ${fields.targetLabel}`,
      };
    }
  }
  if (action === 'labeldrop' || action === 'labelkeep') {
    if (
      asArray(step[fields.sourceLabels]).length > 0 ||
      target !== '' ||
      own ||
      (said('separator') && step.separator !== ';')
    ) {
      return {
        field: fields.sourceLabels,
        message: `${action} allows only a regex, which it matches with label names`,
      };
    }
  }
  return undefined;
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
