/**
 * On how many nodes gangs are, against the fewest that could be.
 *
 * 148 gangs of 1 to 64 pods with 1, 2, or 4 devices each arrive at 500 empty nodes with 8 devices, 20 nodes in a rack. `ideal` is the
 * number of empty nodes that each gang needs. `bound` is the fewest nodes that each gang could have at its turn with what is free then,
 * in one rack where it fits one.
 */
import { decide, DEFAULT_POLICY, type Gang } from '../src/placement';
import { randomNumbers } from './machine';

const NODES = 500;
const DEVICES = 8;
const RACK = 20;
const GANGS = 148;

export interface NodeCounts {
  readonly used: number;
  readonly ideal: number;
  readonly bound: number;
  /** Gangs in more racks than they need. */
  readonly scattered: number;
}

export function nodesOfGangs(seed: number): NodeCounts {
  const random = randomNumbers(seed);
  const gangs = Array.from({ length: GANGS }, (_, i): Gang => ({
    name: `g${i}`,
    queue: 'all',
    arrival: i,
    roles: [
      {
        name: 'worker',
        count: 1 + Math.floor(random() * 64),
        template: {
          request: { cpu: 4_000, memory: 1e9 },
          accelerator: { kind: 'whole', count: 2 ** Math.floor(random() * 3) },
        },
      },
    ],
  }));
  const { bindings } = decide(
    {
      now: 0,
      nodes: Array.from({ length: NODES }, (_, i) => ({
        name: `n${i}`,
        labels: { rack: `r${Math.floor(i / RACK)}` },
        allocatable: { cpu: 96_000, memory: 1e12, pods: 110, 'nvidia.com/gpu': DEVICES },
      })),
      queues: [{ name: 'all' }],
      topologies: [{ name: 'fabric', levels: ['rack'] }],
      pods: [],
      gangs,
    },
    { ...DEFAULT_POLICY, actions: ['allocate'] },
  );
  const free = Array.from({ length: NODES }, () => DEVICES);
  const places = new Map<string, number[]>();
  bindings.forEach(({ gang, node }) => places.set(gang, [...(places.get(gang) ?? []), Number(node.slice(1))]));
  const counts = { used: 0, ideal: 0, bound: 0, scattered: 0 };
  for (const [name, rows] of places) {
    const devices = gangs[Number(name.slice(1))].roles[0].template.accelerator as { readonly count: number };
    const room = free.map((left) => Math.floor(left / devices.count));
    const racks = Array.from({ length: NODES / RACK }, (_, rack) =>
      fewest(room.slice(rack * RACK, (rack + 1) * RACK), rows.length),
    );
    const inRack = Math.min(...racks);
    counts.used += new Set(rows).size;
    counts.ideal += Math.ceil(rows.length / (DEVICES / devices.count));
    counts.bound += inRack === Infinity ? fewest(room, rows.length) : inRack;
    const usedRacks = new Set(rows.map((row) => Math.floor(row / RACK))).size;
    counts.scattered += inRack < Infinity && usedRacks > 1 ? 1 : 0;
    rows.forEach((row) => (free[row] -= devices.count));
  }
  return counts;
}

/** The fewest nodes that take the pods: the roomiest first. */
function fewest(room: readonly number[], pods: number): number {
  let left = pods;
  const taken = [...room].sort((a, b) => b - a).findIndex((here) => (left -= here) <= 0);
  return taken < 0 ? Infinity : taken + 1;
}
