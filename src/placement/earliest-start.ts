/**
 * When will a gang start, if running work ends when it is known to end and nothing else arrives?
 *
 * Tried on the books moment by moment: everything that ends at a moment is gone after it. The gang at the head has its room first: before
 * its promised start the promised nodes are left alone, and from then on it holds what it takes, until its own end where that is known.
 *
 * Gangs of one kind of pods fit once there is enough room, and stay so; for them the moment is found by doubling and halving. For others
 * each of the first `MOST_MOMENTS` moments is tried, then every one that is twice as far.
 */
import { type Cycle, type End } from './cycle';
import { turnOf } from './gang-order';
import { type Turn } from './records';

/** Moments that are tried one by one where the pods of the gang differ. */
const MOST_MOMENTS = 64;

/** Milliseconds since the epoch; undefined where no known end is enough. */
export function earliestStart(cycle: Cycle, turn: Turn): number | undefined {
  const head = cycle.reservation;
  const ending = cycle.endings();
  const moments = momentsOf(ending);
  const fits = (index: number): boolean => fitsAfter(cycle, turn, ending, moments[index]);
  if (head !== undefined && head.gang !== turn.gang) {
    // What fits before the head starts may not fit beside it, so each part is a search of its own.
    const start = moments.findIndex((count) => ending[count - 1].at >= head.startAt);
    const before = start < 0 ? moments.length : start;
    const found = search(turn, 0, before, fits) ?? search(turn, before, moments.length, fits);
    return found === undefined ? undefined : ending[moments[found] - 1].at;
  }
  const found = search(turn, 0, moments.length, fits);
  return found === undefined ? undefined : ending[moments[found] - 1].at;
}

/** How many have ended after each moment. */
export function momentsOf(ending: readonly End[]): readonly number[] {
  return ending.flatMap(({ at }, i) => (i + 1 === ending.length || ending[i + 1].at !== at ? [i + 1] : []));
}

/** The first index from `from` below `to` after which the turn fits. */
export function search(
  { pods: [first, ...others] }: Turn,
  from: number,
  to: number,
  fits: (index: number) => boolean,
): number | undefined {
  let low = from;
  let high = from;
  if (first.podClass.dynamic || others.some(({ podClass }) => podClass !== first.podClass)) {
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

function fitsAfter(cycle: Cycle, turn: Turn, ending: readonly End[], count: number): boolean {
  const { ledger } = cycle.session;
  const { at } = ending[count - 1];
  const mark = ledger.mark();
  for (let i = 0; i < count; i++) {
    ledger.remove(ending[i].pod);
  }
  const fits = headFirst(cycle, turn, at);
  ledger.rollback(mark);
  return fits;
}

function headFirst(cycle: Cycle, { gang, pods }: Turn, at: number): boolean {
  const head = cycle.reservation;
  if (head === undefined || head.gang === gang) {
    return cycle.placer.place(gang.root, pods);
  }
  const { expectedSeconds } = gang.gang;
  if (at < head.startAt) {
    const ends = expectedSeconds === undefined ? Infinity : at + expectedSeconds * 1000;
    return cycle.placer.place(gang.root, pods, ends > head.startAt ? { without: head.rows } : {});
  }
  const headEnds = head.startAt + (head.gang.gang.expectedSeconds ?? Infinity) * 1000;
  const headTurn = at < headEnds ? turnOf(cycle.session, head.gang) : undefined;
  return (
    (headTurn === undefined || cycle.placer.place(head.gang.root, headTurn.pods)) && cycle.placer.place(gang.root, pods)
  );
}
