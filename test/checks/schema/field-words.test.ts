/**
 * What fixes of the schema tier say to write where the schema has no words for it.
 */
import { check, readManifests } from '../../../src/interfaces/checks';

const fixesOf = (object: object): readonly (string | undefined)[] =>
  check(readManifests(JSON.stringify(object)))
    .findings.filter(({ rule }) => rule.startsWith('schema/'))
    .map(({ fix }) => fix);

const pod = (container: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'b' },
  spec: { containers: [{ name: 'a', image: 'b', ...container }] },
});

test.each([
  [
    'a field of a map',
    pod({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 5 } } }] }),
    'Set fieldRef.fieldPath to a field such as metadata.name.',
  ],
  [
    'a field of an item',
    {
      apiVersion: 'topology.node.k8s.io/v1alpha1',
      kind: 'NodeResourceTopology',
      metadata: { name: 'node-1' },
      topologyPolicies: [],
      zones: [{ name: 'a' }],
    },
    'Set zones[0].type to a zone type such as Node.',
  ],
  [
    'a list of strings',
    {
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'Cohort',
      metadata: { name: 'a' },
      spec: { resourceGroups: [{ flavors: [{ name: 'a', resources: [{ name: 'cpu', nominalQuota: 1 }] }] }] },
    },
    'Set resourceGroups[0].coveredResources to a list of resources, such as [cpu, memory, nvidia.com/gpu].',
  ],
  [
    'values that YAML reads as another type',
    {
      apiVersion: 'sriovnetwork.openshift.io/v1',
      kind: 'SriovNetwork',
      metadata: { name: 'a', namespace: 'b' },
      spec: { resourceName: 'a', spoofChk: 'yes' },
    },
    'Set spec.spoofChk to "on" or "off".',
  ],
  [
    'the value of a taint of Karpenter',
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'a' },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'a', kind: 'B', name: 'c' },
            requirements: [],
            taints: [{ key: 'a', effect: 'NoSchedule', value: '' }],
          },
        },
      },
    },
    'Set taints[0].value to a taint value such as gpu.',
  ],
  [
    'the fields of an empty object',
    {
      apiVersion: 'trainer.kubeflow.org/v1alpha1',
      kind: 'TrainingRuntime',
      metadata: { name: 'a', namespace: 'b' },
      spec: { template: {} },
    },
    'Add a field to spec.template, such as metadata or spec.',
  ],
  [
    'the fields of the items of an empty list',
    {
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'Cohort',
      metadata: { name: 'a' },
      spec: { resourceGroups: [{ coveredResources: ['cpu'], flavors: [{ name: 'a', resources: [] }] }] },
    },
    'Add an item to flavors[0].resources with the fields name and nominalQuota.',
  ],
  [
    'common fields before others',
    {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'a', namespace: 'b' },
      spec: 2,
    },
    'Set spec to an object with fields such as replicas, selector, and template.',
  ],
  [
    'a time in microseconds',
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' }, spec: { renewTime: 5 } },
    'Set spec.renewTime to a time such as "2026-01-31T15:04:05.000000Z".',
  ],
])('%s', (_, object, fix) => {
  expect(fixesOf(object)).toContain(fix);
});
