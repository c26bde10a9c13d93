/**
 * The order of names, by which every tie is broken.
 */
import { compareNames, compareText } from '../../src/placement/model/names';
import { Random } from '../support/random';

test.each([
  ['node-2', 'node-10'],
  ['node-002', 'node-10'],
  ['node-9a', 'node-10'],
  ['node-0', 'node-1'],
  ['node-00', 'node-1'],
  ['node-99999999999999999998', 'node-99999999999999999999'],
  ['node-9', 'node-10000000000000000000000'],
  ['node', 'node-1'],
  ['rack-1-node-2', 'rack-1-node-10'],
  ['rack-2-node-1', 'rack-10-node-0'],
  ['node-007', 'node-7'],
  ['A-1', 'a-0'],
])('%s comes before %s', (first, second) => {
  expect(compareNames(first, second)).toBeLessThan(0);
  expect(compareNames(second, first)).toBeGreaterThan(0);
});

test('equal names alone are equal', () => {
  expect(compareNames('node-1', 'node-1')).toBe(0);
  expect(compareNames('', '')).toBe(0);
  expect(compareNames('', '0')).toBeLessThan(0);
});

test('numbers are compared by value, whatever zeros are in front of them', () => {
  const random = new Random(11);
  const digits = (): string => Array.from({ length: 1 + random.below(5) }, () => String(random.below(3))).join('');
  for (let i = 0; i < 3_000; i++) {
    const [a, b] = [digits(), digits()];
    const [first, second] = [`n${a}x`, `n${b}x`];
    // Where nothing else tells them apart, the code points of the names do.
    const expected = Math.sign(Number(a) - Number(b)) || compareText(first, second);
    expect(Math.sign(compareNames(first, second))).toBe(expected);
  }
});
