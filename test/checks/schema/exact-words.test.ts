/**
 * What to write in fields of a known meaning, and in numbers with bounds.
 */
import { A_QUANTITY, boundWords, exactWords } from '../../../src/checks/schema/exact-words';

test.each([
  ['/spec/ports/1/port', 'an integer from 1 to 65535'],
  ['/spec/containers/0/ports/0/hostPort', 'an integer from 1 to 65535'],
  ['/spec/replicas', 'an integer'],
  ['/spec/support', 'an integer'],
])('an integer at %s: %s', (path, expected) => {
  expect(exactWords('Set it to an integer.', path)).toBe(`Set it to ${expected}.`);
});

test.each([
  ['/limits/nvidia.com~1gpu', 'an integer such as 1'],
  ['/hard/requests.nvidia.com~1gpu', 'an integer such as 1'],
  ['/limits/memory', 'a quantity such as 512Mi or 8Gi'],
  ['/hard/requests.storage', 'a quantity such as 512Mi or 8Gi'],
  ['/limits/hugepages-2Mi', 'a quantity such as 512Mi or 8Gi'],
  ['/hard/limits.cpu', 'a quantity such as 500m or 2'],
  ['/spec/divisor', 'a quantity such as 2, 500m, or 16Gi'],
])('a quantity at %s: %s', (path, expected) => {
  expect(exactWords(`Set it to ${A_QUANTITY}.`, path)).toBe(`Set it to ${expected}.`);
});

test.each([
  [{ minimum: 1, maximum: 5 }, ' from 1 to 5'],
  [{ minimum: 0 }, ' of at least 0'],
  [{ maximum: 9 }, ' of at most 9'],
  [{ minimum: 0, exclusiveMinimum: true }, ''],
  [{}, ''],
])('the bounds %j', (schema, expected) => {
  expect(boundWords(schema)).toBe(expected);
});
