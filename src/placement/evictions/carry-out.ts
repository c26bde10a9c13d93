/**
 * What becomes of victims once a gang is in place: those that can return to where they were do, others move, and the rest is lost. `make-room.ts`
 * describes the method.
 */
import { type Cycle } from '../cycle/cycle';
import { isPlacedNextCycle, type Refusal } from '../cycle/next-cycle';
import { type GangRecord, type PodRecord, type Portion, type Turn } from '../books/records';
import { haveClaims } from '../search/units';
import { mustWait } from './terminating';

export interface Place {
  readonly row: number;
  readonly devices: readonly number[];
}

export type MakingRoom = 'preempt' | 'reclaim' | 'consolidate';

export interface Outcome {
  readonly lost: readonly Portion[];
  readonly moved: readonly Portion[];
  /** Where every victim was. */
  readonly places: ReadonlyMap<PodRecord, Place>;
}

/** Where pods were before they were taken away. */
export type Places = Outcome['places'];

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
export function carryOut(cycle: Cycle, turn: Turn, list: readonly Portion[], action: MakingRoom): Outcome | undefined {
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
  // The devices of claims are chosen again with the place.
  if ((!core && gang.placed < gang.needed) || haveClaims(pods) || !cycle.mayReturn(gang, pods)) {
    return false;
  }
  return cycle.session.ledger.attempt(() => pods.every((pod) => putBack(cycle, pod, places.get(pod)!)));
}

/** Puts a pod exactly where it was, if it fits there. */
export function putBack({ session }: Cycle, pod: PodRecord, { row, devices }: Place): boolean {
  const { ledger } = session;
  if (!ledger.couldReturn(pod, row, devices) || session.dynamicConstraint(pod.podClass, row) !== undefined) {
    return false;
  }
  ledger.placeOn(pod, row, devices);
  return true;
}

/** See `next-cycle.ts`. Without evictions there is nothing to check. */
export function holds(
  cycle: Cycle,
  { pods }: Turn,
  { moved, lost }: Outcome,
  back: Set<GangRecord> = new Set(),
  refusals: Refusal[] = [],
): boolean {
  const of = (list: readonly Portion[]): PodRecord[] => list.flatMap((portion) => portion.pods);
  return (
    moved.length + lost.length === 0 ||
    isPlacedNextCycle(cycle, [...pods, ...of(moved)], of([...moved, ...lost]), back, refusals)
  );
}

export function commit(cycle: Cycle, turn: Turn, action: MakingRoom, outcome: Outcome): void {
  const disturbed = [...outcome.moved, ...outcome.lost];
  for (const pod of disturbed.flatMap(({ pods }) => pods)) {
    cycle.disturbed.add(pod);
    if (pod.existed) {
      const { row, devices } = outcome.places.get(pod)!;
      cycle.evicted.push({ pod, row, devices, action, beneficiary: turn.gang });
    } else {
      // It was to start in this decision, and is not started after all, or elsewhere.
      cycle.withdraw([pod]);
    }
  }
  for (const { gang, pods } of [turn, ...outcome.moved]) {
    if (cycle.startsPods && !mustWait(cycle, gang, pods)) {
      cycle.start(pods);
    } else {
      cycle.nominate(pods);
    }
  }
  cycle.disturbs(new Set([turn.gang, ...disturbed.map(({ gang }) => gang)]));
}

/** The outcome as planned; then, as others may get in where victims were to move, the one in which these are lost. */
export function alternatives(planned: Outcome): readonly Outcome[] {
  const { moved, lost } = planned;
  return moved.length === 0 ? [planned] : [planned, { ...planned, moved: [], lost: [...moved, ...lost] }];
}
