import { stringify } from 'yaml';
import { type JsonObject } from '../../../../src/facts/api/schema';
import { parseYaml } from '../../../../src/manifests/yaml';
import { ManifestSet } from '../../../../src/manifests/manifest-set';
import { clusterOfObjects, planOf, hasItsPlaces } from '../../../../src/planning/cluster';
import { type ClusterState } from '../../../../src/planning/cluster/cluster-state';
import { type ScaleUps, scaleUpsOf } from '../../../../src/planning/cluster/autoscaling/scale-up';
import { scaleUpNotes } from '../../../../src/planning/cluster/autoscaling/words';
import { Random } from '../../../support/random';
import { samples } from '../../../support/samples';

const GPU = 'nvidia.com/gpu';
/** Random worlds; 300 agree. */
const WORLDS = samples(50);

function setOf(...objects: readonly JsonObject[]): ManifestSet {
  return new ManifestSet(objects.flatMap((object, index) => parseYaml(stringify(object), `${index}.yaml`).manifests));
}

function node(
  name: string,
  pool: string,
  { gpus = 8, taints }: { gpus?: number; taints?: JsonObject[] } = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'karpenter.sh/nodepool': pool, 'node.kubernetes.io/instance-type': 'p5' } },
    spec: { ...(taints !== undefined && { taints }) },
    status: { allocatable: { cpu: '64', memory: '512Gi', pods: '110', ...(gpus > 0 && { [GPU]: String(gpus) }) } },
  };
}

function nodePool(name: string, limits: JsonObject, spec: JsonObject = {}, labels: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { limits, template: { metadata: { labels }, spec } },
  };
}

const sized = (cpu: number, gpus: number): JsonObject[] => [
  { key: 'karpenter.k8s.aws/instance-cpu', operator: 'In', values: [String(cpu)] },
  { key: 'karpenter.k8s.aws/instance-memory', operator: 'In', values: ['524288'] },
  ...(gpus > 0 ? [{ key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'In', values: [String(gpus)] }] : []),
];

/** A gang of Volcano. */
function job(
  name: string,
  tasks: readonly { pods: number; gpus?: number; cpu?: string; spec?: JsonObject }[],
): JsonObject {
  return {
    apiVersion: 'batch.volcano.sh/v1alpha1',
    kind: 'Job',
    metadata: { name, namespace: 'ml' },
    spec: {
      minAvailable: tasks.reduce((sum, { pods }) => sum + pods, 0),
      schedulerName: 'volcano',
      tasks: tasks.map(({ pods, gpus = 0, cpu = '1', spec }, index): JsonObject => ({
        name: `t${index}`,
        replicas: pods,
        template: {
          spec: {
            ...spec,
            containers: [
              { name: 'c', image: 'a', resources: { requests: { cpu }, limits: { ...(gpus > 0 && { [GPU]: gpus }) } } },
            ],
          },
        },
      })),
    },
  };
}

function scaleUps(cluster: ClusterState, set: ManifestSet, prices?: ReadonlyMap<string, number>): ScaleUps {
  return scaleUpsOf(set, cluster, planOf(set, cluster), { ...(prices !== undefined && { prices }) });
}

const cluster = (...objects: readonly JsonObject[]): ClusterState =>
  clusterOfObjects([node('n-1', 'h100'), ...objects], 'test');

const notes = (state: ClusterState, set: ManifestSet, prices?: ReadonlyMap<string, number>): readonly string[] =>
  scaleUpNotes(scaleUps(state, set, prices));

describe('autoscaling in a plan', () => {
  it('adds the nodes that a gang lacks, within the limit and with the price', () => {
    const set = setOf(job('train', [{ pods: 4, gpus: 8 }]), nodePool('h100', { [GPU]: '128' }));
    expect(notes(cluster(), set)).toEqual(['ml/train fits with 3 more nodes of pool h100 (limit 128 nvidia.com/gpu).']);
    expect(notes(cluster(), set, new Map([['h100', 98.32]]))).toEqual([
      'ml/train fits with 3 more nodes of pool h100 (limit 128 nvidia.com/gpu), about $294.96/h.',
    ]);
  });

  it('takes the pools of the cluster, and of two with one name that of the manifests', () => {
    const state = cluster(nodePool('h100', { [GPU]: '8' }));
    expect(notes(state, setOf(job('train', [{ pods: 2, gpus: 8 }])))).toEqual([
      'ml/train would fit with 1 more node of pool h100 (limit 8 nvidia.com/gpu), 1 node more than the limit allows.',
    ]);
    const set = setOf(job('train', [{ pods: 2, gpus: 8 }]), nodePool('h100', { [GPU]: '16' }));
    expect(scaleUps(state, set).scaleUps).toMatchObject([{ outcome: 'fits', capacity: [{ pool: 'h100', nodes: 1 }] }]);
  });

  it.each([
    ['cpu', { cpu: '192' }, 2],
    ['memory', { memory: '1Ti' }, 1],
    ['nodes', { nodes: '4' }, 3],
    ['none', {}, 9],
  ])('is bound by the limit %s, less what the pool has', (_, limits, most) => {
    const asks = (pods: number): ManifestSet => setOf(job('train', [{ pods, gpus: 8 }]), nodePool('h100', limits));
    expect(scaleUps(cluster(), asks(most + 1)).scaleUps).toMatchObject([
      { outcome: 'fits', capacity: [{ nodes: most }] },
    ]);
    expect(scaleUps(cluster(), asks(most + 2)).scaleUps).toMatchObject([
      most === 9 ? { outcome: 'fits' } : { outcome: 'lacks', lacking: 1 },
    ]);
  });

  it('counts what Karpenter says that the pool has', () => {
    const pool = { ...nodePool('h100', { [GPU]: '64' }), status: { resources: { [GPU]: '48' } } };
    const set = setOf(job('train', [{ pods: 4, gpus: 8 }]));
    expect(scaleUps(cluster(pool), set).scaleUps).toMatchObject([{ outcome: 'lacks', lacking: 1 }]);
  });

  it('adds no nodes whose taints the pods do not tolerate, and whose labels they do not select', () => {
    const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' }];
    const tainted = nodePool('new', {}, { taints, requirements: sized(64, 8) });
    const tolerations = [{ key: 'team', operator: 'Equal', value: 'a', effect: 'NoSchedule' }];
    expect(notes(cluster(), setOf(job('train', [{ pods: 2, gpus: 8 }]), tainted))).toEqual([
      'ml/train fits no nodes that an autoscaler may add.',
    ]);
    expect(
      scaleUps(cluster(), setOf(job('train', [{ pods: 2, gpus: 8, spec: { tolerations } }]), tainted)).scaleUps,
    ).toMatchObject([{ outcome: 'fits', capacity: [{ pool: 'new', nodes: 1 }] }]);
    const labeled = nodePool('new', {}, { requirements: sized(64, 8) }, { team: 'a' });
    const selects = (team: string): ManifestSet =>
      setOf(job('train', [{ pods: 2, gpus: 8, spec: { nodeSelector: { team } } }]), labeled);
    expect(scaleUps(cluster(), selects('a')).scaleUps).toMatchObject([{ outcome: 'fits', capacity: [{ nodes: 2 }] }]);
    expect(scaleUps(cluster(), selects('b')).scaleUps).toMatchObject([{ outcome: 'none', capacity: [] }]);
  });

  it('chooses among the values of a requirement the one that pods select', () => {
    const requirements = [
      ...sized(64, 8),
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-a', 'zone-b'] },
    ];
    const spec = { nodeSelector: { 'topology.kubernetes.io/zone': 'zone-b' } };
    const set = setOf(job('train', [{ pods: 1, gpus: 8, spec }]), nodePool('new', {}, { requirements }));
    expect(scaleUps(cluster(), set).scaleUps).toMatchObject([
      { outcome: 'fits', capacity: [{ pool: 'new', nodes: 1 }] },
    ]);
  });

  it('takes the cheapest pool, and without prices the one with the fewest nodes', () => {
    const set = setOf(
      job('train', [{ pods: 8, gpus: 4 }]),
      nodePool('small', {}, { requirements: sized(64, 4) }),
      nodePool('large', {}, { requirements: sized(64, 8) }),
    );
    expect(scaleUps(cluster(), set).scaleUps).toMatchObject([{ capacity: [{ pool: 'large', nodes: 3 }] }]);
    const prices = new Map([
      ['small', 10],
      ['large', 25],
    ]);
    expect(scaleUps(cluster(), set, prices).scaleUps).toMatchObject([
      { capacity: [{ pool: 'small', nodes: 6, pricePerHour: 60 }] },
    ]);
  });

  it('adds nodes of several pools for a gang with several roles', () => {
    const set = setOf(
      job('train', [
        { pods: 2, gpus: 8 },
        { pods: 2, cpu: '100' },
      ]),
      nodePool('gpu', {}, { requirements: sized(64, 8) }),
      nodePool('cpu', {}, { requirements: sized(128, 0) }),
    );
    expect(notes(cluster(), set)).toEqual(['ml/train fits with 1 more node of pool gpu and 2 more nodes of pool cpu.']);
  });

  it('counts the nodes of a gang against the limit for the next one', () => {
    const set = setOf(
      job('a', [{ pods: 3, gpus: 8 }]),
      job('b', [{ pods: 2, gpus: 8 }]),
      nodePool('h100', { [GPU]: '32' }),
    );
    expect(scaleUps(cluster(), set).scaleUps.map(({ gang, outcome }) => [gang, outcome])).toEqual([
      ['ml/a', 'fits'],
      ['ml/b', 'lacks'],
    ]);
  });

  it('adds nodes in racks of their own, so that a gang within one rack may not span pools', () => {
    const rack = 'cloud.provider.com/topology-rack';
    const topology = {
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'Topology',
      metadata: { name: 'racks' },
      spec: { levels: [{ nodeLabel: rack }, { nodeLabel: 'kubernetes.io/hostname' }] },
    };
    const inRack = (name: string, pool: string): JsonObject => {
      const { metadata, ...rest } = node(name, pool);
      return {
        ...rest,
        spec: { unschedulable: true },
        metadata: { name, labels: { ...(metadata as { labels: JsonObject }).labels, [rack]: 'r-1' } },
      };
    };
    const state = clusterOfObjects([inRack('a-1', 'a'), inRack('b-1', 'b'), topology], 'test');
    const within = (pods: number): ManifestSet => {
      const gang = job('train', [{ pods, gpus: 8 }]);
      const spec = { ...(gang.spec as JsonObject), networkTopology: { mode: 'hard', highestTierAllowed: 1 } };
      return setOf({ ...gang, spec }, nodePool('a', { nodes: '2' }), nodePool('b', { nodes: '2' }));
    };
    expect(scaleUps(state, within(1)).scaleUps).toMatchObject([{ outcome: 'fits' }]);
    expect(scaleUps(state, within(2)).scaleUps).toMatchObject([{ outcome: 'none' }]);
  });

  it('says that the size of the nodes is not known', () => {
    expect(notes(cluster(), setOf(job('train', [{ pods: 2, gpus: 8 }]), nodePool('other', {})))).toContain(
      'NodePool other may add nodes of unknown size: the cluster has none of its nodes, and it does not state their CPU and memory.',
    );
  });

  it('says nothing where every gang has its places, and where there is no autoscaler', () => {
    expect(notes(cluster(), setOf(job('train', [{ pods: 1, gpus: 8 }]), nodePool('other', {})))).toEqual([]);
    expect(notes(cluster(), setOf(job('train', [{ pods: 2, gpus: 8 }])))).toEqual([]);
  });

  const machines = (annotations: JsonObject): JsonObject => ({
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'MachineDeployment',
    metadata: {
      name: 'workers',
      namespace: 'default',
      annotations: {
        'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '0',
        'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '5',
        ...annotations,
      },
    },
    spec: { replicas: 0 },
  });
  /** The example of the documentation of the cluster-autoscaler, with labels and taints. */
  const FROM_ZERO = {
    'capacity.cluster-autoscaler.kubernetes.io/memory': '128G',
    'capacity.cluster-autoscaler.kubernetes.io/cpu': '16',
    'capacity.cluster-autoscaler.kubernetes.io/ephemeral-disk': '100Gi',
    'capacity.cluster-autoscaler.kubernetes.io/maxPods': '200',
    'capacity.cluster-autoscaler.kubernetes.io/gpu-type': GPU,
    'capacity.cluster-autoscaler.kubernetes.io/gpu-count': '2',
    'capacity.cluster-autoscaler.kubernetes.io/labels': 'key1=value1,key2=value2',
    'capacity.cluster-autoscaler.kubernetes.io/taints': 'key1=value1:NoSchedule,key2=value2:NoExecute',
  };

  it('adds machines of a MachineDeployment from zero', () => {
    const spec = { nodeSelector: { key1: 'value1' }, tolerations: [{ operator: 'Exists' }] };
    const asks = (pods: number): ManifestSet => setOf(job('train', [{ pods, gpus: 2, spec }]), machines(FROM_ZERO));
    expect(notes(cluster(), asks(5))).toEqual(['ml/train fits with 5 more nodes of pool workers (limit 5).']);
    expect(scaleUps(cluster(), asks(6)).scaleUps).toMatchObject([{ outcome: 'lacks', lacking: 1 }]);
    const intolerant = setOf(
      job('train', [{ pods: 1, gpus: 2, spec: { nodeSelector: { key1: 'value1' } } }]),
      machines(FROM_ZERO),
    );
    expect(scaleUps(cluster(), intolerant).scaleUps).toMatchObject([{ outcome: 'none' }]);
  });

  it('adds nodes of a group that a flag of the cluster-autoscaler names', () => {
    const autoscaler = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'cluster-autoscaler', namespace: 'kube-system' },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: {
          metadata: { labels: { app: 'a' } },
          spec: { containers: [{ name: 'c', image: 'a', command: ['./cluster-autoscaler', '--nodes=1:3:h100'] }] },
        },
      },
    };
    const found = scaleUps(cluster(), setOf(job('train', [{ pods: 3, gpus: 8 }]), autoscaler)).scaleUps;
    expect(found).toEqual([
      { gang: 'ml/train', outcome: 'fits', capacity: [{ pool: 'h100', nodes: 2, limit: 'limit 3' }] },
    ]);
  });

  const request = (provisioningClassName: string): readonly JsonObject[] => [
    {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'worker', namespace: 'ml' },
      template: { spec: { containers: [{ name: 'c', image: 'a', resources: { limits: { [GPU]: 8 } } }] } },
    },
    {
      apiVersion: 'autoscaling.x-k8s.io/v1',
      kind: 'ProvisioningRequest',
      metadata: { name: 'batch', namespace: 'ml' },
      spec: { provisioningClassName, podSets: [{ count: 2, podTemplateRef: { name: 'worker' } }] },
    },
  ];

  it('adds nodes for a ProvisioningRequest, except for one that only checks the capacity', () => {
    const pool = nodePool('h100', {});
    const atomic = setOf(...request('best-effort-atomic-scale-up.autoscaling.x-k8s.io'), pool);
    expect(notes(cluster(), atomic)).toEqual(['ml/batch fits with 1 more node of pool h100.']);
    const check = setOf(...request('check-capacity.autoscaling.x-k8s.io'), pool);
    expect(planOf(check, cluster()).good).toBe(false);
    expect(notes(cluster(), check)).toEqual([]);
  });

  it('finds the counts that trying all of them finds', () => {
    const random = new Random(17);
    const outcomes = new Map<string, number>();
    for (let world = 0; world < WORLDS; world++) {
      const { state, set, limits } = randomWorld(random);
      const plan = planOf(set, state);
      const [asked] = plan.asked;
      if (hasItsPlaces(asked.view)) {
        continue;
      }
      const [found] = scaleUpsOf(set, state, plan).scaleUps;
      outcomes.set(found.outcome, (outcomes.get(found.outcome) ?? 0) + 1);
      const fits = (counts: readonly number[]): boolean => planOf(set, enlarged(state, counts)).good;
      const all = combinations(limits).filter(fits);
      expect(found.outcome === 'fits').toBe(all.length > 0);
      if (found.outcome === 'fits') {
        const counts = ['a', 'b'].map((pool) => found.capacity.find((one) => one.pool === pool)?.nodes ?? 0);
        const alone = all.filter((one) => one.filter((count) => count > 0).length === 1);
        const sum = (one: readonly number[]): number => one[0] + one[1];
        expect(fits(counts)).toBe(true);
        // A single pool is preferred; of several, none can do with a node less.
        const least = alone.length > 0 ? Math.min(...alone.map(sum)) : sum(counts);
        expect(sum(counts)).toBe(least);
        expect(
          [
            [1, 0],
            [0, 1],
          ].some(([a, b]) => counts[0] >= a && counts[1] >= b && fits([counts[0] - a, counts[1] - b])),
        ).toBe(false);
      }
    }
    expect(
      Math.min(outcomes.get('fits') ?? 0, (outcomes.get('none') ?? 0) + (outcomes.get('lacks') ?? 0)),
    ).toBeGreaterThan(WORLDS / 8);
  });
});

interface World {
  readonly state: ClusterState;
  readonly set: ManifestSet;
  readonly limits: readonly number[];
}

const SIZES = [
  { cpu: 16, gpus: 4 },
  { cpu: 32, gpus: 0 },
];

/** One node, two pools with their limits, and a gang of one or two roles. */
function randomWorld(random: Random): World {
  const upTo = (most: number): number => Math.floor(random.next() * (most + 1));
  const limits = [upTo(3), upTo(3)];
  const pools = SIZES.map(({ cpu, gpus }, index) =>
    nodePool(['a', 'b'][index], { nodes: String(limits[index]) }, { requirements: sized(cpu, gpus) }),
  );
  const tasks = [
    { pods: 1 + upTo(4), gpus: upTo(4), cpu: String(1 + upTo(8)) },
    ...(random.chance(0.5) ? [{ pods: 1 + upTo(3), cpu: String(8 + upTo(20)) }] : []),
  ];
  return {
    state: clusterOfObjects([node('n-1', 'old', { gpus: 2 })], 'test'),
    set: setOf(job('train', tasks), ...pools),
    limits,
  };
}

/** The cluster with so many nodes of each size, which the test makes by itself. */
function enlarged(state: ClusterState, counts: readonly number[]): ClusterState {
  const nodes = counts.flatMap((count, index) =>
    Array.from({ length: count }, (_, number) => ({
      ...node(`${index}-${number}`, ['a', 'b'][index]),
      status: {
        allocatable: {
          cpu: String(SIZES[index].cpu),
          memory: '512Gi',
          pods: '110',
          ...(SIZES[index].gpus > 0 && { [GPU]: String(SIZES[index].gpus) }),
        },
      },
    })),
  );
  return { ...state, nodes: [...state.nodes, ...clusterOfObjects(nodes, 'more').nodes] };
}

function combinations([a, b]: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: a + 1 }, (_, one) => Array.from({ length: b + 1 }, (__, two) => [one, two])).flat();
}
