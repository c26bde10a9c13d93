/**
 * Will an eviction still have been right in the next cycle?
 *
 * What is evicted for a gang comes back as waiting work, and the next cycle starts from its queues and priorities, not from what was
 * planned here. If another gang, or the evicted one itself, would take the room first, the gang would wait again, and evict again, for
 * ever. So before anything is evicted the next cycle's allocation is tried out on the books: all that was evicted or nominated waits, in
 * the ordinary order. The eviction is kept only if the gang and everything that was to be moved get their places there too. What is evicted
 * takes its room again until it would have ended: what started because it ends before a promised moment could not start again for as long a
 * time, and would be evicted for a gang that came after it. O(one allocation).
 */
import { tryAllocate } from './allocate';
import { type Cycle } from './cycle';
import { classesIn } from '../search/units';
import { type GangRecord, NOWHERE, type PodRecord } from '../books/records';

/** A trial in which the gang, or something that was to be moved, did not get its places. */
export interface Refusal {
  readonly placed: readonly PodRecord[];
  readonly evicted: readonly PodRecord[];
  /** Gangs of evicted pods that would run again. */
  readonly back: readonly GangRecord[];
}

/**
 * Call it with the gang and the moved pods in place. Leaves the books as they were.
 *
 * @param back gets the gangs of evicted pods that would run again while the eviction did not help
 * @param refusals trials since the decision last evicted or moved anything: different sets of victims often come to the same loss, which
 * is tried once
 */
export function isPlacedNextCycle(
  cycle: Cycle,
  placed: readonly PodRecord[],
  evicted: readonly PodRecord[],
  back: Set<GangRecord>,
  refusals: Refusal[] = [],
): boolean {
  const known = refusals.find((other) => areSame(other.placed, placed) && areSame(other.evicted, evicted));
  if (known !== undefined) {
    known.back.forEach((gang) => back.add(gang));
    return false;
  }
  const { wishTrials } = cycle;
  const returning = tried(cycle, placed, evicted);
  if (returning === undefined) {
    return true;
  }
  returning.forEach((gang) => back.add(gang));
  // Where that is bounded, the next trial may find less.
  if (cycle.wishTrials === wishTrials) {
    refusals.push({ placed, evicted, back: returning });
  }
  return false;
}

function areSame(a: readonly PodRecord[], b: readonly PodRecord[]): boolean {
  return a.length === b.length && a.every((pod, i) => pod === b[i]);
}

/**
 * Places everything that waits for terminating pods where the next cycle's allocation will, which need not be where it was placed for a gang
 * after another: what that cycle may evict depends on it. Leaves the books as they were, and returns false, where something of it gets no place.
 */
export function placeAsNextCycle(cycle: Cycle): boolean {
  const { ledger } = cycle.session;
  const waiting = cycle.nominated.filter(({ row }) => row >= 0);
  const places = nextPlaces(cycle, waiting);
  if (places.some(({ row }) => row < 0)) {
    return false;
  }
  waiting.forEach((pod) => ledger.remove(pod));
  waiting.forEach((pod, i) => ledger.placeOn(pod, places[i].row, places[i].devices, places[i].claimed));
  return true;
}

/** What waits for terminating pods and gets a place from the next cycle's allocation. Leaves the books as they were. */
export function placedNextCycle(cycle: Cycle): readonly PodRecord[] {
  const waiting = cycle.nominated.filter(({ row }) => row >= 0);
  const places = nextPlaces(cycle, waiting);
  return waiting.filter((_, i) => places[i].row >= 0);
}

/** Where the next cycle's allocation places pods that wait. */
function nextPlaces(cycle: Cycle, waiting: readonly PodRecord[]): readonly Place[] {
  const { ledger, policy } = cycle.session;
  const revived = cycle.evicted.map(({ pod }) => pod).filter(({ waits }) => !waits);
  const state = { bound: cycle.bound.length, nominated: cycle.nominated.length, reservation: cycle.reservation };
  const mark = ledger.mark();
  waiting.forEach((pod) => ledger.remove(pod));
  revived.forEach((pod) => (pod.waits = true));
  cycle.reservation = undefined;
  const short = shortWith(cycle, revived, waiting, cycle.bound);
  cycle.withOwnChoices(() => tryAllocate(cycle, short, policy.actions.includes('backfill'), () => false));
  const places = waiting.map(({ row, devices, claimed }) => ({ row, devices, claimed }));
  revived.forEach((pod) => (pod.waits = false));
  ledger.rollback(mark);
  cycle.forget(state.bound, state.nominated);
  cycle.reservation = state.reservation;
  return places;
}

type Place = Pick<PodRecord, 'row' | 'devices' | 'claimed'>;

/** What waited before and lacks pods, and the gangs of these pods that do. */
export function shortWith(cycle: Cycle, ...lists: readonly (readonly PodRecord[])[]): readonly GangRecord[] {
  const singles = new Set(cycle.waiting.singles);
  for (const pods of lists) {
    let last: GangRecord | undefined;
    for (const { role } of pods) {
      const { gang } = role!;
      if (gang !== last && !isInLine(cycle, gang)) {
        singles.add(gang);
      }
      last = gang;
    }
  }
  const short: GangRecord[] = [];
  for (const gang of singles) {
    if (gang.placed < gang.size) {
      short.push(gang);
    }
  }
  return short;
}

/** Undefined where the gang and all that was to be moved get their places; else the gangs of evicted pods that run again. */
function tried(
  cycle: Cycle,
  placed: readonly PodRecord[],
  evicted: readonly PodRecord[],
): readonly GangRecord[] | undefined {
  const { ledger } = cycle.session;
  const wanted = new Map<GangRecord, number>();
  for (const { role } of placed) {
    wanted.set(role!.gang, role!.gang.placed);
  }
  const state = { bound: cycle.bound.length, nominated: cycle.nominated.length, reservation: cycle.reservation };
  const revived = revivedBy(cycle, evicted);
  const mark = ledger.mark();
  removeAgain(cycle, placed);
  setWaiting(revived, true);
  cycle.reservation = undefined;
  const short = shortWith(cycle, revived, evicted, placed, cycle.bound);
  const victims = new Set<GangRecord>();
  for (const { role } of evicted) {
    victims.add(role!.gang);
  }
  const backfill = cycle.session.policy.actions.includes('backfill');
  const isKnown = outcomeOf(cycle, wanted, victims);
  cycle.runOn(without(evicted, placed), () => cycle.withOwnChoices(() => tryAllocate(cycle, short, backfill, isKnown)));
  const returning = haveTheirs(wanted) ? undefined : gangsWithPlaces(evicted);

  setWaiting(revived, false);
  ledger.rollback(mark);
  cycle.forget(state.bound, state.nominated);
  cycle.reservation = state.reservation;
  return returning;
}

// The steps of a trial are functions of their own: hundreds of trials are made, and each step is compiled once.

/** What is evicted, now or by this decision, and does not wait already. */
function revivedBy(cycle: Cycle, evicted: readonly PodRecord[]): readonly PodRecord[] {
  const revived: PodRecord[] = [];
  for (const pod of evicted) {
    if (!pod.waits) {
      revived.push(pod);
    }
  }
  for (const { pod } of cycle.evicted) {
    if (!pod.waits) {
      revived.push(pod);
    }
  }
  return revived;
}

/** Takes away what was placed, and what waits for terminating pods: each once. */
function removeAgain(cycle: Cycle, placed: readonly PodRecord[]): void {
  const { ledger } = cycle.session;
  for (const list of [placed, cycle.nominated]) {
    for (const pod of list) {
      if (pod.row >= 0) {
        ledger.remove(pod);
      }
    }
  }
}

function setWaiting(pods: readonly PodRecord[], waits: boolean): void {
  for (const pod of pods) {
    pod.waits = waits;
  }
}

function without(pods: readonly PodRecord[], others: readonly PodRecord[]): readonly PodRecord[] {
  const out = new Set(others);
  const left: PodRecord[] = [];
  for (const pod of pods) {
    if (!out.has(pod)) {
      left.push(pod);
    }
  }
  return left;
}

function haveTheirs(wanted: ReadonlyMap<GangRecord, number>): boolean {
  for (const [gang, count] of wanted) {
    if (gang.placed < count) {
      return false;
    }
  }
  return true;
}

function gangsWithPlaces(pods: readonly PodRecord[]): readonly GangRecord[] {
  const gangs = new Set<GangRecord>();
  for (const { row, role } of pods) {
    if (row !== NOWHERE) {
      gangs.add(role!.gang);
    }
  }
  return [...gangs];
}

/**
 * Is the outcome known, after a gang got pods or nothing? Either everything that is wanted is in place, or something of it, and what was
 * evicted, gets no more.
 */
function outcomeOf(
  cycle: Cycle,
  wanted: ReadonlyMap<GangRecord, number>,
  victims: ReadonlySet<GangRecord>,
): (gang: GangRecord, hasGot: boolean) => boolean {
  const missing = new Map(wanted);
  const passed = new Set<GangRecord>();
  // A gang with preferences that is placed again without them may leave more room than there was.
  const isFinal = !cycle.mayTryWithoutWishes();
  const { room } = cycle.placer;
  const classes = new Map([...wanted.keys(), ...victims].map((gang) => [gang, classesIn(gang)]));
  const getsNoMore = (gang: GangRecord): boolean =>
    gang.placed >= gang.size ||
    passed.has(gang) ||
    room.isLess(classes.get(gang)!, Math.max(1, gang.needed - gang.placed));
  let isRefused = false;
  return (gang, hasGot) => {
    if (hasGot) {
      if (gang.placed >= (missing.get(gang) ?? Infinity)) {
        missing.delete(gang);
      }
      return missing.size === 0;
    }
    passed.add(gang);
    isRefused ||= isFinal && [...missing.keys()].some(getsNoMore);
    return isRefused && [...victims].every(getsNoMore);
  };
}

/**
 * Then it is found there as soon as it has no pods. A single that this decision has started is not: the cycle's singles are those that lack pods when
 * it begins.
 */
function isInLine({ session }: Cycle, gang: GangRecord): boolean {
  return gang.placed === 0 && session.sleepers.isInLine(gang);
}
