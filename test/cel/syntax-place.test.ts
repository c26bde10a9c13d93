/**
 * The place at which an expression stops being CEL: none in expressions that the parser takes, and the wrong token in others.
 */
import { parse } from '@bufbuild/cel';
import { unexpectedToken } from '../../src/cel/syntax-place';
import { withoutOptionalSyntax } from '../../src/cel/syntax-extensions';
import { Random } from '../support/random';
import { COST_CASES } from './estimates/cases';

const parses = (source: string): boolean => {
  try {
    return parse(withoutOptionalSyntax(source)).expr !== undefined;
  } catch {
    return false;
  }
};

const VALID = COST_CASES.map((one) => ('rule' in one ? one.rule : one.selector)).filter(parses);

test('there are expressions to read', () => {
  expect(VALID.length).toBeGreaterThan(100);
});

test('a valid expression has none', () => {
  expect(VALID.filter((source) => unexpectedToken(source) !== undefined)).toEqual([]);
});

test('an expression that is cut, or has a token too many, has one wherever the parser stops', () => {
  const random = new Random(8);
  const missed: string[] = [];
  for (let round = 0; round < 400; round++) {
    const source = random.pick(VALID);
    const at = Math.floor(random.next() * source.length);
    const broken = random.pick([
      source.slice(0, at),
      `${source.slice(0, at)} ) ${source.slice(at)}`,
      `${source.slice(0, at)} ] ${source.slice(at)}`,
      `${source.slice(0, at)} x y ${source.slice(at)}`,
      `${source.slice(0, at)} , ${source.slice(at)}`,
      `${source.slice(0, at)} ? ${source.slice(at)}`,
    ]);
    // Only the engine wants `.?` in one piece.
    if (/\.\s+\?/.test(broken)) {
      continue;
    }
    if (broken.trim() !== '' && unexpectedToken(broken) === undefined && !parses(broken)) {
      missed.push(broken);
    }
    if (unexpectedToken(broken) !== undefined && parses(broken)) {
      missed.push(`not wrong: ${broken}`);
    }
  }
  expect(missed).toEqual([]);
});

test.each([
  ['(a == b ? "" : (has(c) && d IN e ? f : g)) == h', 'IN', 28],
  ['a && (b AND c)', 'AND', 8],
  ['foo(a b)', 'b', 6],
  ['foo(a,)', ')', 6],
  ['()', ')', 1],
  ['[1, 2', '', 5],
  ['{"a": 1, 2}', '}', 10],
  ['{"a": 1: 2}', ':', 7],
  ['a ? b', '', 5],
  ['a ?  : c', ':', 5],
  ['(a ? b)', ')', 6],
  ['a[1, 2]', ',', 3],
  ['a.1', '.1', 1],
  ['a +', '', 3],
  ['a == = b', '=', 5],
  ['"abc', '"', 0],
  ['1(2)', '(', 1],
  ['a.b {c: 1} d', 'd', 11],
  ['// nothing', '', 10],
])('%s', (source, text, at) => {
  expect(parses(source)).toBe(false);
  expect(unexpectedToken(source)).toMatchObject({ text, at });
});

test.each([
  '{a: b ? c : d, ?"e": f}',
  '[?a, b,]',
  'a.?b[?c].d()',
  'x{y: 1,}.z',
  '-!a',
  '.a.b(1)',
  'a ? (b ? c : d) : e',
])('%s has none', (source) => {
  expect(unexpectedToken(source)).toBeUndefined();
});
