/**
 * Makes room for gangs that did not fit, by evictions: preempt, reclaim and consolidate, tried for each gang in the order of the policy.
 *
 * - *preempt*: gangs of the same queue with a lower priority go.
 * - *reclaim*: evicts gangs of other queues while their queue is above what it can keep (see `reclaim.ts`).
 * - *consolidate*: evicts no gang; pods move, and every one of them is placed again.
 *
 * One method serves all three. Candidates are put in the order in which they would have to go. The shortest prefix of that list whose
 * eviction makes the gang fit is found by doubling and then halving: O(log n) trials. With the gang in place, the victims are checked
 * again from the most valuable: one that can return to exactly where it was is not evicted; one that fits elsewhere is moved; the others
 * are lost. What remains is needed: each of them is where the gang now is. Only then does the action say whether that loss is
 * allowed, and only then anything is decided; otherwise all is rolled back. So no eviction is without the placement it is for, and none
 * is more than needed.
 *
 * From here on everything that is on its way out counts as gone, and what is placed waits for it: nominations, not bindings. A gang that
 * took only the room of gangs that do not start after all waits for nothing, and is bound (see `terminating.ts`).
 */
import { type Cycle } from '../cycle/cycle';
import { GangOrder } from '../queues/gang-order';
import { runs } from '../books/needs';
import { type GangRecord, type Turn } from '../books/records';
import { type Lines } from '../books/waiting';
import { beginToInherit } from './inherited';
import { replaceAsNextCycle, replaceLost, replaceStarted } from './lost-gangs';
import { takeBackNeedless } from './take-back';
import { Alike, Tries, Turns } from './tries';
import { type MakingRoom } from './carry-out';
import { firstOf, mayDisturb, tryAction } from './try-action';
import { type Action } from '../model/policy';

/**
 * Tries the gangs that were skipped.
 *
 * @param most gangs that are tried. @default - as many as the policy allows
 * @returns how many were tried
 */
export function makeRoom(
  cycle: Cycle,
  passed: readonly GangRecord[],
  allowed: readonly Action[],
  turns: Turns = cycle.session.index(Turns),
  most: number = cycle.session.policy.makeRoomLimit,
): number {
  const { session } = cycle;
  const actions = allowed.filter((action) => action === 'preempt' || action === 'reclaim' || action === 'consolidate');
  if (actions.length === 0) {
    return 0;
  }
  if (isNothingLeft(cycle, passed)) {
    turns.keep(session.short);
    if (most > 0) {
      // All that waits had its turn.
      turns.clear();
    }
    return 0;
  }
  cycle.terminating = cycle.releasing().map((pod) => ({ pod, row: pod.row }));
  cycle.terminating.forEach(({ pod }) => session.ledger.remove(pod));
  cycle.releasesCount = true;
  cycle.bound.forEach((pod) => cycle.started.add(pod));
  cycle.startsPods = allowed.includes('allocate');
  const { parking } = cycle;
  // Where not even an empty cluster has room, no eviction helps, and it costs no try.
  const isImpossible = (gang: GangRecord): boolean => !parking.mayEverFit(gang);
  // Nor where there is no pod that it has to be near, until this decision places one.
  const isForlorn = (gang: GangRecord): boolean => parking.isForlorn(gang);
  const { singles, forlorn } = singlesOf(cycle, passed, isImpossible, isForlorn);
  const lines = possibleLines(cycle, isImpossible);
  const waitIn = new Set([...lines].flatMap(([queue, ofQueue]) => (ofQueue.length === 0 ? [] : [queue])));
  singles.forEach(({ queue }) => queue !== undefined && waitIn.add(queue));
  turns.keep(session.short);
  const tries = new Tries(turns, session.policy.makeRoomLimit, () => cycle.isHalfway, waitIn.size);
  const kept = session.policy.makeRoomLimit - most;
  // Of gangs that are alike the older one comes first: what it did not get, the younger one does not get either, until something changes.
  const inVain = new Alike();
  const isUseless = (gang: GangRecord): boolean =>
    !mayDisturb(cycle, gang) ||
    done.has(gang) ||
    inVain.has(gang) ||
    isImpossible(gang) ||
    isForlorn(gang) ||
    tries.letsOthersFirst(gang);
  // Gangs that were tried and are not to be tried again, and those that got pods and may have more.
  const done = new Set<GangRecord>();
  const more = new Set<GangRecord>();
  const orderOf = (others: Iterable<GangRecord>): GangOrder => {
    const made = new GangOrder(session, cycle.queues, lines, others);
    made.skip({
      get era() {
        return inVain.era;
      },
      has: isUseless,
      hasAlike: (gang) => inVain.has(gang),
    });
    return made;
  };
  let order = orderOf(singles);
  // What got nothing before the last change of the books, and what did since.
  const before = new Set<GangRecord>();
  const since = new Set<GangRecord>();
  while (tries.remaining > kept && cycle.mayTry) {
    const turn = order.next();
    if (turn === undefined) {
      if (!tries.next()) {
        break;
      }
      order = orderOf(new Set([...singles, ...more].filter(({ placed, size }) => placed < size)));
      continue;
    }
    const { gang } = turn;
    // Its minimum may have been left waiting since the turn was chosen.
    if ((turn.optional && !runs(gang)) || isUseless(gang)) {
      order.passed(gang);
      continue;
    }
    tries.take(gang);
    done.add(gang);
    const withdrawn = new Set(cycle.withdrawn);
    if (!hasRoomMade(cycle, turn, actions)) {
      inVain.add(gang);
      since.add(gang);
      order.passed(gang);
      continue;
    }
    // What does not start after all may have a better claim than gangs that do, and the next cycle would evict them for it.
    const later = [...cycle.withdrawn].filter((pod) => !withdrawn.has(pod));
    const again = [gang, ...new Set(later.map(({ role }) => role!.gang))];
    for (const one of again) {
      done.delete(one);
      more.add(one);
    }
    inVain.clear();
    since.forEach((one) => before.add(one));
    since.clear();
    if (cycle.reservation?.gang === gang) {
      cycle.reservation = undefined;
    }
    new Set([...cycle.evicted.map(({ pod }) => pod), ...cycle.withdrawn].map(({ role }) => role!.gang.queue)).forEach(
      (queue) => queue !== undefined && order.changed(queue),
    );
    again.forEach((one) => order.again(one));
    const gained = session.sleepers.gained.filter((other) => !singles.has(other));
    for (const one of [...[...forlorn].filter((other) => !isForlorn(other)), ...gained]) {
      forlorn.delete(one);
      singles.add(one);
      order.again(one);
    }
  }
  // What got nothing since has been tried already, except for what evictions were for.
  const others = beginToInherit(cycle) ? [...before, ...since] : [...before];
  cycle.withOwnChoices(() => {
    replaceStarted(cycle, others.slice(0, tries.remaining - kept), actions);
    replaceLost(cycle, actions);
    replaceAsNextCycle(cycle, [...before, ...since].slice(0, tries.remaining - kept), actions);
    takeBackNeedless(cycle);
  });
  return session.policy.makeRoomLimit - tries.remaining;
}

/**
 * Has every gang all of its pods, and does none of them wait for others to terminate? Mostly a cluster is not full.
 *
 * @param passed gangs that got nothing: in a trial of the next decision also those that lost pods, which had all of them when this one began
 */
function isNothingLeft(cycle: Cycle, passed: readonly GangRecord[]): boolean {
  if (cycle.nominated.length > 0 || cycle.evicted.length > 0 || cycle.releasing().length > 0) {
    return false;
  }
  const isShort = ({ placed, size }: GangRecord): boolean => placed < size;
  for (const gang of cycle.session.short) {
    if (isShort(gang)) {
      return false;
    }
  }
  return !passed.some(isShort);
}

/** Gangs that are in no line, without those that need no try as they are now; `forlorn` ones may need one after this decision has placed others. */
function singlesOf(
  { session, parked }: Cycle,
  passed: readonly GangRecord[],
  isImpossible: (gang: GangRecord) => boolean,
  isForlorn: (gang: GangRecord) => boolean,
): { readonly singles: Set<GangRecord>; readonly forlorn: Set<GangRecord> } {
  const singles = new Set<GangRecord>();
  const forlorn = new Set<GangRecord>();
  const isStrict = session.policy.queueing === 'strict-fifo';
  for (const gang of [...passed, ...parked.singles]) {
    const isSingle = gang.placed > 0 || !session.sleepers.isInLine(gang);
    if (isSingle && isStrict) {
      singles.add(gang);
    } else if (isSingle && !isImpossible(gang)) {
      (gang.queue !== undefined && isForlorn(gang) ? forlorn : singles).add(gang);
    }
  }
  return { singles, forlorn };
}

/** Under `strict-fifo` a gang that cannot start keeps those behind it back. */
function possibleLines({ session, waiting }: Cycle, isImpossible: (gang: GangRecord) => boolean): Lines {
  return session.policy.queueing === 'strict-fifo'
    ? waiting.lines
    : new Map(
        [...waiting.lines].map(([queue, lines]) => [queue, lines.filter(({ gangs }) => !isImpossible(gangs[0]))]),
      );
}

/** Each action for the pods of the turn, then for those that the gang may get instead. */
function hasRoomMade(cycle: Cycle, first: Turn, actions: readonly MakingRoom[]): boolean {
  cycle.beginTry();
  return firstOf(cycle, first, (turn) => actions.some((action) => tryAction(cycle, turn, action))) !== undefined;
}
