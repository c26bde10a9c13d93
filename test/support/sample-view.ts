/**
 * Cluster views of any size, made up: racks full of devices, gangs of many sizes in them, some that wait.
 */
import {
  type ClusterView,
  type ViewGang,
  type ViewNode,
  type ViewPod,
  type ViewQueue,
} from '../../src/planning/cluster/view/view';
import { randomNumbers } from '../../src/planning/simulation/arrivals';

export interface SampleOptions {
  readonly racks: number;
  readonly nodesPerRack: number;
  readonly zones: number;
  /** Nodes without a rack, in a pool of their own. */
  readonly inference: number;
  readonly seed: number;
}

export const SMALL: SampleOptions = { racks: 8, nodesPerRack: 8, zones: 2, inference: 16, seed: 5 };
export const LARGE: SampleOptions = { racks: 152, nodesPerRack: 32, zones: 4, inference: 136, seed: 9 };

const TEAMS = ['research', 'vision', 'language', 'recommendation', 'serving'];
const MODELS = ['llama-70b', 'vit-huge', 'whisper', 'dlrm', 'clip', 'sdxl', 'mixtral', 'eval', 'sweep', 'notebook'];
const RESOURCES = ['cpu', 'memory', 'pods', 'nvidia.com/gpu'];
const GIB = 2 ** 30;

interface Draft {
  readonly name: string;
  readonly pool: number;
  readonly path: readonly string[];
  readonly size: number;
  free: number[];
  pods: ViewPod[];
}

export function sampleView(options: SampleOptions): ClusterView {
  const random = randomNumbers(options.seed);
  const drafts = nodesOf(options);
  const gangs: ViewGang[] = [];
  const queues = TEAMS.map((name) => ({ name, used: 0, placed: 0, pending: 0 }));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];
  let rack = 0;
  const wanted = drafts.reduce((sum, { size }) => sum + size, 0) * 0.82;
  for (let used = 0; used < wanted;) {
    const team = Math.floor(random() * TEAMS.length);
    const large = random() < 0.35;
    const perPod = large ? 8 : pick([1, 2, 4]);
    const pods = large ? pick([1, 2, 4, 6]) : 1;
    const where = new Map<number, number>();
    const state = random() < 0.6 ? 'planned' : undefined;
    const start = (rack++ * options.nodesPerRack) % drafts.length;
    let placed = 0;
    for (let i = 0; i < drafts.length && placed < pods; i++) {
      const at = (start + i) % drafts.length;
      const draft = drafts[at];
      while (placed < pods && draft.free.length >= perPod) {
        draft.pods.push({
          name: `pod-${gangs.length}-${placed}`,
          gang: gangs.length,
          role: 'worker',
          devices: draft.free.splice(0, perPod),
          ...(state === undefined ? {} : { state }),
        });
        where.set(at, (where.get(at) ?? 0) + 1);
        placed++;
      }
    }
    if (placed === 0) {
      break;
    }
    used += placed * perPod;
    queues[team].used += placed * perPod;
    queues[team].placed++;
    gangs.push(
      gangOf(
        `${TEAMS[team]}/${pick(MODELS)}-${gangs.length}`,
        TEAMS[team],
        state === undefined ? 'running' : 'placed',
        placed,
        perPod,
        [...where],
      ),
    );
  }
  for (let i = 0; i < 5; i++) {
    queues[i % 3].pending++;
    const gang = gangOf(`${TEAMS[i % 3]}/pretrain-${i}`, TEAMS[i % 3], 'pending', 16, 8, []);
    gangs.push({ ...gang, topology: 'within one rack', pending: pendingOf(i, drafts[3].name) });
  }
  shareAndBreak(drafts);
  return viewOf(options, drafts, gangs, queues);
}

function nodesOf({ racks, nodesPerRack, zones, inference }: SampleOptions): Draft[] {
  const drafts: Draft[] = [];
  const add = (name: string, pool: number, path: readonly string[], size: number): number =>
    drafts.push({ name, pool, path, size, free: Array.from({ length: size }, (_, i) => i), pods: [] });
  for (let rack = 0; rack < racks; rack++) {
    const zone = `eu-1${'abcdefgh'[Math.floor((rack * zones) / racks)]}`;
    for (let node = 0; node < nodesPerRack; node++) {
      add(
        `h100-${String(rack + 1).padStart(3, '0')}-${String(node + 1).padStart(2, '0')}`,
        0,
        [zone, `rack-${rack + 1}`],
        8,
      );
    }
  }
  for (let i = 0; i < inference; i++) {
    add(`l40s-${String(i + 1).padStart(3, '0')}`, 1, ['eu-1a', ''], 4);
  }
  return drafts;
}

/** Some parts of devices, a pod that no gang stands for, one that leaves and one that is nominated. */
function shareAndBreak(drafts: readonly Draft[]): void {
  const free = drafts.filter((draft) => draft.free.length >= 2);
  free[0]?.pods.push(
    { name: 'half-a', gang: 0, devices: [free[0].free[0]], share: 500 },
    { name: 'half-b', gang: 1, devices: [free[0].free[0]], share: 250 },
  );
  free[1]?.pods.push({ name: 'debug', devices: [free[1].free[0]] });
  free[2]?.pods.push({ name: 'old', gang: 2, devices: [free[2].free[0]], state: 'leaving' });
  free[3]?.pods.push({ name: 'next', gang: 3, devices: [free[3].free[0]], state: 'nominated' });
}

function gangOf(
  name: string,
  queue: string,
  state: ViewGang['state'],
  pods: number,
  perPod: number,
  where: ViewGang['where'],
): ViewGang {
  const placed = where.reduce((sum, [, count]) => sum + count, 0);
  return {
    name,
    kind: 'PyTorchJob',
    namespace: queue,
    queue,
    state,
    priority: 0,
    preemptible: true,
    pods,
    minimum: pods,
    placed,
    devices: pods * perPod,
    where,
    roles: [
      {
        name: 'worker',
        count: pods,
        minimum: pods,
        placed,
        devices: `${perPod} x nvidia.com/gpu`,
        request: { cpu: 8000, 'nvidia.com/gpu': perPod },
      },
    ],
  };
}

function pendingOf(i: number, node: string): NonNullable<ViewGang['pending']> {
  return {
    kind: 'topology',
    message: 'All 16 pods fit into the cluster, but no domain of "topology.kubernetes.io/rack" fits all of them.',
    blocked: [
      { constraint: 'devices', detail: 'nvidia.com/gpu', nodes: 52 + i },
      { constraint: 'taints', detail: 'inference=true:NoSchedule', nodes: 16 },
    ],
    excluded: [
      `${52 + i} of 80 nodes do not have enough free nvidia.com/gpu.`,
      '16 of 80 nodes have the taint inference=true:NoSchedule, which the pod does not tolerate.',
      `Nearest node ${node} lacks 2 nvidia.com/gpu.`,
    ],
    fits: 7,
    needed: 16,
    nearest: { node, constraint: 'devices', detail: 'nvidia.com/gpu', missing: 2 },
    changes: ['Fits within one zone (topology.kubernetes.io/zone).', 'Fits with 7 pods instead of 16.'],
  };
}

function viewOf(
  { racks, zones }: SampleOptions,
  drafts: readonly Draft[],
  gangs: readonly ViewGang[],
  queues: readonly {
    readonly name: string;
    readonly used: number;
    readonly placed: number;
    readonly pending: number;
  }[],
): ClusterView {
  const nodes = drafts.map((draft, index): ViewNode => {
    const used = draft.pods.reduce((sum, { devices }) => sum + devices.length, 0);
    return {
      name: draft.name,
      pool: draft.pool,
      path: draft.path,
      allocatable: [96_000, 1024 * GIB, 110, draft.size],
      used: [used * 11_000, used * 100 * GIB, draft.pods.length, used],
      devices: draft.free.length >= 0 ? Array.from({ length: draft.size }, () => draft.pool) : [],
      pods: draft.pods,
      ...(index === 11 ? { ready: false as const } : {}),
      ...(index === 20 ? { cordoned: true as const } : {}),
    };
  });
  const sum = (pool: number | undefined, at: 'allocatable' | 'used', column: number): number =>
    nodes.reduce((total, node) => total + (pool === undefined || node.pool === pool ? node[at][column] : 0), 0);
  const amounts = (pool: number, at: 'allocatable' | 'used'): Record<string, number> =>
    Object.fromEntries(RESOURCES.map((name, column) => [name, sum(pool, at, column)]));
  const devices = sum(undefined, 'allocatable', 3);
  const used = sum(undefined, 'used', 3);
  const pending = gangs.filter(({ state }) => state === 'pending').length;
  const shares = [0.35, 0.2, 0.25, 0.1, 0.1];
  return {
    version: 1,
    at: 0,
    cluster: 'sample cluster',
    levels: [
      { label: 'topology.kubernetes.io/zone', title: 'zone', domains: zones },
      { label: 'topology.kubernetes.io/rack', title: 'rack', domains: racks },
    ],
    resources: RESOURCES,
    deviceKinds: [
      { resource: 'nvidia.com/gpu', model: 'H100-SXM-80GB', memoryMiB: 81_559 },
      { resource: 'nvidia.com/gpu', model: 'L40S', memoryMiB: 46_068 },
    ],
    pools: ['training', 'inference'].map((name, pool) => ({
      name,
      nodes: nodes.filter((node) => node.pool === pool).length,
      unavailable: pool === 0 ? 2 : 0,
      model: pool === 0 ? 'H100-SXM-80GB' : 'L40S',
      devices: sum(pool, 'allocatable', 3),
      devicesUsed: sum(pool, 'used', 3),
      allocatable: amounts(pool, 'allocatable'),
      used: amounts(pool, 'used'),
    })),
    nodes,
    queues: [
      {
        name: 'company',
        depth: 0,
        weight: 1,
        allocated: { 'nvidia.com/gpu': used },
        requested: {},
        fairShare: {},
        placed: 0,
        pending: 0,
      },
      ...queues.map(({ name, used: allocated, placed, pending: waiting }, i): ViewQueue => ({
        name,
        parent: 'company',
        depth: 1,
        weight: 1,
        allocated: { 'nvidia.com/gpu': allocated },
        requested: { 'nvidia.com/gpu': allocated },
        fairShare: { 'nvidia.com/gpu': Math.round(devices * shares[i]) },
        deserved: { 'nvidia.com/gpu': Math.round(devices * shares[i]) },
        placed,
        pending: waiting,
        ...(i === 0 ? { guarantee: { 'nvidia.com/gpu': Math.round(devices * 0.1) } } : {}),
        ...(i === 4 ? { capability: { 'nvidia.com/gpu': Math.round(devices * 0.3) } } : {}),
      })),
    ],
    gangs,
    evictions: [
      { pod: 'old', gang: 2, node: 3, action: 'reclaim', for: 3 },
      { pod: 'older', gang: 2, node: 4, action: 'reclaim', for: 3 },
      { pod: 'elsewhere', gang: 1, node: 3, action: 'consolidate', for: 3, movesTo: 9 },
    ],
    reservations: [{ gang: gangs.findIndex(({ state }) => state === 'pending'), startAt: 5_400_000, nodes: [1, 2, 3] }],
    fragmentation: {
      devices,
      used,
      unavailable: 16,
      freeWhole: devices - used,
      onFreeNodes: 8 * Math.floor((devices - used) / 12),
      freeParts: 0.25,
      stranded: 6,
      largest: [
        { name: 'eu-1b', devices: Math.round((devices - used) / zones) },
        { name: 'rack-7', devices: 34 },
        { name: drafts[3].name, devices: 8 },
      ],
      nodesByFree: [],
    },
    counters: {
      nodes: nodes.length,
      gangs: gangs.length,
      placed: gangs.filter(({ state }) => state === 'placed').length,
      running: gangs.filter(({ state }) => state === 'running').length,
      pending,
      bindings: gangs.filter(({ state }) => state === 'placed').reduce((total, { pods }) => total + pods, 0),
      nominations: 1,
      evictions: 1,
      capacityReports: { fresh: 0, stale: 0, malformed: 0 },
    },
    notes: ['3 pods without devices are not drawn.'],
  };
}
