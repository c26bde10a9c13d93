/**
 * Fixes offer the values that the rest of the object admits.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { coreRules } from '../../../src/checks/server/rules';
import { check, readManifests } from '../../../src/interfaces/checks';
import { findingsOf } from '../../support/findings';
import { minimalPod, yaml } from './valid';

const fixesAt = (object: JsonObject, end: string): readonly (string | undefined)[] =>
  findingsOf(yaml(object), coreRules)
    .filter(({ path }) => path.endsWith(end))
    .map(({ fix }) => fix);

const term = (expression: JsonObject): JsonObject => ({
  ...minimalPod(),
  spec: {
    containers: [{ name: 'main', image: 'img' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', ...expression }] }],
        },
      },
    },
  },
});

test.each<readonly [JsonObject, string]>([
  [{ operator: 'x', values: ['a', 'b'] }, 'In or NotIn'],
  [{ operator: 'x', values: ['1'] }, 'In, NotIn, Gt, or Lt'],
  [{ operator: 'x' }, 'Exists or DoesNotExist'],
  [{ operator: 'in' }, 'In'],
  [{ operator: 'doesnotexist', values: ['a'] }, 'DoesNotExist'],
])('the operator of a node selector %j', (expression, choices) => {
  expect(fixesAt(term(expression), '/operator')).toEqual([`Set matchExpressions[0].operator to ${choices}.`]);
});

const limits = (item: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'a', namespace: 'b' },
  spec: { limits: [item] },
});

test.each<readonly [JsonObject, string]>([
  [{ type: 'x', max: { cpu: '1' } }, 'Pod or Container'],
  [{ type: 'x', default: { cpu: '1' } }, 'Container'],
  [{ type: 'x', defaultRequest: { cpu: '1' } }, 'Container'],
  [{ type: 'x', max: { storage: '1Gi' } }, 'Pod, Container, or PersistentVolumeClaim'],
  [{ type: 'persistentvolumeclaim', max: { cpu: '1' } }, 'PersistentVolumeClaim'],
])('the type of a limit %j', (item, choices) => {
  expect(fixesAt(limits(item), '/limits/0/type')).toEqual([`Set limits[0].type to ${choices}.`]);
});

test.each<readonly [readonly string[], string]>([
  [['x'], 'ReadWriteOnce, ReadOnlyMany, ReadWriteMany, or ReadWriteOncePod'],
  [['x', 'ReadWriteOnce'], 'ReadOnlyMany or ReadWriteMany'],
])('the access modes %j', (accessModes, choices) => {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'a', namespace: 'b' },
    spec: { accessModes: [...accessModes], resources: { requests: { storage: '1Gi' } } },
  };
  expect(fixesAt(claim, '/accessModes/0')).toEqual([`Set accessModes[0] to ${choices}.`]);
});

test('the completionMode of a Job with limits for each index', () => {
  const job = (more: JsonObject): JsonObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'a', namespace: 'b' },
    spec: {
      completionMode: 'x',
      ...more,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'img' }] } },
    },
  });
  expect(fixesAt(job({}), '/completionMode')).toEqual(['Set spec.completionMode to NonIndexed or Indexed.']);
  expect(fixesAt(job({ backoffLimitPerIndex: 1 }), '/completionMode')).toEqual(['Set spec.completionMode to Indexed.']);
});

test.each<readonly [JsonObject, string, string]>([
  [{ names: { kind: 'Widget' } }, 'widgets', 'Set spec.names.plural to widgets.'],
  [{ names: { kind: 'Widget', plural: 'a b' } }, 'widgets', 'Set spec.names.plural to widgets.'],
  [{ names: { kind: 'Widget', plural: 'gadgets' } }, 'widgets', 'Set metadata.name to gadgets.example.com.'],
  [
    { names: { kind: 'Widget' } },
    '-',
    'Set spec.names.plural, and set metadata.name to <spec.names.plural>.<spec.group>.',
  ],
])('the name of a definition with %j', (spec, first, fix) => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${first}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      ...spec,
    },
  };
  const { findings } = check(readManifests(JSON.stringify(definition)));
  expect(findings.filter(({ rule }) => rule === 'metadata/name').map((finding) => finding.fix)).toEqual([fix]);
});

test('an event in a namespace whose name is not valid', () => {
  const event = (namespace: string, of: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'a', namespace },
    involvedObject: { kind: 'Pod', name: 'a', namespace: of },
  });
  expect(fixesAt(event('a.b', 'corpus'), '/involvedObject/namespace')).toEqual(['Set metadata.namespace to "corpus".']);
  expect(fixesAt(event('b', 'corpus'), '/involvedObject/namespace')).toEqual([
    'Set involvedObject.namespace to "b", or metadata.namespace to "corpus".',
  ]);
});
