/**
 * A synthetic history of jobs: rates that follow the time of day, durations with a heavy tail, and gangs of one to eight devices.
 */
import { momentsOf, randomNumbers } from '../../../src/planning/simulation/arrivals';
import { readSizing, type Sizing } from '../../../src/planning/sizing';
import { Evaluator } from '../../../src/planning/sizing/evaluate';
import { reportOf } from '../../../src/planning/sizing/size';
import { NO_SOURCES } from './support';

export interface TraceOptions {
  readonly seed: number;
  readonly days: number;
  /** Mean arrivals per hour; at noon there are 1.6 times as many, at midnight 0.4 times. */
  readonly perHour: number;
  readonly nodes: number;
  readonly replications: number;
}

/** What `npm run bench:sizing` predicts: about 12,000 jobs, which come faster than the cluster can run them at the noon of each day. */
export const TRACE: Omit<TraceOptions, 'seed'> = { days: 60, perHour: 8, nodes: 1, replications: 3 };

const SWING = 0.6;
const DAY = 86_400;
/** Seconds: log-normal with a 95th percentile of six times the median, cut off at a quarter of a day. */
const DURATION = { median: 600, sigma: Math.log(6) / 1.645, most: DAY / 4 };
/** Devices, and the part of the jobs that have at most as many. */
const DEVICES = [
  [1, 0.6],
  [2, 0.8],
  [4, 0.92],
  [8, 1],
] as const;

interface Job {
  readonly at: number;
  readonly duration: number;
  readonly devices: number;
}

function jobsOf({ seed, days, perHour }: TraceOptions): readonly Job[] {
  const random = randomNumbers(seed + 1000);
  const most = perHour * (1 + SWING);
  // Arrivals at the highest rate, thinned to the rate of their time.
  const moments = momentsOf({ kind: 'poisson', from: 0, perHour: most, until: days * DAY, count: 1e6, seed });
  return moments.flatMap((at): Job[] => {
    const rate = perHour * (1 - SWING * Math.cos((2 * Math.PI * at) / DAY));
    if (random() * most > rate) {
      return [];
    }
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const duration = Math.min(DURATION.most, Math.ceil(DURATION.median * Math.exp(DURATION.sigma * normal)));
    const drawn = random();
    return [{ at, duration, devices: DEVICES.find(([, part]) => drawn <= part)![0] }];
  });
}

function csvOf(jobs: readonly Job[]): string {
  return `submitted,duration,devices\n${jobs.map(({ at, duration, devices }) => `${at},${duration},${devices}`).join('\n')}\n`;
}

export interface Prediction {
  /** 95th percentile of the waits, seconds: predicted from the first half of the trace, and simulated with the second. */
  readonly predicted: number;
  readonly actual: number;
  /** The same of the first half, replayed as it was: two halves of one process differ by chance. */
  readonly ofFirstHalf: number;
  /** Part of the actual percentile. */
  readonly error: number;
  readonly jobs: number;
}

/** Predicts the second half of a trace from the first. */
export function predictSecondHalf(options: TraceOptions): Prediction {
  const { days, nodes, seed } = options;
  const jobs = jobsOf(options);
  const middle = (days / 2) * DAY;
  const [first, second] = [jobs.filter(({ at }) => at < middle), jobs.filter(({ at }) => at >= middle)];
  const p95 = (of: readonly Job[], replay: boolean): number => {
    const file = {
      pools: [{ name: 'h100', accelerator: 'H100-SXM-80GB', min: nodes, max: nodes, pricePerHour: 1 }],
      queues: [{ name: 'q' }],
      jobs: 'trace.csv',
      targets: [{ wait: '1d' }],
      run: { cycle: 30, replay },
      search: { seed, replications: options.replications },
    };
    const sizing: Sizing = readSizing(JSON.stringify(file), 'trace.json', {
      ...NO_SOURCES,
      text: (name) => ({ text: csvOf(of), file: name }),
    });
    return reportOf(new Evaluator(sizing), [nodes]).targets[0].wait.mean;
  };
  const [predicted, actual, ofFirstHalf] = [p95(first, false), p95(second, true), p95(first, true)];
  return { predicted, actual, ofFirstHalf, error: errorOf(predicted, actual), jobs: jobs.length };
}

/** As a part of what was to be predicted. */
function errorOf(predicted: number, actual: number): number {
  return Math.abs(predicted - actual) / actual;
}

/** How large errors are, and how large they have to be: medians over traces of one process. */
export interface Accuracy {
  /** Of the prediction. */
  readonly medianError: number;
  /** Of the percentile of the first half, taken as the prediction. */
  readonly medianErrorOfFirstHalf: number;
  /**
   * Of the mean percentile of all halves: the error of a perfect estimator, which knows the process itself. What the second half draws from it is
   * left to chance.
   */
  readonly floor: number;
  /** Geometric mean of predicted by actual: 1 without a bias. */
  readonly bias: number;
  readonly within15Percent: number;
}

export function accuracyOf(predictions: readonly Prediction[]): Accuracy {
  const halves = predictions.flatMap(({ actual, ofFirstHalf }) => [actual, ofFirstHalf]);
  const mean = halves.reduce((sum, one) => sum + one, 0) / halves.length;
  const logs = predictions.map(({ predicted, actual }) => Math.log(predicted / actual));
  return {
    medianError: median(predictions.map(({ error }) => error)),
    medianErrorOfFirstHalf: median(predictions.map(({ ofFirstHalf, actual }) => errorOf(ofFirstHalf, actual))),
    floor: median(predictions.map(({ actual }) => errorOf(mean, actual))),
    bias: Math.exp(logs.reduce((sum, one) => sum + one, 0) / logs.length),
    within15Percent: predictions.filter(({ error }) => error <= 0.15).length,
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
