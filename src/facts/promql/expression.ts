/**
 * PromQL as a tree of values: what a query is made of, each part with its place in the text.
 */

/** Half open, in characters of the query, counted from 0. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export type ValueType = 'scalar' | 'string' | 'vector' | 'matrix';

export type MatchOperator = '=' | '!=' | '=~' | '!~';

export interface LabelMatcher extends Span {
  readonly label: string;
  readonly operator: MatchOperator;
  readonly value: string;
}

export interface NumberLiteral extends Span {
  readonly kind: 'number';
  readonly value: number;
}

export interface StringLiteral extends Span {
  readonly kind: 'string';
  readonly value: string;
}

/** What `offset` and `@` say; they shift the time, and change neither type nor labels. */
export interface TimeShift {
  readonly offset?: true;
  readonly at?: true;
}

/** `name{label="value"}`. */
export interface VectorSelector extends Span, TimeShift {
  readonly kind: 'selector';
  /** Where the query names it in front of the braces, or as the first quoted text within them. */
  readonly metric?: string;
  /** Those in braces; `__name__` among them where the query writes it. */
  readonly matchers: readonly LabelMatcher[];
}

/** `selector[5m]`. */
export interface RangeSelector extends Span, TimeShift {
  readonly kind: 'range';
  readonly of: Expression;
  /** Seconds; `undefined` where it is computed. */
  readonly seconds?: number;
}

/** `expression[1h:5m]`. */
export interface Subquery extends Span, TimeShift {
  readonly kind: 'subquery';
  readonly of: Expression;
  readonly seconds?: number;
}

export interface FunctionCall extends Span {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Expression[];
}

export interface Aggregation extends Span {
  readonly kind: 'aggregation';
  /** In lower case. */
  readonly operator: string;
  readonly args: readonly Expression[];
  readonly grouping?: { readonly without: boolean; readonly labels: readonly string[] };
}

export interface VectorMatching {
  readonly on: boolean;
  readonly labels: readonly string[];
  /** The side that may have many elements for each of the other. */
  readonly many?: 'left' | 'right';
  /** Labels that `group_left` or `group_right` takes over from the other side. */
  readonly include: readonly string[];
}

export interface BinaryOperation extends Span {
  readonly kind: 'binary';
  /** In lower case: `+`, `==`, `and`, `atan2`. */
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
  readonly bool: boolean;
  readonly matching?: VectorMatching;
}

export interface UnaryOperation extends Span {
  readonly kind: 'unary';
  readonly operator: '+' | '-';
  readonly of: Expression;
}

export interface Parenthesised extends Span {
  readonly kind: 'paren';
  readonly of: Expression;
}

export type Expression =
  | NumberLiteral
  | StringLiteral
  | VectorSelector
  | RangeSelector
  | Subquery
  | FunctionCall
  | Aggregation
  | BinaryOperation
  | UnaryOperation
  | Parenthesised;

export const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '>', '<', '>=', '<=']);
export const SET_OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'unless']);

/** Aggregations that take a parameter in front. */
export const PARAMETER_AGGREGATIONS: ReadonlyMap<string, 'scalar' | 'string'> = new Map([
  ['topk', 'scalar'],
  ['bottomk', 'scalar'],
  ['quantile', 'scalar'],
  ['limitk', 'scalar'],
  ['limit_ratio', 'scalar'],
  ['count_values', 'string'],
] as const);

/** Aggregations that choose elements and leave them as they are. */
export const CHOOSING_AGGREGATIONS: ReadonlySet<string> = new Set(['topk', 'bottomk', 'limitk', 'limit_ratio']);

/** The expression below parentheses. */
export function bare(expression: Expression): Exclude<Expression, Parenthesised> {
  return expression.kind === 'paren' ? bare(expression.of) : expression;
}

/** The parts right below. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'call':
    case 'aggregation':
      return expression.args;
    case 'binary':
      return [expression.left, expression.right];
    case 'range':
    case 'subquery':
    case 'unary':
    case 'paren':
      return [expression.of];
    case 'number':
    case 'string':
    case 'selector':
      return [];
  }
}

/** The expression and everything below it, outside in, from left to right. */
export function* walk(expression: Expression): Iterable<Expression> {
  yield expression;
  for (const part of partsOf(expression)) {
    yield* walk(part);
  }
}
