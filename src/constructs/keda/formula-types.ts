/**
 * Names, operators, and types of the formulas of `scalingModifiers`, as the language expr has them.
 *
 * Source: expr, builtin, parser/operator, and checker.
 */
import { FormulaError, type Token } from './formula-tokens';

/** Values of triggers are floats; `%` and the functions on bits want integers. */
export type Type = 'integer' | 'float' | 'boolean' | 'text' | 'nil' | 'other';

export const PREDICATES: ReadonlySet<string> = new Set([
  'all',
  'none',
  'any',
  'one',
  'filter',
  'map',
  'count',
  'sum',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'groupBy',
  'sortBy',
  'reduce',
]);

/** What builtin functions give, where that does not depend on what they are given. */
export const RESULTS: ReadonlyMap<string, Type> = new Map([
  ...['ceil', 'floor', 'round', 'float'].map((name) => [name, 'float'] as const),
  ...['int', 'len', 'count'].map((name) => [name, 'integer'] as const),
  ...['all', 'none', 'any', 'one', 'hasPrefix', 'hasSuffix'].map((name) => [name, 'boolean'] as const),
  ...['string', 'trim', 'upper', 'lower', 'type'].map((name) => [name, 'text'] as const),
]);

export const BUILTINS: ReadonlySet<string> = new Set([
  ...PREDICATES,
  ...RESULTS.keys(),
  ...(
    'abs sum mean median max min indexOf lastIndexOf trimPrefix trimSuffix split splitAfter replace repeat join toJSON fromJSON toBase64 ' +
    'fromBase64 now duration date timezone first last get take keys values toPairs fromPairs reverse uniq concat flatten sort ' +
    'bitand bitor bitxor bitnand bitshl bitshr bitushr bitnot'
  ).split(' '),
]);

export const BINARY: Readonly<Record<string, number | undefined>> = {
  '|': 0,
  or: 10,
  '||': 10,
  and: 15,
  '&&': 15,
  '==': 20,
  '!=': 20,
  '<': 20,
  '>': 20,
  '>=': 20,
  '<=': 20,
  in: 20,
  matches: 20,
  contains: 20,
  startsWith: 20,
  endsWith: 20,
  '..': 25,
  '+': 30,
  '-': 30,
  '*': 60,
  '/': 60,
  '%': 60,
  '**': 100,
  '^': 100,
  '??': 500,
};
export const UNARY: Readonly<Record<string, number | undefined>> = { not: 50, '!': 50, '-': 90, '+': 90 };
export const NEGATABLE: ReadonlySet<string> = new Set(['in', 'matches', 'contains', 'startsWith', 'endsWith']);

export const TAKING_NUMBERS: ReadonlySet<string> = new Set(['abs', 'ceil', 'floor', 'round', 'float', 'int']);
/** `a ** b ** c` is `a ** (b ** c)`. */
export const RIGHT_BOUND: ReadonlySet<string> = new Set(['**', '^']);
const LOGIC: ReadonlySet<string> = new Set(['and', 'or', '&&', '||']);
const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '**', '^']);
export const ORDER: ReadonlySet<string> = new Set(['<', '>', '<=', '>=']);

export function isNumber(type: Type): boolean {
  return type === 'integer' || type === 'float';
}

/** Numbers with numbers, and texts with texts; what is unknown with everything. */
function canCompare(sides: readonly Type[]): boolean {
  const mixed = sides.includes('text') && sides.some(isNumber);
  return !sides.includes('boolean') && !sides.includes('nil') && !mixed;
}

function typeOfArithmetic(operator: string, sides: readonly Type[]): Type {
  if (operator === '/' || operator === '**' || operator === '^') {
    return 'float';
  }
  if (sides.every((type) => type === 'integer')) {
    return 'integer';
  }
  return sides.every(isNumber) ? 'float' : sides.every((type) => type === 'text') ? 'text' : 'other';
}

export function typeOfOperation({ text, at }: Token, left: Type, right: Type): Type {
  const sides = [left, right];
  if (LOGIC.has(text)) {
    if (sides.some((type) => isNumber(type) || type === 'text')) {
      throw new FormulaError(`"${text}" requires booleans; compare the values with others`, at);
    }
    return 'boolean';
  }
  if ((ARITHMETIC.has(text) || ORDER.has(text)) && !canCompare(sides)) {
    throw new FormulaError(`"${text}" requires numbers`, at);
  }
  if (text === '%' && sides.includes('float')) {
    throw new FormulaError('"%" requires integers, and trigger values are not; wrap them in int(…)', at);
  }
  if (ARITHMETIC.has(text)) {
    return typeOfArithmetic(text, sides);
  }
  if (text === '??') {
    return left === 'nil' ? right : left === right ? left : 'other';
  }
  return text === '..' ? 'other' : 'boolean';
}
