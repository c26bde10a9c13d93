/**
 * Where a gang fits after running work ends: the first such moment, and how many are tried.
 */
import { type Turn } from '../../src/placement/books/records';
import { momentsOf, search } from '../../src/placement/cycle/moments';

const turnOf = (...podClasses: readonly object[]): Turn =>
  ({
    pods: podClasses.map((podClass) => ({ podClass })),
    count: podClasses.length,
    podClass: podClasses.every((podClass) => podClass === podClasses[0]) ? podClasses[0] : undefined,
  }) as unknown as Turn;
const plain = { dynamic: false };
const alike = turnOf(plain, plain);
const mixed = turnOf(plain, { dynamic: false });

/** What is found, and the moments that were tried, in order. */
function tried(turn: Turn, from: number, to: number, fits: (index: number) => boolean): [number | undefined, number[]] {
  const asked: number[] = [];
  const found = search(turn, from, to, (index) => {
    asked.push(index);
    return fits(index);
  });
  return [found, asked];
}

test('what ends at the same time ends at one moment', () => {
  const ends = [1, 1, 2, 5, 5, 5].map((at) => ({ at }) as Parameters<typeof momentsOf>[0][number]);
  expect(momentsOf(ends)).toEqual([2, 3, 6]);
  expect(momentsOf([])).toEqual([]);
});

describe('equal pods fit from one moment on', () => {
  test.each([0, 1, 2, 3, 6, 7, 11, 98, 99])('the first moment is found: %d', (first) => {
    expect(tried(alike, 0, 100, (index) => index >= first)[0]).toBe(first);
  });

  test('it is looked for by doubling the distance', () => {
    expect(tried(alike, 0, 100, () => false)).toEqual([undefined, [0, 1, 3, 7, 15, 31, 63, 99]]);
    expect(tried(alike, 10, 13, () => false)).toEqual([undefined, [10, 11, 12]]);
  });

  test('and then by halving the interval', () => {
    expect(tried(alike, 0, 100, (index) => index >= 5)).toEqual([5, [0, 1, 3, 7, 5, 4]]);
  });

  test('no moment is tried where there is none', () => {
    expect(tried(alike, 4, 4, () => true)).toEqual([undefined, []]);
  });
});

describe('pods that differ may fit at one moment and not at the next', () => {
  test.each([
    ['of different classes', mixed],
    ['with devices that are counted when they are placed', turnOf({ dynamic: true })],
  ])('the first 64 moments are tried one by one: pods %s', (_, turn) => {
    const [found, asked] = tried(turn, 0, 100, () => false);
    expect(found).toBeUndefined();
    expect(asked).toEqual([...Array.from({ length: 64 }, (_one, index) => index), 64, 65, 67, 71, 79, 95, 99]);
  });

  test('one moment in which they fit is enough', () => {
    expect(tried(mixed, 20, 100, (index) => index === 83)[0]).toBe(83);
    expect(tried(mixed, 20, 100, (index) => index === 86)[0]).toBeUndefined();
  });
});
