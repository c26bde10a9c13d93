import { type JsonObject } from '../../../src/facts/api/schema';
import { kueueRules } from '../../../src/constructs/kueue/rules';
import { multikueueRules } from '../../../src/constructs/kueue/rules/multikueue';
import { findingsOf, rulesFiring } from '../../support/findings';
import {
  clusterQueue,
  cohort,
  flavor,
  flavorOf,
  group,
  GROUP,
  job,
  jobSet,
  localQueue,
  quota,
  topology,
  workload,
  yaml,
} from './objects';

const firing = (...objects: readonly JsonObject[]): readonly string[] =>
  rulesFiring(yaml(...objects), kueueRules).map((id) => id.replace('kueue/', ''));
const K = 'kueue.x-k8s.io/';
const REQUIRED = `${K}podset-required-topology`;
const PREFERRED = `${K}podset-preferred-topology`;
const GROUP_NAME = `${K}podset-group-name`;
const SLICE = { [`${K}podset-slice-required-topology`]: 'rack', [`${K}podset-slice-size`]: '2' };
const layers = (...list: readonly (readonly [string, number])[]): JsonObject => ({
  [`${K}podset-slice-required-topology-constraints`]: JSON.stringify(
    list.map(([level, size]) => ({ topology: level, size })),
  ),
});
const namespace = (labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ml', labels },
});
const node = (labels: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels } });
const other = (apiVersion: string, kind: string): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', namespace: 'ml', labels: { [`${K}queue-name`]: 'team' } },
  spec: {},
});
const STACK = [clusterQueue(), localQueue(), flavor({ topologyName: 'racks' }), topology('block', 'rack')];
const elastic = { [`${K}elastic-job`]: 'true' };

describe('nothing is said of', () => {
  test.each<[string, readonly JsonObject[]]>([
    ['a queue', [clusterQueue()]],
    [
      'a queue of two groups',
      [
        clusterQueue({
          resourceGroups: [GROUP, { coveredResources: ['memory'], flavors: [flavorOf('any', quota('memory', '1Ti'))] }],
        }),
      ],
    ],
    [
      'limits in a cohort',
      [
        clusterQueue({
          cohortName: 'all',
          resourceGroups: [
            group(
              flavorOf(
                'h100',
                quota('cpu', 64, { lendingLimit: 64 }),
                quota('nvidia.com/gpu', 8, { borrowingLimit: 8 }),
              ),
            ),
          ],
        }),
      ],
    ],
    [
      'a cohort that lends more than it has',
      [
        cohort({
          parentName: 'root',
          resourceGroups: [group(flavorOf('h100', quota('cpu', 0, { lendingLimit: 64 }), quota('nvidia.com/gpu')))],
        }),
      ],
    ],
    ['a weight of nothing', [clusterQueue({ fairSharing: { weight: 0 } })]],
    [
      'a check on a flavor of the queue',
      [clusterQueue({ admissionChecksStrategy: { admissionChecks: [{ name: 'a', onFlavors: ['h100'] }] } })],
    ],
    [
      'concurrent admission',
      [
        clusterQueue({
          concurrentAdmissionPolicy: {
            migration: { mode: 'TryPreferredFlavors', constraints: { lastAcceptableFlavorName: 'h100' } },
          },
        }),
      ],
    ],
    [
      'a flavor with taints',
      [
        flavor({
          nodeTaints: [
            { key: 'gpu', effect: 'NoSchedule' },
            { key: 'gpu', effect: 'NoExecute' },
          ],
          tolerations: [{ operator: 'Exists' }],
        }),
      ],
    ],
    [
      'a Workload that shrinks',
      [workload({ podSets: [{ name: 'a', count: 4, minCount: 2, template: { spec: { containers: [] } } }] })],
    ],
    ['a job in its queue', [...STACK, job()]],
    ['a job whose queue is elsewhere', [job()]],
    ['a job with a required level', [...STACK, job({ podAnnotations: { [REQUIRED]: 'rack' } })]],
    ['slices', [job({ podAnnotations: { [REQUIRED]: 'block', ...SLICE } })]],
    [
      'layers',
      [job({ podAnnotations: { [REQUIRED]: 'block', ...layers(['rack', 4], ['kubernetes.io/hostname', 2]) } })],
    ],
    ['unconstrained', [job({ podAnnotations: { [`${K}podset-unconstrained-topology`]: 'true' } })]],
    [
      'a leader beside its workers',
      [
        jobSet(
          ['leader', 1, { [REQUIRED]: 'rack', [GROUP_NAME]: 'all' }],
          ['worker', 7, { [REQUIRED]: 'rack', [GROUP_NAME]: 'all' }],
        ),
      ],
    ],
    ['partial admission', [job({ annotations: { [`${K}job-min-parallelism`]: '3' } })]],
    ['an elastic job', [job({ annotations: elastic })]],
    ['completions that follow', [job({ annotations: { [`${K}job-completions-equal-parallelism`]: 'true' } })]],
    ['a tree of cohorts', [cohort({ parentName: 'root' }), cohort({}, 'root')]],
    ['a job that takes the default queue', [localQueue('default'), job({ queue: null })]],
    ['a job without devices and queue', [localQueue(), job({ queue: null, requests: { cpu: 1 } })]],
    [
      'a job of another scheduler',
      [
        localQueue(),
        {
          ...job({ queue: null }),
          spec: {
            template: {
              spec: {
                schedulerName: 'volcano',
                containers: [{ name: 'a', resources: { limits: { 'nvidia.com/gpu': 1 } } }],
              },
            },
          },
        },
      ],
    ],
    [
      'a namespace that is chosen by its name',
      [
        clusterQueue({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ml' } } }),
        localQueue(),
        namespace(),
      ],
    ],
    ['a flavor of a node', [flavor(), node({ gpu: 'h100', x: 'y' })]],
    [
      'more than the quota where it may borrow without bound',
      [clusterQueue({ cohortName: 'all' }), localQueue(), job({ spec: { parallelism: 400, completions: 400 } })],
    ],
    [
      'more than the quota where it may shrink',
      [
        clusterQueue(),
        localQueue(),
        job({ spec: { parallelism: 400, completions: 400 }, annotations: { [`${K}job-min-parallelism`]: '4' } }),
      ],
    ],
    [
      'a priority class',
      [
        { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'WorkloadPriorityClass', metadata: { name: 'high' }, value: 1 },
        job({ labels: { [`${K}priority-class`]: 'high' } }),
      ],
    ],
  ])('%s', (_what, objects) => {
    expect(findingsOf(yaml(...objects), kueueRules)).toEqual([]);
  });
});

const ofProduct = (product: string): JsonObject => flavor({ nodeLabels: { 'nvidia.com/gpu.product': product } });
const quotaOf = (name: string, nominalQuota = 8): JsonObject =>
  clusterQueue({
    resourceGroups: [{ coveredResources: [name], flavors: [{ name: 'h100', resources: [{ name, nominalQuota }] }] }],
  });

const FOUND: readonly (readonly [string, readonly JsonObject[], string])[] = [
  [
    'another order',
    [clusterQueue({ resourceGroups: [group(flavorOf('h100', quota('nvidia.com/gpu'), quota('cpu')))] })],
    'flavor-resources-in-covered-order',
  ],
  [
    'a flavor in two groups',
    [
      clusterQueue({
        resourceGroups: [GROUP, { coveredResources: ['memory'], flavors: [flavorOf('h100', quota('memory', '1Ti'))] }],
      }),
    ],
    'flavor-and-resource-once',
  ],
  [
    'a resource in two groups',
    [
      clusterQueue({
        resourceGroups: [GROUP, { coveredResources: ['cpu'], flavors: [flavorOf('any', quota('cpu'))] }],
      }),
    ],
    'flavor-and-resource-once',
  ],
  [
    'a resource that is none',
    [clusterQueue({ resourceGroups: [{ coveredResources: ['a b'], flavors: [flavorOf('any', quota('a b'))] }] })],
    'covered-resource-name-valid',
  ],
  [
    'lending without a cohort',
    [
      clusterQueue({
        resourceGroups: [group(flavorOf('h100', quota('cpu', 8, { lendingLimit: 1 }), quota('nvidia.com/gpu')))],
      }),
    ],
    'limit-needs-cohort',
  ],
  [
    'borrowing of a root',
    [
      cohort({
        resourceGroups: [group(flavorOf('h100', quota('cpu', 8, { borrowingLimit: 1 }), quota('nvidia.com/gpu')))],
      }),
    ],
    'limit-needs-cohort',
  ],
  [
    'lending more than there is',
    [
      clusterQueue({
        cohortName: 'a',
        resourceGroups: [group(flavorOf('h100', quota('cpu', 8, { lendingLimit: 9 }), quota('nvidia.com/gpu')))],
      }),
    ],
    'lending-within-nominal',
  ],
  [
    'a negative quota',
    [clusterQueue({ resourceGroups: [group(flavorOf('h100', quota('cpu', '-1'), quota('nvidia.com/gpu')))] })],
    'quota-not-negative',
  ],
  [
    'too many flavors',
    [
      clusterQueue({
        resourceGroups: [
          {
            coveredResources: ['cpu'],
            flavors: Array.from({ length: 257 }, (_, i) => flavorOf(`f${i}`, quota('cpu'))),
          },
        ],
      }),
    ],
    'queue-size-within-limits',
  ],
  ['a weight that vanishes', [clusterQueue({ fairSharing: { weight: '1n' } })], 'fair-sharing-weight-usable'],
  ['a negative weight', [cohort({ fairSharing: { weight: '-1' } })], 'fair-sharing-weight-usable'],
  [
    'a check on another flavor',
    [clusterQueue({ admissionChecksStrategy: { admissionChecks: [{ name: 'a', onFlavors: ['x'] }] } })],
    'admission-check-flavor-of-queue',
  ],
  [
    'concurrent admission in order',
    [
      clusterQueue({
        queueingStrategy: 'StrictFIFO',
        concurrentAdmissionPolicy: { migration: { mode: 'RetainFirstAdmission' } },
      }),
    ],
    'concurrent-admission-fits-queue',
  ],
  [
    'constraints of the other mode',
    [clusterQueue({ concurrentAdmissionPolicy: { migration: { mode: 'RetainFirstAdmission', constraints: {} } } })],
    'concurrent-admission-fits-queue',
  ],
  [
    'a last flavor of others',
    [
      clusterQueue({
        concurrentAdmissionPolicy: {
          migration: { mode: 'TryPreferredFlavors', constraints: { lastAcceptableFlavorName: 'x' } },
        },
      }),
    ],
    'concurrent-admission-fits-queue',
  ],
  ['no selector', [clusterQueue({ namespaceSelector: null })], 'namespace-selector-stated'],
  [
    'a selector with an unknown operator',
    [clusterQueue({ namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'Has' }] } })],
    'namespace-selector-valid',
  ],
  [
    'a slice size without its topology',
    [
      workload({
        podSets: [
          { name: 'a', count: 4, topologyRequest: { podSetSliceSize: 2 }, template: { spec: { containers: [] } } },
        ],
      }),
    ],
    'workload-slice-size-valid',
  ],
  [
    'a slice topology without a size',
    [
      workload({
        podSets: [
          {
            name: 'a',
            count: 4,
            topologyRequest: { podSetSliceRequiredTopology: 'example.com/rack' },
            template: { spec: { containers: [] } },
          },
        ],
      }),
    ],
    'workload-slice-size-valid',
  ],
  ['a label that is none', [flavor({ nodeLabels: { 'a b': 'x' } })], 'flavor-node-labels-valid'],
  [
    'a taint twice',
    [
      flavor({
        nodeTaints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', value: 'b', effect: 'NoSchedule' },
        ],
      }),
    ],
    'flavor-taints-and-tolerations-valid',
  ],
  [
    'a taint with a key that is none',
    [flavor({ nodeTaints: [{ key: 'a b', effect: 'NoSchedule' }] })],
    'flavor-taints-and-tolerations-valid',
  ],
  [
    'a taint with a value that is none',
    [flavor({ nodeTaints: [{ key: 'a', value: 'b c', effect: 'NoSchedule' }] })],
    'flavor-taints-and-tolerations-valid',
  ],
  [
    'a toleration of no key',
    [flavor({ tolerations: [{ key: 'a b', operator: 'Exists' }] })],
    'flavor-taints-and-tolerations-valid',
  ],
  [
    'two that shrink',
    [workload({ podSets: ['a', 'b'].map((name) => ({ name, count: 4, minCount: 2, template: { spec: {} } })) })],
    'workload-pod-sets-valid',
  ],
  [
    'one that shrinks and scales',
    [workload({ podSets: [{ name: 'a', count: 4, minCount: 2, template: { spec: {} } }] }, { annotations: elastic })],
    'workload-pod-sets-valid',
  ],
  [
    'pods as a resource',
    [
      workload({
        podSets: [
          {
            name: 'a',
            count: 1,
            template: { spec: { containers: [{ name: 'a', resources: { limits: { pods: 1 } } }] } },
          },
        ],
      }),
    ],
    'workload-pod-sets-valid',
  ],
  ['two requests', [job({ podAnnotations: { [REQUIRED]: 'rack', [PREFERRED]: 'rack' } })], 'topology-request-single'],
  ['a level that is no label', [job({ podAnnotations: { [REQUIRED]: 'the rack' } })], 'topology-request-readable'],
  [
    'a boolean that is none',
    [job({ podAnnotations: { [`${K}podset-unconstrained-topology`]: 'maybe' } })],
    'topology-request-readable',
  ],
  [
    'slices without a size',
    [job({ podAnnotations: { [`${K}podset-slice-required-topology`]: 'rack' } })],
    'topology-slice-complete',
  ],
  ['slices without a level', [job({ podAnnotations: { [`${K}podset-slice-size`]: '2' } })], 'topology-slice-complete'],
  [
    'slices larger than the set',
    [job({ podAnnotations: { ...SLICE, [`${K}podset-slice-size`]: '5' } })],
    'topology-slice-complete',
  ],
  [
    'slices of nothing',
    [job({ podAnnotations: { ...SLICE, [`${K}podset-slice-size`]: '0' } })],
    'topology-slice-complete',
  ],
  ['layers that do not divide', [job({ podAnnotations: layers(['rack', 4], ['host', 3]) })], 'topology-layers-valid'],
  ['a layer larger than the set', [job({ podAnnotations: layers(['rack', 5]) })], 'topology-layers-valid'],
  ['layers beside slices', [job({ podAnnotations: { ...SLICE, ...layers(['rack', 4]) } })], 'topology-layers-valid'],
  [
    'layers that are no list',
    [job({ podAnnotations: { [`${K}podset-slice-required-topology-constraints`]: '{}' } })],
    'topology-layers-valid',
  ],
  ['four layers', [job({ podAnnotations: layers(['a', 4], ['b', 2], ['c', 1], ['d', 1]) })], 'topology-layers-valid'],
  [
    'a group called 1',
    [jobSet(['a', 1, { [REQUIRED]: 'rack', [GROUP_NAME]: '1' }], ['b', 1, { [REQUIRED]: 'rack', [GROUP_NAME]: '1' }])],
    'pod-set-group-stated-well',
  ],
  [
    'a group without a topology',
    [jobSet(['a', 1, { [GROUP_NAME]: 'x' }], ['b', 1, { [GROUP_NAME]: 'x' }])],
    'pod-set-group-stated-well',
  ],
  ['a group of one', [jobSet(['a', 1, { [REQUIRED]: 'rack', [GROUP_NAME]: 'x' }])], 'pod-set-group-of-two'],
  [
    'a group of many beside many',
    [jobSet(['a', 2, { [REQUIRED]: 'rack', [GROUP_NAME]: 'x' }], ['b', 2, { [REQUIRED]: 'rack', [GROUP_NAME]: 'x' }])],
    'pod-set-group-of-two',
  ],
  [
    'a group of different levels',
    [jobSet(['a', 1, { [REQUIRED]: 'rack', [GROUP_NAME]: 'x' }], ['b', 2, { [REQUIRED]: 'block', [GROUP_NAME]: 'x' }])],
    'pod-set-group-of-two',
  ],
  ['a queue in capitals', [job({ labels: { [`${K}queue-name`]: 'Team' } })], 'queue-name-is-object-name'],
  ['a time of nothing', [job({ labels: { [`${K}max-exec-time-seconds`]: '0' } })], 'max-execution-time-positive'],
  [
    'an elastic JobSet',
    [{ ...jobSet(['a', 1, {}]), metadata: { name: 'a', annotations: elastic } }],
    'elastic-kind-scales',
  ],
  [
    'an elastic job with a topology',
    [job({ annotations: elastic, podAnnotations: { [REQUIRED]: 'rack' } })],
    'elastic-kind-scales',
  ],
  [
    'all pods as the least',
    [job({ annotations: { [`${K}job-min-parallelism`]: '4' } })],
    'partial-admission-below-parallelism',
  ],
  ...['1', 't', 'T', 'TRUE', 'True'].map((truth): [string, readonly JsonObject[], string] => [
    `completions that differ, with ${truth} for true`,
    [job({ annotations: { [`${K}job-completions-equal-parallelism`]: truth }, spec: { completions: 8 } })],
    'completions-follow-parallelism',
  ]),
  [
    'completions that differ',
    [job({ annotations: { [`${K}job-completions-equal-parallelism`]: 'true' }, spec: { completions: 8 } })],
    'completions-follow-parallelism',
  ],
  ['a Volcano Job', [other('batch.volcano.sh/v1alpha1', 'Job')], 'queue-name-on-managed-kind'],
  ['a CronJob itself', [other('batch/v1', 'CronJob')], 'queue-name-on-managed-kind'],
  ['an MPIJob of the training-operator', [other('kubeflow.org/v1', 'MPIJob')], 'queue-name-on-managed-kind'],
  ['a local queue of nothing', [clusterQueue(), localQueue('team', 'ml', 'trainin')], 'cluster-queue-known'],
  ['a flavor that is missing', [clusterQueue(), flavor({}, 'a100')], 'flavor-known'],
  [
    'a check that is missing',
    [
      clusterQueue({ admissionChecksStrategy: { admissionChecks: [{ name: 'x' }] } }),
      {
        apiVersion: 'kueue.x-k8s.io/v1beta2',
        kind: 'AdmissionCheck',
        metadata: { name: 'y' },
        spec: { controllerName: 'a' },
      },
    ],
    'admission-check-known',
  ],
  ['a topology that is missing', [flavor({ topologyName: 'x' }), topology('rack')], 'topology-known'],
  [
    'a PriorityClass as a class of Kueue',
    [
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1 },
      job({ labels: { [`${K}priority-class`]: 'high' } }),
    ],
    'workload-priority-class-known',
  ],
  [
    'a circle of cohorts',
    [cohort({ parentName: 'root' }), cohort({ parentName: 'all' }, 'root')],
    'cohort-tree-acyclic',
  ],
  [
    'a namespace that is not chosen',
    [clusterQueue({ namespaceSelector: { matchLabels: { team: 'a' } } }), localQueue(), namespace({ team: 'b' })],
    'namespace-chosen-by-cluster-queue',
  ],
  ['a queue of another namespace', [localQueue('team', 'other'), job()], 'local-queue-of-namespace'],
  ['a ClusterQueue as a local one', [clusterQueue({}, 'team'), job()], 'local-queue-of-namespace'],
  ['a misspelled queue', [localQueue('teem'), job()], 'local-queue-of-namespace'],
  ['a job past the queues', [localQueue(), job({ queue: null })], 'job-in-queue'],
  ['a quota of another vendor', [ofProduct('NVIDIA-H100-80GB-HBM3'), quotaOf('amd.com/gpu')], 'flavor-offers-resource'],
  [
    'a MIG profile that the product does not have',
    [ofProduct('NVIDIA-H100-80GB-HBM3'), quotaOf('nvidia.com/mig-1g.5gb')],
    'flavor-offers-resource',
  ],
  ['a flavor of no node', [flavor(), node({ gpu: 'a100' })], 'flavor-nodes-exist'],
  [
    'a resource without a quota',
    [...STACK, job({ requests: { cpu: 1, 'nvidia.com/gpu': 1, 'rdma/hca': 1 } })],
    'requests-covered',
  ],
  ['a job that requests nothing', [...STACK, job({ requests: {} })], 'requests-stated'],
  ['more than the queue has', [...STACK, job({ spec: { parallelism: 9, completions: 9 } })], 'requests-within-quota'],
  ['a level of no topology', [...STACK, job({ podAnnotations: { [PREFERRED]: 'row' } })], 'topology-level-of-flavor'],
  [
    'a topology where no flavor has one',
    [clusterQueue(), localQueue(), flavor(), job({ podAnnotations: { [REQUIRED]: 'rack' } })],
    'topology-level-of-flavor',
  ],
];

describe('resources of which the configuration of Kueue says more', () => {
  const configuration = (resources: JsonObject, apiVersion = 'config.kueue.x-k8s.io/v1beta2'): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kueue-manager-config', namespace: 'kueue-system' },
    data: { 'controller_manager_config.yaml': JSON.stringify({ apiVersion, kind: 'Configuration', resources }) },
  });
  const missing = (resources: JsonObject, ...more: readonly JsonObject[]): readonly unknown[] =>
    findingsOf(
      [...STACK, job({ requests: { cpu: 1, 'example.com/a': 1 } }), configuration(resources), ...more]
        .map((object) => JSON.stringify(object))
        .join('\n---\n'),
      kueueRules,
    )
      .filter(({ rule }) => rule === 'kueue/requests-covered')
      .map(({ found }) => found);
  const transformed = (more: JsonObject): JsonObject => ({ transformations: [{ input: 'example.com/a', ...more }] });

  test.each<[string, JsonObject, readonly string[]]>([
    ['says nothing', {}, ['example.com/a']],
    ['excludes', { excludeResourcePrefixes: ['example.com'] }, []],
    ['excludes others', { excludeResourcePrefixes: ['ample.com'] }, ['example.com/a']],
    ['checks what is declared', { quotaCheckStrategy: 'IgnoreUndeclared' }, []],
    ['replaces by what is covered', transformed({ strategy: 'Replace', outputs: { cpu: 2 } }), []],
    ['replaces by nothing', transformed({ strategy: 'Replace' }), []],
    [
      'replaces by what is not covered',
      transformed({ strategy: 'Replace', outputs: { 'example.com/b': 2 } }),
      ['example.com/b'],
    ],
    ['retains', transformed({ outputs: { cpu: 2 } }), ['example.com/a']],
    [
      'retains beside what is not covered',
      transformed({ strategy: 'Retain', outputs: { 'example.com/b': 2 } }),
      ['example.com/a', 'example.com/b'],
    ],
  ])('a resource that it %s', (_, resources, expected) => {
    expect(missing(resources)).toEqual(expected);
  });

  test('another configuration is not read', () => {
    expect(missing({}, configuration({ excludeResourcePrefixes: ['example.com'] }, 'example.com/v1'))).toHaveLength(1);
  });

  test('of two configurations, the one that leaves less counts', () => {
    expect(missing({}, configuration({ excludeResourcePrefixes: ['example.com'] }))).toEqual([]);
  });
});

test.each([
  ['a MIG profile of the product', ofProduct('NVIDIA-H100-80GB-HBM3'), quotaOf('nvidia.com/mig-1g.10gb')],
  ['a compute instance of one', ofProduct('NVIDIA-H100-80GB-HBM3'), quotaOf('nvidia.com/mig-1c.3g.40gb')],
  ['the plain resource', ofProduct('NVIDIA-H100-80GB-HBM3'), quotaOf('nvidia.com/gpu')],
  ['a quota of 0', ofProduct('NVIDIA-H100-80GB-HBM3'), quotaOf('amd.com/gpu', 0)],
  ['a product that the catalog does not know', ofProduct('NVIDIA-B900'), quotaOf('amd.com/gpu')],
  ['a flavor without a product', flavor(), quotaOf('amd.com/gpu')],
  ['a resource that is not an accelerator', ofProduct('NVIDIA-H100-80GB-HBM3'), quotaOf('rdma/hca')],
])('%s is nothing to report for a flavor', (_what, ...objects) => {
  expect(firing(...objects)).toEqual([]);
});

test.each([
  [
    'of a queue whose flavors have no topology',
    [clusterQueue(), localQueue(), flavor()],
    '',
    ', or remove the annotation',
  ],
  ['of a queue with a topology', STACK, 'Set the annotation to LEVELS, or set ', ''],
])('a topology level %s', (_what, stack, before, after) => {
  const [finding] = findingsOf(yaml(...stack, job({ podAnnotations: { [REQUIRED]: 'row' } })), kueueRules).filter(
    ({ rule }) => rule === 'kueue/topology-level-of-flavor',
  );
  const change =
    'spec.topologyName in a ResourceFlavor of the ClusterQueue "training" to a Topology with the level "row"';
  expect(finding?.fix).toBe(`${before.replace('LEVELS', finding?.expected ?? '') || 'Set '}${change}${after}.`);
});

test.each(FOUND)('%s is found', (_what, objects, rule) => {
  expect(firing(...objects)).toEqual([rule]);
});

test('every rule is met above; those of several clusters have their own suite', () => {
  expect([...new Set(FOUND.map(([, , rule]) => `kueue/${rule}`))].sort()).toEqual(
    kueueRules
      .map(({ id }) => id)
      .filter((id) => multikueueRules.every((rule) => rule.id !== id))
      .sort(),
  );
});
