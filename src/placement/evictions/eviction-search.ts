/**
 * The search for the smallest eviction with which a gang fits, and what happens to the victims. `make-room.ts` describes the method.
 */
import { addTo } from '../../facts/collections';
import { haveClaims } from '../search/units';
import { type Cycle } from '../cycle/cycle';

import { fewestVictims, type Loss, setsThatFit } from './fewest-victims';
import { type Refusal, isPlacedNextCycle } from '../cycle/next-cycle';
import { type GangRecord, type PodRecord, type Portion, type QueueRecord, type Turn } from '../books/records';
import { mustWait } from './terminating';

export interface Place {
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

/** Where pods were before they were taken away. */
export type Places = Outcome['places'];

/**
 * Sets of victims that are tried before the gang has to wait. One set may be rejected while the next is not: because another gang would get
 * the capacity when the victims have terminated, or because the action does not allow the eviction of that set.
 */
const MOST_SETS = 4;

/** Sets that are carried out on the books, of those that the action allows. */
const MOST_PLANS = 8;

/** Nodes whose own pods are looked at as a set of victims for a single pod, those that lack the least first. */
const MOST_NODES = 16;

/** Times that victims which would take their room again are left out, and others looked for. */
const MOST_ROUNDS = 4;

/** Further sets that are tried for a gang within the quota of its queue, and those that are carried out where the gang fits. */
const MOST_FURTHER_TRIED = 640;
const MOST_FURTHER = 16;
/** Victims that are left out in turn for such a gang. */
const MOST_LEFT_OUT = 24;

/** Pods that count as lost. What a decision has started itself has done nothing yet; for the next decision it runs like all others. */
type CountOf = (pods: readonly PodRecord[]) => number;
const countOfExisting: CountOf = (pods) => pods.filter(({ existed }) => existed).length;
const countOfAll: CountOf = (pods) => pods.length;

/** Victims that are enough for the gang, and what would be lost with them. */
interface Plan extends Loss {
  readonly victims: readonly Portion[];
  readonly outcome: Outcome;
}

/** Does the action allow that the outcome happens? */
type Allows = (outcome: Outcome) => boolean;

/**
 * Evicts the smallest set with which the gang fits, if the action allows that eviction.
 *
 * The sets are the shortest beginnings of the candidates' list, without its first members or with them, and, for a single pod, the
 * shortest beginnings of what is on one node, and the smallest set that a bounded search finds (`fewest-victims.ts`). They are tried from the
 * cheapest: first those that cost no gang its core, then the lowest priority that is lost, then the fewest pods. A
 * victim that would get its capacity back in the next cycle, because its queue is then within its quota, is not useful: the search continues
 * without it.
 *
 * Where all of them are refused, they are looked for again as the next decision would, for which what this one has started runs: otherwise
 * the next decision could find a set that evicts it.
 *
 * @param entitled whether the gang fits into the unused quota of its queue: then further sets are tried where all of these are refused
 */
export function evictFor(
  cycle: Cycle,
  turn: Turn,
  action: Making,
  candidates: readonly Portion[],
  allows: Allows,
  entitled = false,
): boolean {
  let isEnough = false;
  const rounds = action === 'consolidate' ? 1 : MOST_ROUNDS;
  const refusals: Refusal[] = [];
  const inRounds = (countOf: CountOf): boolean => {
    let left = candidates;
    for (let round = 0; round < rounds && cycle.trials > 0; round++) {
      const back = new Set<GangRecord>();
      const found = plans(cycle, turn, action, left, allows, countOf);
      isEnough ||= found.length > 0;
      const allowed = found.filter((plan) => mayHappen(plan, action, allows)).slice(0, MOST_PLANS);
      if (allowed.some((plan) => carriedOut(cycle, turn, action, plan, allows, back, refusals))) {
        return true;
      }
      const others = left.filter(({ gang }) => !back.has(gang));
      if (others.length === left.length) {
        break;
      }
      left = others;
    }
    return false;
  };
  if (inRounds(countOfExisting)) {
    return true;
  }
  const startsAny = candidates.some(({ pods }) => pods.some(({ existed }) => !existed));
  if (startsAny && isEnough && action !== 'consolidate' && inRounds(countOfAll)) {
    return true;
  }
  return (
    entitled &&
    isEnough &&
    cycle.trials > 0 &&
    furtherPlans(cycle, turn, action, candidates, allows).some((plan) =>
      carriedOut(cycle, turn, action, plan, allows, new Set(), refusals),
    )
  );
}

/**
 * Further sets that the action allows, where all of the cheapest are refused. Whether a victim would return depends on what its queue loses with it,
 * so a gang that returns from one set may be part of another that is carried out.
 */
function furtherPlans(
  cycle: Cycle,
  turn: Turn,
  action: Making,
  candidates: readonly Portion[],
  allows: Allows,
): Plan[] {
  const limits = { pods: Infinity, tries: MOST_FURTHER_TRIED, ofDecision: cycle.entitledTrials };
  const found: Plan[] = [];
  for (const set of setsThatFit(cycle, turn, candidates, limits)) {
    const plan = planOf(cycle, turn, action, set, countOfExisting);
    if (plan !== undefined && mayHappen(plan, action, allows)) {
      found.push(plan);
    }
    if (found.length === MOST_FURTHER) {
      break;
    }
  }
  return [...found, ...plansWithoutOne(cycle, turn, action, candidates, MOST_FURTHER - found.length)].sort(
    cheapestFirst,
  );
}

/** The shortest beginnings of the candidates' list without one of its gangs: sets of more victims than the bounded search looks at. */
function plansWithoutOne(
  cycle: Cycle,
  turn: Turn,
  action: Making,
  candidates: readonly Portion[],
  most: number,
): readonly Plan[] {
  const found: Plan[] = [];
  const first = most > 0 ? planOf(cycle, turn, action, candidates, countOfExisting) : undefined;
  for (const gang of new Set(first?.victims.slice(0, MOST_LEFT_OUT).map((victim) => victim.gang))) {
    if (found.length === most || cycle.entitledTrials.left <= 0) {
      break;
    }
    cycle.entitledTrials.left--;
    const plan = planOf(
      cycle,
      turn,
      action,
      candidates.filter((other) => other.gang !== gang),
      countOfExisting,
    );
    if (plan !== undefined) {
      found.push(plan);
    }
  }
  return found;
}

/** Carries the plan out for good, or says in `back` which victims would take their room again. */
function carriedOut(
  cycle: Cycle,
  turn: Turn,
  action: Making,
  { victims }: Plan,
  allows: Allows,
  back: Set<GangRecord>,
  refusals: Refusal[],
): boolean {
  if (cycle.trials <= 0) {
    return false;
  }
  cycle.trials--;
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const planned = carryOut(cycle, turn, victims, action);
  for (const outcome of planned === undefined ? [] : alternatives(planned)) {
    if (outcome !== planned) {
      outcome.lost.forEach(({ pods }) => pods.forEach((pod) => pod.row >= 0 && ledger.remove(pod)));
    }
    if (allows(outcome) && holds(cycle, turn, outcome, back, refusals)) {
      ledger.keep();
      commit(cycle, turn, action, outcome);
      return true;
    }
  }
  ledger.rollback(mark);
  return false;
}

/** Does the action allow one of the outcomes of the plan? A consolidation says so only of what is carried out. */
function mayHappen({ outcome }: Plan, action: Making, allows: Allows): boolean {
  return action === 'consolidate' || alternatives(outcome).some(allows);
}

/** Sets of victims, the cheapest first. */
function plans(
  cycle: Cycle,
  turn: Turn,
  action: Making,
  candidates: readonly Portion[],
  allows: Allows,
  countOf: CountOf,
): Plan[] {
  const found: Plan[] = [];
  const surplus = candidates.filter(({ core }) => !core);
  // Where nothing may be lost, other victims are not cheaper.
  const sets = action === 'consolidate' ? 1 : MOST_SETS;
  for (let first = 0; first < sets && first <= candidates.length; first++) {
    const plan = planOf(cycle, turn, action, complete(candidates.slice(first), surplus), countOf);
    if (plan === undefined) {
      break;
    }
    found.push(plan);
  }
  if (action !== 'consolidate' && found.length > 0 && turn.count === 1 && found[0].pods > 1) {
    for (const list of byNode(cycle, turn, candidates)) {
      const plan = planOf(cycle, turn, action, complete(list, surplus), countOf);
      if (plan !== undefined) {
        found.push(plan);
      }
    }
  }
  if (found.length > 0 && !found.some((plan) => mayHappen(plan, action, allows))) {
    const losable = withQueuesThatMayLose(candidates, allows);
    const plan = losable.length < candidates.length ? planOf(cycle, turn, action, losable, countOf) : undefined;
    if (plan !== undefined) {
      found.push(plan);
    }
  }
  found.sort(cheapestFirst);
  const best = found.find((plan) => mayHappen(plan, action, allows)) ?? found.at(0);
  if (action !== 'consolidate' && best !== undefined && best.pods > 1) {
    // Sets that are not allowed are left out, and the next ones looked at.
    for (const set of fewestVictims(cycle, turn, candidates, best)) {
      const plan = planOf(cycle, turn, action, set, countOf);
      if (plan !== undefined && mayHappen(plan, action, allows)) {
        found.push(plan);
        break;
      }
    }
  }
  return found.sort(cheapestFirst);
}

/** Without the candidates of queues of which not even the first may be lost: those are there to be moved out of the way. */
function withQueuesThatMayLose(candidates: readonly Portion[], allows: Allows): readonly Portion[] {
  const known = new Map<QueueRecord, boolean>();
  return candidates.filter((portion) => {
    const queue = portion.gang.queue!;
    const mayLose = known.get(queue) ?? allows({ lost: [portion], moved: [], places: new Map() });
    known.set(queue, mayLose);
    return mayLose;
  });
}

/** The core of a gang never goes without its surplus: what a list leaves out of that comes right before the core. */
function complete(list: readonly Portion[], surplus: readonly Portion[]): readonly Portion[] {
  if (surplus.length === 0 || !list.some(({ core }) => core)) {
    return list;
  }
  const there = new Set(list);
  const left = new Map<GangRecord, Portion[]>();
  for (const portion of surplus) {
    if (!there.has(portion)) {
      addTo(left, portion.gang, portion);
    }
  }
  return list.flatMap((portion) => (portion.core ? [...(left.get(portion.gang) ?? []), portion] : [portion]));
}

function cheapestFirst(a: Plan, b: Plan): number {
  return compare(a.core, b.core) || compare(a.priority, b.priority) || a.pods - b.pods;
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function planOf(
  cycle: Cycle,
  turn: Turn,
  action: Making,
  list: readonly Portion[],
  countOf: CountOf,
): Plan | undefined {
  const enough = smallestPrefix(cycle, turn, list);
  if (enough === undefined) {
    return undefined;
  }
  const { ledger } = cycle.session;
  const victims = list.slice(0, enough);
  const mark = ledger.mark();
  const outcome = carryOut(cycle, turn, victims, action);
  ledger.rollback(mark);
  return (
    outcome && {
      victims,
      outcome,
      core: outcome.lost.reduce((most, { gang, core }) => (core ? Math.max(most, gang.priority) : most), -Infinity),
      priority: outcome.lost.reduce((most, { gang }) => Math.max(most, gang.priority), -Infinity),
      pods: outcome.lost.reduce((sum, { pods }) => sum + countOf(pods), 0),
    }
  );
}

/** The candidates on each of the nodes that lack the least for the pod, in their order. */
function byNode({ session }: Cycle, { pods: [pod] }: Turn, candidates: readonly Portion[]): readonly Portion[][] {
  const rows = new Map<number, Portion[]>();
  for (const portion of candidates) {
    for (const row of new Set(portion.pods.map((victim) => victim.row))) {
      const list = rows.get(row) ?? [];
      list.push(portion);
      rows.set(row, list);
    }
  }
  const { milliFree } = session.table;
  const allowed = session.staticRow(pod.podClass);
  return [...rows]
    .filter(([row]) => row >= 0 && allowed[row] === 0)
    .sort(([a], [b]) => milliFree[b] - milliFree[a] || a - b)
    .slice(0, MOST_NODES)
    .map(([, list]) => list);
}

/** The outcome as planned; then, as others may get in where victims were to move, the one in which these are lost. */
function alternatives(planned: Outcome): readonly Outcome[] {
  const { moved, lost } = planned;
  return moved.length === 0 ? [planned] : [planned, { ...planned, moved: [], lost: [...moved, ...lost] }];
}

/** Length of the shortest prefix of the list whose eviction makes the gang fit. */
function smallestPrefix(cycle: Cycle, turn: Turn, candidates: readonly Portion[]): number | undefined {
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const length = prefixThatFits(cycle, turn, candidates);
  ledger.rollback(mark);
  return length;
}

/** What was evicted and is not enough stays evicted while more is: O(log n) trials, but each candidate goes only a few times. */
function prefixThatFits(cycle: Cycle, turn: Turn, candidates: readonly Portion[]): number | undefined {
  const { ledger } = cycle.session;
  const fits = (): boolean => cycle.mayHave(turn) && cycle.fits(turn);
  /** Evicts the next ones for good if they are not enough. */
  const areEnough = (from: number, to: number): boolean => {
    const mark = ledger.mark();
    for (let i = from; i < to; i++) {
      candidates[i].pods.forEach((pod) => ledger.remove(pod));
    }
    const enough = fits();
    if (enough) {
      ledger.rollback(mark);
    } else {
      ledger.keep();
    }
    return enough;
  };
  if (fits()) {
    return 0;
  }
  let low = 0;
  let high = Math.min(1, candidates.length);
  while (low < high && !areEnough(low, high)) {
    low = high;
    high = Math.min(2 * low, candidates.length);
  }
  if (low === high) {
    return undefined;
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (areEnough(low, middle)) {
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

export function commit(cycle: Cycle, turn: Turn, action: Making, outcome: Outcome): void {
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
