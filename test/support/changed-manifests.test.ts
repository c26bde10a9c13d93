import { type JsonObject } from '../../src/facts/api/schema';
import { changedManifest, ODD_VALUES, valuesByField, type Vocabulary } from './changed-manifests';
import { Random } from './random';

const job: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a' },
  spec: { parallelism: 2, items: [{ name: 'x' }, { name: 'y' }] },
};
const fields = valuesByField([job]);
const vocabulary: Vocabulary = { fields, names: ['parallelism', 'other'], values: ['Always', 3, ...ODD_VALUES] };
const changed = (seed: number): JsonObject => changedManifest(job, 3, vocabulary, new Random(seed));

test('fields have the values that manifests give them', () => {
  expect(fields.get('name')).toEqual(['a', 'x', 'y']);
});

test('the same seed changes the same, and the manifest itself stays', () => {
  const before = JSON.stringify(job);
  const all = Array.from({ length: 200 }, (_, seed) => JSON.stringify(changed(seed)));
  expect(Array.from({ length: 200 }, (_, seed) => JSON.stringify(changed(seed)))).toEqual(all);
  expect(JSON.stringify(job)).toBe(before);
  expect(new Set(all).size).toBeGreaterThan(100);
});

test('what it is stays', () => {
  for (let seed = 0; seed < 200; seed++) {
    expect(changed(seed)).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job' });
  }
});
