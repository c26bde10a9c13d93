/**
 * Pods and pools: labels and taints that belong together, spot nodes, readiness rules.
 */
import { poolRules } from '../../../src/constructs/node-tuning/rules/pools';
import { readinessRules } from '../../../src/constructs/node-tuning/rules/readiness';
import { spotRules } from '../../../src/constructs/node-tuning/rules/spot';
import { findingsOf } from '../../support/findings';

const pod = (spec: string): string =>
  `---\napiVersion: v1\nkind: Pod\nmetadata: { name: train, namespace: a }\nspec: { containers: [{ name: a, image: b }], ${spec} }\n`;
const pool = (taints: string, more = ''): string => `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: h100 }
spec:
  limits: { nvidia.com/gpu: 64 }
  template:
    metadata: { labels: { example.com/pool: h100 } }
    spec: { nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu }, requirements: [], taints: ${taints} ${more} }
`;
const policy = (tolerations: string): string =>
  `---\napiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: { name: c }\nspec: { daemonsets: { tolerations: ${tolerations} } }\n`;
const rule = (spec: string): string =>
  `---\napiVersion: readiness.node.x-k8s.io/v1alpha1\nkind: NodeReadinessRule\nmetadata: { name: gpu }\nspec: ${spec}\n`;
const READY =
  '{ conditions: [{ type: x, requiredStatus: "True" }], enforcementMode: continuous, nodeSelector: { matchLabels: { nvidia.com/gpu.present: "true" } }, taint: { key: readiness.k8s.io/gpu, effect: NoSchedule } }';
const rules = [...poolRules, ...readinessRules, ...spotRules];
const found = (yaml: string): readonly (readonly [string, string])[] =>
  findingsOf(yaml, rules).map(({ rule: id, severity }) => [id.replace('node-tuning/', ''), severity]);

const AKS = 'nodeSelector: { kubernetes.azure.com/scalesetpriority: spot }';
const GKE = 'nodeSelector: { cloud.google.com/gke-spot: "true" }';
const GKE_AFFINITY =
  'affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: cloud.google.com/gke-spot, operator: In, values: ["true"] }] }] } } }';
const GKE_TOLERATED =
  'tolerations: [{ key: cloud.google.com/gke-spot, operator: Equal, value: "true", effect: NoSchedule }]';

test.each([
  ['a pod without a toleration for AKS spot nodes', pod(AKS), [['spot-taint-tolerated', 'error']]],
  ['a pod on GKE spot nodes that may be tainted', pod(GKE), [['spot-taint-tolerated', 'info']]],
  ['the same, by affinity', pod(GKE_AFFINITY), [['spot-taint-tolerated', 'info']]],
  [
    'a pod that takes too long to end',
    pod(`${GKE}, ${GKE_TOLERATED}, terminationGracePeriodSeconds: 300`),
    [['spot-grace-within-notice', 'warning']],
  ],
  ['a pod that puts up with spot nodes', pod(GKE_TOLERATED), [['spot-tolerance-selects', 'info']]],
  [
    'a pod that its own pool refuses',
    `${pool('[{ key: example.com/own, effect: NoSchedule }]')}${pod('nodeSelector: { example.com/pool: h100 }')}`,
    [['pool-taint-tolerated', 'warning']],
  ],
  [
    'a pool without its operator',
    `${policy('[{ key: nvidia.com/gpu, operator: Exists, effect: NoSchedule }]')}${pool('[{ key: example.com/own, effect: NoSchedule }]')}`,
    [['operator-tolerates-pool', 'warning']],
  ],
  [
    'a readiness taint without the operator',
    `${policy('[{ key: nvidia.com/gpu, operator: Exists, effect: NoSchedule }]')}${rule(READY)}`,
    [['operator-tolerates-pool', 'warning']],
  ],
  [
    "a readiness rule with another domain's taint",
    rule(READY.replace('readiness.k8s.io', 'example.com')),
    [['readiness-rule-valid', 'error']],
  ],
  [
    'a readiness rule for every node',
    rule(READY.replace('{ matchLabels: { nvidia.com/gpu.present: "true" } }', '{}')),
    [['readiness-rule-valid', 'error']],
  ],
  [
    'a readiness rule with an unknown effect',
    rule(READY.replace('NoSchedule', 'Never')),
    [['readiness-rule-valid', 'error']],
  ],
  [
    'a readiness rule with a value of 64 characters',
    rule(READY.replace('effect:', `value: ${'v'.repeat(64)}, effect:`)),
    [['readiness-rule-valid', 'error']],
  ],
  [
    'a default status in a rule for the bootstrap',
    rule(READY.replace('"True"', '"True", defaultStatus: "False"').replace('continuous', 'bootstrap-only')),
    [['readiness-rule-valid', 'error']],
  ],
  [
    'a default status where any condition is enough',
    rule(READY.replace('"True"', '"True", defaultStatus: "False"').replace('{ ', '{ conditionPolicy: anyOf, ')),
    [['readiness-rule-valid', 'error']],
  ],
  [
    'a rule for the bootstrap where any condition is enough',
    rule(READY.replace('continuous', 'bootstrap-only').replace('{ ', '{ conditionPolicy: anyOf, ')),
    [['readiness-rule-valid', 'error']],
  ],
  [
    'a readiness rule that evicts',
    rule(READY.replace('NoSchedule', 'NoExecute')),
    [['readiness-rule-evicts-deliberately', 'warning']],
  ],
])('%s', (_what, yaml, expected) => {
  expect(found(yaml)).toEqual(expected);
});

test.each([
  ['a pod with label and toleration', pod(`${GKE}, ${GKE_TOLERATED}, terminationGracePeriodSeconds: 25`)],
  ['a pod that tolerates everything', pod(`${AKS}, tolerations: [{ operator: Exists }]`)],
  [
    'a pod on spot nodes of EKS, which have no taint',
    pod('nodeSelector: { eks.amazonaws.com/capacityType: SPOT }, terminationGracePeriodSeconds: 90'),
  ],
  ['a pod elsewhere that takes its time', pod('terminationGracePeriodSeconds: 3600')],
  [
    'a DaemonSet that runs on spot nodes too',
    `apiVersion: apps/v1\nkind: DaemonSet\nmetadata: { name: a }\nspec: { selector: { matchLabels: { a: b } }, template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: a, image: b }], ${GKE_TOLERATED} } } }\n`,
  ],
  [
    'a pod that its pool takes',
    `${pool('[{ key: example.com/own, value: a, effect: NoSchedule }]')}${pod('nodeSelector: { example.com/pool: h100 }, tolerations: [{ key: example.com/own, operator: Equal, value: a }]')}`,
  ],
  [
    'a pool with a taint that is a preference',
    `${pool('[{ key: example.com/own, effect: PreferNoSchedule }]')}${pod('nodeSelector: { example.com/pool: h100 }')}`,
  ],
  [
    'startup taints, which go away',
    `${pool('[]', ', startupTaints: [{ key: example.com/starting, effect: NoSchedule }]')}${pod('nodeSelector: { example.com/pool: h100 }')}`,
  ],
  [
    'an operator that tolerates the pool',
    `${policy('[{ operator: Exists }]')}${pool('[{ key: example.com/own, effect: NoSchedule }]')}${rule(READY)}`,
  ],
  ['a readiness rule', rule(READY)],
  ['a readiness rule with a default status', rule(READY.replace('"True"', '"True", defaultStatus: "False"'))],
  ['a readiness rule where any condition is enough', rule(READY.replace('{ ', '{ conditionPolicy: anyOf, '))],
])('%s: nothing', (_what, yaml) => {
  expect(found(yaml)).toEqual([]);
});

test('each of these rules is met above', () => {
  expect(rules.map(({ id }) => id.replace('node-tuning/', '')).sort()).toEqual([
    'operator-tolerates-pool',
    'pool-holds-pod',
    'pool-taint-tolerated',
    'readiness-rule-evicts-deliberately',
    'readiness-rule-valid',
    'spot-grace-within-notice',
    'spot-taint-tolerated',
    'spot-tolerance-selects',
  ]);
});

describe('a node pool that can never hold a pod', () => {
  const gpus = (count: number, more = ''): string =>
    `---\napiVersion: v1\nkind: Pod\nmetadata: { name: train, namespace: a }\nspec: { containers: [{ name: a, image: b, resources: { limits: { nvidia.com/gpu: ${count} } } }] ${more} }\n`;
  const nodePool = (name: string, limit: number, counts: string): string => `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: ${name} }
spec:
  limits: { nvidia.com/gpu: ${limit} }
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu }
      requirements: [{ key: karpenter.k8s.aws/instance-gpu-count, ${counts} }]
`;
  const held = (yaml: string): readonly string[] =>
    findingsOf(yaml, poolRules)
      .filter(({ rule: id }) => id === 'node-tuning/pool-holds-pod')
      .map(({ message }) => message);
  const FOUR = 'operator: In, values: ["1", "4"]';

  test.each([
    ['more GPUs than any of its nodes has', nodePool('a', 64, FOUR) + gpus(8), 'at most 4 GPUs'],
    ['fewer than a bound', nodePool('a', 64, 'operator: Lt, values: ["8"]') + gpus(8), 'at most 7 GPUs'],
    ['more than its limit', nodePool('a', 4, 'operator: Exists') + gpus(8), '"a" is limited to 4'],
    [
      'the pool that the pod selects',
      nodePool('a', 64, FOUR) +
        nodePool('b', 64, 'operator: Exists') +
        gpus(8, ', nodeSelector: { karpenter.sh/nodepool: a }'),
      'nodes of "a"',
    ],
  ])('%s', (_, yaml, message) => {
    expect(held(yaml).join()).toContain(message);
  });

  const typed = (...requirements: readonly string[]): string =>
    `---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: a }\nspec: { template: { spec: { requirements: [${requirements.join(', ')}] } } }\n`;
  const one = (key: string, ...values: readonly string[]): string =>
    `{ key: ${key}, operator: In, values: [${values.join(', ')}] }`;
  const [TYPE, FAMILY, SIZE] = [
    'node.kubernetes.io/instance-type',
    'karpenter.k8s.aws/instance-family',
    'karpenter.k8s.aws/instance-size',
  ];

  test.each<[string, string, string | undefined]>([
    ['instance types that are too small', typed(one(TYPE, 'g5.xlarge', 'g5.12xlarge')), 'at most 4 GPUs'],
    ['an instance type that is large enough', typed(one(TYPE, 'g5.xlarge', 'g6e.48xlarge')), undefined],
    ['an instance type that is not known', typed(one(TYPE, 'g5.xlarge', 'x9.48xlarge')), undefined],
    [
      'sizes of families that are too small',
      typed(one(FAMILY, 'g5', 'g6'), one(SIZE, 'xlarge', '2xlarge', '12xlarge')),
      'at most 4 GPUs',
    ],
    ['a family with all its sizes', typed(one(FAMILY, 'g5')), undefined],
    ['a family that is not known', typed(one(FAMILY, 'g5', 'x9'), one(SIZE, 'xlarge')), undefined],
    ['a size that is not known', typed(one(FAMILY, 'p5'), one(SIZE, '4xlarge', '24xlarge')), undefined],
    ['sizes of any family', typed(one(SIZE, 'xlarge')), undefined],
    [
      'what two requirements leave',
      typed(one(TYPE, 'p3.2xlarge', 'p5.48xlarge'), one(TYPE, 'p3.2xlarge')),
      'at most 1 GPU',
    ],
    ['no type that they leave', typed(one(TYPE, 'p3.2xlarge'), one(TYPE, 'p5.48xlarge')), undefined],
    [
      'a bound of the count that is lower',
      typed(one(FAMILY, 'g5'), one('karpenter.k8s.aws/instance-gpu-count', '"1"')),
      'at most 1 GPU',
    ],
  ])('by %s', (_, yaml, message) => {
    expect(held(yaml + gpus(8))).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
  });

  test('counts GPUs of NVIDIA alone by their instance types', () => {
    const neuron = gpus(8).replace('nvidia.com/gpu', 'aws.amazon.com/neuron');
    expect(held(typed(one(TYPE, 'g5.xlarge')) + neuron)).toEqual([]);
  });

  test.each([
    ['nodes large enough', nodePool('a', 64, 'operator: In, values: ["8"]') + gpus(8)],
    ['another pool', nodePool('a', 64, FOUR) + nodePool('b', 64, 'operator: Exists') + gpus(8)],
    ['no pool in the set', gpus(8)],
    ['a pool elsewhere', nodePool('a', 64, FOUR) + gpus(8, ', nodeSelector: { karpenter.sh/nodepool: c }')],
  ])('%s is right', (_, yaml) => {
    expect(held(yaml)).toEqual([]);
  });
});
