/**
 * What is otherwise in a newer version of a kind.
 */
import { type JsonObject, type Schema } from '../../../src/facts/api/schema';
import { check } from '../../../src/checks/engine';
import { changesInWords, versionChanges } from '../../../src/checks/schema/renamed-fields';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';

const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });
const STRING: Schema = { type: 'string' };
const list = (items: Schema): Schema => ({ type: 'array', items });

test.each<readonly [string, JsonObject, Schema, Schema, readonly string[]]>([
  ['a word more', { a: 'x' }, object({ a: STRING }), object({ aName: STRING }), ['rename a to aName']],
  ['a field that both have', { a: 'x' }, object({ a: STRING }), object({ a: STRING, aName: STRING }), []],
  [
    'a name that both have',
    { a: 'x' },
    object({ a: STRING, aName: STRING }),
    object({ aName: STRING }),
    ['replace or remove a, which v2 does not have'],
  ],
  [
    'a name that is set',
    { a: 'x', aName: 'y' },
    object({ a: STRING }),
    object({ aName: STRING }),
    ['replace or remove a, which v2 does not have'],
  ],
  [
    'another type',
    { a: 'x' },
    object({ a: STRING }),
    object({ aName: { type: 'integer' } }),
    ['replace or remove a, which v2 does not have'],
  ],
  ['a field of neither', { b: 'x' }, object({ a: STRING }), object({ bName: STRING }), []],
  [
    'items of a list, once',
    { spec: { items: [{ a: 'x' }, { a: 'y' }] } },
    object({ spec: object({ items: list(object({ a: STRING })) }) }),
    object({ spec: object({ items: list(object({ aName: STRING })) }) }),
    ['rename spec.items[].a to aName'],
  ],
  [
    'an object whose fields are those of its parent',
    { devices: [{ basic: { a: 'x' } }, { basic: { a: 'y' } }] },
    object({ devices: list(object({ basic: object({ a: STRING }) })) }),
    object({ devices: list(object({ a: STRING })) }),
    ['move the fields of devices[].basic up into devices[]'],
  ],
  [
    'fields that are in a new object',
    { requests: [{ a: 'x', b: 'y', c: 'z' }] },
    object({ requests: list(object({ a: STRING, b: STRING, c: STRING })) }),
    object({ requests: list(object({ c: STRING, exactly: object({ a: STRING, b: STRING }) })) }),
    ['move a and b of requests[] into requests[].exactly'],
  ],
  [
    'a field that is gone',
    { spec: { a: 'x' } },
    object({ spec: object({ a: STRING }) }),
    object({ spec: object({}) }),
    ['replace or remove spec.a, which v2 does not have'],
  ],
  [
    'an object of anything',
    { a: { b: 'x' } },
    object({ a: object({ b: STRING }) }),
    object({ a: { 'x-kubernetes-preserve-unknown-fields': true } }),
    [],
  ],
])('%s', (_what, value, older, newer, expected) => {
  expect(changesInWords(versionChanges(value, older, newer), 'v2')).toEqual(expected.join(', and '));
});

test('the fix of an old version names the fields that have another name', () => {
  const queue = (field: string): string =>
    `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: { name: a }\nspec: { ${field} }\n`;
  const fixOf = (field: string): string | undefined =>
    check(new ManifestSet(parseYaml(queue(field), 'a.yaml').manifests)).findings.find(
      ({ rule }) => rule === 'schema/api-version-current',
    )?.fix;
  expect(fixOf('cohort: ai')).toBe('Set apiVersion: kueue.x-k8s.io/v1beta2, and rename spec.cohort to cohortName.');
  expect(fixOf('cohort: ai, cohortName: ai')).toBe(
    'Set apiVersion: kueue.x-k8s.io/v1beta2, and replace or remove spec.cohort, which kueue.x-k8s.io/v1beta2 does not have.',
  );
  expect(fixOf('namespaceSelector: {}')).toBe('Set apiVersion: kueue.x-k8s.io/v1beta2.');
});

test.each([
  [
    'spec: { devices: { requests: [{ name: a, deviceClassName: gpu.example.com, count: 2 }] } }',
    'Set apiVersion: resource.k8s.io/v1, and move deviceClassName and count of spec.devices.requests[] into spec.devices.requests[].exactly.',
  ],
  ['spec: { devices: { requests: [{ name: a }] } }', 'Set apiVersion: resource.k8s.io/v1.'],
])('a version that the API server does not serve by default: %s', (spec, fix) => {
  const text = `apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: { name: a, namespace: b }\n${spec}\n`;
  const { findings } = check(new ManifestSet(parseYaml(text, 'a.yaml').manifests), { groups: ['hygiene'] });
  const fixOf = (id: string): string | undefined => findings.find(({ rule }) => rule === id)?.fix;
  expect(fixOf('schema/api-version-on-by-default')).toBe(fix);
});

test('a version of another release', () => {
  const text = `apiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: { name: a }\nspec: { taint: { key: example.com/a, effect: NoSchedule } }\n`;
  const { findings } = check(new ManifestSet(parseYaml(text, 'a.yaml').manifests));
  expect(findings.find(({ rule }) => rule === 'schema/api-version-served')?.fix).toBe(
    'Set apiVersion: resource.k8s.io/v1alpha3, or check against Kubernetes 1.37 with --k8s 1.37 (in an app, set Checks.of(app).target).',
  );
});
