/**
 * What a newer version of a kind calls otherwise.
 */
import { type JsonObject, type Schema } from '../../../src/facts/api/schema';
import { check } from '../../../src/checks/engine';
import { renamedFields } from '../../../src/checks/schema/renamed-fields';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';

const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });
const STRING: Schema = { type: 'string' };
const list = (items: Schema): Schema => ({ type: 'array', items });

test.each<readonly [string, JsonObject, Schema, Schema, readonly string[]]>([
  ['a word more', { a: 'x' }, object({ a: STRING }), object({ aName: STRING }), ['a to aName']],
  ['a field that both have', { a: 'x' }, object({ a: STRING }), object({ a: STRING, aName: STRING }), []],
  ['a name that both have', { a: 'x' }, object({ a: STRING, aName: STRING }), object({ aName: STRING }), []],
  ['a name that is set', { a: 'x', aName: 'y' }, object({ a: STRING }), object({ aName: STRING }), []],
  ['another type', { a: 'x' }, object({ a: STRING }), object({ aName: { type: 'integer' } }), []],
  ['a field of neither', { b: 'x' }, object({ a: STRING }), object({ bName: STRING }), []],
  [
    'items of a list, once',
    { spec: { items: [{ a: 'x' }, { a: 'y' }] } },
    object({ spec: object({ items: list(object({ a: STRING })) }) }),
    object({ spec: object({ items: list(object({ aName: STRING })) }) }),
    ['spec.items.a to aName'],
  ],
])('%s', (_what, value, older, newer, expected) => {
  const found = renamedFields(value, older, newer);
  expect(found.map(({ field, name }) => `${field} to ${name}`)).toEqual(expected);
});

test('the fix of an old version names the fields that have another name', () => {
  const queue = (field: string): string =>
    `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: { name: a }\nspec: { ${field} }\n`;
  const fixOf = (field: string): string | undefined =>
    check(new ManifestSet(parseYaml(queue(field), 'a.yaml').manifests)).findings.find(
      ({ rule }) => rule === 'schema/api-version-current',
    )?.fix;
  expect(fixOf('cohort: ai')).toBe('Set apiVersion: kueue.x-k8s.io/v1beta2, and rename spec.cohort to cohortName.');
  expect(fixOf('cohort: ai, cohortName: ai')).toBe('Set apiVersion: kueue.x-k8s.io/v1beta2.');
  expect(fixOf('namespaceSelector: {}')).toBe('Set apiVersion: kueue.x-k8s.io/v1beta2.');
});
