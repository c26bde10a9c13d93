/**
 * Confidence intervals, compared with a table of Student's t distribution.
 */
import { intervalOf, quantileOfT } from '../../../src/planning/sizing/confidence';

test.each([
  [0.95, 1, 12.706],
  [0.95, 2, 4.303],
  [0.95, 3, 3.182],
  [0.95, 7, 2.365],
  [0.95, 30, 2.042],
  [0.95, 100, 1.984],
  [0.9, 4, 2.132],
  [0.99, 9, 3.25],
])('the quantile of t at %d with %d degrees of freedom is that of the table', (level, freedom, value) => {
  expect(quantileOfT(level, freedom)).toBeCloseTo(value, 3);
});

test('the interval of a sample is symmetric around its mean, and does not go below zero', () => {
  const { mean, low, high } = intervalOf([10, 12, 14, 16], 0.95);
  expect(mean).toBe(13);
  // The standard deviation is 2.582, the standard error 1.291.
  expect(high - mean).toBeCloseTo(3.182 * 1.291, 2);
  expect(mean - low).toBeCloseTo(high - mean, 9);
  expect(intervalOf([0, 0, 0, 9], 0.95).low).toBe(0);
});

test('one value, and equal values, are their own interval', () => {
  expect(intervalOf([7], 0.95)).toEqual({ mean: 7, low: 7, high: 7 });
  expect(intervalOf([7, 7, 7], 0.95)).toEqual({ mean: 7, low: 7, high: 7 });
});
