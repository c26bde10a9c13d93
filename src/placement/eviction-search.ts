/**
 * The search for the smallest eviction that lets a gang in, and what becomes of the victims. The method is told in `make-room.ts`.
 */
import { type Cycle } from './cycle';
import { type Turn } from './gang-order';
import { standsNextCycle } from './next-cycle';
import { type PodRecord } from './records';
import { type Portion } from './victims';

interface Place {
  readonly row: number;
  readonly devices: readonly number[];
}

type Making = 'preempt' | 'reclaim' | 'consolidate';

export interface Outcome {
  readonly lost: readonly Portion[];
  readonly moved: readonly Portion[];
  /** Where every victim was. */
  readonly places: ReadonlyMap<PodRecord, Place>;
}

/** Evicts as little as lets the gang in, if the action allows what is then lost. */
export function evictFor(
  cycle: Cycle,
  turn: Turn,
  action: Making,
  candidates: readonly Portion[],
  allows: (outcome: Outcome) => boolean,
): boolean {
  const enough = smallestPrefix(cycle, turn, candidates);
  if (enough === undefined) {
    return false;
  }
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const outcome = carryOut(cycle, turn, candidates.slice(0, enough), action);
  if (outcome === undefined || !allows(outcome) || !stands(cycle, turn, outcome)) {
    ledger.rollback(mark);
    return false;
  }
  ledger.keep();
  commit(cycle, turn, action, outcome);
  return true;
}

/** Length of the shortest beginning of the list whose eviction lets the gang in. */
function smallestPrefix(cycle: Cycle, turn: Turn, candidates: readonly Portion[]): number | undefined {
  const { ledger } = cycle.session;
  const fits = (count: number): boolean => {
    const mark = ledger.mark();
    evictAll(cycle, candidates.slice(0, count));
    const done = cycle.mayHave(turn) && cycle.place(turn);
    ledger.rollback(mark);
    return done;
  };
  if (fits(0)) {
    return 0;
  }
  let low = 0;
  let high = 1;
  while (high < candidates.length && !fits(high)) {
    low = high;
    high *= 2;
  }
  high = Math.min(high, candidates.length);
  if (high === candidates.length && (high === low || !fits(high))) {
    return undefined;
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

function evictAll({ session }: Cycle, list: readonly Portion[]): Map<PodRecord, Place> {
  const places = new Map<PodRecord, Place>();
  for (const { pods } of list) {
    for (const pod of pods) {
      places.set(pod, { row: pod.row, devices: pod.devices });
      session.ledger.remove(pod);
    }
  }
  return places;
}

/** Evicts the portions, places the gang, then lets return or move what can. Leaves everything in place; the caller holds a mark. */
export function carryOut(cycle: Cycle, turn: Turn, list: readonly Portion[], action: Making): Outcome | undefined {
  const places = evictAll(cycle, list);
  if (!cycle.mayHave(turn) || !cycle.place(turn)) {
    return undefined;
  }
  const away = [...list].reverse().filter((portion) => !returns(cycle, portion, places));
  const moved: Portion[] = [];
  const lost: Portion[] = [];
  for (const portion of away) {
    const whole = portion.core || !lost.some(({ gang, core }) => core && gang === portion.gang);
    const elsewhere =
      whole && cycle.mayReturn(portion.gang, portion.pods) && cycle.placer.place(portion.gang.root, portion.pods);
    (elsewhere ? moved : lost).push(portion);
    if (action === 'consolidate' && lost.length > 0) {
      return undefined;
    }
  }
  return { moved, lost, places };
}

/** Puts a portion back exactly where it was, if all of it can be. */
function returns(cycle: Cycle, { pods, core, gang }: Portion, places: ReadonlyMap<PodRecord, Place>): boolean {
  if ((!core && gang.placed < gang.needed) || !cycle.mayReturn(gang, pods)) {
    return false;
  }
  const { session } = cycle;
  const { ledger } = session;
  const mark = ledger.mark();
  for (const pod of pods) {
    const { row, devices } = places.get(pod)!;
    if (!ledger.couldReturn(pod, row, devices) || session.dynamicConstraint(pod.podClass, row) !== undefined) {
      ledger.rollback(mark);
      return false;
    }
    ledger.placeOn(pod, row, devices);
  }
  ledger.keep();
  return true;
}

/** See `next-cycle.ts`. Nothing is at stake where nobody is evicted. */
export function stands(cycle: Cycle, { pods }: Turn, { moved, lost }: Outcome): boolean {
  const of = (list: readonly Portion[]): PodRecord[] => list.flatMap((portion) => portion.pods);
  return moved.length + lost.length === 0 || standsNextCycle(cycle, [...pods, ...of(moved)], of([...moved, ...lost]));
}

export function commit(cycle: Cycle, turn: Turn, action: Making, outcome: Outcome): void {
  cycle.nominated.push(...turn.pods);
  for (const portion of [...outcome.moved, ...outcome.lost]) {
    for (const pod of portion.pods) {
      cycle.disturbed.add(pod);
      cycle.evicted.push({ pod, row: outcome.places.get(pod)!.row, action, beneficiary: turn.gang });
    }
  }
  outcome.moved.forEach(({ pods }) => cycle.nominated.push(...pods));
}
