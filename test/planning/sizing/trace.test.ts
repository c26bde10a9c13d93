/**
 * The waits of the second half of a trace, predicted from the first. A half of four days is a small sample: `npm run bench:sizing` predicts
 * halves of thirty days.
 */
import { accuracyOf, fittedTo, type JobProcess, jobsOf, predictSecondHalf, TRACE } from './trace';

test('the predicted percentile is that of days like those of the history', () => {
  const { predicted, actual, jobs } = predictSecondHalf({ ...TRACE, days: 8, seed: 1, replications: 2, fits: 0 });
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
    fitted: ofFirstHalf,
    error: Math.abs(predicted - actual) / actual,
    jobs: 1,
  });
  const accuracy = accuracyOf([one(200, 100, 150), one(50, 100, 110), one(110, 100, 40)]);
  expect(accuracy).toMatchObject({
    medianError: 0.5,
    medianErrorOfFirstHalf: 0.5,
    floor: 0,
    floorOfHistory: 0.5,
    within15Percent: 1,
  });
  expect(accuracy.bias).toBeCloseTo(1.1 ** (1 / 3));
});

test('the process that is fitted to many jobs is the one that drew them', () => {
  const process: JobProcess = { perHour: 40, swing: 0.5, median: 300, sigma: 0.8, shares: [0.5, 0.25, 0.15, 0.1] };
  const fitted = fittedTo(jobsOf(process, 60, 7), 60);
  expect(fitted.perHour / process.perHour).toBeCloseTo(1, 1);
  expect(fitted.swing).toBeCloseTo(process.swing, 1);
  expect(fitted.median / process.median).toBeCloseTo(1, 1);
  expect(fitted.sigma).toBeCloseTo(process.sigma, 1);
  fitted.shares.forEach((share, i) => expect(share).toBeCloseTo(process.shares[i], 1));
});
