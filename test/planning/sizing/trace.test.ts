/**
 * The waits of the second half of a trace, predicted from the first. A half of four days is a small sample: `npm run bench:sizing` predicts
 * halves of thirty days.
 */
import { predictSecondHalf, TRACE } from './trace';

test('the predicted percentile is that of days like those of the history', () => {
  const { predicted, actual, jobs } = predictSecondHalf({ ...TRACE, days: 8, seed: 1, replications: 2 });
  expect(jobs).toBeGreaterThan(1000);
  expect(actual).toBeGreaterThan(1800);
  expect(predicted / actual).toBeGreaterThan(1 / 2);
  expect(predicted / actual).toBeLessThan(2);
}, 60_000);
