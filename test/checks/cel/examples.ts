/**
 * For each rule one object that keeps it and one that breaks it; the rest of the object is good.
 *
 * Each pair was also put to a kube-apiserver 1.36 with strict field validation, which judged it the same way.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';

export interface Example {
  /** The beginning of the rule, enough to know it by. */
  readonly rule: string;
  readonly keeps: JsonObject;
  readonly breaks: JsonObject;
  /** The place of the finding. */
  readonly at: string;
}

type Spec = Record<string, JsonValue>;

const object =
  (apiVersion: string, kind: string, namespaced = true) =>
  (spec: Spec, name = 'example'): JsonObject => ({
    apiVersion,
    kind,
    metadata: { name, ...(namespaced ? { namespace: 'default' } : {}) },
    spec,
  });

const pair = (
  rule: string,
  make: (spec: Spec, name?: string) => JsonObject,
  keeps: Spec,
  breaks: Spec,
  at: string,
): Example => ({
  rule,
  keeps: make(keeps),
  breaks: make(breaks),
  at,
});

const clusterQueue = object('kueue.x-k8s.io/v1beta2', 'ClusterQueue', false);
const resourceFlavor = object('kueue.x-k8s.io/v1beta2', 'ResourceFlavor', false);
const topology = object('kueue.x-k8s.io/v1beta2', 'Topology', false);
const workload = object('kueue.x-k8s.io/v1beta2', 'Workload');
const multiKueueCluster = object('kueue.x-k8s.io/v1beta2', 'MultiKueueCluster', false);

const group = (resources: JsonValue[]): Spec => ({
  resourceGroups: [{ coveredResources: ['nvidia.com/gpu'], flavors: [{ name: 'h100', resources }] }],
});
const podSet = (more: Spec): Spec => ({
  podSets: [
    {
      name: 'main',
      count: 2,
      template: { spec: { containers: [{ name: 'a', image: 'b' }], restartPolicy: 'Never' } },
      ...more,
    },
  ],
});
const workloadClass = { group: 'kueue.x-k8s.io', kind: 'WorkloadPriorityClass', name: 'high' };

const kueue: readonly Example[] = [
  pair(
    '!has(self.cohortName) && has(self.resourceGroups)',
    clusterQueue,
    { cohortName: 'all', ...group([{ name: 'nvidia.com/gpu', nominalQuota: 8, borrowingLimit: 4 }]) },
    group([{ name: 'nvidia.com/gpu', nominalQuota: 8, borrowingLimit: 4 }]),
    '/spec',
  ),
  pair(
    'self.flavors.all(x, size(x.resources) == size(self.coveredResources))',
    clusterQueue,
    group([{ name: 'nvidia.com/gpu', nominalQuota: 8 }]),
    group([
      { name: 'nvidia.com/gpu', nominalQuota: 8 },
      { name: 'cpu', nominalQuota: 8 },
    ]),
    '/spec/resourceGroups/0',
  ),
  pair(
    "!(self.reclaimWithinCohort == 'Never'",
    clusterQueue,
    { preemption: { reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority' } } },
    { preemption: { reclaimWithinCohort: 'Never', borrowWithinCohort: { policy: 'LowerPriority' } } },
    '/spec/preemption',
  ),
  pair(
    '!has(self.topologyName) || self.nodeLabels.size() >= 1',
    resourceFlavor,
    { topologyName: 'racks', nodeLabels: { gpu: 'h100' } },
    { topologyName: 'racks' },
    '/spec',
  ),
  pair(
    "self.all(x, !has(x.key) ? x.operator == 'Exists'",
    resourceFlavor,
    { tolerations: [{ operator: 'Exists' }] },
    { tolerations: [{ operator: 'Equal', value: 'a' }] },
    '/spec/tolerations',
  ),
  pair(
    "self.all(x, has(x.tolerationSeconds) ? x.effect == 'NoExecute'",
    resourceFlavor,
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] },
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] },
    '/spec/tolerations',
  ),
  pair(
    'self.all(x, !has(x.operator) || x.operator in',
    resourceFlavor,
    { tolerations: [{ key: 'a', operator: 'Equal', value: 'b' }] },
    { tolerations: [{ key: 'a', operator: 'Gt', value: '5' }] },
    '/spec/tolerations',
  ),
  pair(
    "self.all(x, has(x.operator) && x.operator == 'Exists' ? !has(x.value)",
    resourceFlavor,
    { tolerations: [{ key: 'a', operator: 'Exists' }] },
    { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
    '/spec/tolerations',
  ),
  pair(
    'self.all(x, !has(x.effect) || x.effect in',
    resourceFlavor,
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }] },
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'Never' }] },
    '/spec/tolerations',
  ),
  pair(
    'self.all(x, x.effect in',
    resourceFlavor,
    { nodeTaints: [{ key: 'gpu', effect: 'NoSchedule' }] },
    { nodeTaints: [{ key: 'gpu', effect: 'Never' }] },
    '/spec/nodeTaints',
  ),
  pair(
    'size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0',
    topology,
    { levels: [{ nodeLabel: 'rack' }, { nodeLabel: 'block' }] },
    { levels: [{ nodeLabel: 'rack' }, { nodeLabel: 'rack' }] },
    '/spec/levels',
  ),
  pair(
    "size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0",
    topology,
    { levels: [{ nodeLabel: 'rack' }, { nodeLabel: 'kubernetes.io/hostname' }] },
    { levels: [{ nodeLabel: 'kubernetes.io/hostname' }, { nodeLabel: 'rack' }] },
    '/spec/levels',
  ),
  pair(
    'has(self.minCount) ? self.minCount <= self.count',
    workload,
    podSet({ minCount: 1 }),
    podSet({ minCount: 3 }),
    '/spec/podSets/0',
  ),
  pair(
    '!has(self.priorityClassRef) || has(self.priority)',
    workload,
    { ...podSet({}), priority: 5, priorityClassRef: workloadClass },
    { ...podSet({}), priorityClassRef: workloadClass },
    '/spec',
  ),
  pair(
    "(self.group == 'kueue.x-k8s.io') ? self.kind",
    workload,
    { ...podSet({}), priority: 5, priorityClassRef: workloadClass },
    { ...podSet({}), priority: 5, priorityClassRef: { ...workloadClass, kind: 'PriorityClass' } },
    '/spec/priorityClassRef',
  ),
  pair(
    '[has(self.kubeConfig),has(self.clusterProfileRef)]',
    multiKueueCluster,
    { clusterSource: { kubeConfig: { location: 'secret', locationType: 'Secret' } } },
    { clusterSource: {} },
    '/spec/clusterSource',
  ),
];

const rayCluster = object('ray.io/v1', 'RayCluster');
const rayJob = object('ray.io/v1', 'RayJob');
const head: Spec = {
  headGroupSpec: { rayStartParams: {}, template: { spec: { containers: [{ name: 'head', image: 'ray' }] } } },
};
const rules = (condition: JsonValue): Spec => ({
  deletionStrategy: { deletionRules: [{ policy: 'DeleteCluster', condition }] },
});
const both: Spec = {
  deletionStrategy: { onSuccess: { policy: 'DeleteCluster' }, onFailure: { policy: 'DeleteCluster' } },
};

const kubeRay: readonly Example[] = [
  pair(
    "self in ['ray.io/kuberay-operator'",
    rayCluster,
    { ...head, managedBy: 'kueue.x-k8s.io/multikueue' },
    { ...head, managedBy: 'me' },
    '/spec/managedBy',
  ),
  pair(
    '!(has(self.jobStatus) && has(self.jobDeploymentStatus))',
    rayJob,
    rules({ jobStatus: 'SUCCEEDED', ttlSeconds: 5 }),
    rules({ jobStatus: 'SUCCEEDED', jobDeploymentStatus: 'Failed' }),
    '/spec/deletionStrategy/deletionRules/0/condition',
  ),
  pair(
    'has(self.jobStatus) || has(self.jobDeploymentStatus)',
    rayJob,
    rules({ jobDeploymentStatus: 'Failed' }),
    rules({ ttlSeconds: 5 }),
    '/spec/deletionStrategy/deletionRules/0/condition',
  ),
  pair(
    '((has(self.onSuccess) && has(self.onFailure)) || has(self.deletionRules))',
    rayJob,
    both,
    { deletionStrategy: { onSuccess: { policy: 'DeleteCluster' } } },
    '/spec/deletionStrategy',
  ),
];

const nodePool = object('karpenter.sh/v1', 'NodePool', false);
const nodeClass = object('karpenter.k8s.aws/v1', 'EC2NodeClass', false);
const pool = (requirements: JsonValue[], more: Spec = {}, labels: Spec = {}): Spec => ({
  template: {
    metadata: { labels },
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'gpu' }, requirements },
  },
  ...more,
});
const gpu = (operator: string, values: string[]): JsonValue => ({
  key: 'karpenter.k8s.aws/instance-gpu-count',
  operator,
  values,
});
const aws = (more: Spec): Spec => ({
  role: 'node',
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: [{ id: 'subnet-0123' }],
  securityGroupSelectorTerms: [{ id: 'sg-0123' }],
  ...more,
});

const karpenter: readonly Example[] = [
  pair(
    "self.all(x, x.operator == 'In' ? x.values.size() != 0",
    nodePool,
    pool([gpu('In', ['8'])]),
    pool([gpu('In', [])]),
    '/spec/template/spec/requirements',
  ),
  pair(
    "self.all(x, (x.operator == 'Gt'",
    nodePool,
    pool([gpu('Gt', ['7'])]),
    pool([gpu('Gt', ['-1'])]),
    '/spec/template/spec/requirements',
  ),
  pair(
    "self.all(x, (x.operator == 'In' && has(x.minValues))",
    nodePool,
    pool([{ key: 'a', operator: 'In', values: ['1', '2'], minValues: 2 }]),
    pool([{ key: 'a', operator: 'In', values: ['1'], minValues: 2 }]),
    '/spec/template/spec/requirements',
  ),
  pair(
    'self in ["karpenter.sh/capacity-type"',
    nodePool,
    pool([{ key: 'karpenter.sh/capacity-type', operator: 'Exists' }]),
    pool([{ key: 'karpenter.sh/other', operator: 'Exists' }]),
    '/spec/template/spec/requirements/0/key',
  ),
  pair(
    'self != "kubernetes.io/hostname"',
    nodePool,
    pool([{ key: 'kubernetes.io/arch', operator: 'Exists' }]),
    pool([{ key: 'kubernetes.io/hostname', operator: 'Exists' }]),
    '/spec/template/spec/requirements/0/key',
  ),
  pair(
    'self != "karpenter.sh/nodepool"',
    nodePool,
    pool([{ key: 'karpenter.sh/capacity-type', operator: 'Exists' }]),
    pool([{ key: 'karpenter.sh/nodepool', operator: 'Exists' }]),
    '/spec/template/spec/requirements/0/key',
  ),
  pair(
    'self.all(x, x in ["karpenter.sh/capacity-type"',
    nodePool,
    pool([], {}, { team: 'a' }),
    pool([], {}, { 'karpenter.sh/other': 'a' }),
    '/spec/template/metadata/labels',
  ),
  pair(
    'self.all(x, x != "kubernetes.io/hostname")',
    nodePool,
    pool([], {}, { 'kubernetes.io/arch': 'arm64' }),
    pool([], {}, { 'kubernetes.io/hostname': 'a' }),
    '/spec/template/metadata/labels',
  ),
  pair(
    'self.all(x, has(x.schedule) == has(x.duration))',
    nodePool,
    pool([], { disruption: { consolidateAfter: '1m', budgets: [{ nodes: '1', schedule: '@daily', duration: '1h' }] } }),
    pool([], { disruption: { consolidateAfter: '1m', budgets: [{ nodes: '1', schedule: '@daily' }] } }),
    '/spec/disruption/budgets',
  ),
  pair(
    '!has(self.replicas) || !has(self.weight)',
    nodePool,
    pool([], { replicas: 2 }),
    pool([], { replicas: 2, weight: 5 }),
    '/spec',
  ),
  pair(
    '!has(self.replicas) || (!has(self.limits)',
    nodePool,
    pool([], { replicas: 2, limits: { nodes: '5' } }),
    pool([], { replicas: 2, limits: { cpu: '5' } }),
    '/spec',
  ),
  pair(
    '(has(self.role) && !has(self.instanceProfile))',
    nodeClass,
    aws({}),
    aws({ instanceProfile: 'profile' }),
    '/spec',
  ),
  pair(
    "self.split('@')[0] in ['al2'",
    nodeClass,
    aws({}),
    aws({ amiSelectorTerms: [{ alias: 'arch@latest' }] }),
    '/spec/amiSelectorTerms/0/alias',
  ),
  pair(
    "self.split('@')[0] in ['windows2019'",
    nodeClass,
    aws({ amiSelectorTerms: [{ alias: 'windows2022@latest' }] }),
    aws({ amiSelectorTerms: [{ alias: 'windows2022@1.0' }] }),
    '/spec/amiSelectorTerms/0/alias',
  ),
  pair(
    '!(self.exists(x, has(x.alias)) && self.size() != 1)',
    nodeClass,
    aws({}),
    aws({ amiSelectorTerms: [{ alias: 'al2023@latest' }, { id: 'ami-0123' }] }),
    '/spec/amiSelectorTerms',
  ),
  pair(
    'self.amiSelectorTerms.exists(x, has(x.alias)) ? true : has(self.amiFamily)',
    nodeClass,
    aws({ amiSelectorTerms: [{ id: 'ami-0123' }], amiFamily: 'AL2023' }),
    aws({ amiSelectorTerms: [{ id: 'ami-0123' }] }),
    '/spec',
  ),
  pair(
    "self.all(k, !k.startsWith('kubernetes.io/cluster')",
    nodeClass,
    aws({ tags: { team: 'a' } }),
    aws({ tags: { 'kubernetes.io/cluster/a': 'owned' } }),
    '/spec/tags',
  ),
  pair(
    "self.all(k, k != '' && self[k] != '')",
    nodeClass,
    aws({ subnetSelectorTerms: [{ tags: { a: 'b' } }] }),
    aws({ subnetSelectorTerms: [{ tags: { a: '' } }] }),
    '/spec/subnetSelectorTerms/0/tags',
  ),
  pair(
    'has(self.snapshotID) || has(self.volumeSize)',
    nodeClass,
    aws({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '100Gi' } }] }),
    aws({ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { encrypted: true } }] }),
    '/spec/blockDeviceMappings/0/ebs',
  ),
  pair(
    'self.all(x, self.filter(y, x.networkCardIndex',
    nodeClass,
    aws({
      networkInterfaces: [
        { deviceIndex: 0, networkCardIndex: 0, interfaceType: 'interface' },
        { deviceIndex: 1, networkCardIndex: 0, interfaceType: 'efa-only' },
      ],
    }),
    aws({
      networkInterfaces: [
        { deviceIndex: 0, networkCardIndex: 0, interfaceType: 'interface' },
        { deviceIndex: 0, networkCardIndex: 0, interfaceType: 'efa-only' },
      ],
    }),
    '/spec/networkInterfaces',
  ),
];

const trainJob = object('trainer.kubeflow.org/v1alpha1', 'TrainJob');
const runtime = object('trainer.kubeflow.org/v1alpha1', 'TrainingRuntime');
const job: Spec = { runtimeRef: { name: 'torch' } };
const template: JsonObject = { template: { spec: {} } };

const trainer: readonly Example[] = [
  { rule: 'self.metadata.name.matches(', keeps: trainJob(job, 'train-1'), breaks: trainJob(job, '1-train'), at: '' },
  {
    rule: 'size(self.metadata.name) <= 63',
    keeps: trainJob(job, 'a'.repeat(63)),
    breaks: trainJob(job, 'a'.repeat(64)),
    at: '',
  },
  pair(
    "self in ['trainer.kubeflow.org/trainjob-controller'",
    trainJob,
    { ...job, managedBy: 'kueue.x-k8s.io/multikueue' },
    { ...job, managedBy: 'me' },
    '/spec/managedBy',
  ),
  pair(
    "self == '' || self.matches(",
    trainJob,
    { ...job, initializer: { dataset: { storageUri: 'hf://org/data' } } },
    { ...job, initializer: { dataset: { storageUri: 'data' } } },
    '/spec/initializer/dataset/storageUri',
  ),
  pair(
    '[has(self.torch), has(self.mpi)',
    runtime,
    { ...template, mlPolicy: { torch: {} } },
    { ...template, mlPolicy: { torch: {}, mpi: {} } },
    '/spec/mlPolicy',
  ),
];

const jobSet = object('jobset.x-k8s.io/v1alpha2', 'JobSet');
const replicated = (more: Spec = {}): JsonValue => ({
  name: 'workers',
  template: { spec: { template: { spec: { containers: [{ name: 'a', image: 'b' }], restartPolicy: 'Never' } } } },
  ...more,
});
const claims = (metadata: Spec): Spec => ({
  replicatedJobs: [replicated()],
  volumeClaimPolicies: [
    {
      templates: [
        {
          metadata: { name: 'data', ...metadata },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  ],
});

const jobSets: readonly Example[] = [
  pair(
    '!(has(self.startupPolicy) && self.startupPolicy.startupPolicyOrder',
    jobSet,
    { replicatedJobs: [replicated()], startupPolicy: { startupPolicyOrder: 'InOrder' } },
    {
      replicatedJobs: [
        { ...(replicated() as JsonObject), name: 'first' },
        replicated({ dependsOn: [{ name: 'first', status: 'Ready' }] }),
      ],
      startupPolicy: { startupPolicyOrder: 'InOrder' },
    },
    '/spec',
  ),
  pair(
    'self.templates.all(t, !has(t.metadata.namespace)',
    jobSet,
    claims({}),
    claims({ namespace: 'other' }),
    '/spec/volumeClaimPolicies/0',
  ),
];

const gpuCluster = object('nvidia.com/v1alpha1', 'GPUCluster', false);
const driver = object('nvidia.com/v1alpha1', 'NVIDIADriver', false);
const gpuOperator: readonly Example[] = [
  {
    rule: "self.metadata.name == 'gpu-cluster'",
    keeps: gpuCluster({ draDriver: {} }, 'gpu-cluster'),
    breaks: gpuCluster({ draDriver: {} }, 'gpus'),
    at: '',
  },
  pair(
    'has(self.default) && self.default ?',
    driver,
    { default: true },
    { default: true, nodeSelector: { gpu: 'h100' } },
    '/spec',
  ),
];

const hyperNode = object('topology.volcano.sh/v1alpha1', 'HyperNode', false);
const member = (selector: Spec): Spec => ({ tier: 1, members: [{ type: 'Node', selector }] });
const scaledObject = object('keda.sh/v1alpha1', 'ScaledObject');
const scaled = (more: Spec): Spec => ({
  scaleTargetRef: { name: 'web' },
  triggers: [{ type: 'cron', metadata: {} }],
  ...more,
});
const others: readonly Example[] = [
  pair(
    'has(self.exactMatch) || has(self.regexMatch)',
    hyperNode,
    member({ exactMatch: { name: 'node-1' } }),
    member({}),
    '/spec/members/0/selector',
  ),
  pair(
    '(has(self.exactMatch) ? 1 : 0) + ',
    hyperNode,
    member({ regexMatch: { pattern: 'a.*' } }),
    member({ exactMatch: { name: 'a' }, regexMatch: { pattern: 'a.*' } }),
    '/spec/members/0/selector',
  ),
  pair(
    '!has(self.minReplicaCount) || self.minReplicaCount <=',
    scaledObject,
    scaled({ minReplicaCount: 100 }),
    scaled({ minReplicaCount: 101 }),
    '/spec',
  ),
];

export const examples: readonly Example[] = [
  ...kueue,
  ...kubeRay,
  ...karpenter,
  ...trainer,
  ...jobSets,
  ...gpuOperator,
  ...others,
];
