/**
 * Starts what fits, in the order of claims.
 *
 * A gang gets its minimum all at once, or nothing; pods beyond the minimum follow one at a time, each as a turn of its own. A gang that
 * does not fit is skipped. With `backfill` the first gang that does not fit, but will once running work has ended, is promised that
 * moment (EASY): whatever comes after it may start if it ends before, or on nodes that the promise does not need. Work of unknown
 * duration never starts on promised nodes. When not enough of the running work has a known end, there is nothing to promise.
 *
 * O(gangs × one placement); `reserve.ts` describes the cost of the promise.
 */
import { addAll } from '../../facts/collections';
import { type Cycle, type Parked } from './cycle';
import { GangOrder } from '../queues/gang-order';
import { type GangRecord, type QueueRecord, type Turn } from '../books/records';
import { type Line, rankOf, type Waiting } from '../books/waiting';
import { turnOf } from '../queues/turns';
import { reserve } from './reserve';
import { placeWithoutWishes } from './without-wishes';

/**
 * Goes through all gangs that wait and may start, and gives back those that got nothing this time or not all they want. Of a line of identical
 * gangs, only the first that gets nothing is tried; the others follow it. Gangs that nothing can start are left out, and are in
 * `cycle.parked`.
 *
 * @param singles gangs that are not in a line
 */
export function allocate(
  cycle: Cycle,
  backfill: boolean,
  singles: Iterable<GangRecord> = cycle.waiting.singles,
): GangRecord[] {
  const { order, parked } = orderOf(cycle, singles, backfill);
  cycle.parked = parked;
  const passed: GangRecord[] = [];
  for (let turn = order.next(); turn !== undefined; turn = order.next()) {
    if (start(cycle, turn)) {
      order.again(turn.gang);
    } else {
      passed.push(turn.gang);
      order.passed(turn.gang, passed);
      promise(cycle, turn, backfill);
    }
  }
  keepPromise(cycle);
  return passed;
}

/** What has started since may have used up what its queues leave to the gang at the head: then nothing is promised to it any more. */
function keepPromise(cycle: Cycle): void {
  const gang = cycle.reservation?.gang;
  const turn = gang === undefined ? undefined : turnOf(cycle.session, gang);
  if (turn !== undefined && !cycle.mayHave(turn)) {
    cycle.reservation = undefined;
  }
}

/**
 * The same as a trial, in which gangs that got nothing are not needed.
 *
 * @param singles gangs that are not in a line
 * @param isEnough called with each gang that got pods or nothing; the action ends when it returns true
 */
export function tryAllocate(
  cycle: Cycle,
  singles: Iterable<GangRecord>,
  backfill: boolean,
  isEnough: (gang: GangRecord, hasGot: boolean) => boolean,
): void {
  const { order } = orderOf(cycle, singles, backfill);
  for (let turn = order.next(); turn !== undefined; turn = order.next()) {
    const { gang } = turn;
    const hasGot = start(cycle, turn);
    if (isEnough(gang, hasGot)) {
      return;
    }
    if (hasGot) {
      order.again(gang);
    } else {
      order.passed(gang);
      promise(cycle, turn, backfill);
    }
  }
}

function orderOf(
  cycle: Cycle,
  singles: Iterable<GangRecord>,
  backfill: boolean,
): { readonly order: GangOrder; readonly parked: Parked } {
  const { session, queues } = cycle;
  const left = withoutParked(cycle, singles, backfill);
  const order = new GangOrder(session, queues, left.lines, left.singles, {
    fitsNow: (turn) => cycle.mayHave(turn) && cycle.fits(turn),
    keepsOff: (gang) => cycle.keepsOff(gang),
    tooLong: (seconds) => cycle.endsTooLate(seconds),
  });
  return { order, parked: left.parked };
}

/** Promises the gang at the head the moment at which it will fit. */
function promise(cycle: Cycle, turn: Turn, backfill: boolean): void {
  if (backfill && cycle.reservation === undefined && !turn.optional && turn.gang.placed === 0 && cycle.mayHave(turn)) {
    cycle.reservation = reserve(cycle, turn);
  }
}

/** What can start, or be promised a moment. Under `strict-fifo` what cannot start keeps those behind it back, and is not left out. */
function withoutParked(
  cycle: Cycle,
  singles: Iterable<GangRecord>,
  backfill: boolean,
): Waiting & { readonly parked: Parked } {
  const { session, waiting } = cycle;
  if (session.policy.queueing === 'strict-fifo') {
    return { lines: waiting.lines, singles: [...singles], parked: { lines: [], singles: [] } };
  }
  cycle.parking.lookAgain();
  const parked: { readonly lines: Line[]; readonly singles: GangRecord[] } = { lines: [], singles: [] };
  const stateOf = stateBy(cycle, backfill);
  const lines = new Map<QueueRecord, readonly Line[]>();
  const others: GangRecord[] = [];
  const closed: GangRecord[] = [];
  for (const [queue, ofQueue] of waiting.lines) {
    const left = ofQueue.filter((line) => {
      const gang = line.gangs.find(({ placed }) => placed === 0);
      // Those in lines gain nothing from others.
      const isOut = gang !== undefined && stateOf(gang) !== 'live';
      if (isOut && mayNever(cycle, gang)) {
        session.sleepers.sleep(gang);
      } else if (isOut) {
        parked.lines.push(line);
      }
      return !isOut;
    });
    lines.set(queue, left);
  }
  for (const gang of singles) {
    const lacks = mayNever(cycle, gang) ? [] : cycle.parking.lackedBy(gang);
    if (lacks !== undefined) {
      session.sleepers.sleep(gang, lacks);
      continue;
    }
    const state = stateOf(gang);
    (state === 'live' ? others : state === 'closed' ? closed : parked.singles).push(gang);
  }
  const helped = cycle.parking.helped(closed, () => [...firstsOf(lines), ...others]);
  closed.forEach((gang) => helped.has(gang) || parked.singles.push(gang));
  addAll(others, [...helped]);
  return { lines, singles: others, parked };
}

/** Has no state of the nodes as they are a place for it, or its queue none? */
function mayNever({ parking }: Cycle, gang: GangRecord): boolean {
  return gang.queue === undefined || !parking.mayEverFit(gang);
}

/** One gang of each line: the others have pods of the same classes. */
function* firstsOf(lines: Waiting['lines']): Generator<GangRecord> {
  for (const ofQueue of lines.values()) {
    for (const { gangs } of ofQueue) {
      yield gangs[0];
    }
  }
}

/**
 * While gangs start, neither the room nor what is left to their queues grows. `closed` are those for which other gangs that start may be why
 * there is a place after all.
 */
function stateBy(cycle: Cycle, backfill: boolean): (gang: GangRecord) => 'live' | 'closed' | 'parked' {
  const { session, parking } = cycle;
  const releasing = cycle.releasing();
  const promises = backfill && cycle.hasEndings();
  return (gang) => {
    const isPromised = (): boolean => promises && parking.mayEverFit(gang) && !parking.isForlorn(gang);
    // Whether it is promised a moment takes no look at what is free.
    const isOut = !isPromised() && !parking.mayFit(gang, releasing);
    if (isOut && !parking.mayGain(gang)) {
      return 'parked';
    }
    const turn = gang.start === 'same-pods' && gang.placed === 0 ? turnOf(session, gang) : undefined;
    return turn !== undefined && !cycle.mayHave(turn) ? 'parked' : isOut ? 'closed' : 'live';
  };
}

/** Starts the pods of the turn, or those that the gang may get instead. */
function start(cycle: Cycle, first: Turn): boolean {
  const may = cycle.mayHave(first);
  if (may && startNow(cycle, first)) {
    return true;
  }
  for (const turn of cycle.otherChoices(first)) {
    if (cycle.mayHave(turn) && startNow(cycle, turn)) {
      return true;
    }
  }
  return may && waitForRelease(cycle, first);
}

function startNow(cycle: Cycle, turn: Turn): boolean {
  const placed = cycle.place(turn) || placeWithoutWishes(cycle, turn);
  if (placed) {
    cycle.bind(turn.pods);
  }
  return placed;
}

/** Pods that are on their way out may leave enough: then the gang waits for exactly that room. */
function waitForRelease(cycle: Cycle, turn: Turn): boolean {
  const releasing = cycle.releasing();
  if (releasing.length === 0) {
    return false;
  }
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const places = releasing.map(({ row, devices, claimed }) => ({ row, devices, claimed }));
  releasing.forEach((pod) => ledger.remove(pod));
  if (!cycle.place(turn)) {
    ledger.rollback(mark);
    return false;
  }
  ledger.keep();
  // They still run: their capacity is booked twice until they have terminated, so no other pod starts there.
  releasing.forEach((pod, i) => ledger.placeOn(pod, places[i].row, places[i].devices, places[i].claimed));
  cycle.nominate(turn.pods);
  return true;
}

/** What was left out, queue by queue, the oldest of the highest priority first. O(n log n). */
export function parkedGangs({ parked, session }: Cycle): readonly GangRecord[] {
  const { gangOrder } = session.policy;
  const all = [...parked.lines.flatMap((line) => line.gangs), ...parked.singles, ...session.sleepers.sleeping];
  const gangs = all.filter(({ placed }) => placed === 0);
  return gangs.sort(
    (a, b) =>
      (a.queue?.index ?? -1) - (b.queue?.index ?? -1) ||
      b.priority - a.priority ||
      rankOf(a, gangOrder) - rankOf(b, gangOrder) ||
      a.index - b.index,
  );
}
