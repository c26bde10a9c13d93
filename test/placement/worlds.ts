/**
 * Random small clusters with queues and gangs, for the properties that every decision must have.
 */
import * as fc from 'fast-check';
import {
  type ClusterNode,
  type Gang,
  type Pod,
  type PodTemplate,
  type Queue,
  type Role,
  type Snapshot,
  type TopologyConstraint,
} from '../../src/placement';

export const NOW = 1_700_000_000_000;
export const MINUTE = 60_000;

export interface World {
  readonly nodes: readonly ClusterNode[];
  readonly queues: readonly Queue[];
  /** Gangs that are there from the start. */
  readonly early: readonly Gang[];
  /** Gangs that arrive once the early ones have settled. */
  readonly late: readonly Gang[];
}

const node = (index: number): fc.Arbitrary<ClusterNode> =>
  fc
    .record({
      devices: fc.constantFrom(0, 2, 4, 8),
      cpu: fc.constantFrom(4000, 8000, 16000),
      rack: fc.nat(2),
      cordoned: fc.nat(9),
    })
    .map(({ devices, cpu, rack, cordoned }) => ({
      name: `n${index}`,
      allocatable: { cpu, memory: 1e11, pods: 20, 'nvidia.com/gpu': devices },
      labels: { rack: `r${rack}`, zone: rack < 2 ? 'z0' : 'z1' },
      unschedulable: cordoned === 0,
      devices: Array.from({ length: devices }, (_, i) => ({
        memoryMiB: 80_000,
        numa: i < devices / 2 ? 0 : 1,
        island: `i${Math.floor(i / 4)}`,
      })),
    }));

const queues: fc.Arbitrary<Queue[]> = fc
  .array(
    fc.record({
      parent: fc.nat(2),
      weight: fc.integer({ min: 1, max: 3 }),
      quota: fc.option(fc.integer({ min: 0, max: 12 })),
      cap: fc.option(fc.integer({ min: 1, max: 16 })),
      priority: fc.nat(1),
      reclaimable: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((drafts) =>
    drafts.map(({ parent, weight, quota, cap, priority, reclaimable }, i) => ({
      name: `q${i}`,
      parent: parent < i && parent > 0 ? `q${parent - 1}` : undefined,
      weight,
      deserved: quota === null ? undefined : { 'nvidia.com/gpu': quota, cpu: 'unlimited', memory: 'unlimited' },
      capability: cap === null ? undefined : { 'nvidia.com/gpu': cap },
      priority,
      reclaimable: reclaimable || i === 0,
      arrival: i,
    })),
  );

const template: fc.Arbitrary<PodTemplate> = fc
  .record({
    cpu: fc.constantFrom(500, 1000, 3000),
    accelerator: fc.nat(8),
    whole: fc.constantFrom(1, 1, 2, 4),
    milli: fc.constantFrom(200, 500, 700),
    mebibytes: fc.constantFrom(10_000, 50_000),
    label: fc.nat(3),
    anti: fc.nat(9),
    rack: fc.nat(9),
  })
  .map(({ cpu, accelerator, whole, milli, mebibytes, label, anti, rack }): PodTemplate => ({
    request: { cpu, memory: 1e9 },
    accelerator:
      accelerator < 5
        ? { kind: 'whole', count: whole }
        : accelerator < 7
          ? { kind: 'fraction', milli, count: accelerator - 4 }
          : accelerator === 7
            ? { kind: 'memory', mebibytes }
            : undefined,
    labels: { app: `a${label}` },
    podAntiAffinity:
      anti === 0
        ? [
            {
              topologyKey: 'kubernetes.io/hostname',
              selector: { labels: [{ key: 'app', operator: 'In', values: [`a${label}`] }] },
            },
          ]
        : undefined,
    nodeSelector: rack === 0 ? { rack: 'r0' } : undefined,
  }));

const constraint: fc.Arbitrary<TopologyConstraint | undefined> = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  { required: 'rack' },
  { preferred: 'rack' },
  { required: 'zone', preferred: 'rack' },
  { required: 'zone' },
);

const gang = (prefix: string, index: number): fc.Arbitrary<Gang> =>
  fc
    .record({
      queue: fc.nat(3),
      priority: fc.constantFrom(0, 50, 50, 100),
      preemptible: fc.integer({ min: 0, max: 3 }),
      age: fc.nat(120),
      runtime: fc.constantFrom(0, 0, 600),
      expected: fc.option(fc.integer({ min: 1, max: 120 })),
      topology: constraint,
      roles: fc.array(fc.record({ count: fc.integer({ min: 1, max: 4 }), spare: fc.nat(3), template }), {
        minLength: 1,
        maxLength: 2,
      }),
    })
    .map(({ queue, priority, preemptible, age, runtime, expected, topology, roles }): Gang => ({
      name: `${prefix}${index}`,
      queue: `q${queue}`,
      priority,
      preemptible: preemptible !== 0,
      arrival: NOW - age * MINUTE,
      minimumRuntimeSeconds: runtime,
      expectedSeconds: expected === null ? undefined : expected * 60,
      topology,
      roles: roles.map((role, i): Role => ({
        name: `role${i}`,
        count: role.count,
        minimum: Math.max(0, role.count - role.spare),
        template: role.template,
      })),
    }));

const gangs = (prefix: string, maxLength: number): fc.Arbitrary<Gang[]> =>
  fc
    .integer({ min: 1, max: maxLength })
    .chain((length) => fc.tuple(...Array.from({ length }, (_, i) => gang(prefix, i))));

export const worlds: fc.Arbitrary<World> = fc.record({
  nodes: fc.integer({ min: 1, max: 6 }).chain((length) => fc.tuple(...Array.from({ length }, (_, i) => node(i)))),
  queues,
  early: gangs('e', 8),
  late: gangs('l', 6),
});

export function snapshotOf(
  world: Pick<World, 'nodes' | 'queues'>,
  gangList: readonly Gang[],
  pods: readonly Pod[],
  now = NOW,
): Snapshot {
  return {
    now,
    nodes: world.nodes,
    queues: world.queues,
    gangs: gangList,
    pods,
    topologies: [{ name: 'rooms', levels: ['zone', 'rack'] }],
  };
}
