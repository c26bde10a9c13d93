/**
 * Which labels the result of a query can have, and whether it can have more than one element.
 *
 * Source: Prometheus v3.15, promql/engine.go (aggregation, VectorBinop, resultMetric) and promql/functions.go.
 */
import {
  type Aggregation,
  bare,
  type BinaryOperation,
  CHOOSING_AGGREGATIONS,
  COMPARISONS,
  type Expression,
  type FunctionCall,
  SET_OPERATORS,
  type VectorSelector,
} from './expression';
import { constantOf, typeOf } from './type-check';

/** Labels that may be there: only these, or all but these. */
export type LabelSet = { readonly only: ReadonlySet<string> } | { readonly except: ReadonlySet<string> };

const NONE: LabelSet = { only: new Set() };
const NAME = '__name__';

export function mayHave(set: LabelSet, label: string): boolean {
  return 'only' in set ? set.only.has(label) : !set.except.has(label);
}

function without(set: LabelSet, labels: Iterable<string>): LabelSet {
  const gone = new Set(labels);
  return 'only' in set
    ? { only: new Set([...set.only].filter((label) => !gone.has(label))) }
    : { except: new Set([...set.except, ...gone]) };
}

function together(set: LabelSet, labels: Iterable<string>): LabelSet {
  const more = new Set(labels);
  return 'only' in set
    ? { only: new Set([...set.only, ...more]) }
    : { except: new Set([...set.except].filter((label) => !more.has(label))) };
}

function among(set: LabelSet, labels: readonly string[]): LabelSet {
  return { only: new Set(labels.filter((label) => mayHave(set, label))) };
}

function either(a: LabelSet, b: LabelSet): LabelSet {
  if ('only' in a) {
    return together(b, a.only);
  }
  if ('only' in b) {
    return together(a, b.only);
  }
  return { except: new Set([...a.except].filter((label) => b.except.has(label))) };
}

/** The labels that elements of the result can have, `__name__` among them. */
export function labelsOf(expression: Expression): LabelSet {
  switch (expression.kind) {
    case 'number':
    case 'string':
      return NONE;
    case 'selector':
      return without(
        { except: new Set() },
        expression.matchers.filter(({ operator, value }) => operator === '=' && value === '').map(({ label }) => label),
      );
    case 'range':
    case 'subquery':
    case 'paren':
      return labelsOf(expression.of);
    case 'unary':
      return without(labelsOf(expression.of), [NAME]);
    case 'call':
      return labelsOfCall(expression);
    case 'aggregation':
      return labelsOfAggregation(expression);
    case 'binary':
      return labelsOfBinary(expression);
  }
}

/** Functions that leave the metric's name on. */
const KEEPS_NAME: ReadonlySet<string> = new Set([
  'last_over_time',
  'first_over_time',
  'sort',
  'sort_desc',
  'sort_by_label',
  'sort_by_label_desc',
  'info',
]);

function labelsOfCall({ name, args }: FunctionCall): LabelSet {
  const vector = args.find((arg) => typeOf(arg) === 'vector' || typeOf(arg) === 'matrix');
  const of = vector === undefined || name === 'scalar' ? NONE : labelsOf(vector);
  const text = (index: number): string => {
    const arg = args[index];
    return arg?.kind === 'string' ? arg.value : '';
  };
  switch (name) {
    case 'absent':
    case 'absent_over_time':
      return vector === undefined ? NONE : { only: new Set(equalities(vector)) };
    case 'histogram_quantile':
    case 'histogram_fraction':
      return without(of, [NAME, 'le']);
    case 'histogram_quantiles':
      return together(without(of, [NAME, 'le']), [text(1)]);
    case 'label_replace':
    case 'label_join':
      return together(of, [text(1)]);
    case 'info':
      return { except: new Set() };
    default:
      return KEEPS_NAME.has(name) ? of : without(of, [NAME]);
  }
}

/** `absent` gives the labels that its selector compares for equality, and nothing else. */
function equalities(expression: Expression): readonly string[] {
  const inside = bare(expression);
  const selector: VectorSelector | undefined =
    inside.kind === 'selector'
      ? inside
      : inside.kind === 'range' && inside.of.kind === 'selector'
        ? inside.of
        : undefined;
  const seen = new Map<string, boolean>();
  for (const { label, operator } of selector?.matchers ?? []) {
    if (label !== NAME) {
      seen.set(label, operator === '=' && !seen.has(label));
    }
  }
  return [...seen].filter(([, once]) => once).map(([label]) => label);
}

function labelsOfAggregation({ operator, args, grouping }: Aggregation): LabelSet {
  const vector = args.at(-1);
  const of = vector === undefined ? NONE : labelsOf(vector);
  if (CHOOSING_AGGREGATIONS.has(operator)) {
    return of;
  }
  const grouped =
    grouping === undefined
      ? NONE
      : grouping.without
        ? without(of, [...grouping.labels, NAME])
        : among(of, grouping.labels);
  const [value] = args;
  return operator === 'count_values' && value?.kind === 'string' ? together(grouped, [value.value]) : grouped;
}

function labelsOfBinary({ operator, left, right, bool, matching }: BinaryOperation): LabelSet {
  const scalars = [typeOf(left) === 'scalar', typeOf(right) === 'scalar'] as const;
  const filters = COMPARISONS.has(operator) && !bool;
  const named = (set: LabelSet): LabelSet => (filters ? set : without(set, [NAME]));
  if (scalars[0] && scalars[1]) {
    return NONE;
  }
  if (scalars[1]) {
    return named(labelsOf(left));
  }
  if (scalars[0]) {
    return named(labelsOf(right));
  }
  if (operator === 'or') {
    return either(labelsOf(left), labelsOf(right));
  }
  if (SET_OPERATORS.has(operator)) {
    return labelsOf(left);
  }
  if (matching === undefined) {
    return named(labelsOf(left));
  }
  const { on, labels, many, include } = matching;
  if (many !== undefined) {
    return together(named(labelsOf(many === 'left' ? left : right)), include);
  }
  return named(on ? among(labelsOf(left), labels) : without(labelsOf(left), labels));
}

/**
 * Whether the result has one element at most, whatever the series: scalars do, and vectors whose elements no label can tell apart.
 * A query of KEDA has to.
 */
export function hasOneElement(expression: Expression): boolean {
  const inside = bare(expression);
  if (typeOf(inside) === 'scalar') {
    return true;
  }
  if (typeOf(inside) !== 'vector') {
    return false;
  }
  const labels = without(labelsOf(inside), [NAME]);
  if ('only' in labels && labels.only.size === 0) {
    return !mayHave(labelsOf(inside), NAME) || oneByShape(inside);
  }
  return oneByShape(inside);
}

function oneByShape(expression: Expression): boolean {
  const inside = bare(expression);
  switch (inside.kind) {
    case 'aggregation':
      return choosesOne(inside);
    case 'unary':
      return hasOneElement(inside.of);
    case 'call': {
      if (inside.name === 'absent' || inside.name === 'absent_over_time') {
        return true;
      }
      const vector = inside.args.find((arg) => typeOf(arg) === 'vector');
      return vector !== undefined && inside.name !== 'histogram_quantiles' && hasOneElement(vector);
    }
    case 'binary':
      return joinsToOne(inside);
    case 'number':
    case 'string':
    case 'selector':
    case 'range':
    case 'subquery':
      return false;
  }
}

/** An aggregation that chooses elements, such as `topk`, chooses one, or from one. */
function choosesOne({ operator, args, grouping }: Extract<Expression, { readonly kind: 'aggregation' }>): boolean {
  if (!CHOOSING_AGGREGATIONS.has(operator)) {
    return false;
  }
  const [count, of] = args;
  const chosen = count === undefined ? undefined : constantOf(count);
  return (
    (operator !== 'limit_ratio' && grouping === undefined && chosen !== undefined && chosen <= 1) ||
    (of !== undefined && hasOneElement(of))
  );
}

function joinsToOne({ operator, left, right, matching }: Extract<Expression, { readonly kind: 'binary' }>): boolean {
  if (operator === 'or') {
    return false;
  }
  if (SET_OPERATORS.has(operator)) {
    return hasOneElement(left);
  }
  if (typeOf(left) === 'scalar') {
    return hasOneElement(right);
  }
  if (typeOf(right) === 'scalar') {
    return hasOneElement(left);
  }
  const { many } = matching ?? {};
  if (many !== undefined) {
    return hasOneElement(many === 'left' ? left : right);
  }
  return hasOneElement(left) || hasOneElement(right);
}
