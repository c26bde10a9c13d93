import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { ShapeChecker } from '../../../src/checks/schema/check-shape';
import { manifestOf } from '../../support/manifest-of';

function found(
  apiVersion: string,
  kind: string,
  metadata: JsonObject,
  more: JsonObject = {},
  kubernetes: KubernetesMinor = '1.36',
): readonly string[] {
  const { violations } = new ShapeChecker({ kubernetes }).check(manifestOf({ apiVersion, kind, metadata, ...more }));
  return violations.filter(({ rule }) => rule.startsWith('metadata/')).map(({ rule, path }) => `${rule} ${path}`);
}
const configMap = (metadata: JsonObject): readonly string[] => found('v1', 'ConfigMap', metadata);
const queue = (metadata: JsonObject): readonly string[] =>
  found('scheduling.volcano.sh/v1beta1', 'Queue', metadata, { spec: {} });

describe('names', () => {
  test('an object has one, or a generateName', () => {
    expect(configMap({})).toEqual(['metadata/named /metadata/name']);
    expect(configMap({ name: '' })).toEqual(['metadata/named /metadata/name']);
    expect(configMap({ generateName: 'a-' })).toEqual([]);
    expect(found('v1', 'ConfigMap', {}, { metadata: null })).toEqual(['metadata/named /metadata/name']);
    expect(found('v1', 'LimitRange', {}, { spec: {} })).toEqual([]);
  });

  test.each<readonly [string, string, string, boolean]>([
    ['v1', 'ConfigMap', 'a.b', true],
    ['v1', 'ConfigMap', 'A', false],
    ['v1', 'ConfigMap', 'a_b', false],
    ['v1', 'ConfigMap', 'a'.repeat(254), false],
    ['v1', 'Namespace', 'a.b', false],
    ['v1', 'Namespace', 'a'.repeat(64), false],
    ['apps/v1', 'StatefulSet', 'a.b', false],
    ['rbac.authorization.k8s.io/v1', 'Role', 'System:Reader', true],
    ['rbac.authorization.k8s.io/v1', 'Role', 'a/b', false],
    ['policy/v1', 'PodDisruptionBudget', 'A_b', true],
    ['scheduling.volcano.sh/v1beta1', 'Queue', 'a.b', true],
    ['scheduling.volcano.sh/v1beta1', 'Queue', 'A', false],
    ['networking.k8s.io/v1', 'IPAddress', '10.0.0.1', true],
    ['networking.k8s.io/v1', 'IPAddress', 'a', false],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'things.example.com', false],
  ])('%s %s may be called %s: %s', (apiVersion, kind, name, good) => {
    expect(found(apiVersion, kind, { name })).toEqual(good ? [] : ['metadata/name /metadata/name']);
  });

  test.each<readonly [string, string, JsonObject, string]>([
    [
      'CustomResourceDefinition',
      'a.b',
      {},
      'have the form <spec.names.plural>.<spec.group>, but spec.names.plural and spec.group are unset',
    ],
    ['CustomResourceDefinition', 'a.b', { group: 'b' }, 'but spec.names.plural is unset'],
    [
      'CustomResourceDefinition',
      'a.b',
      { group: 'c', names: { plural: 'a' } },
      'have the form <spec.names.plural>.<spec.group> (a.c)',
    ],
    ['ClusterTrustBundle', 'a:b', {}, 'not contain ":" if signerName is unset'],
    ['ClusterTrustBundle', 'a', { signerName: 'x.io/y' }, 'begin with x.io:y:'],
  ])('the name of a %s %s says which fields decide it', (kind, name, spec, words) => {
    const group = kind === 'ClusterTrustBundle' ? 'certificates.k8s.io/v1beta1' : 'apiextensions.k8s.io/v1';
    const { violations } = new ShapeChecker({ kubernetes: '1.36' }).check(
      manifestOf({ apiVersion: group, kind, metadata: { name }, spec }),
    );
    const [said] = violations.filter(({ rule }) => rule === 'metadata/name');
    expect(said.message).toContain(words);
  });

  test.each([
    ['ClusterTrustBundle', 'a', { trustBundle: 'x' }],
    ['ClusterTrustBundle', 'x.io:y:a', { trustBundle: 'x', signerName: 'x.io/y' }],
  ])('a %s may be called %s', (kind, name, spec) => {
    expect(found('certificates.k8s.io/v1beta1', kind, { name }, { spec })).toEqual([]);
  });

  test('a Service may begin with a digit from 1.36 on', () => {
    expect(found('v1', 'Service', { name: '1a' }, {}, '1.36')).toEqual([]);
    expect(found('v1', 'Service', { name: '1a' }, {}, '1.35')).toEqual(['metadata/name /metadata/name']);
  });

  test('a generateName is judged as the name that it begins', () => {
    expect(configMap({ generateName: 'a.-' })).toEqual(['metadata/name /metadata/generateName']);
    expect(configMap({ generateName: 'A' })).toEqual(['metadata/name /metadata/generateName']);
    // A name beside it changes nothing.
    expect(configMap({ name: 'a', generateName: '-a-' })).toEqual(['metadata/name /metadata/generateName']);
    expect(configMap({ generateName: '-a-' })).toEqual(['metadata/name /metadata/generateName']);
    expect(configMap({ generateName: '-a' })).toEqual(['metadata/name /metadata/generateName']);
    expect(found('v1', 'Namespace', { generateName: 'a'.repeat(63) })).toEqual([]);
  });

  test.each<readonly [string, string, string, string]>([
    [
      'ConfigMap',
      'A',
      'consist of lowercase letters, digits, "-", and ".", start with a letter or digit, and not end with "."',
      'Set metadata.generateName to a prefix such as "a-".',
    ],
    [
      'ConfigMap',
      '-',
      'consist of lowercase letters, digits, "-", and ".", start with a letter or digit, and not end with "."',
      'Set metadata.generateName to a prefix such as "train-70b-".',
    ],
    [
      'Namespace',
      'A_',
      'consist of lowercase letters, digits, and "-", and start with a letter or digit',
      'Set metadata.generateName to a prefix such as "a-".',
    ],
  ])('a generateName of a %s may end with a minus sign, unlike a name: %s', (kind, generateName, must, fix) => {
    const manifest = manifestOf({ apiVersion: 'v1', kind, metadata: { generateName } });
    const { violations } = new ShapeChecker({ kubernetes: '1.36' }).check(manifest);
    expect(violations).toEqual([
      expect.objectContaining({ message: `generateName "${generateName}" must ${must}`, fix }),
    ]);
  });

  test('a namespace is a DNS label', () => {
    expect(configMap({ name: 'a', namespace: 'b.c' })).toEqual(['metadata/namespace /metadata/namespace']);
  });
});

describe('labels and annotations', () => {
  test('keys are qualified names, values label values', () => {
    expect(configMap({ name: 'a', labels: { 'a/b': 'x', c: '', d: null } })).toEqual([]);
    expect(configMap({ name: 'a', labels: { 'a/b/c': 'x' } })).toEqual(['metadata/label-key /metadata/labels/a~1b~1c']);
    expect(configMap({ name: 'a', labels: { a: 'x y' } })).toEqual(['metadata/label-value /metadata/labels/a']);
    expect(configMap({ name: 'a', labels: { a: 'x'.repeat(64) } })).toEqual([
      'metadata/label-value /metadata/labels/a',
    ]);
    expect(configMap({ name: 'a', annotations: { 'Example.com/A': 'any text' } })).toEqual([]);
    expect(configMap({ name: 'a', annotations: { 'a b': '' } })).toEqual([
      'metadata/annotation-key /metadata/annotations/a b',
    ]);
  });

  test('annotations have room for 262,144 bytes, keys included', () => {
    expect(configMap({ name: 'a', annotations: { k: 'x'.repeat(262_143) } })).toEqual([]);
    expect(configMap({ name: 'a', annotations: { k: 'x'.repeat(262_144) } })).toEqual([
      'metadata/annotation-size /metadata/annotations',
    ]);
    expect(configMap({ name: 'a', annotations: { k: 'é'.repeat(131_072) } })).toEqual([
      'metadata/annotation-size /metadata/annotations',
    ]);
  });
});

describe('finalizers and owners', () => {
  test('built-in kinds want a domain in front of a finalizer, custom resources do not', () => {
    expect(queue({ name: 'a', finalizers: ['mine'] })).toEqual([]);
    expect(configMap({ name: 'a', finalizers: ['mine'] })).toEqual(['metadata/finalizer /metadata/finalizers/0']);
    expect(configMap({ name: 'a', finalizers: ['example.com/mine', 'kubernetes'] })).toEqual([]);
    expect(queue({ name: 'a', finalizers: ['not a name'] })).toEqual(['metadata/finalizer /metadata/finalizers/0']);
    expect(queue({ name: 'a', finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata/finalizer /metadata/finalizers',
    ]);
  });

  test('owner references are complete, and one owner controls', () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' };
    expect(queue({ name: 'a', ownerReferences: [{ ...owner, controller: true }, owner] })).toEqual([]);
    expect(
      queue({
        name: 'a',
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, controller: true },
        ],
      }),
    ).toEqual([]);
    expect(queue({ name: 'a', ownerReferences: [{ ...owner, uid: '' }] })).toEqual([
      'metadata/owner-reference /metadata/ownerReferences/0/uid',
    ]);
    expect(queue({ name: 'a', ownerReferences: [{ ...owner, apiVersion: 'a/b/c' }] })).toEqual([
      'metadata/owner-reference /metadata/ownerReferences/0/apiVersion',
    ]);
    expect(
      queue({
        name: 'a',
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, uid: 'c', controller: true },
        ],
      }),
    ).toEqual(['metadata/owner-reference /metadata/ownerReferences']);
  });
});

test('a resourceVersion is worth a warning: only a real create refuses it', () => {
  expect(configMap({ name: 'a', resourceVersion: '5' })).toEqual([
    'metadata/no-resource-version /metadata/resourceVersion',
  ]);
  expect(configMap({ name: 'a', resourceVersion: '0' })).toEqual([]);
});

test('a negative generation is refused by the kinds that keep it', () => {
  expect(configMap({ name: 'a', generation: -1 })).toEqual(['metadata/generation /metadata/generation']);
  expect(queue({ name: 'a', generation: -1 })).toEqual([]);
});

test('metadata of another shape is the decoder’s to report', () => {
  expect(found('v1', 'ConfigMap', {}, { metadata: 'a' })).toEqual([]);
  expect(
    configMap({ name: 5, labels: [], annotations: 'x', finalizers: [5], ownerReferences: ['x'] }).filter(
      (line) => !line.includes('owner'),
    ),
  ).toEqual([]);
});
