/**
 * The clusters that `bench:placement` measures decisions on, made from seeds.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type ClusterNode,
  DEFAULT_POLICY,
  type Gang,
  type Pod,
  type PodTemplate,
  type Policy,
  type Snapshot,
} from '../../src/placement';
import { type PodRecord } from '../../src/placement/books/records';
import { Session } from '../../src/placement/books/session';
import { randomNumbers, shuffledOrder } from '../machine';

export const GIB = 2 ** 30;

/** Empty nodes in racks, and gangs of one pod that wait. */
export function waitingCluster(nodes: number, gangs: number): Snapshot {
  const random = randomNumbers(7);
  const wholes = [1, 2].map((count): PodTemplate => ({
    request: { cpu: 4_000 * count, memory: 16 * GIB },
    accelerator: { kind: 'whole', count },
  }));
  const parts = [250, 500].map((milli): PodTemplate => ({
    request: { cpu: 2_000, memory: 8 * GIB },
    accelerator: { kind: 'fraction', milli },
  }));
  const templates = [...wholes, ...parts, ...parts, ...parts];
  return {
    now: 0,
    nodes: Array.from({ length: nodes }, (_, i) => plainNode(`n${i}`, 8, { rack: `r${i >> 4}` })),
    queues: [{ name: 'all' }],
    pods: [],
    topologies: [{ name: 'fabric', levels: ['rack'] }],
    gangs: Array.from({ length: gangs }, (_, i): Gang => ({
      name: `g${i}`,
      queue: 'all',
      arrival: i,
      roles: [{ name: 'worker', count: 1, template: templates[Math.floor(random() * templates.length)] }],
    })),
  };
}

/** Nodes that are full, and gangs of four queues that wait. */
export function fullCluster(nodes: number, waiting: number): Snapshot {
  const random = randomNumbers(11);
  const now = 1_700_000_000_000;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];
  const templates = new Map(
    [1, 2, 4, 8].map((count): [number, PodTemplate] => [
      count,
      { request: { cpu: 1_000 * count, memory: 8 * GIB * count }, accelerator: { kind: 'whole', count } },
    ]),
  );
  const queueNames = ['a', 'b', 'c', 'd'];
  const gangs: Gang[] = [];
  const pods: Pod[] = [];
  const free = Array.from({ length: nodes }, () => 8);
  const make = (name: string, queue: string, arrival: number): { gang: Gang; count: number; devices: number } => {
    const count = pick([1, 1, 1, 2, 2, 4, 8, 16, 32, 64]);
    const devices = pick([1, 2, 4, 8, 8]);
    const expectedSeconds = random() < 0.7 ? 3600 * (1 + random() * 4) : undefined;
    const roles = [{ name: 'worker', count, template: templates.get(devices)! }];
    return { gang: { name, queue, arrival, expectedSeconds, roles }, count, devices };
  };
  for (let misses = 0, i = 0; misses < 30; i++) {
    const { gang, count, devices } = make(`run${i}`, pick(queueNames.slice(0, 3)), now - 7_200_000 + i);
    const rows: number[] = [];
    while (rows.length < count) {
      const row = free.findIndex((left) => left >= devices);
      if (row < 0) {
        break;
      }
      free[row] -= devices;
      rows.push(row);
    }
    if (rows.length < count) {
      misses++;
      rows.forEach((row) => (free[row] += devices));
      continue;
    }
    gangs.push(gang);
    rows.forEach((row, index) =>
      pods.push({
        name: `${gang.name}-${index}`,
        gang: gang.name,
        role: 'worker',
        state: 'running',
        node: `n${row}`,
        startedAt: now - 3_600_000,
      }),
    );
  }
  for (let i = 0; i < waiting; i++) {
    gangs.push({ ...make(`wait${i}`, pick(queueNames), now - 3_600_000 + i).gang, priority: random() < 0.1 ? 10 : 0 });
  }
  return {
    now,
    nodes: Array.from({ length: nodes }, (_, i) => plainNode(`n${i}`, 8, { rack: `r${i >> 4}` })),
    queues: queueNames.map((name, i) => ({ name, deserved: { 'nvidia.com/gpu': nodes * 2 }, weight: 1 + i })),
    topologies: [{ name: 'fabric', levels: ['rack'] }],
    gangs,
    pods,
  };
}

/** The same where each gang without pods asks for a little more CPU than the one before it. */
export function eachItsOwn(snapshot: Snapshot): Snapshot {
  const started = new Set(snapshot.pods.map(({ gang }) => gang));
  const more = ({ request, ...template }: PodTemplate, milli: number): PodTemplate => ({
    ...template,
    request: { ...request, cpu: request.cpu + milli },
  });
  return {
    ...snapshot,
    gangs: snapshot.gangs.map((gang, i) =>
      started.has(gang.name)
        ? gang
        : { ...gang, roles: gang.roles.map((role) => ({ ...role, template: more(role.template, i) })) },
    ),
  };
}

/** Empty nodes of the mix, and pods of it that wait. */
export function emptyCluster(
  mix: Mix,
  nodes: number,
  pods: number,
): { session: Session; records: readonly PodRecord[] } {
  const random = randomNumbers(7);
  const tasks = Array.from({ length: pods }, () => mix.pods[Math.floor(random() * mix.pods.length)]);
  const order = shuffledOrder(nodes, 7);
  const policy: Policy = { ...DEFAULT_POLICY, nodeScore: 'fragmentation' };
  const session = new Session(
    {
      now: 0,
      nodes: Array.from({ length: nodes }, (_, i) => ({ ...mix.nodes[order[i] % mix.nodes.length], name: `n${i}` })),
      queues: [],
      gangs: [{ name: 'all', queue: '', roles: [{ name: 'task', count: 0, template: tasks[0] }] }],
      pods: tasks.map((template, i) => ({ name: `p${i}`, state: 'pending', gang: 'all', role: 'task', template })),
    },
    policy,
  );
  return { session, records: session.gangs[0].roles[0].pods };
}

/** `full`: each pod has a device of its own; else two share one, and half of the devices are free. */
export function runningCluster(nodes: number, pods: number, more: readonly Gang[], full = false): Snapshot {
  const template: PodTemplate = {
    request: { cpu: 2_000, memory: GIB },
    accelerator: full ? { kind: 'whole', count: 1 } : { kind: 'fraction', milli: 500 },
  };
  const perNode = pods / nodes;
  const gangs = Array.from({ length: pods / 4 }, (_, i): Gang => ({
    name: `g${i}`,
    queue: 'all',
    arrival: 0,
    roles: [{ name: 'worker', count: 4, template }],
  }));
  return {
    now: 10,
    nodes: Array.from({ length: nodes }, (_, i) => plainNode(`n${i}`, 8, { rack: `r${i >> 4}` })),
    queues: [{ name: 'all' }],
    topologies: [{ name: 'racks', levels: ['rack'] }],
    gangs: [...gangs, ...more],
    pods: Array.from({ length: pods }, (_, i): Pod => ({
      name: `g${i >> 2}-${i & 3}`,
      gang: `g${i >> 2}`,
      role: 'worker',
      state: 'running',
      node: `n${Math.floor(i / perNode)}`,
      devices: [full ? i % perNode : (i % perNode) >> 1],
    })),
  };
}

export function plainNode(name: string, devices: number, labels: Readonly<Record<string, string>>): ClusterNode {
  return { name, labels, allocatable: { cpu: 96_000, memory: 1024 * GIB, pods: 110, 'nvidia.com/gpu': devices } };
}

export interface Mix {
  readonly pods: readonly PodTemplate[];
  readonly nodes: readonly Omit<ClusterNode, 'name'>[];
}

/** The real mix of pods and nodes: a pod list with the node list beside it. */
export function traceMix(file: string): Mix {
  const read = (path: string): Readonly<Record<string, string>>[] => {
    const [head, ...rows] = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((text) => text.split(','));
    return rows.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
  };
  const shared = new Map<string, PodTemplate>();
  return {
    pods: read(file).map(
      ({ cpu_milli: cpu, memory_mib: memory, num_gpu: devices, gpu_milli: milli, gpu_spec: models = '' }) => {
        const key = [cpu, memory, devices, milli, models].join();
        const template =
          shared.get(key) ??
          podOf(
            Number(cpu),
            Number(memory),
            Number(devices),
            Number(milli),
            models === '' ? undefined : models.split('|'),
          );
        shared.set(key, template);
        return template;
      },
    ),
    nodes: read(join(dirname(file), 'openb_node_list_gpu_node.csv')).map(
      ({ cpu_milli: cpu, memory_mib: memory, gpu, model }) => nodeOf(Number(cpu), Number(memory), Number(gpu), model),
    ),
  };
}

/** Mostly single devices and shares of one, some work without devices, few nodes' worth. */
export function builtInMix(): Mix {
  const kinds: readonly (readonly [number, number, number, number, number])[] = [
    [3_000, 12_288, 1, 810, 130],
    [11_000, 49_152, 1, 1000, 110],
    [12_000, 32_768, 1, 1000, 75],
    [3_000, 16_384, 1, 1000, 60],
    [12_000, 24_576, 1, 470, 48],
    [12_000, 16_384, 0, 0, 46],
    [6_000, 12_288, 1, 460, 40],
    [4_000, 16_384, 1, 320, 38],
    [8_000, 32_768, 1, 650, 30],
    [2_000, 8_192, 0, 0, 28],
    [16_000, 65_536, 1, 1000, 26],
    [4_000, 8_192, 1, 230, 18],
    [6_000, 24_576, 1, 590, 10],
    [2_000, 4_096, 1, 160, 9],
    [88_000, 393_216, 8, 1000, 6],
    [48_000, 196_608, 4, 1000, 3],
    [24_000, 98_304, 2, 1000, 3],
  ];
  return {
    pods: kinds.flatMap(([cpu, memory, devices, milli, count]) => {
      const template = podOf(cpu, memory, devices, milli, undefined);
      return Array.from({ length: count }, () => template);
    }),
    nodes: [
      nodeOf(96_000, 786_432, 8, 'A'),
      nodeOf(128_000, 786_432, 8, 'B'),
      nodeOf(96_000, 524_288, 4, 'C'),
      nodeOf(64_000, 262_144, 2, 'D'),
    ],
  };
}

function podOf(
  cpu: number,
  memory: number,
  devices: number,
  milli: number,
  models: readonly string[] | undefined,
): PodTemplate {
  return {
    request: { cpu, memory },
    accelerator:
      devices === 0
        ? undefined
        : milli >= 1000
          ? { kind: 'whole', count: devices, models }
          : { kind: 'fraction', milli, count: devices, models },
  };
}

function nodeOf(cpu: number, memory: number, devices: number, model: string): Omit<ClusterNode, 'name'> {
  return {
    allocatable: { cpu, memory, pods: 1_000, 'nvidia.com/gpu': devices },
    devices: Array.from({ length: devices }, () => ({ model })),
  };
}
