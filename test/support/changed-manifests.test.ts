import { type JsonObject } from '../../src/facts/api/schema';
import { changedManifest, ODD_VALUES, valuesByField, type Vocabulary } from './changed-manifests';
import { asArray, asObject, asString } from '../../src/manifests/read';
import { parseValue } from '../../src/manifests/yaml';
import { changedText } from './changed-texts';
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

const embedded = (text: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', data: { file: text } });
const changedData = (text: string): readonly string[] =>
  Array.from({ length: 2000 }, (_, seed) => {
    const { data } = changedManifest(embedded(text), 1, vocabulary, new Random(seed));
    return asString(asObject(data).file) ?? '';
  });

test.each([
  ['YAML', 'rules:\n  - name: a\n    port: 1\n'],
  ['JSON', '{"rules":[{"name":"a","port":1}]}'],
])('a field inside of %s that is a string gets other values', (_what, text) => {
  const ports = changedData(text).map((file) => {
    const parsed = parseValue(file, 'file');
    const [rule] = 'value' in parsed ? asArray(asObject(parsed.value).rules) : [];
    return asObject(rule).port;
  });
  expect(ports).toEqual(expect.arrayContaining([0, 1, 2]));
});

test('numbers of a string become their neighbors, and those of the numbers that are to be put in', () => {
  const texts = new Set(Array.from({ length: 2000 }, (_, seed) => changedText('5m of 7', [30], new Random(seed))));
  for (const text of ['4m of 7', '6m of 7', '5m of 8', '29m of 7', '30m of 7', '5m of 31', '5Gi of 7', '5m of 7Mi']) {
    expect([...texts]).toContain(text);
  }
});

test('a setting in a line gets another name or another value', () => {
  const text = '[Service]\nCPUWeight=5\nTasksMax: 3';
  const texts = new Set(Array.from({ length: 2000 }, (_, seed) => changedText(text, ['idle'], new Random(seed))));
  for (const line of ['CPUWeight=idle', 'idle=5', 'TasksMax: idle']) {
    expect([...texts].some((one) => one.split('\n').includes(line))).toBe(true);
  }
});
