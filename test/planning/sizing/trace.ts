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
  /** Halves of the process that is fitted to the first half. */
  readonly fits: number;
}

/** What `npm run bench:sizing` predicts: about 12,000 jobs, which come faster than the cluster can run them at the noon of each day. */
export const TRACE: Omit<TraceOptions, 'seed'> = { days: 60, perHour: 8, nodes: 1, replications: 3, fits: 3 };

const DAY = 86_400;
const DEVICES = [1, 2, 4, 8] as const;
/** Seconds; longer durations are cut off. */
const LONGEST = DAY / 4;

/** What draws the jobs of a trace. */
export interface JobProcess {
  /** Mean arrivals per hour. */
  readonly perHour: number;
  /** The part of the mean by which the rate is higher at noon, and lower at midnight. */
  readonly swing: number;
  /** Durations are log-normal: median in seconds, and standard deviation of the logarithm. */
  readonly median: number;
  readonly sigma: number;
  /** The part of the jobs that have one, two, four, and eight devices. */
  readonly shares: readonly number[];
}

/** The 95th percentile of the durations is six times the median. */
function processOf({ perHour }: TraceOptions): JobProcess {
  return { perHour, swing: 0.6, median: 600, sigma: Math.log(6) / 1.645, shares: [0.6, 0.2, 0.12, 0.08] };
}

export interface Job {
  readonly at: number;
  readonly duration: number;
  readonly devices: number;
}

export function jobsOf(process: JobProcess, days: number, seed: number): readonly Job[] {
  const { perHour, swing, median: middle, sigma, shares } = process;
  const random = randomNumbers(seed + 1000);
  const most = perHour * (1 + swing);
  // Arrivals at the highest rate, thinned to the rate of their time.
  const moments = momentsOf({ kind: 'poisson', from: 0, perHour: most, until: days * DAY, count: 1e6, seed });
  return moments.flatMap((at): Job[] => {
    const rate = perHour * (1 - swing * Math.cos((2 * Math.PI * at) / DAY));
    if (random() * most > rate) {
      return [];
    }
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const duration = Math.min(LONGEST, Math.ceil(middle * Math.exp(sigma * normal)));
    let drawn = random();
    const kind = shares.findIndex((share) => (drawn -= share) <= 0);
    return [{ at, duration, devices: DEVICES.at(kind)! }];
  });
}

/** The process that drew the jobs, by maximum likelihood: the best estimate for one who knows the jobs and the kind of process. */
export function fittedTo(jobs: readonly Job[], days: number): JobProcess {
  const logs = jobs.map(({ duration }) => Math.log(duration));
  const middle = meanOf(logs);
  return {
    perHour: jobs.length / (days * 24),
    swing: Math.min(0.99, -2 * meanOf(jobs.map(({ at }) => Math.cos((2 * Math.PI * at) / DAY)))),
    median: Math.exp(middle),
    sigma: Math.sqrt(meanOf(logs.map((log) => (log - middle) ** 2))),
    shares: DEVICES.map((devices) => jobs.filter((job) => job.devices === devices).length / jobs.length),
  };
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
  /** Mean over halves of the process that is fitted to the first half. */
  readonly fitted: number;
  /** Part of the actual percentile. */
  readonly error: number;
  readonly jobs: number;
}

/** Predicts the second half of a trace from the first. */
export function predictSecondHalf(options: TraceOptions): Prediction {
  const { days, nodes, seed, replications, fits } = options;
  const jobs = jobsOf(processOf(options), days, seed);
  const half = days / 2;
  const middle = half * DAY;
  const [first, second] = [jobs.filter(({ at }) => at < middle), jobs.filter(({ at }) => at >= middle)];
  const p95 = (of: readonly Job[], replay: boolean): number => {
    const file = {
      pools: [{ name: 'h100', accelerator: 'H100-SXM-80GB', min: nodes, max: nodes, pricePerHour: 1 }],
      queues: [{ name: 'q' }],
      jobs: 'trace.csv',
      targets: [{ wait: '1d' }],
      run: { cycle: 30, replay },
      search: { seed, replications },
    };
    const sizing: Sizing = readSizing(JSON.stringify(file), 'trace.json', {
      ...NO_SOURCES,
      text: (name) => ({ text: csvOf(of), file: name }),
    });
    return reportOf(new Evaluator(sizing), [nodes]).targets[0].wait.mean;
  };
  const process = fittedTo(first, half);
  const halves = Array.from({ length: fits }, (_, i) => jobsOf(process, half, seed * 1000 + i));
  const [predicted, actual, ofFirstHalf] = [p95(first, false), p95(second, true), p95(first, true)];
  const fitted = meanOf(halves.map((one) => p95(one, true)));
  return { predicted, actual, ofFirstHalf, fitted, error: errorOf(predicted, actual), jobs: jobs.length };
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
  /** Of the process that is fitted to the first half: the error of an estimator that knows everything but the numbers of the process. */
  readonly floorOfHistory: number;
  /** Geometric mean of predicted by actual: 1 without a bias. */
  readonly bias: number;
  readonly within15Percent: number;
}

export function accuracyOf(predictions: readonly Prediction[]): Accuracy {
  const halves = predictions.flatMap(({ actual, ofFirstHalf }) => [actual, ofFirstHalf]);
  const mean = meanOf(halves);
  const logs = predictions.map(({ predicted, actual }) => Math.log(predicted / actual));
  return {
    medianError: median(predictions.map(({ error }) => error)),
    medianErrorOfFirstHalf: median(predictions.map(({ ofFirstHalf, actual }) => errorOf(ofFirstHalf, actual))),
    floor: median(predictions.map(({ actual }) => errorOf(mean, actual))),
    floorOfHistory: median(predictions.map(({ fitted, actual }) => errorOf(fitted, actual))),
    bias: Math.exp(meanOf(logs)),
    within15Percent: predictions.filter(({ error }) => error <= 0.15).length,
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
