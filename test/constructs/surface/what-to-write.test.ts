/**
 * The fix of a finding is about the mistake in hand: it names the field and a value that solves it.
 */
import { type Rule } from '../../../src/checks/rules/rule';
import { coreRules } from '../../../src/checks/server/rules';
import { batchRules } from '../../../src/constructs/batch/rules';
import { gpuOperatorRules } from '../../../src/constructs/gpu-operator/rules';
import { kueueRules } from '../../../src/constructs/kueue/rules';
import { networkingRules } from '../../../src/constructs/networking/rules';
import { rayRules } from '../../../src/constructs/ray/rules';
import { servingRules } from '../../../src/constructs/serving/rules';
import { tenancyRules } from '../../../src/constructs/tenancy/rules';
import { volcanoRules } from '../../../src/constructs/volcano/rules';
import { findingsOf } from '../../support/findings';

function deviceClass(expression: string): object {
  const spec = { selectors: [{ cel: { expression } }] };
  return { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec };
}

function jobSet(name: string, job: string): object {
  const replicatedJobs = [{ name: job, template: { spec: {} } }];
  return { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', metadata: { name }, spec: { replicatedJobs } };
}

function subGroups(size: number, subGroupSize: number, subGroupPolicyType?: string): object {
  const leaderWorkerTemplate = { size, subGroupPolicy: { subGroupSize, subGroupPolicyType } };
  const kind = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet' };
  return { ...kind, metadata: { name: 'a' }, spec: { leaderWorkerTemplate } };
}

function devicePlugin(config: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shares', namespace: 'a' }, data: { config } };
}

function migConfig(entry: string, name = 'half'): object {
  const data = { 'config.yaml': `version: v1\nmig-configs: {${name}: [${entry}]}` };
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

const LONG = 'x'.repeat(64);

function kueueFlavor(nodeLabels: object): object {
  return {
    apiVersion: 'kueue.x-k8s.io/v1beta2',
    kind: 'ResourceFlavor',
    metadata: { name: 'f' },
    spec: { nodeLabels },
  };
}

function featureRule(rule: object): object {
  return {
    apiVersion: 'nfd.k8s-sigs.io/v1alpha1',
    kind: 'NodeFeatureRule',
    metadata: { name: 'r' },
    spec: { rules: [{ name: 'r', ...rule }] },
  };
}

function volcano(kind: string, spec?: object): object {
  return { apiVersion: 'batch.volcano.sh/v1alpha1', kind, metadata: { name: 'v' }, ...(spec && { spec }) };
}

function nodePolicy(nodeSelector: object): object {
  return {
    apiVersion: 'sriovnetwork.openshift.io/v1',
    kind: 'SriovNetworkNodePolicy',
    metadata: { name: 'p', namespace: 'b' },
    spec: { nodeSelector },
  };
}

function knativeService(port: string): object {
  const container = { image: 'i:1', ports: [{ containerPort: 80 }], livenessProbe: { tcpSocket: { port } } };
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'a' },
    spec: { template: { spec: { containers: [container] } } },
  };
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
      'Replace "drivr" in cel.expression with driver.',
      'Replace "devic" in cel.expression with device.',
      'Set cel.expression to an expression of type bool or any.',
      'Set cel.expression to a valid CEL expression of type bool or any.',
    ],
  ],
  [
    'core/handler-valid',
    coreRules,
    [probe('1'), probe('1-2')],
    [
      'Set httpGet.port to 1 without quotes, or to the name of a port.',
      'Set httpGet.port to a number from 1 to 65535, or to the name of a port, such as http.',
    ],
  ],
  [
    'gpu-operator/device-plugin-config-key-known',
    gpuOperatorRules,
    [
      devicePlugin(
        '{version: v1, sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}, imex: {requird: true, x: 1}}',
      ),
    ],
    ['Rename the key "requird" in imex to required.', 'Remove the key "x" from imex.'],
  ],
  [
    'batch/jobset-names-fit',
    batchRules,
    [jobSet('a', '../up'), jobSet('b', '10%'), jobSet('../c', 'd')],
    [
      'Set replicatedJobs[0].name to a name such as "up".',
      'Set replicatedJobs[0].name to a name such as train-70b.',
      'Set metadata.name to a name such as "c".',
    ],
  ],
  [
    'batch/lws-subgroup-size-divides',
    batchRules,
    [subGroups(5, 3), subGroups(5, 3, 'LeaderExcluded'), subGroups(1, 2), subGroups(1, 2, 'LeaderExcluded')],
    [
      'Set subGroupPolicy.subGroupSize to a divisor of 5 or 4.',
      'Set subGroupPolicy.subGroupSize to a divisor of 4.',
      'Set subGroupPolicy.subGroupSize to 1.',
      'Set leaderWorkerTemplate.size to at least 2, or remove subGroupPolicy.',
    ],
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
      'Set mig-configs.half[0].devices to "all", or to a list of indexes such as [0, 1].',
      'Set mig-configs.half[0].devices to "all", or to a list of indexes such as [0, 1].',
    ],
  ],
  [
    'gpu-operator/mig-entry-complete',
    gpuOperatorRules,
    [migConfig('{mig-enabled: false}', 'all-1g.10gb'), migConfig('{devices: all}', "'a b'")],
    [
      'Set mig-configs["all-1g.10gb"][0].devices to "all", or to a list of indexes such as [0, 1].',
      'Set mig-configs["a b"][0].mig-enabled to true or false.',
    ],
  ],
  [
    'gpu-operator/mig-config-key-known',
    gpuOperatorRules,
    [migConfig('{devices: all, mig-enabled: false, "a b": 1}', '1')],
    ['Remove the key "a b" from mig-configs["1"][0].'],
  ],
  [
    'kueue/flavor-and-resource-once',
    kueueRules,
    [clusterQueue({ ...GROUP, coveredResources: ['cpu', 'cpu'] }), clusterQueue(GROUP, { ...GROUP, flavors: [] })],
    [
      'Remove coveredResources[1].',
      'Remove the resource from one of the resource groups, or merge both groups into one entry of spec.resourceGroups.',
    ],
  ],
  [
    'kueue/flavor-node-labels-valid',
    kueueRules,
    [kueueFlavor({ 'nvidia.com/gpu.product': LONG })],
    ['Shorten nodeLabels["nvidia.com/gpu.product"] to at most 63 characters.'],
  ],
  [
    'networking/nfd-key-in-domain',
    networkingRules,
    [featureRule({ labels: { '-a': 'b' } }), featureRule({ labels: { '-': 'b', 'kubernetes.io/a': 'b' } })],
    [
      'Rename the key "-a" in labels to a valid name, such as "a" or example.com/a.',
      'Rename the key "-" in labels to a valid name, such as example.com/<name>.',
      'Rename the key "kubernetes.io/a" in labels to example.com/<name> or feature.node.kubernetes.io/<name>.',
    ],
  ],
  [
    'networking/nfd-value-valid',
    networkingRules,
    [featureRule({ labels: { a: LONG }, annotations: { 'example.com/b': 'x'.repeat(1025) } })],
    ['Shorten labels.a to at most 63 characters.', 'Shorten annotations["example.com/b"] to at most 1024 bytes.'],
  ],
  [
    'networking/sriov-node-selector-valid',
    networkingRules,
    [nodePolicy({ a: LONG, '-': 'b' })],
    [
      'Shorten nodeSelector.a to at most 63 characters.',
      'Rename the key "-" in spec.nodeSelector to a name such as example.com/rack.',
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
      'Rename the key "a_b/c" in headGroupSpec.labels to a name such as "a-b/c".',
      'Set labels.d to a label value such as a100-80gb.',
    ],
  ],
  [
    'serving/knative-probe-valid',
    servingRules,
    [knativeService('-1Gi')],
    ['Set tcpSocket.port to http, or remove it.'],
  ],
  [
    'tenancy/memory-in-binary-units',
    tenancyRules,
    [
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'q', namespace: 'a' },
        spec: { hard: { 'requests.memory': '500G' } },
      },
    ],
    ['Set hard["requests.memory"] to 500Gi, unless the decimal unit is intended.'],
  ],
  [
    'volcano/object-has-spec',
    volcanoRules,
    [
      volcano('Job'),
      volcano('CronJob', { jobTemplate: {} }),
      { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name: 'q' } },
    ],
    [
      'Set spec to the spec of a Job, with at least one task.',
      'Set spec.jobTemplate.spec to the spec of a Job, with at least one task.',
      'Set spec to the spec of a Queue, or to {}.',
    ],
  ],
  [
    'volcano/queue-memory-unit-intended',
    volcanoRules,
    [queue('a', { capability: { memory: '500G' } })],
    ['Set capability.memory to 500Gi, unless the decimal unit is intended.'],
  ],
  [
    'volcano/queue-children-deserved-within-parent',
    volcanoRules,
    [queue('a', { deserved: { cpu: 1 } }), queue('b', { parent: 'a', deserved: { cpu: 2, 'nvidia.com/gpu': 1 } })],
    [
      'Set spec.deserved.cpu of the queue "a" to at least 2, or decrease it in the children.',
      'Set spec.deserved["nvidia.com/gpu"] of the queue "a" to at least 1, or decrease it in the children.',
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
