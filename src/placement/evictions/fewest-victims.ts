/**
 * The smallest set of victims that lets a gang in, where the usual order of victims takes more than it must.
 *
 * Sets of growing numbers of pods are tried among the first candidates, each by evicting them on the books and counting; the search ends
 * with the first set that is enough, at the cost of the set that is known, or after `MOST_TRIED` trials. O(trials × one placement).
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
/** Sets that are tried for one gang, and portions of a set. */
const MOST_TRIED = 160;
const MOST_PORTIONS = 4;

export function fewestVictims(
  cycle: Cycle,
  turn: Turn,
  candidates: readonly Portion[],
  best: Loss,
): readonly Portion[] | undefined {
  const list = candidates
    .filter(({ gang, core }) => gang.priority <= best.priority && (!core || gang.priority <= best.core))
    .slice(0, MOST_CANDIDATES);
  let tries = MOST_TRIED;
  const search = (left: number, from: number, chosen: readonly Portion[]): readonly Portion[] | undefined => {
    if (left === 0) {
      tries--;
      return fitsWithout(cycle, turn, chosen) ? chosen : undefined;
    }
    for (let i = from; i < list.length && tries > 0 && cycle.setTrials > 0; i++) {
      const portion = list[i];
      if (portion.pods.length > left || chosen.length === MOST_PORTIONS || !hasItsSurplus(portion, list, chosen)) {
        continue;
      }
      const found = search(left - portion.pods.length, i + 1, [...chosen, portion]);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  };
  for (let pods = 1; pods < best.pods && tries > 0; pods++) {
    const found = search(pods, 0, []);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** The core of a gang goes only with its surplus. */
function hasItsSurplus({ gang, core }: Portion, list: readonly Portion[], chosen: readonly Portion[]): boolean {
  return !core || list.every((other) => other.gang !== gang || other.core || chosen.includes(other));
}

function fitsWithout(cycle: Cycle, turn: Turn, chosen: readonly Portion[]): boolean {
  cycle.setTrials--;
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  chosen.forEach(({ pods }) => pods.forEach((pod) => ledger.remove(pod)));
  const fits = cycle.mayHave(turn) && cycle.fits(turn);
  ledger.rollback(mark);
  return fits;
}
