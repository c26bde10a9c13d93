/**
 * The search for the smallest eviction with which a gang fits, and what happens to the victims. `make-room.ts` describes the method.
 */
import { type Refusal } from '../cycle/next-cycle';
import { type GangRecord, type Portion } from '../books/records';
import { alternatives, carryOut, commit, holds } from './carry-out';
import {
  type CountOf,
  countOfAll,
  countOfExisting,
  furtherPlans,
  mayHappen,
  type Plan,
  plans,
  type Search,
} from './plans';

/** Sets that are carried out on the books, of those that the action allows. */
const MOST_PLANS = 8;

/** Times that victims which would take their room again are left out, and others looked for. */
const MOST_ROUNDS = 4;

/**
 * Evicts the cheapest set with which the gang fits and that the action allows: first those that cost no gang its core, then the lowest priority
 * that is lost, then the fewest pods. A victim that would get its capacity back in the next cycle, because its queue is then within its quota,
 * is not useful: the search continues without it.
 *
 * Where all of them are refused, they are looked for again as the next decision would, for which what this one has started runs: otherwise
 * the next decision could find a set that evicts it.
 *
 * @param entitled whether the gang fits into the unused quota of its queue: then further sets are tried where all of these are refused
 */
export function evictFor(search: Search, candidates: readonly Portion[], entitled = false): boolean {
  const { cycle, action } = search;
  let isEnough = false;
  const rounds = action === 'consolidate' ? 1 : MOST_ROUNDS;
  const refusals: Refusal[] = [];
  const inRounds = (countOf: CountOf): boolean => {
    let left = candidates;
    for (let round = 0; round < rounds && cycle.mayTryMore; round++) {
      const back = new Set<GangRecord>();
      const found = plans(search, left, countOf);
      isEnough ||= found.length > 0;
      const allowed = found.filter((plan) => mayHappen(search, plan)).slice(0, MOST_PLANS);
      if (allowed.some((plan) => carriedOut(search, plan, back, refusals))) {
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
    cycle.mayTryMore &&
    furtherPlans(search, candidates).some((plan) => carriedOut(search, plan, new Set(), refusals))
  );
}

/** Carries the plan out for good, or says in `back` which victims would take their room again. */
function carriedOut(
  { cycle, turn, action, allows }: Search,
  { victims }: Plan,
  back: Set<GangRecord>,
  refusals: Refusal[],
): boolean {
  if (!cycle.mayTryMore) {
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
