import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFormula } from '../../../src/constructs/keda/formula';

/** What KEDA's own compiler says with triggers `a` and `b`. */
const cases = JSON.parse(readFileSync(join(__dirname, 'cases/formulas.json'), 'utf8')) as readonly {
  readonly formula: string;
  readonly compiles: boolean;
}[];

function compiles(formula: string): boolean {
  const { problem, names } = readFormula(formula);
  return problem === undefined && names.every(({ name }) => name === 'a' || name === 'b');
}

test.each(cases)('$formula: $compiles', ({ formula, compiles: expected }) => {
  expect(compiles(formula)).toBe(expected);
});

test('a problem says where', () => {
  expect(readFormula('a + foo(b)').problem).toEqual({ message: 'unknown function "foo"', at: 4 });
  expect(readFormula('a +').problem).toEqual({ message: 'unexpected end of the formula, expected a value', at: 3 });
});

test('names come in the order of the text, and variables of the formula are none', () => {
  expect(readFormula('let x = b; x + a').names.map(({ name }) => name)).toEqual(['b', 'a']);
});
