import * as fc from 'fast-check';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { merged } from '../../../src/constructs/resources/merge';
import { samples } from '../../support/samples';

const SEED = { seed: 20261120, numRuns: samples(500) };
const object = fc.dictionary(fc.stringMatching(/^[a-d]$/), fc.jsonValue({ maxDepth: 3 })) as fc.Arbitrary<JsonObject>;

/** Every value that is no object or list, with its path. */
function leaves(value: JsonValue, path = ''): readonly (readonly [string, JsonValue])[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return [[path, value]];
  }
  return Object.entries(value).flatMap(([key, item]) => leaves(item, `${path}/${key}`));
}

test('nothing that is added is lost', () => {
  fc.assert(
    fc.property(object, object, (base, extra) => {
      const result = new Map(leaves(merged(base, extra)));
      for (const [path, value] of leaves(extra)) {
        const found = result.get(path);
        // Lists of objects are joined; everything else stays as it was added.
        if (Array.isArray(value)) {
          expect(found).toEqual(expect.arrayContaining(value));
        } else {
          expect(found).toEqual(value);
        }
      }
    }),
    SEED,
  );
});

test('neither side is changed, and nothing added changes nothing', () => {
  fc.assert(
    fc.property(object, object, (base, extra) => {
      const before = JSON.stringify([base, extra]);
      merged(base, extra);
      expect(JSON.stringify([base, extra])).toBe(before);
      expect(merged(base, {})).toEqual(base);
      expect(merged(base, undefined)).toBe(base);
    }),
    SEED,
  );
});

test('lists merge by the keys of Kubernetes, plain lists are replaced', () => {
  expect(
    merged(
      { containers: [{ name: 'a', image: 'x', args: ['1'] }], tolerations: [{ key: 'a' }] },
      { containers: [{ name: 'b' }, { name: 'a', args: ['2'] }], tolerations: [{ key: 'b' }] },
    ),
  ).toEqual({
    containers: [{ name: 'a', image: 'x', args: ['2'] }, { name: 'b' }],
    tolerations: [{ key: 'a' }, { key: 'b' }],
  });
});
