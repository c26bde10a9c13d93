/**
 * The fix of a finding is about the mistake in hand: it names the field and a value that solves it.
 */
import { type Rule } from '../../../src/checks/rule';
import { coreRules } from '../../../src/checks/server/rules';
import { gpuOperatorRules } from '../../../src/constructs/gpu-operator/rules';
import { kueueRules } from '../../../src/constructs/kueue/rules';
import { networkingRules } from '../../../src/constructs/networking/rules';
import { rayRules } from '../../../src/constructs/ray/rules';
import { volcanoRules } from '../../../src/constructs/volcano/rules';
import { findingsOf } from '../../support/findings';

function deviceClass(expression: string): object {
  const spec = { selectors: [{ cel: { expression } }] };
  return { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec };
}

function devicePlugin(config: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shares', namespace: 'a' }, data: { config } };
}

function migConfig(entry: string): object {
  const data = { 'config.yaml': `version: v1\nmig-configs: {half: [${entry}]}` };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mig', namespace: 'a' }, data };
}

function clusterQueue(...resourceGroups: readonly object[]): object {
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ClusterQueue',
    metadata: { name: 'q' },
    spec: { resourceGroups },
  };
}

const GROUP = {
  coveredResources: ['cpu'],
  flavors: [{ name: 'spot', resources: [{ name: 'cpu', nominalQuota: 1 }] }],
};

function queue(name: string, spec: object): object {
  return { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name }, spec };
}

function sriov(kind: string, namespace: string): object {
  return {
    apiVersion: 'sriovnetwork.openshift.io/v1',
    kind,
    metadata: { name: kind.toLowerCase(), namespace },
    spec: {},
  };
}

function probe(port: string): object {
  const container = { name: 'c', image: 'i:1', readinessProbe: { httpGet: { port } } };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [container] } };
}

const CASES: readonly (readonly [
  id: string,
  rules: readonly Rule[],
  objects: readonly object[],
  fixes: readonly string[],
])[] = [
  [
    'core/device-class-valid',
    coreRules,
    [
      deviceClass('device.drivr == "a"'),
      deviceClass('devic.driver == "a"'),
      deviceClass('device.driver'),
      deviceClass('a:b'),
    ],
    [
      'Replace "drivr" in cel.expression with driver, attributes, capacity, or allowMultipleAllocations.',
      'Use only the variable device in cel.expression.',
      'Set cel.expression to an expression of type bool or any.',
      'Correct the syntax of cel.expression.',
    ],
  ],
  [
    'core/handler-valid',
    coreRules,
    [probe('1'), probe('1-2')],
    [
      'Set httpGet.port to 1 without quotes, or to the name of a port.',
      'Set httpGet.port to a value that contains at least one letter.',
    ],
  ],
  [
    'gpu-operator/device-plugin-config-key-known',
    gpuOperatorRules,
    [
      devicePlugin(
        '{version: v1, sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}, imex: {Required: true, x: 1}}',
      ),
    ],
    ['Rename imex.Required to required.', 'Remove imex.x, or rename it to channelIDs or required.'],
  ],
  [
    'gpu-operator/device-plugin-flag-known',
    gpuOperatorRules,
    [devicePlugin('{version: v1, flags: {migStrategy: both}, imex: {channelIDs: [1]}}')],
    ['Set flags.migStrategy to none, single, or mixed.', 'Set imex.channelIDs to [] or [0].'],
  ],
  [
    'gpu-operator/mig-entry-complete',
    gpuOperatorRules,
    [migConfig('{device-filter: [[1]], mig-enabled: false}'), migConfig('{devices: ll, mig-enabled: false}')],
    [
      'Set mig-configs.half[0].device-filter to a PCI ID such as "0x233010DE", or a list of PCI IDs.',
      'Set devices in mig-configs.half[0] to all, or to a list of indexes such as [0, 1].',
      'Set mig-configs.half[0].devices to all or a list of indexes.',
    ],
  ],
  [
    'kueue/flavor-and-resource-once',
    kueueRules,
    [clusterQueue({ ...GROUP, coveredResources: ['cpu', 'cpu'] }), clusterQueue(GROUP, { ...GROUP, flavors: [] })],
    [
      'Remove coveredResources[1].',
      'Merge the resource groups that share a resource or a flavor into one entry of spec.resourceGroups.',
    ],
  ],
  [
    'networking/sriov-objects-in-operator-namespace',
    networkingRules,
    [sriov('SriovOperatorConfig', 'net'), sriov('SriovNetwork', 'b'), sriov('SriovNetworkNodePolicy', 'b')],
    [
      'Set metadata.namespace to net, and spec.networkNamespace to the namespace of the pods.',
      'Set metadata.namespace to net.',
    ],
  ],
  [
    'ray/labels-valid',
    rayRules,
    [
      {
        apiVersion: 'ray.io/v1',
        kind: 'RayCluster',
        metadata: { name: 'r' },
        spec: { headGroupSpec: { labels: { 'a_b/c': 'x', d: '-' }, rayStartParams: {} } },
      },
    ],
    [
      'Rename the key in headGroupSpec.labels so that its prefix consists of lower-case letters, digits, "-", and ".", and starts and ends with a letter or digit.',
      'Set labels.d to a value that is empty, or consists of letters, digits, "-", "_", and ".", and starts and ends with a letter or digit.',
    ],
  ],
  [
    'volcano/queue-children-deserved-within-parent',
    volcanoRules,
    [queue('a', { deserved: { cpu: 1 } }), queue('b', { parent: 'a', deserved: { cpu: 2, 'nvidia.com/gpu': 1 } })],
    [
      'Set spec.deserved.cpu of "a" to at least 2, or lower it in the children.',
      'Set spec.deserved["nvidia.com/gpu"] of "a" to at least 1, or lower it in the children.',
    ],
  ],
];

test.each(CASES)('%s', (id, rules, objects, fixes) => {
  const yaml = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const found = findingsOf(yaml, rules, { kubernetes: '1.36' }).filter(({ rule }) => rule === id);
  expect(found.map(({ fix }) => fix).sort()).toEqual([...fixes].sort());
});

test('of an invalid label, the part that is wrong is shown', () => {
  const labels = { 'a..b/c': 'x', d: '-' };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'r' },
    spec: { template: { metadata: { labels }, spec: {} } },
  };
  const found = findingsOf(JSON.stringify(deployment), coreRules).filter(
    ({ rule }) => rule === 'core/template-labels-valid',
  );
  expect(found.map(({ message, found: shown }) => [message, shown])).toEqual([
    ['the label key "a..b/c" must have a prefix that has a letter or digit before and after each "."', 'a..b/c'],
    [expect.stringMatching(/^the label value "-" must be empty, or consist of /), '-'],
  ]);
});
