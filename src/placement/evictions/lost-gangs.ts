/**
 * Gangs that the decision has evicted may have a better claim than gangs that it starts: the next cycle would evict what was only just
 * started for them. Such a gang takes these devices at once, and what was to start there does not start. The same holds for a gang that
 * found no room before the decision moved what it starts, or grew it by evictions.
 */
import { type Cycle } from '../cycle/cycle';
import { inherit } from './inherited';
import { placeAsNextCycle } from '../cycle/next-cycle';
import { turnOf } from '../queues/turns';
import { type GangRecord, NOWHERE, type Portion } from '../books/records';
import { type MakingRoom } from './carry-out';
import { firstOf, mayDisturb, tryAction } from './try-action';

/**
 * The same for the gangs, which got nothing yet, and those that lost pods, with everything that waits for terminating pods where the next cycle will
 * place it: with that it may find victims that are refused while it is where this decision has placed it.
 */
export function replaceAsNextCycle(cycle: Cycle, gangs: readonly GangRecord[], actions: readonly MakingRoom[]): void {
  if (cycle.started.size === 0 || cycle.nominated.length === 0) {
    return;
  }
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  if (placeAsNextCycle(cycle)) {
    const isStarted = replaceStarted(cycle, gangs, actions);
    if (replaceLost(cycle, actions) || isStarted) {
      ledger.keep();
      return;
    }
  }
  ledger.rollback(mark);
}

/** Places gangs that lost pods where the decision has started others, if `actions` allow that. */
export function replaceLost(cycle: Cycle, actions: readonly MakingRoom[]): boolean {
  let isAnyReplaced = false;
  const evicting = actions.filter((action) => action !== 'consolidate');
  // A gang that is withdrawn for another may have a claim on a third.
  for (let left = lostGangs(cycle), tried = new Set<GangRecord>(); left.length > 0; left = lostGangs(cycle)) {
    const next = left.find((gang) => !tried.has(gang));
    if (next === undefined) {
      break;
    }
    tried.add(next);
    isAnyReplaced = replace(cycle, next, evicting) || isAnyReplaced;
  }
  return isAnyReplaced;
}

/** Places the gangs, which got nothing yet, where the decision has started others. */
export function replaceStarted(cycle: Cycle, gangs: readonly GangRecord[], actions: readonly MakingRoom[]): boolean {
  const evicting = actions.filter((action) => action !== 'consolidate');
  return gangs.filter((gang) => replace(cycle, gang, evicting)).length > 0;
}

/** The gang with the highest priority first, then the oldest. */
function lostGangs({ evicted, withdrawn }: Cycle): GangRecord[] {
  const pods = [...evicted.map(({ pod }) => pod), ...withdrawn].filter(({ row }) => row === NOWHERE);
  return [...new Set(pods.map(({ role }) => role!.gang))].sort(
    (a, b) => b.priority - a.priority || a.arrival - b.arrival || a.index - b.index,
  );
}

/** Pods of a gang beyond its minimum follow one at a time. */
function replace(cycle: Cycle, gang: GangRecord, actions: readonly MakingRoom[]): boolean {
  let replaced = 0;
  while (gang.placed < gang.size && hasReplaced(cycle, gang, actions)) {
    replaced++;
  }
  return replaced > 0;
}

/** Gets the gang what it asks for next, or may get instead, from gangs that the decision starts. */
function hasReplaced(cycle: Cycle, gang: GangRecord, actions: readonly MakingRoom[]): boolean {
  const rivals = startedGangs(cycle).filter((other) => other !== gang);
  const isUseful = (action: MakingRoom): boolean =>
    rivals.some((other) =>
      action === 'reclaim' ? other.queue !== gang.queue : other.queue === gang.queue && other.priority < gang.priority,
    );
  const useful = actions.filter(isUseful);
  if (useful.length === 0 || !mayDisturb(cycle, gang)) {
    return false;
  }
  // Its pods are recreated, and wait like new ones.
  const gone = gang.roles.flatMap(({ pods }) => pods.filter(({ row, waits }) => row === NOWHERE && !waits));
  gone.forEach((pod) => (pod.waits = true));
  const turn = turnOf(cycle.session, gang);
  cycle.beginTry();
  let taken: readonly Portion[] = [];
  const takesStarted = (lost: readonly Portion[]): boolean => {
    taken = lost;
    return lost.some(({ pods }) => pods.some(({ existed }) => !existed));
  };
  const placed =
    turn === undefined
      ? undefined
      : firstOf(cycle, turn, (one) => useful.some((action) => tryAction(cycle, one, action, takesStarted)));
  if (placed !== undefined) {
    inherit(cycle, placed, taken);
    if (cycle.reservation?.gang === gang) {
      cycle.reservation = undefined;
    }
  }
  gone.forEach((pod) => (pod.waits = false));
  return placed !== undefined;
}

/** Gangs with pods that the decision starts. */
function startedGangs({ started, withdrawn }: Cycle): readonly GangRecord[] {
  return [...new Set([...started].filter((pod) => !withdrawn.has(pod)).map(({ role }) => role!.gang))];
}
