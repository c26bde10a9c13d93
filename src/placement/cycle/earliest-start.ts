/**
 * When will a gang start, if running work ends when it is known to end and nothing else arrives?
 *
 * Tried on the books moment by moment: everything that ends at a moment is gone after it. The gang at the head has its room first: before
 * its promised start the promised nodes are left alone, and from then on it holds what it takes, until its own end where that is known.
 */
import { type Cycle } from './cycle';
import { type End } from '../books/row-books';
import { turnOf } from '../queues/turns';
import { momentsOf, search } from './moments';
import { type Turn } from '../books/records';
import { reserve } from './reserve';

/** Milliseconds since the epoch; undefined where no known end is enough. */
export function earliestStart(cycle: Cycle, turn: Turn): number | undefined {
  const head = cycle.reservation;
  if (head === undefined || head.gang === turn.gang) {
    return reserve(cycle, turn)?.startAt;
  }
  const ending = [...cycle.endings()];
  const moments = momentsOf(ending);
  const fits = (index: number): boolean => fitsAfter(cycle, turn, ending, moments[index]);
  // What fits before the head starts may not fit beside it, so each part is a search of its own.
  const start = moments.findIndex((count) => ending[count - 1].at >= head.startAt);
  const before = start < 0 ? moments.length : start;
  const found = search(turn, 0, before, fits) ?? search(turn, before, moments.length, fits);
  return found === undefined ? undefined : ending[moments[found] - 1].at;
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
  const head = cycle.reservation!;
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
