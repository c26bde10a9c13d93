/**
 * What an operator decides by: how long gangs wait and take, by queue and by size.
 */
import { type GangOutcome, type SizeOutcome, type TimeSummary, type WaitSummary } from './result';

/** Classes of gangs by their devices: each begins where the one before it ends. */
const SIZES: readonly { readonly name: string; readonly most: number }[] = [
  { name: 'no devices', most: 0 },
  { name: 'part of a device', most: 0.999 },
  { name: '1 device', most: 1 },
  { name: '2 to 8 devices', most: 8 },
  { name: '9 to 64 devices', most: 64 },
  { name: 'over 64 devices', most: Infinity },
];

export function waitsOf(gangs: readonly GangOutcome[]): WaitSummary {
  const waits = gangs.map(({ waitSeconds }) => waitSeconds).sort((a, b) => a - b);
  return {
    gangs: gangs.length,
    unstarted: gangs.filter(({ startedAt }) => startedAt === undefined).length,
    mean: mean(waits),
    median: percentile(waits, 50),
    p90: percentile(waits, 90),
    p95: percentile(waits, 95),
    p99: percentile(waits, 99),
    longest: waits.at(-1) ?? 0,
  };
}

/** From arrival to end, of the gangs that have finished. */
export function completionOf(gangs: readonly GangOutcome[]): TimeSummary {
  const times = gangs
    .flatMap(({ state, arrivedAt, endedAt }) => (state === 'finished' ? [endedAt! - arrivedAt] : []))
    .sort((a, b) => a - b);
  return {
    gangs: times.length,
    mean: mean(times),
    median: percentile(times, 50),
    p95: percentile(times, 95),
    longest: times.at(-1) ?? 0,
  };
}

/** Only the classes that have gangs. */
export function sizesOf(gangs: readonly GangOutcome[]): readonly SizeOutcome[] {
  return SIZES.flatMap(({ name, most }, i) => {
    const least = SIZES[i - 1]?.most ?? -1;
    const own = gangs.filter(({ devices }) => devices > least && devices <= most);
    return own.length === 0 ? [] : [{ name, waits: waitsOf(own), completion: completionOf(own) }];
  });
}

/** The smallest value that the given percentage of values does not exceed. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? 0;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
