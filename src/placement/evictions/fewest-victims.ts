/**
 * The smallest sets of victims with which a gang fits, where the usual order of victims takes more than it must, or takes those that return.
 *
 * Sets of growing numbers of pods are tried among the first candidates, each by evicting them on the books and counting. The number of trials
 * is bounded for the gang and for the decision. O(trials × one placement).
 */
import { type Cycle } from '../cycle/cycle';
import { type Portion, type Turn } from '../books/records';

/** What a set of victims costs. */
export interface Loss {
  /** The highest priority of a gang that loses its core; -Infinity where only surplus is lost. */
  readonly core: number;
  readonly priority: number;
  readonly pods: number;
}

/** Candidates among which sets are looked for, those that would go first. */
const MOST_CANDIDATES = 24;
/** Sets that are tried for one gang, portions of a set, and steps of the search. */
const MOST_TRIED = 160;
const MOST_PORTIONS = 4;
const MOST_STEPS = 50_000;

/** Sets that are enough and lose fewer pods than `best`, the smallest first. */
export function fewestVictims(
  cycle: Cycle,
  turn: Turn,
  candidates: readonly Portion[],
  best: Loss,
): Iterable<readonly Portion[]> {
  const cheap = candidates.filter(
    ({ gang, core }) => gang.priority <= best.priority && (!core || gang.priority <= best.core),
  );
  const limits = { pods: best.pods - 1, tries: MOST_TRIED, ofDecision: cycle.setTrials };
  return setsThatFit(cycle, turn, cheap, limits);
}

/** Bounds of a search. */
export interface SetLimits {
  /** Of one set. */
  readonly pods: number;
  /** Sets that are tried for the gang. */
  readonly tries: number;
  /** Sets that may still be tried in this decision. */
  readonly ofDecision: { left: number };
}

/** Sets of candidates that are enough, those of the fewest pods first. A set that contains one of them is left out. */
export function* setsThatFit(
  cycle: Cycle,
  turn: Turn,
  candidates: readonly Portion[],
  limits: SetLimits,
): Generator<readonly Portion[], undefined> {
  const { ofDecision } = limits;
  const list = candidates.slice(0, MOST_CANDIDATES);
  const most = list.reduce((sum, { pods }) => sum + pods.length, 0);
  const found: (readonly Portion[])[] = [];
  let { tries } = limits;
  let steps = MOST_STEPS;
  const mayTry = (): boolean => tries > 0 && steps > 0 && ofDecision.left > 0;
  function* search(left: number, from: number, chosen: readonly Portion[]): Generator<readonly Portion[], undefined> {
    if (left === 0) {
      if (found.some((set) => set.every((portion) => chosen.includes(portion)))) {
        return;
      }
      tries--;
      ofDecision.left--;
      if (fitsWithout(cycle, turn, chosen)) {
        found.push(chosen);
        yield chosen;
      }
      return;
    }
    for (let i = from; i < list.length && mayTry(); i++) {
      const portion = list[i];
      steps--;
      if (portion.pods.length <= left && chosen.length < MOST_PORTIONS && hasItsSurplus(portion, list, chosen)) {
        yield* search(left - portion.pods.length, i + 1, [...chosen, portion]);
      }
    }
  }
  for (let pods = 1; pods <= Math.min(limits.pods, most) && mayTry(); pods++) {
    yield* search(pods, 0, []);
  }
}

/** The core of a gang goes only with its surplus. */
function hasItsSurplus({ gang, core }: Portion, list: readonly Portion[], chosen: readonly Portion[]): boolean {
  return !core || list.every((other) => other.gang !== gang || other.core || chosen.includes(other));
}

function fitsWithout(cycle: Cycle, turn: Turn, chosen: readonly Portion[]): boolean {
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  chosen.forEach(({ pods }) => pods.forEach((pod) => ledger.remove(pod)));
  const fits = cycle.mayHave(turn) && cycle.fits(turn);
  ledger.rollback(mark);
  return fits;
}
