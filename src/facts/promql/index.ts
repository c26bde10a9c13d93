/**
 * PromQL as Prometheus reads it: syntax, types, which metrics and labels a query is about, and how many elements it can give.
 */
export {
  type Aggregation,
  bare,
  type BinaryOperation,
  COMPARISONS,
  type Expression,
  type FunctionCall,
  type LabelMatcher,
  SET_OPERATORS,
  type Span,
  type ValueType,
  type VectorSelector,
  walk,
} from './expression';
export { COUNTER_FUNCTIONS, FUNCTIONS, type FunctionSignature, GAUGE_FUNCTIONS } from './functions';
export { hasOneElement, type LabelSet, labelsOf, mayHave } from './labels';
export { parseDuration } from './literals';
export { parsePromql, type PromqlReading } from './parse';
export { describeProblem, type PromqlProblem, type PromqlProblemKind } from './problem';
export { matchesWhole, regularExpressionProblem } from './regular-expression';
export { metricOf, metricsOf, type PlacedSelector, selectorsOf } from './selectors';
export { constantOf, typeOf } from './type-check';
