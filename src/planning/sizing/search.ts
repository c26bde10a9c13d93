/**
 * The cheapest mix that meets a condition which only a costly test can tell.
 *
 * The search assumes that a mix fails if one with at least as many nodes of each pool fails. Of the mixes that are still open it tests
 * the one in the middle by cost: if it meets the condition, all that cost more are out; if not, all that it contains are out. With the tests
 * that are left, it then tests the cheaper mixes that were only assumed to fail, most expensive first.
 */
import { type Mix } from './sizing';

export interface SearchSpace {
  readonly least: Mix;
  readonly most: Mix;
  readonly costOf: (mix: Mix) => number;
}

export interface SearchOutcome {
  /** Absent if no mix was found that meets the condition. */
  readonly best?: Mix;
  /** Mixes of the space. */
  readonly mixes: number;
  /** Mixes that were tested. */
  readonly evaluated: number;
  /** Cheaper mixes that were not tested because a mix that contains them failed. */
  readonly assumed: number;
  /** Cheaper mixes about which nothing is known, because the limit of tests was reached. */
  readonly open: number;
}

/** More mixes than this are not searched. */
export const MOST_MIXES = 100_000;

export function sizeOfSpace({ least, most }: Pick<SearchSpace, 'least' | 'most'>): number {
  return most.reduce((product, top, index) => product * (top - least[index] + 1), 1);
}

/** All mixes, cheapest first; of equal cost, first those with fewer nodes, then with fewer nodes of the first pools. */
export function mixesByCost({ least, most, costOf }: SearchSpace): readonly Mix[] {
  const mixes = most.reduce<readonly Mix[]>(
    (before, top, index) =>
      before.flatMap((mix) => Array.from({ length: top - least[index] + 1 }, (_, i) => [...mix, least[index] + i])),
    [[]],
  );
  const keyed = mixes.map((mix) => ({
    mix,
    // Sums of equal prices may differ in the last digit.
    cost: Math.round(costOf(mix) * 1e6),
    nodes: mix.reduce((sum, count) => sum + count, 0),
  }));
  // Stable, and mixes are made in lexical order.
  keyed.sort((a, b) => a.cost - b.cost || a.nodes - b.nodes);
  return keyed.map(({ mix }) => mix);
}

/** @param limit maximum number of tests */
export function cheapestMix(space: SearchSpace, meets: (mix: Mix) => boolean, limit: number): SearchOutcome {
  const mixes = mixesByCost(space);
  const results = new Map<Mix, boolean>();
  let best: number | undefined;
  const test = (index: number): boolean => {
    const result = meets(mixes[index]);
    results.set(mixes[index], result);
    if (result) {
      best = index;
    }
    return result;
  };

  // The largest mix first: if it fails, so do all others.
  let open = [...mixes.keys()];
  let next = mixes.findIndex((mix) => contains(mix, space.most));
  while (open.length > 0 && results.size < limit) {
    const met = test(next);
    const tested = mixes[next];
    const cut = next;
    open = open.filter((index) => (met ? index < cut : !contains(tested, mixes[index])));
    next = open[open.length >> 1];
  }

  const cheaper = (): number[] => [...mixes.slice(0, best).keys()].filter((index) => !results.has(mixes[index]));
  if (open.length === 0) {
    const assumed = cheaper();
    while (assumed.length > 0 && results.size < limit) {
      test(assumed.pop()!);
    }
  }
  const left = cheaper().length;
  const stillOpen = new Set(open);
  const unknown = cheaper().filter((index) => stillOpen.has(index)).length;
  return {
    ...(best === undefined ? {} : { best: mixes[best] }),
    mixes: mixes.length,
    evaluated: results.size,
    assumed: left - unknown,
    open: unknown,
  };
}

/** Has the first at least as many nodes of each pool as the second? */
export function contains(mix: Mix, other: Mix): boolean {
  return mix.every((count, index) => count >= other[index]);
}
