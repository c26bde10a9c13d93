/**
 * Lists and counts as a sentence writes them.
 */
import { allOf, counted, oneOf, withArticle } from '../../src/facts/words';

test.each([
  [[], '', ''],
  [['a'], 'a', 'a'],
  [['a', 'b'], 'a or b', 'a and b'],
  [['a', 'b', 'c'], 'a, b, or c', 'a, b, and c'],
])('%j is a list of choices, or of all: %s, %s', (names, either, all) => {
  expect(oneOf(names)).toBe(either);
  expect(allOf(names)).toBe(all);
});

test.each([
  [0, 'pod', '0 pods'],
  [1, 'pod', '1 pod'],
  [2, 'pod', '2 pods'],
  [1, 'entry', '1 entry'],
  [2, 'entry', '2 entries'],
  [2, 'process', '2 processes'],
  [3, 'array', '3 arrays'],
])('%d of %s is %s', (count, noun, text) => {
  expect(counted(count, noun)).toBe(text);
});

test.each([
  'a B200',
  'an A100-SXM-80GB',
  'an H100',
  'an MI300X',
  'a TPU-v5e',
  'an Ascend-910B2',
  'a Gaudi3',
  'an array',
])('the article of %s', (text) => {
  expect(withArticle(text.replace(/^an? /, ''))).toBe(text);
});
