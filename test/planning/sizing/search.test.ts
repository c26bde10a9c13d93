/**
 * The search over mixes, compared with trying all of them.
 */
import fc from 'fast-check';
import { cheapestMix, mixesByCost, type SearchSpace } from '../../../src/planning/sizing/search';
import { type Mix } from '../../../src/planning/sizing/sizing';
import { samples } from '../../support/samples';

const spaces = fc
  .array(fc.record({ least: fc.nat(2), more: fc.nat(4), price: fc.integer({ min: 1, max: 9 }), size: fc.nat(5) }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((pools) => ({
    space: {
      least: pools.map(({ least }) => least),
      most: pools.map(({ least, more }) => least + more),
      costOf: (mix: Mix) => mix.reduce((sum, count, i) => sum + count * pools[i].price, 0),
    },
    capacityOf: (mix: Mix) => mix.reduce((sum, count, i) => sum + count * pools[i].size, 0),
  }));

function bruteForce({ least, most, costOf }: SearchSpace, meets: (mix: Mix) => boolean): number | undefined {
  let cheapest: number | undefined;
  const visit = (mix: Mix): void => {
    if (mix.length < most.length) {
      for (let count = least[mix.length]; count <= most[mix.length]; count++) {
        visit([...mix, count]);
      }
    } else if (meets(mix) && costOf(mix) < (cheapest ?? Infinity)) {
      cheapest = costOf(mix);
    }
  };
  visit([]);
  return cheapest;
}

test('the cheapest mix costs what the cheapest of all costs, and fewer mixes are tested', () => {
  let tests = 0;
  let mixes = 0;
  fc.assert(
    fc.property(spaces, fc.nat(40), ({ space, capacityOf }, needed) => {
      const meets = (mix: Mix): boolean => capacityOf(mix) >= needed;
      let tested = 0;
      // Without tests of what was assumed, the search relies on larger mixes being better.
      const found = cheapestMix(space, (mix) => (tested++, meets(mix)), 1000);
      expect(found.best === undefined ? undefined : space.costOf(found.best)).toBe(bruteForce(space, meets));
      expect(found).toMatchObject({ evaluated: tested, assumed: 0, open: 0 });
      const { evaluated } = searchOnly(space, meets);
      tests += evaluated;
      mixes += found.mixes;
    }),
    { seed: 3, numRuns: samples(200) },
  );
  expect(tests).toBeLessThan(mixes / 2);
});

/** Without the tests of mixes that are assumed to fail: the limit is what the search alone needs. */
function searchOnly(space: SearchSpace, meets: (mix: Mix) => boolean): { readonly evaluated: number } {
  for (let limit = 1; ; limit++) {
    const found = cheapestMix(space, meets, limit);
    if (found.open === 0) {
      return found;
    }
  }
}

test('a mix that meets the condition although a larger one fails is found while the limit allows', () => {
  fc.assert(
    fc.property(spaces, fc.nat(1000), ({ space }, seed) => {
      const meets = (mix: Mix): boolean => mix.reduce((sum, count, i) => sum * 31 + count * (i + 7), seed) % 5 === 0;
      const { best } = cheapestMix(space, meets, 1000);
      expect(best === undefined ? undefined : space.costOf(best)).toBe(bruteForce(space, meets));
    }),
    { seed: 4, numRuns: samples(100) },
  );
});

test('the limit of tests is kept, and what remains unknown is counted', () => {
  const space = { least: [0, 0], most: [9, 9], costOf: ([a, b]: Mix) => 3 * a + 2 * b };
  let tested = 0;
  const found = cheapestMix(space, ([a, b]) => (tested++, a + b >= 7), 3);
  expect(tested).toBe(3);
  expect(found).toMatchObject({ mixes: 100, evaluated: 3 });
  expect(found.open).toBeGreaterThan(0);
  expect(cheapestMix(space, () => false, 1)).toEqual({ mixes: 100, evaluated: 1, assumed: 99, open: 0 });
});

test('mixes are in the order of their cost, then of their nodes', () => {
  const space = { least: [0, 0], most: [1, 2], costOf: ([a, b]: Mix) => 2 * a + b };
  expect(mixesByCost(space)).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [0, 2],
    [1, 1],
    [1, 2],
  ]);
});
