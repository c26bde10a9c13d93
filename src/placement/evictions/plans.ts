/**
 * Sets of victims with which a gang fits, and what each of them would cost. `eviction-search.ts` carries the cheapest out.
 *
 * The sets are the shortest beginnings of the candidates' list, without its first members or with them, and, for a single pod, the
 * shortest beginnings of what is on one node; where the action allows none of them, the shortest beginning of what queues that may lose any have;
 * and the smallest allowed set that a bounded search finds (`fewest-victims.ts`).
 */
import { addTo } from '../../facts/collections';
import { type Cycle } from '../cycle/cycle';
import { type GangRecord, type PodRecord, type Portion, type QueueRecord, type Turn } from '../books/records';
import { alternatives, carryOut, type MakingRoom, type Outcome } from './carry-out';
import { fewestVictims, type Loss, setsThatFit } from './fewest-victims';

/**
 * Sets of victims that are tried before the gang has to wait. One set may be rejected while the next is not: because another gang would get
 * the capacity when the victims have terminated, or because the action does not allow the eviction of that set.
 */
const MOST_SETS = 4;

/** Nodes whose own pods are looked at as a set of victims for a single pod, those that lack the least first. */
const MOST_NODES = 16;

/** Further sets that are tried for a gang within the quota of its queue, and those that are carried out where the gang fits. */
const MOST_FURTHER_TRIED = 640;
const MOST_FURTHER = 16;
/** Victims that are left out in turn for such a gang. */
const MOST_LEFT_OUT = 24;

/** Pods that count as lost. What a decision has started itself has done nothing yet; for the next decision it runs like all others. */
export type CountOf = (pods: readonly PodRecord[]) => number;
export const countOfExisting: CountOf = (pods) => pods.filter(({ existed }) => existed).length;
export const countOfAll: CountOf = (pods) => pods.length;

/** Victims that are enough for the gang, and what would be lost with them. */
export interface Plan extends Loss {
  readonly victims: readonly Portion[];
  readonly outcome: Outcome;
}

/** Does the action allow that the outcome happens? */
export type Allows = (outcome: Outcome) => boolean;

/** A gang for which room is looked for, and what may be done for it. */
export interface Search {
  readonly cycle: Cycle;
  readonly turn: Turn;
  readonly action: MakingRoom;
  readonly allows: Allows;
}

/** Sets of victims, the cheapest first. */
export function plans(search: Search, candidates: readonly Portion[], countOf: CountOf): Plan[] {
  const { action } = search;
  const surplus = candidates.filter(({ core }) => !core);
  const found = shortestBeginnings(search, candidates, surplus, countOf);
  if (action === 'consolidate' || found.length === 0) {
    return found;
  }
  if (search.turn.count === 1 && found[0].pods > 1) {
    addPlans(found, search, byNode(search.cycle, search.turn, candidates), surplus, countOf);
  }
  if (!found.some((plan) => mayHappen(search, plan))) {
    const losable = withQueuesThatMayLose(search, candidates);
    addPlans(found, search, losable.length < candidates.length ? [losable] : [], surplus, countOf);
  }
  found.sort(cheapestFirst);
  const best = found.find((plan) => mayHappen(search, plan)) ?? found[0];
  const fewer = best.pods > 1 ? fewerVictims(search, candidates, best, countOf) : undefined;
  return fewer === undefined ? found : [...found, fewer].sort(cheapestFirst);
}

/** The shortest beginnings of the candidates' list, and of what is left of it without its first members. */
function shortestBeginnings(
  search: Search,
  candidates: readonly Portion[],
  surplus: readonly Portion[],
  countOf: CountOf,
): Plan[] {
  const found: Plan[] = [];
  // Where nothing may be lost, other victims are not cheaper.
  const sets = search.action === 'consolidate' ? 1 : MOST_SETS;
  for (let first = 0; first < sets && first <= candidates.length; first++) {
    const plan = planOf(search, complete(candidates.slice(first), surplus), countOf);
    if (plan === undefined) {
      break;
    }
    found.push(plan);
  }
  return found;
}

/** The shortest beginnings of these lists. */
function addPlans(
  found: Plan[],
  search: Search,
  lists: readonly (readonly Portion[])[],
  surplus: readonly Portion[],
  countOf: CountOf,
): void {
  for (const list of lists) {
    const plan = planOf(search, complete(list, surplus), countOf);
    if (plan !== undefined) {
      found.push(plan);
    }
  }
}

/** Sets that are not allowed are left out, and the next ones looked at. */
function fewerVictims(search: Search, candidates: readonly Portion[], best: Plan, countOf: CountOf): Plan | undefined {
  for (const set of fewestVictims(search.cycle, search.turn, candidates, best)) {
    const plan = planOf(search, set, countOf);
    if (plan !== undefined && mayHappen(search, plan)) {
      return plan;
    }
  }
  return undefined;
}

/**
 * Further sets that the action allows, where all of the cheapest are refused. Whether a victim would return depends on what its queue loses with it,
 * so a gang that returns from one set may be part of another that is carried out.
 */
export function furtherPlans(search: Search, candidates: readonly Portion[]): Plan[] {
  const { cycle, turn } = search;
  const limits = { pods: Infinity, tries: MOST_FURTHER_TRIED, ofDecision: cycle.entitledTrials };
  const found: Plan[] = [];
  for (const set of setsThatFit(cycle, turn, candidates, limits)) {
    const plan = planOf(search, set, countOfExisting);
    if (plan !== undefined && mayHappen(search, plan)) {
      found.push(plan);
    }
    if (found.length === MOST_FURTHER) {
      break;
    }
  }
  return [...found, ...plansWithoutOne(search, candidates, MOST_FURTHER - found.length)].sort(cheapestFirst);
}

/** The shortest beginnings of the candidates' list without one of its gangs: sets of more victims than the bounded search looks at. */
function plansWithoutOne(search: Search, candidates: readonly Portion[], most: number): readonly Plan[] {
  const { cycle } = search;
  const found: Plan[] = [];
  const first = most > 0 ? planOf(search, candidates, countOfExisting) : undefined;
  for (const gang of new Set(first?.victims.slice(0, MOST_LEFT_OUT).map((victim) => victim.gang))) {
    if (found.length === most || cycle.entitledTrials.left <= 0) {
      break;
    }
    cycle.entitledTrials.left--;
    const plan = planOf(
      search,
      candidates.filter((other) => other.gang !== gang),
      countOfExisting,
    );
    if (plan !== undefined) {
      found.push(plan);
    }
  }
  return found;
}

/** Does the action allow one of the outcomes of the plan? A consolidation says so only of what is carried out. */
export function mayHappen({ action, allows }: Search, { outcome }: Plan): boolean {
  return action === 'consolidate' || alternatives(outcome).some(allows);
}

/** Without the candidates of queues of which not even the first may be lost: those are there to be moved out of the way. */
function withQueuesThatMayLose({ allows }: Search, candidates: readonly Portion[]): readonly Portion[] {
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

function planOf({ cycle, turn, action }: Search, list: readonly Portion[], countOf: CountOf): Plan | undefined {
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
