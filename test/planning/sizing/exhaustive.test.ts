/**
 * The cheapest mix of small worlds, compared with the simulation of every mix. `npm run bench:sizing` compares 200 worlds.
 */
import { compareWithExhaustiveSearch, smallWorld } from './worlds';

const WORLDS = [1, 2, 4, 10];

test.each([1, 2, 14])('the cheapest mix of world %d with pools that scale is that of exhaustive search', (seed) => {
  const world = smallWorld(seed, true);
  expect(world.pools.some(({ scaling }) => scaling !== undefined)).toBe(true);
  const { searched, exhaustive } = compareWithExhaustiveSearch(world);
  expect(searched?.toFixed(6)).toBe(exhaustive?.toFixed(6));
});

test.each(WORLDS)('the cheapest mix of world %d is that of exhaustive search', (seed) => {
  const { searched, exhaustive, evaluated, mixes } = compareWithExhaustiveSearch(smallWorld(seed));
  expect(searched?.toFixed(6)).toBe(exhaustive?.toFixed(6));
  expect(evaluated).toBeLessThanOrEqual(mixes);
});
