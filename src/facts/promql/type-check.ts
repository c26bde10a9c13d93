/**
 * The types of PromQL: scalars, texts, instant vectors and range vectors, and who takes which.
 *
 * Source: Prometheus v3.15, promql/parser/parse.go checkAST.
 */
import {
  type Aggregation,
  bare,
  type BinaryOperation,
  COMPARISONS,
  type Expression,
  type FunctionCall,
  PARAMETER_AGGREGATIONS,
  partsOf,
  SET_OPERATORS,
  type ValueType,
  type VectorSelector,
} from './expression';
import { FUNCTIONS } from './functions';
import { type PromqlProblem, refuse } from './problem';
import { matchesWhole } from './regular-expression';

const SPOKEN: Readonly<Record<ValueType, string>> = {
  scalar: 'a scalar',
  string: 'a string',
  vector: 'an instant vector',
  matrix: 'a range vector',
};

/** What an expression gives. */
export function typeOf(expression: Expression): ValueType {
  switch (expression.kind) {
    case 'number':
      return 'scalar';
    case 'string':
      return 'string';
    case 'selector':
    case 'aggregation':
      return 'vector';
    case 'range':
    case 'subquery':
      return 'matrix';
    case 'call':
      return FUNCTIONS.get(expression.name)?.gives ?? 'vector';
    case 'unary':
    case 'paren':
      return typeOf(expression.of);
    case 'binary':
      return typeOf(expression.left) === 'scalar' && typeOf(expression.right) === 'scalar' ? 'scalar' : 'vector';
  }
}

/** Everything that the types forbid, in the expression and below it. */
export function typeProblems(expression: Expression): readonly PromqlProblem[] {
  const problems: PromqlProblem[] = [];
  const visit = (at: Expression, withoutName = false): void => {
    problems.push(...ownProblems(at, withoutName));
    for (const part of partsOf(at)) {
      visit(part, at.kind === 'call' && at.name === 'info' && part === at.args[1]);
    }
  };
  visit(expression);
  return problems;
}

function ownProblems(expression: Expression, infoSelector: boolean): readonly PromqlProblem[] {
  switch (expression.kind) {
    case 'call':
      return callProblems(expression);
    case 'aggregation':
      return aggregationProblems(expression);
    case 'binary':
      return binaryProblems(expression);
    case 'selector':
      return infoSelector ? [] : selectorProblems(expression);
    case 'subquery': {
      const type = typeOf(expression.of);
      return type === 'vector'
        ? []
        : [refuse('type', `a subquery requires an instant vector, not ${SPOKEN[type]}`, expression)];
    }
    case 'unary': {
      const type = typeOf(expression.of);
      return type === 'scalar' || type === 'vector'
        ? []
        : [refuse('type', `a sign must be followed by a number or an instant vector, not ${SPOKEN[type]}`, expression)];
    }
    case 'number':
    case 'string':
    case 'range':
    case 'paren':
      return [];
  }
}

function callProblems(call: FunctionCall): readonly PromqlProblem[] {
  const { name, args } = call;
  const signature = FUNCTIONS.get(name);
  if (signature === undefined) {
    return [refuse('syntax', `unknown function ${name}`, call)];
  }
  const { takes, variadic, experimental } = signature;
  const problems: PromqlProblem[] = [];
  if (experimental) {
    problems.push(refuse('experimental', `the function ${name} is experimental`, call));
  }
  const least = variadic === 0 ? takes.length : takes.length - 1;
  const most = variadic === 0 ? takes.length : variadic < 0 ? Infinity : takes.length - 1 + variadic;
  if (args.length < least || args.length > most) {
    const wanted = least === most ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
    problems.push(
      refuse('type', `${name} requires ${wanted} argument${wanted === '1' ? '' : 's'}, not ${args.length}`, call),
    );
  }
  for (const [index, arg] of args.entries()) {
    if (index >= takes.length && variadic === 0) {
      break;
    }
    const wanted = takes[Math.min(index, takes.length - 1)];
    const type = typeOf(arg);
    if (wanted !== undefined && type !== wanted) {
      problems.push(
        refuse('type', `${name} requires ${SPOKEN[wanted]}${hintFor(wanted, type)}, not ${SPOKEN[type]}`, arg),
      );
    }
  }
  return problems;
}

function hintFor(wanted: ValueType, found: ValueType): string {
  return wanted === 'matrix' && found === 'vector' ? ' such as metric[5m]' : '';
}

function aggregationProblems(aggregation: Aggregation): readonly PromqlProblem[] {
  const { operator, args } = aggregation;
  const parameter = PARAMETER_AGGREGATIONS.get(operator);
  const wanted = parameter === undefined ? 1 : 2;
  const problems: PromqlProblem[] = [];
  if (operator === 'limitk' || operator === 'limit_ratio') {
    problems.push(refuse('experimental', `${operator} is experimental`, aggregation));
  }
  if (args.length !== wanted) {
    problems.push(
      refuse(
        'type',
        `${operator} requires ${wanted === 1 ? 'one argument' : `two arguments (${parameter === 'string' ? 'a string' : 'a number'} and a vector)`}, not ${args.length}`,
        aggregation,
      ),
    );
    return problems;
  }
  const of = args[wanted - 1];
  if (of !== undefined && typeOf(of) !== 'vector') {
    problems.push(refuse('type', `${operator} requires an instant vector, not ${SPOKEN[typeOf(of)]}`, of));
  }
  const [first] = args;
  if (parameter !== undefined && first !== undefined && typeOf(first) !== parameter) {
    problems.push(
      refuse('type', `${operator} requires ${SPOKEN[parameter]} first, not ${SPOKEN[typeOf(first)]}`, first),
    );
  }
  return problems;
}

function binaryProblems(operation: BinaryOperation): readonly PromqlProblem[] {
  const { operator, left, right, bool, matching } = operation;
  const problems: PromqlProblem[] = [];
  const types = [typeOf(left), typeOf(right)] as const;
  const compares = COMPARISONS.has(operator);
  for (const [side, type] of [
    [left, types[0]],
    [right, types[1]],
  ] as const) {
    if (type !== 'scalar' && type !== 'vector') {
      problems.push(refuse('type', `${operator} accepts numbers and instant vectors, not ${SPOKEN[type]}`, side));
    }
  }
  if (bool && !compares) {
    problems.push(refuse('type', 'bool must follow a comparison operator', operation));
  }
  const scalars = types.every((type) => type === 'scalar');
  if (compares && !bool && scalars) {
    problems.push(refuse('type', 'a comparison of two numbers requires bool after the operator', operation));
  }
  const set = SET_OPERATORS.has(operator);
  if (set && types.includes('scalar')) {
    problems.push(refuse('type', `${operator} requires instant vectors on both sides`, operation));
  }
  if (matching === undefined) {
    return problems;
  }
  if (types.some((type) => type !== 'vector')) {
    if (matching.labels.length > 0) {
      problems.push(refuse('type', 'on and ignoring require instant vectors on both sides', operation));
    }
    return problems;
  }
  if (set && matching.many !== undefined) {
    problems.push(refuse('type', `${operator} does not support group_left and group_right`, operation));
  }
  const twice = matching.on ? matching.include.find((label) => matching.labels.includes(label)) : undefined;
  if (twice !== undefined) {
    problems.push(refuse('type', `the label ${twice} must not be in both on() and the group clause`, operation));
  }
  return problems;
}

function selectorProblems(selector: VectorSelector): readonly PromqlProblem[] {
  const { metric, matchers } = selector;
  if (metric !== undefined) {
    return matchers.some(({ label }) => label === '__name__')
      ? [refuse('type', `the metric name must not be set twice: ${metric} and __name__`, selector)]
      : [];
  }
  const chooses = matchers.some(({ operator, value }) => {
    if (operator === '=' || operator === '!=') {
      return (operator === '=') === (value !== '');
    }
    return matchesWhole(value, '') !== (operator === '=~');
  });
  return chooses
    ? []
    : [
        refuse(
          'type',
          'the selector matches every metric; name a metric, or match a label with a non-empty value',
          selector,
        ),
      ];
}

/** Whether an expression is a plain number, signs and parentheses aside. */
export function constantOf(expression: Expression): number | undefined {
  const inside = bare(expression);
  if (inside.kind === 'number') {
    return inside.value;
  }
  if (inside.kind !== 'unary') {
    return undefined;
  }
  const value = constantOf(inside.of);
  return value === undefined ? undefined : inside.operator === '-' ? -value : value;
}
