/**
 * The earliest known end of running work after which a gang fits, and where it then is.
 *
 * For pods of one class the room that each end gives back is counted, up to the moment at which it is enough: O(ends). For all others the
 * moment is searched for, each step a placement (`moments.ts`).
 */
import { type Cycle, type HeadReservation } from './cycle';
import { momentsOf, search } from './moments';
import { type Turn } from '../books/records';

export function reserve(cycle: Cycle, turn: Turn): HeadReservation | undefined {
  if (!cycle.hasEndings()) {
    return undefined;
  }
  const counted = counting(cycle, turn);
  return counted === 'uncountable' ? searching(cycle, turn) : counted;
}

function counting(cycle: Cycle, turn: Turn): HeadReservation | undefined | 'uncountable' {
  const { session, placer } = cycle;
  const { ledger } = session;
  const { gang, podClass, count } = turn;
  const within = cycle.besideReservation(gang);
  if (podClass === undefined || placer.room.holds(turn, within) === undefined) {
    return 'uncountable';
  }
  const mark = ledger.mark();
  let room = placer.room.capacity(podClass, within, Infinity);
  let moment: number | undefined;
  // Only whole moments make sense: everything that ends at one moment is gone after it.
  const isEnough = (): boolean => moment !== undefined && room >= count;
  for (const { pod, at } of cycle.endings()) {
    if (at !== moment && isEnough()) {
      break;
    }
    moment = at;
    const { row } = pod;
    const before = placer.room.onRow(podClass, row);
    ledger.remove(pod);
    room += within.without?.[row] === 1 ? 0 : placer.room.onRow(podClass, row) - before;
  }
  const result = isEnough() ? (placed(cycle, turn, moment!) ?? 'uncountable') : undefined;
  ledger.rollback(mark);
  return result;
}

function searching(cycle: Cycle, turn: Turn): HeadReservation | undefined {
  const { ledger } = cycle.session;
  const ending = [...cycle.endings()];
  let result: HeadReservation | undefined;
  const fitsAfter = (count: number): boolean => {
    const mark = ledger.mark();
    for (let i = 0; i < count; i++) {
      ledger.remove(ending[i].pod);
    }
    const reservation = placed(cycle, turn, ending[count - 1].at);
    ledger.rollback(mark);
    result = reservation ?? result;
    return reservation !== undefined;
  };
  const moments = momentsOf(ending);
  const found = search(turn, 0, moments.length, (index) => fitsAfter(moments[index]));
  if (found === undefined) {
    return undefined;
  }
  fitsAfter(moments[found]);
  return result;
}

/** Where the gang is if it is placed now; the caller undoes it. */
function placed(cycle: Cycle, turn: Turn, startAt: number): HeadReservation | undefined {
  if (!cycle.place(turn)) {
    return undefined;
  }
  const rows = new Uint8Array(cycle.session.table.count);
  turn.pods.forEach(({ row }) => (rows[row] = 1));
  return { gang: turn.gang, startAt, rows };
}
