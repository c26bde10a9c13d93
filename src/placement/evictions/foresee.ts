/**
 * What a decision starts, the next one must not evict for a reason that is there already. So the next decision is tried on the books, by
 * the same code: what starts runs, what is evicted and what waits for terminating pods has to find its places again, and gangs that wait make
 * room. If that evicts anything that this decision starts, this decision comes at once to what the two come to one after the other: what
 * would be undone does not start, and what it would be evicted for gets its places now. This is repeated until nothing is undone.
 *
 * A trial is worth what it has in common with the next decision: evicted pods come after the others of their roles, as they are made again; gangs
 * that lost pods wait beside those that had too few; the rest of broken gangs is evicted; and what starts is either within its minimum running
 * time in all decisions that are tried one after the other, or in none after the first.
 *
 * O(one decision) for each trial, where the decision starts anything that a gang with too few pods may evict as far as queues and priorities
 * say; otherwise O(gangs that wait). One decision makes at most `MOST_TRIALS` trials, and these try to make room for as many gangs together as
 * the decision may still try, but each of them for `FEW` in any case, those with the best claims.
 */
import { allocate } from '../cycle/allocate';
import { Cycle, type Evicted } from '../cycle/cycle';
import { shortWith } from '../cycle/next-cycle';
import { type GangRecord, NOWHERE, type PodRecord, type QueueRecord } from '../books/records';
import { compareInRole } from '../books/role-pods';
import { type Action } from '../model/policy';
import { passOnEvictions } from './inherited';
import { makeRoom } from './make-room';
import { evictStale } from './stale';
import { takeBackNeedless } from './take-back';
import { mustWait } from './terminating';
import { Turns } from './tries';
import { mayDisturb } from './try-action';

/** Next decisions that one decision tries. */
const MOST_TRIALS = 16;

/** Gangs for which trials try to make room even where the decision itself has tried as many as it may. */
const FEW = 8;

/** Decisions that are tried one after the other: each next one takes over from the one after it as this one does. */
const MOST_AHEAD = 3;

/** What one decision and those that it tries have in common. */
interface Foresight {
  readonly actions: readonly Action[];
  /** Trials that are left, and gangs for which they may try to make room. */
  left: number;
  tries: number;
  /** Gangs for which each of them may do so even where no more are left. */
  readonly few: number;
}

/**
 * To be called once the decision has made room.
 *
 * @param tried for how many gangs it has tried that
 */
export function foresee(cycle: Cycle, actions: readonly Action[], tried: number): void {
  const { makeRoomLimit } = cycle.session.policy;
  const few = Math.min(FEW, makeRoomLimit);
  lookAhead(cycle, { actions, left: MOST_TRIALS, tries: makeRoomLimit - tried, few }, cycle.session.index(Turns), 0);
}

/** @param ahead how many decisions this one is after the one that is made */
function lookAhead(cycle: Cycle, foresight: Foresight, turns: Turns, ahead: number): void {
  while (ahead < MOST_AHEAD && mayBeUndone(cycle, foresight.actions)) {
    // The next decision may come while what starts has its minimum running time in front of it, or after that.
    const mayBeProtected = [...cycle.started].some(({ role }) => (role!.gang.gang.minimumRuntimeSeconds ?? 0) > 0);
    const protections = mayBeProtected ? [true, false] : [false];
    if (!protections.some((isProtected) => takesOver(cycle, foresight, turns, ahead, isProtected))) {
      return;
    }
    takeBackNeedless(cycle);
  }
}

/**
 * Does the decision start anything that a gang may evict, as far as queues and priorities say, which has too few pods, or pods that have to find
 * their places again?
 */
export function mayBeUndone(cycle: Cycle, actions: readonly Action[]): boolean {
  if (cycle.started.size === 0 || !actions.includes('allocate')) {
    return false;
  }
  const { session } = cycle;
  const waits = new Set(cycle.nominated.map(({ role }) => role!.gang));
  const mayEvict = mayEvictStarted(cycle, actions);
  const isThreat = (gang: GangRecord): boolean =>
    (gang.placed < gang.size || waits.has(gang)) && mayEvict(gang) && mayDisturb(cycle, gang);
  for (const gang of session.short) {
    if (isThreat(gang)) {
      return true;
    }
  }
  return cycle.evicted.some(({ pod }) => isThreat(pod.role!.gang));
}

/** Whether a gang may evict any of what the decision starts, as far as queues and priorities say. */
function mayEvictStarted({ started, session }: Cycle, actions: readonly Action[]): (gang: GangRecord) => boolean {
  const lowest = new Map<QueueRecord, number>();
  for (const { role, preemptible } of started) {
    const { queue, priority } = role!.gang;
    if (preemptible && queue !== undefined) {
      lowest.set(queue, Math.min(lowest.get(queue) ?? Infinity, priority));
    }
  }
  const canPreempt = actions.includes('preempt');
  const canReclaim = actions.includes('reclaim');
  const mayBeOverdue = session.policy.sharedDeviceWaitSeconds < Infinity;
  const reclaimable = new Set([...lowest.keys()].filter(({ queue }) => queue.reclaimable !== false));
  return ({ queue, priority }) =>
    queue !== undefined &&
    ((canPreempt && (lowest.get(queue)! < priority || (mayBeOverdue && priority > 0))) ||
      (canReclaim && reclaimable.size > (reclaimable.has(queue) ? 1 : 0)));
}

/**
 * Tries the next decision, and makes it a part of this one if it undoes something of it.
 *
 * @param isProtected whether what starts keeps its minimum running time in the next decision
 */
function takesOver(cycle: Cycle, foresight: Foresight, turns: Turns, ahead: number, isProtected: boolean): boolean {
  if (foresight.left <= 0) {
    return false;
  }
  foresight.left--;
  const { session } = cycle;
  const { ledger } = session;
  const starting = new Set(cycle.bound.filter((pod) => pod.row >= 0 && !cycle.withdrawn.has(pod)));
  const waiting = cycle.nominated.filter(({ row }) => row >= 0);
  const gone = cycle.evicted.map(({ pod }) => pod);
  const mark = ledger.mark();
  waiting.forEach((pod) => ledger.remove(pod));
  const restore = asNextDecision(starting, gone, session.now);
  const unprotected = isProtected ? cycle.unprotected : new Set([...cycle.unprotected, ...starting]);
  const next = new Cycle(session, cycle.selector, new Set([...cycle.begun, ...starting]), unprotected);
  // What both move counts as one decision.
  next.moves = cycle.moves;
  const nextTurns = turns.copy();
  const short = shortWith(next, gone, waiting, cycle.bound, [...cycle.withdrawn]);
  // Its own trials of the decision after it find them as well.
  next.waiting = { ...next.waiting, singles: short };
  const passed = allocate(next, foresight.actions.includes('backfill'), short);
  const most = Math.max(foresight.tries, foresight.few);
  foresight.tries -= makeRoom(next, passed, foresight.actions, nextTurns, most);
  if (foresight.actions.includes('evict-stale')) {
    evictStale(next, new Set([...gone, ...waiting].map(({ role }) => role!.gang)));
  }
  // Where it evicts nothing, the one after it finds what it has found.
  if (next.evicted.length > 0) {
    lookAhead(next, foresight, nextTurns, ahead + 1);
  }
  restore();
  if (!next.evicted.some(({ pod }) => starting.has(pod) && pod.row === NOWHERE)) {
    ledger.rollback(mark);
    return false;
  }
  ledger.keep();
  combine(cycle, next, starting);
  return true;
}

/** Pods that start run, and those that are evicted are recreated, until the returned function is called. */
function asNextDecision(starting: ReadonlySet<PodRecord>, gone: readonly PodRecord[], now: number): () => void {
  const before = [...starting, ...gone].map((pod) => ({ pod, ...pod }));
  const restoreOrder = orderAsListed(starting, new Set(gone));
  for (const pod of starting) {
    pod.existed = true;
    pod.waits = false;
    pod.startedAt = now;
  }
  for (const pod of gone) {
    pod.existed = false;
    pod.waits = true;
  }
  return () => {
    restoreOrder();
    for (const { pod, existed, waits, startedAt } of before) {
      pod.existed = existed;
      pod.waits = waits;
      pod.startedAt = startedAt;
    }
  };
}

/**
 * Pods that start are listed among the others of their roles, and those that are evicted are made again and come after them: the last pods of a
 * gang go first.
 */
function orderAsListed(starting: ReadonlySet<PodRecord>, gone: ReadonlySet<PodRecord>): () => void {
  const isListed = (pod: PodRecord): boolean => !gone.has(pod) && (pod.order !== undefined || starting.has(pod));
  const listedFirst = (a: PodRecord, b: PodRecord): number =>
    Number(isListed(b)) - Number(isListed(a)) || compareInRole(a, b);
  const roles = new Set([...starting, ...gone].map(({ role }) => role!).filter(({ size }) => size > 1));
  const before = [...roles].map((role) => ({
    role,
    pods: [...role.pods],
    indices: role.pods.map(({ index }) => index),
  }));
  const place = (pods: PodRecord[], inOrder: readonly PodRecord[], indices: readonly number[]): void =>
    inOrder.forEach((pod, i) => {
      pods[i] = pod;
      pod.index = indices[i];
    });
  before.forEach(({ role, pods, indices }) => place(role.pods, [...pods].sort(listedFirst), indices));
  return () => before.forEach(({ role, pods, indices }) => place(role.pods, pods, indices));
}

/** The decision and the next one, whose outcome is on the books, as one. */
function combine(cycle: Cycle, next: Cycle, starting: ReadonlySet<PodRecord>): void {
  const evicted = [...cycle.evicted, ...next.evicted.filter(({ pod }) => pod.existed)];
  const stays = new Set(evicted.filter(isBack).map(({ pod }) => pod));
  const lost = next.evicted.map(({ pod }) => pod);
  cycle.withdraw([...lost.filter((pod) => starting.has(pod)), ...cycle.nominated]);
  stays.forEach((pod) => cycle.disturbed.delete(pod));
  cycle.evicted.length = 0;
  for (const one of evicted) {
    if (!stays.has(one.pod)) {
      cycle.disturbed.add(one.pod);
      cycle.evicted.push(one);
    }
  }
  const running = new Set(cycle.bound.filter((pod) => !cycle.withdrawn.has(pod)));
  const placed = new Map<GangRecord, PodRecord[]>();
  for (const pod of new Set([...next.bound, ...next.nominated])) {
    if (pod.row >= 0 && !stays.has(pod) && !running.has(pod)) {
      const gang = pod.role!.gang;
      placed.set(gang, [...(placed.get(gang) ?? []), pod]);
    }
  }
  for (const [gang, pods] of placed) {
    if (mustWait(cycle, gang, pods)) {
      cycle.nominate(pods);
    } else {
      cycle.start(pods);
    }
  }
  cycle.reservation = next.reservation;
  passOnEvictions(cycle);
  cycle.disturbs(new Set([...placed.keys(), ...evicted.map(({ pod }) => pod.role!.gang)]));
}

function isBack({ pod, row, devices }: Evicted): boolean {
  return (
    pod.row === row && pod.devices.length === devices.length && pod.devices.every((slot, i) => slot === devices[i])
  );
}
