/**
 * The waits of the second half of a trace, predicted from the first. A half of four days is a small sample: `npm run bench:sizing` predicts
 * halves of thirty days.
 */
import { accuracyOf, predictSecondHalf, TRACE } from './trace';

test('the predicted percentile is that of days like those of the history', () => {
  const { predicted, actual, jobs } = predictSecondHalf({ ...TRACE, days: 8, seed: 1, replications: 2 });
  expect(jobs).toBeGreaterThan(1000);
  expect(actual).toBeGreaterThan(1800);
  expect(predicted / actual).toBeGreaterThan(1 / 2);
  expect(predicted / actual).toBeLessThan(2);
}, 60_000);

test('the accuracy of predictions is compared with what chance allows', () => {
  const one = (predicted: number, actual: number, ofFirstHalf: number): Parameters<typeof accuracyOf>[0][number] => ({
    predicted,
    actual,
    ofFirstHalf,
    error: Math.abs(predicted - actual) / actual,
    jobs: 1,
  });
  const accuracy = accuracyOf([one(200, 100, 150), one(50, 100, 110), one(110, 100, 40)]);
  expect(accuracy).toMatchObject({
    medianError: 0.5,
    medianErrorOfFirstHalf: 0.5,
    floor: 0,
    within15Percent: 1,
  });
  expect(accuracy.bias).toBeCloseTo(1.1 ** (1 / 3));
});
