/**
 * The cheapest mix that meets a condition, where only a simulation tells what a mix costs: pools that scale are paid for by what their nodes run.
 *
 * What a mix costs at least is known. The search tests the mixes by this bound, the lowest first; of equal bounds the largest mix first, since all
 * that it contains fail if it fails. Mixes whose bound is not below the cost of the best so far are out. As in the search by known costs, it assumes
 * that a mix fails if one with at least as many nodes of each pool fails, and tests what was only assumed with the tests that are left.
 */
import { contains, mixesByCost, type SearchOutcome, type SearchSpace } from './search';
import { type Mix } from './sizing';

/**
 * @param space `costOf` is what a mix costs at least
 * @param test the cost of a mix that meets the condition; `undefined` if it does not
 * @param limit maximum number of tests
 */
export function cheapestMeasuredMix(
  space: SearchSpace,
  test: (mix: Mix) => number | undefined,
  limit: number,
): SearchOutcome {
  const mixes = largestFirst(mixesByCost(space), space);
  const failed: Mix[] = [];
  const tested = new Set<Mix>();
  let best: { readonly mix: Mix; readonly cost: number } | undefined;
  const isOpen = (mix: Mix): boolean => !tested.has(mix) && (best === undefined || space.costOf(mix) < best.cost);
  const isAssumed = (mix: Mix): boolean => failed.some((other) => contains(other, mix));
  const run = (mix: Mix): void => {
    tested.add(mix);
    const cost = test(mix);
    if (cost === undefined) {
      failed.push(mix);
    } else if (best === undefined || cost < best.cost) {
      best = { mix, cost };
    }
  };

  // The largest mix first: if it fails, so do all others.
  run(mixes.find((mix) => contains(mix, space.most))!);
  for (const pass of [(mix: Mix) => !isAssumed(mix), () => true]) {
    for (const mix of mixes) {
      if (tested.size < limit && isOpen(mix) && pass(mix)) {
        run(mix);
      }
    }
  }
  const left = mixes.filter(isOpen);
  const assumed = left.filter(isAssumed).length;
  return {
    ...(best === undefined ? {} : { best: best.mix }),
    mixes: mixes.length,
    evaluated: tested.size,
    assumed,
    open: left.length - assumed,
  };
}

/** Mixes in the order of their bound; of equal bounds, those with more nodes first. */
function largestFirst(mixes: readonly Mix[], { costOf }: SearchSpace): readonly Mix[] {
  const keyed = mixes.map((mix) => ({
    mix,
    cost: Math.round(costOf(mix) * 1e6),
    nodes: mix.reduce((sum, count) => sum + count, 0),
  }));
  return keyed.sort((a, b) => a.cost - b.cost || b.nodes - a.nodes).map(({ mix }) => mix);
}
