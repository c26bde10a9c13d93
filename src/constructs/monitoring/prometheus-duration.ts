/**
 * Durations as Prometheus writes them: each unit once, the larger ones first.
 */
import { type Duration } from 'cdk8s';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** `1h30m`; `0s` where there is none. */
export function prometheusDuration(duration: Duration): string {
  let rest = Math.round(duration.toMilliseconds({ integral: false }));
  let text = '';
  for (const [unit, length] of UNITS) {
    const count = Math.floor(rest / length);
    if (count > 0) {
      text += `${count}${unit}`;
    }
    rest -= count * length;
  }
  return text === '' ? '0s' : text;
}
