import * as fc from 'fast-check';
import { editDistance, nearestName, nearestNames, nearestObjectName, quotedNames } from '../../src/facts/spelling';

/** The definition itself, without a bound and without a table. */
function slowDistance(a: string, b: string): number {
  if (a === '' || b === '') {
    return a.length + b.length;
  }
  const options = [
    slowDistance(a.slice(1), b) + 1,
    slowDistance(a, b.slice(1)) + 1,
    slowDistance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0]) {
    options.push(slowDistance(a.slice(2), b.slice(2)) + 1);
  }
  return Math.min(...options);
}

describe('the edit distance', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });

  test('is the least number of insertions, deletions, replacements, and swaps, or the limit', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 7 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(limit, slowDistance(a, b)));
      }),
      { numRuns: 300 },
    );
  });

  test('of two texts whose lengths differ by the limit costs nothing', () => {
    expect(editDistance('a', 'a'.repeat(1e8), 3)).toBe(3);
  });
});

describe('a suggestion among names of objects', () => {
  test.each([
    ['team-2', 'team-1'],
    ['rack-12', 'rack-1'],
    ['team-b', 'team-a'],
  ])('does not take %s for %s, which is as often another object', (name, other) => {
    expect(nearestName(name, [other])).toBe(other);
    expect(nearestObjectName(name, [other])).toBeUndefined();
  });

  test('takes a misspelled word beside the number for the other name', () => {
    expect(nearestObjectName('tema-1', ['team-1', 'team-2'])).toBe('team-1');
    expect(nearestObjectName('team-a-gpus', ['team-a-gpu', 'team-b-gpu'])).toBe('team-a-gpu');
  });
});

describe('a suggestion', () => {
  test('is the closest name, and the first in alphabetical order of several', () => {
    expect(nearestName('guarnatee', ['guaranteed', 'guarantee', 'deserved'])).toBe('guarantee');
    expect(nearestName('nod', ['nob', 'noa'])).toBe('noa');
  });

  test('is missing where nothing is close, and is never the name itself', () => {
    expect(nearestName('weight', ['capability'])).toBeUndefined();
    expect(nearestName('weight', ['weight'])).toBeUndefined();
    expect(nearestName('toString', [])).toBeUndefined();
  });

  test('ignores upper and lower case', () => {
    expect(nearestName('minmember', ['minMember'])).toBe('minMember');
  });

  test('may begin with the name, or the name with it, where the caller says so', () => {
    expect(nearestName('example.com/gpu', ['example.com/gpu-memory'])).toBeUndefined();
    expect(nearestName('example.com/gpu', ['example.com/gpu-memory'], { prefixes: true })).toBe(
      'example.com/gpu-memory',
    );
  });

  test('of several names lists those that contain it first, at most the given number', () => {
    expect(nearestNames('volcan', ['keda', 'volcano', 'volcanic', 'falcon'], 2)).toEqual(['volcanic', 'volcano']);
  });
});

describe('a list of names', () => {
  test('quotes the names, once each and without empty ones', () => {
    expect(quotedNames(['', 'evaluation', 'train', 'train'])).toBe('"evaluation", "train"');
  });

  test('is empty where no name is left', () => {
    expect(quotedNames([''])).toBe('');
  });

  test('is cut where it is long', () => {
    expect(quotedNames(['a', 'b', 'c', 'd'], 3)).toBe('"a", "b", and 2 others');
  });
});
