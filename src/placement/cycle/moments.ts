/**
 * The moments at which running work ends, and the first of them after which a gang fits.
 *
 * Gangs of one kind of pods fit once there is enough room, and stay so; for them the moment is found by doubling and halving. For others
 * each of the first `MOST_MOMENTS` moments is tried, then every one that is twice as far.
 */
import { type End } from '../books/row-books';
import { type Turn } from '../books/records';

/** Moments that are tried one by one where the pods of the gang differ. */
const MOST_MOMENTS = 64;

/** How many have ended after each moment. */
export function momentsOf(ending: readonly End[]): readonly number[] {
  return ending.flatMap(({ at }, i) => (i + 1 === ending.length || ending[i + 1].at !== at ? [i + 1] : []));
}

/** The first index from `from` below `to` after which the turn fits. */
export function search(turn: Turn, from: number, to: number, fits: (index: number) => boolean): number | undefined {
  let low = from;
  let high = from;
  if (turn.podClass?.dynamic ?? true) {
    for (; low < to && low - from < MOST_MOMENTS; low++) {
      if (fits(low)) {
        return low;
      }
    }
    high = low;
  }
  // The moment is often near: it is looked for by doubling before the interval is halved.
  for (let step = 1; ; step *= 2) {
    if (high >= to) {
      return undefined;
    }
    if (fits(high)) {
      break;
    }
    if (high === to - 1) {
      return undefined;
    }
    low = high + 1;
    high = Math.min(high + step, to - 1);
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
