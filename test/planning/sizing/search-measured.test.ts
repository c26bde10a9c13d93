/**
 * The search over mixes whose costs only a test tells, compared with trying all of them.
 */
import fc from 'fast-check';
import { mixesByCost } from '../../../src/planning/sizing/search';
import { cheapestMeasuredMix } from '../../../src/planning/sizing/search-measured';
import { type Mix } from '../../../src/planning/sizing/sizing';
import { samples } from '../../support/samples';

const spaces = fc
  .array(
    fc.record({
      least: fc.nat(2),
      more: fc.nat(4),
      price: fc.integer({ min: 1, max: 9 }),
      stays: fc.nat(3),
      size: fc.nat(5),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((pools) => ({
    space: {
      least: pools.map(({ least }) => least),
      most: pools.map(({ least, more }) => least + more),
      costOf: (mix: Mix) => mix.reduce((sum, count, i) => sum + Math.min(count, pools[i].stays) * pools[i].price, 0),
    },
    capacityOf: (mix: Mix) => mix.reduce((sum, count, i) => sum + count * pools[i].size, 0),
  }));
/** Something between nothing and 20, the same for the same mix. */
const more = (mix: Mix, seed: number): number => mix.reduce((sum, count) => (sum * 31 + count * 7) % 21, seed % 21);

test('the cheapest mix costs what the cheapest of all costs', () => {
  let tested = 0;
  let mixes = 0;
  fc.assert(
    fc.property(spaces, fc.nat(40), fc.nat(20), ({ space, capacityOf }, needed, seed) => {
      const cost = (mix: Mix): number | undefined =>
        capacityOf(mix) >= needed ? space.costOf(mix) + more(mix, seed) : undefined;
      const found = cheapestMeasuredMix(space, cost, 1000);
      const costs = mixesByCost(space).flatMap((mix) => cost(mix) ?? []);
      expect(found.best === undefined ? Infinity : cost(found.best)).toBe(Math.min(Infinity, ...costs));
      expect(found).toMatchObject({ assumed: 0, open: 0, mixes: mixesByCost(space).length });
      tested += found.evaluated;
      mixes += found.mixes;
    }),
    { seed: 5, numRuns: samples(200) },
  );
  expect(tested).toBeLessThan(mixes);
});

test('a bound that is not below the best cost is out, and what remains is counted', () => {
  const space = { least: [0], most: [9], costOf: ([count]: Mix) => count };
  const tests: number[] = [];
  const cost = ([count]: Mix): number => (tests.push(count), count + 3);
  expect(cheapestMeasuredMix(space, cost, 100)).toEqual({ best: [0], mixes: 10, evaluated: 4, assumed: 0, open: 0 });
  // From 3 nodes on, the bound is not below the cost of no nodes.
  expect(tests).toEqual([9, 0, 1, 2]);
  expect(cheapestMeasuredMix(space, cost, 2)).toEqual({ best: [0], mixes: 10, evaluated: 2, assumed: 0, open: 2 });
  expect(cheapestMeasuredMix(space, () => undefined, 1)).toEqual({ mixes: 10, evaluated: 1, assumed: 9, open: 0 });
});
