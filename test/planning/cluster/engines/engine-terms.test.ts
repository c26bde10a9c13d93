/**
 * A plan follows the configuration of the scheduler that places its workloads, and says what of it has no counterpart.
 */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { type ClusterPlan, readCluster } from '../../../../src/planning/cluster';
import { DEFAULT_POLICY } from '../../../../src/placement';
import { clusterOf, gangNamed, gpus, plan } from '../builders';

/** Two nodes of eight GPUs. */
const LAB = clusterOf('pools: [{name: gpu, names: n-#, count: 2, accelerator: H100-SXM-80GB}]');

const configMap = (name: string, key: string, text: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'system' },
    data: { [key]: text },
  });
const volcano = (text: string): string => configMap('volcano-scheduler-configmap', 'volcano-scheduler.conf', text);
const kubeScheduler = (profile: string, more = ''): string =>
  configMap(
    'scheduler-config',
    'scheduler-config.yaml',
    `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n${more}profiles: [${profile}]\n`,
  );
const kueue = (fields: string): string =>
  configMap(
    'kueue-manager-config',
    'controller_manager_config.yaml',
    `apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n${fields}`,
  );

const pod = (name: string, count: number, more = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: a}\nspec: ${gpus(count, more)}\n`;
const volcanoPods = [pod('one', 2, 'schedulerName: volcano, '), pod('two', 2, 'schedulerName: volcano, ')];
const pods = [pod('one', 2), pod('two', 2)];

const nodesOf = (result: ClusterPlan): number =>
  new Set(result.view.gangs.flatMap(({ where }) => where.map(([node]) => node))).size;
const followed = ({ view }: ClusterPlan): string | undefined =>
  view.notes.find((note) => note.startsWith('The policy follows'));
const notMapped = ({ view }: ClusterPlan): string | undefined =>
  view.notes.find((note) => note.startsWith('Not mapped'));
const tiers = (...plugins: readonly string[]): string => `tiers: [{plugins: [${plugins.join(', ')}]}]`;

describe("Volcano's scheduler", () => {
  const planned = (text: string): ClusterPlan => plan([volcano(text), ...volcanoPods], LAB);

  it.each([
    ['binpack of a greater weight', ['{name: binpack, arguments: {binpack.weight: 10}}', '{name: nodeorder}'], 1],
    ['the weight as a string', ['{name: binpack, arguments: {binpack.weight: "10"}}', '{name: nodeorder}'], 1],
    ['nodeorder alone', ['{name: nodeorder}'], 2],
    ['a binpack that scores no nodes', ['{name: binpack, enableNodeOrder: false}', '{name: nodeorder}'], 2],
    ['nodeorder for full nodes', ['{name: nodeorder, arguments: {mostrequested.weight: 2}}'], 1],
  ])('%s decides on which nodes two pods run', (_, plugins, nodes) => {
    expect(nodesOf(planned(`actions: "allocate"\n${tiers(...plugins)}`))).toBe(nodes);
  });

  it('lists what the policy is taken from, and what is not mapped', () => {
    const result = planned(
      `actions: "enqueue, allocate, backfill, reclaim, shuffle"\n${tiers(
        '{name: priority}',
        '{name: gang, enablePreemptable: false}',
        '{name: drf}',
        '{name: proportion}',
        '{name: overcommit}',
        '{name: predicates, arguments: {predicate.NodePortsEnable: false}}',
        '{name: binpack, arguments: {binpack.cpu: 3}}',
      )}`,
    );
    expect(followed(result)).toBe(
      "The policy follows Volcano's scheduler (ConfigMap system/volcano-scheduler-configmap): actions [allocate, reclaim], queueOrder proportion, gangOrder share, nodeScore binpack, gangSpread anywhere, and nonPreemptibleWithinQuota false.",
    );
    expect(notMapped(result)).toBe(
      "Not mapped from Volcano's scheduler (ConfigMap system/volcano-scheduler-configmap): action enqueue, action shuffle, plugin gang (enablePreemptable), plugin drf (preemption by share), plugin overcommit, plugin predicates (predicate.NodePortsEnable), plugin binpack (binpack.cpu).",
    );
  });

  it('names the plugins without which work starts otherwise than in the plan', () => {
    expect(notMapped(planned('actions: "allocate"'))).toContain('absence of plugin gang, absence of plugin priority');
  });

  it('evicts only with the actions for it', () => {
    const running = `apiVersion: v1
kind: Pod
metadata: {name: low, namespace: a}
spec: {schedulerName: volcano, nodeName: n-0, priority: 0, containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}
status: {phase: Running}
`;
    const cluster = readCluster(
      [
        `{apiVersion: v1, kind: Node, metadata: {name: n-0}, status: {allocatable: {cpu: 96, memory: 1Ti, pods: 110, nvidia.com/gpu: 8}}}`,
        running,
      ].join('\n---\n'),
      'cluster.yaml',
    );
    const high = pod('high', 8, 'schedulerName: volcano, priority: 10, ');
    const state = (actions: string): string =>
      gangNamed(plan([volcano(`actions: "${actions}"\n${tiers('{name: gang}')}`), high], cluster), 'a/high').state;
    expect(state('allocate')).toBe('pending');
    expect(state('allocate, preempt')).toBe('nominated');
  });

  it('does not count for workloads of another scheduler, nor if a policy is given', () => {
    const text = volcano(`actions: "allocate"\n${tiers('{name: nodeorder}')}`);
    expect(followed(plan([text, ...pods], LAB))).toBeUndefined();
    expect(followed(plan([text, ...volcanoPods], LAB, { policy: DEFAULT_POLICY }))).toBeUndefined();
  });

  it('is reported if it cannot be read, and the plan has the policy of the placement core', () => {
    const result = planned('actions: [');
    expect(followed(result)).toBeUndefined();
    expect(result.view.notes).toContainEqual(
      expect.stringMatching(
        /^ConfigMap system\/volcano-scheduler-configmap cannot be read as the configuration of Volcano's scheduler: line \d+: /,
      ),
    );
  });

  it('reads names that objects of JavaScript have as unknown plugins and actions', () => {
    expect(notMapped(planned(`actions: "constructor"\n${tiers('{name: toString}')}`))).toContain(
      'action constructor, plugin toString',
    );
  });
});

describe('kube-scheduler', () => {
  const planned = (profile: string, more?: string): ClusterPlan => plan([kubeScheduler(profile, more), ...pods], LAB);
  const fit = (strategy: string): string =>
    `{schedulerName: default-scheduler, pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: ${strategy}}}]}`;

  it.each([
    ['{type: MostAllocated}', 1],
    ['{type: LeastAllocated}', 2],
    ['{}', 2],
    [
      '{type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 100, score: 10}, {utilization: 0, score: 0}]}}',
      1,
    ],
    [
      '{type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]}}',
      2,
    ],
  ])('the strategy %s decides on which nodes two pods run', (strategy, nodes) => {
    expect(nodesOf(planned(fit(strategy)))).toBe(nodes);
  });

  it.each([
    ['', 'actions [allocate, preempt]', 'nodeScore spread'],
    ['plugins: {postFilter: {disabled: [{name: "*"}]}}', 'actions [allocate]', 'nodeScore spread'],
    ['plugins: {multiPoint: {disabled: [{name: DefaultPreemption}]}}', 'actions [allocate]', 'nodeScore spread'],
    ['plugins: {score: {disabled: [{name: "*"}]}}', 'actions [allocate, preempt]', 'nodeScore first-fit'],
    [
      'plugins: {score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit}]}}',
      'actions [allocate, preempt]',
      'nodeScore spread',
    ],
  ])('a profile with %s', (plugins, actions, score) => {
    const note = followed(planned(`{${plugins}}`));
    expect(note).toContain('profile default-scheduler of kube-scheduler (ConfigMap system/scheduler-config)');
    expect(note).toContain(actions);
    expect(note).toContain(score);
  });

  it('takes the profile of the pods', () => {
    const two = `${fit('{type: LeastAllocated}')}, {schedulerName: packing, pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]}`;
    const packed = [pod('one', 2, 'schedulerName: packing, '), pod('two', 2, 'schedulerName: packing, ')];
    expect(nodesOf(plan([kubeScheduler(two), ...packed], LAB))).toBe(1);
    expect(nodesOf(plan([kubeScheduler(two), ...pods], LAB))).toBe(2);
    expect(followed(plan([kubeScheduler(two), pod('one', 2, 'schedulerName: other, ')], LAB))).toBeUndefined();
  });

  it('lists what is not mapped', () => {
    const result = planned(
      '{plugins: {score: {enabled: [{name: Trimaran}]}, permit: {enabled: [{name: Coscheduling}]}}, pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [a/b], scoringStrategy: {resources: []}}}, {name: PodTopologySpread, args: {}}]}',
      'extenders: []\n',
    );
    expect(notMapped(result)).toBe(
      'Not mapped from profile default-scheduler of kube-scheduler (ConfigMap system/scheduler-config): extenders, plugin Trimaran (score), arguments of plugin NodeResourcesFit (ignoredResources, scoringStrategy.resources), arguments of plugin PodTopologySpread.',
    );
  });
});

describe('Kueue', () => {
  const clusterQueue = (name: string, more = ''): string =>
    `apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: ${name}}\nspec: {resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 16}]}]}]${more}}\n`;
  const local =
    'apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: local, namespace: a}\nspec: {clusterQueue: one}\n';
  const job = `apiVersion: batch/v1\nkind: Job\nmetadata: {name: train, namespace: a, labels: {kueue.x-k8s.io/queue-name: local}}\nspec: {parallelism: 2, template: {spec: ${gpus(2)}}}\n`;
  const planned = (...more: readonly string[]): ClusterPlan => plan([local, job, ...more], LAB);

  it('preempts only if a ClusterQueue says so', () => {
    expect(followed(planned(clusterQueue('one')))).toContain(
      'the ClusterQueues: actions [allocate], queueOrder quota-then-surplus',
    );
    const both = clusterQueue('one', ', preemption: {withinClusterQueue: LowerPriority, reclaimWithinCohort: Any}');
    const result = planned(both);
    expect(followed(result)).toContain('actions [allocate, preempt, reclaim]');
    expect(notMapped(result)).toBeUndefined();
    expect(notMapped(planned(both, clusterQueue('two', ', preemption: {reclaimWithinCohort: LowerPriority}')))).toBe(
      'Not mapped from the ClusterQueues: preemption.withinClusterQueue, which differs between ClusterQueues, preemption.reclaimWithinCohort, which differs between ClusterQueues, preemption.reclaimWithinCohort LowerPriority.',
    );
  });

  it('waits for the first of a queue only if all ClusterQueues are StrictFIFO', () => {
    const strict = clusterQueue('one', ', queueingStrategy: StrictFIFO');
    expect(followed(planned(strict))).toContain('queueing strict-fifo');
    const mixed = planned(strict, clusterQueue('two'));
    expect(followed(mixed)).toContain('queueing best-effort-fifo');
    expect(notMapped(mixed)).toContain('queueingStrategy StrictFIFO of some ClusterQueues');
  });

  it('shares fairly if the configuration says so, and lists the rest of it', () => {
    const result = planned(
      kueue(
        'fairSharing: {preemptionStrategies: [LessThanInitialShare]}\nwaitForPodsReady: {timeout: 5m}\nmanageJobsWithoutQueueName: false\nmetrics: {bindAddress: ":8443"}\n',
      ),
      clusterQueue('one'),
    );
    expect(followed(result)).toContain(
      'Kueue (ConfigMap system/kueue-manager-config): actions [allocate], queueOrder drf',
    );
    expect(notMapped(result)).toBe(
      'Not mapped from Kueue (ConfigMap system/kueue-manager-config): waitForPodsReady, fairSharing.preemptionStrategies.',
    );
    expect(followed(planned(kueue('fairSharing: {enable: false}\n'), clusterQueue('one')))).toContain(
      'queueOrder quota-then-surplus',
    );
  });

  it('leaves the choice of nodes to the profile of kube-scheduler', () => {
    const packing = kubeScheduler(
      '{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]}',
    );
    const result = planned(clusterQueue('one'), packing);
    expect(result.view.notes.filter((note) => note.startsWith('The policy follows'))).toEqual([
      expect.stringContaining('the ClusterQueues: actions [allocate]'),
      'The policy follows profile default-scheduler of kube-scheduler (ConfigMap system/scheduler-config): nodeScore binpack.',
    ]);
    expect(nodesOf(result)).toBe(1);
    expect(nodesOf(planned(clusterQueue('one'), kubeScheduler('{}')))).toBe(2);
  });
});

describe('several schedulers', () => {
  const text = volcano(`actions: "allocate"\n${tiers('{name: nodeorder}')}`);

  it('the one of most workloads decides, and the plan says how many are not its own', () => {
    const result = plan([text, ...volcanoPods, pod('three', 1)], LAB);
    expect(followed(result)).toContain("Volcano's scheduler");
    expect(result.view.notes).toContain('The same policy plans 1 workload of other schedulers.');
  });

  it('manifests replace the configuration of the cluster', () => {
    const objects = [JSON.parse(volcano('actions: "allocate, preempt"')) as JsonObject];
    const cluster = { ...LAB, objects };
    expect(followed(plan(volcanoPods, cluster))).toContain('actions [allocate, preempt]');
    expect(followed(plan([text, ...volcanoPods], cluster))).toContain('actions [allocate],');
    // Of the cluster's own work only the configuration is known.
    expect(followed(plan([], cluster))).toContain('actions [allocate, preempt]');
  });
});
