/**
 * Confidence intervals of a mean over independent replications, by Student's t distribution.
 */
export interface Interval {
  readonly mean: number;
  /** Limits of the confidence interval; equal to the mean if there is one value only. */
  readonly low: number;
  readonly high: number;
}

/** @param level such as 0.95 */
export function intervalOf(values: readonly number[], level: number): Interval {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, count);
  if (count < 2) {
    return { mean, low: mean, high: mean };
  }
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const half = variance === 0 ? 0 : quantileOfT(level, count - 1) * Math.sqrt(variance / count);
  return { mean, low: Math.max(0, mean - half), high: mean + half };
}

/** The value that |t| does not exceed with the given probability. */
export function quantileOfT(probability: number, freedom: number): number {
  let low = 0;
  let high = 1;
  while (centralProbability(high, freedom) < probability) {
    high *= 2;
  }
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (centralProbability(middle, freedom) < probability) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

/** P(|T| < t) for whole degrees of freedom, as a finite series (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
function centralProbability(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k <= freedom - 2; k += 2) {
    term *= ((k - 1) / k) * cosine * cosine;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}
