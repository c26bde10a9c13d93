/**
 * Starts what fits, in the order of claims.
 *
 * A gang gets its minimum all at once, or nothing; pods beyond the minimum follow one at a time, each as a turn of its own. A gang that
 * does not fit is passed over. With `backfill` the first gang that does not fit, but will once running work has ended, is promised that
 * moment (EASY): whatever comes after it may start if it ends before, or on nodes that the promise does not need. Work of unknown
 * duration never starts on promised nodes. When not enough of the running work has a known end, there is nothing to promise.
 *
 * O(gangs × one placement); the promise costs O(log ends) placements, once.
 */
import { type Cycle, type HeadReservation } from './cycle';
import { momentsOf, search } from './earliest-start';
import { GangOrder } from './gang-order';
import { type GangRecord, type Turn } from './records';

/**
 * Goes through the gangs, and gives back those that got nothing this time or not all they want.
 *
 * @param enough told of each gang that got pods; ends it all once it says true
 */
export function allocate(
  cycle: Cycle,
  gangs: readonly GangRecord[],
  backfill: boolean,
  enough: (gang: GangRecord) => boolean = () => false,
): GangRecord[] {
  const order = new GangOrder(cycle.session, cycle.queues, gangs, (turn) => fitsNow(cycle, turn));
  const passed: GangRecord[] = [];
  for (let turn = order.next(); turn !== undefined; turn = order.next()) {
    const { gang } = turn;
    if (cycle.mayHave(turn) && start(cycle, turn)) {
      if (enough(gang)) {
        return passed;
      }
      order.again(gang);
      continue;
    }
    passed.push(gang, ...order.passed(gang));
    if (backfill && cycle.reservation === undefined && !turn.optional && gang.placed === 0 && cycle.mayHave(turn)) {
      cycle.reservation = reserve(cycle, turn);
    }
  }
  return passed;
}

function fitsNow(cycle: Cycle, turn: Turn): boolean {
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const fits = cycle.mayHave(turn) && cycle.place(turn);
  ledger.rollback(mark);
  return fits;
}

function start(cycle: Cycle, turn: Turn): boolean {
  if (cycle.place(turn)) {
    cycle.bound.push(...turn.pods);
    return true;
  }
  return waitForRelease(cycle, turn);
}

/** Pods that are on their way out may leave enough: then the gang waits for exactly that room. */
function waitForRelease(cycle: Cycle, turn: Turn): boolean {
  const releasing = cycle.releasing();
  if (releasing.length === 0) {
    return false;
  }
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const places = releasing.map(({ row, devices }) => ({ row, devices }));
  releasing.forEach((pod) => ledger.remove(pod));
  if (!cycle.place(turn)) {
    ledger.rollback(mark);
    return false;
  }
  ledger.keep();
  // They are still there: their room is booked twice until they are gone, so nobody else starts in it.
  releasing.forEach((pod, i) => ledger.placeOn(pod, places[i].row, places[i].devices));
  cycle.nominated.push(...turn.pods);
  return true;
}

/** Earliest known end of running work after which the gang fits, and where it then is. */
export function reserve(cycle: Cycle, turn: Turn): HeadReservation | undefined {
  const { ledger, table } = cycle.session;
  const ending = cycle.endings();
  let result: HeadReservation | undefined;
  const fitsAfter = (count: number): boolean => {
    const mark = ledger.mark();
    for (let i = 0; i < count; i++) {
      ledger.remove(ending[i].pod);
    }
    const fits = cycle.place(turn);
    if (fits) {
      const rows = new Uint8Array(table.count);
      turn.pods.forEach(({ row }) => (rows[row] = 1));
      result = { gang: turn.gang, startAt: ending[count - 1].at, rows };
    }
    ledger.rollback(mark);
    return fits;
  };
  const moments = momentsOf(ending);
  const found = search(turn, 0, moments.length, (index) => fitsAfter(moments[index]));
  if (found === undefined) {
    return undefined;
  }
  fitsAfter(moments[found]);
  return result;
}
