import * as fc from 'fast-check';
import {
  editDistance,
  nearestName,
  nearestNames,
  nearestObjectName,
  ObjectNames,
  quotedNames,
} from '../../src/facts/spelling';
import { Random } from '../support/random';
import { samples } from '../support/samples';

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
      { numRuns: samples(300) },
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

describe('a search among many names of objects', () => {
  const random = new Random(20261123);
  const word = (): string =>
    Array.from({ length: 2 + Math.floor(random.next() * 4) }, () => random.pick(['a', 'b', 'ab', '-', '7', 'Q'])).join(
      '',
    );

  test('finds what a comparison with each of them finds', () => {
    let found = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      const known = Array.from({ length: 20 }, word);
      const names = new ObjectNames(known);
      for (const name of [word(), random.pick(known)]) {
        // One at a time there is nothing to pass over: what is near alone is near among others.
        const near = known.filter((other) => nearestObjectName(name, [other]) !== undefined);
        expect(names.nearest(name)).toBe(nearestName(name, near));
        expect(names.has(name)).toBe(known.includes(name));
        const distances = known.map(
          (other) => [other, editDistance(name.toLowerCase(), other.toLowerCase(), 99)] as const,
        );
        const limit = Math.max(1, Math.floor(name.length / 3));
        const shape = (text: string): string => text.replace(/\d+/g, '#').replace(/(^|-)[a-z]($|(?=-))/gi, '$1#');
        const close = distances.filter(([other, distance]) => distance <= limit && shape(other) !== shape(name));
        expect(names.nearest(name) === undefined).toBe(close.every(([other]) => other === name));
        found += close.length;
      }
    }
    expect(found).toBeGreaterThan(100);
  });

  test('ends, however many names there are', () => {
    const names = new ObjectNames(Array.from({ length: 20_000 }, (_, index) => `settings-of-team-x${index}-y`));
    expect(names.nearest('settings-off-team-x7-y')).toBe('settings-of-team-x7-y');
    for (let index = 0; index < 20; index += 1) {
      names.nearest(`settings-off-team-x${index}-y`);
    }
    expect(names.nearest('settings-off-team-x7-y')).toBeUndefined();
    expect(names.has('settings-of-team-x7-y')).toBe(true);
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
