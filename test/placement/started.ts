/**
 * What a decision starts, the next one does not evict for a reason that was there when it started: in worlds where each rule by which pods start
 * meets each rule by which pods are evicted.
 *
 * The worlds are smaller and fuller than those of `worlds.ts`, and their durations are a few cycles long, so that promises, backfill, borrowed
 * quota, surplus of elastic gangs, shared devices, and the orders of queues and gangs decide about the same few devices.
 */
import * as fc from 'fast-check';
import {
  type ClusterNode,
  decide,
  DEFAULT_POLICY,
  type Gang,
  type Pod,
  type PodTemplate,
  type Policy,
  type Queue,
  type Role,
  type Snapshot,
} from '../../src/placement';
import { withMigConfig } from '../../src/placement/nodes/mig-config';
import { apply, keepsGuarantees } from './guarantees';
import { asking, CONFIG_NAMES, divided } from './repartition';
import { MINUTE, NOW, type World } from './worlds';

const GPU = 'nvidia.com/gpu';

const node = (index: number): fc.Arbitrary<ClusterNode> =>
  fc
    .record({ devices: fc.constantFrom(2, 4, 4, 8), cpu: fc.constantFrom(6_000, 32_000, 32_000), rack: fc.nat(1) })
    .map(({ devices, cpu, rack }) => ({
      name: `n${index}`,
      allocatable: { cpu, memory: 1e12, pods: 20, [GPU]: devices },
      labels: { rack: `r${rack}`, zone: 'z0' },
      devices: Array.from({ length: devices }, () => ({ memoryMiB: 80_000 })),
    }));

const queues: fc.Arbitrary<Queue[]> = fc
  .array(
    fc.record({
      nested: fc.nat(3),
      weight: fc.integer({ min: 1, max: 3 }),
      quota: fc.option(fc.constantFrom(0, 1, 2, 2, 4), { freq: 5 }),
      guarantee: fc.nat(5),
      cap: fc.nat(5),
      priority: fc.constantFrom(0, 0, 0, 1),
      reclaimable: fc.nat(5),
    }),
    { minLength: 2, maxLength: 3 },
  )
  .map((drafts) =>
    drafts.map(({ nested, weight, quota, guarantee, cap, priority, reclaimable }, i) => ({
      name: `q${i}`,
      parent: nested === 0 && i > 0 ? 'q0' : undefined,
      weight,
      deserved: quota === null ? undefined : { [GPU]: quota, cpu: 'unlimited', memory: 'unlimited' },
      guarantee: guarantee === 0 && quota !== null ? { [GPU]: Math.min(1, quota) } : undefined,
      capability: cap === 0 ? { [GPU]: Math.max(4, quota ?? 0) } : undefined,
      priority,
      reclaimable: reclaimable !== 0,
      arrival: i,
    })),
  );

const template: fc.Arbitrary<PodTemplate> = fc
  .record({
    cpu: fc.constantFrom(1_000, 1_000, 3_000),
    devices: fc.constantFrom(1, 1, 2, 2, 4),
    part: fc.constantFrom(0, 0, 0, 300, 500, 1),
  })
  .map(({ cpu, devices, part }): PodTemplate => ({
    request: { cpu, memory: 1e9 },
    accelerator:
      part === 0
        ? { kind: 'whole', count: devices }
        : part === 1
          ? { kind: 'memory', mebibytes: 40_000 }
          : { kind: 'fraction', milli: part, count: 1 },
  }));

const gang = (prefix: string, index: number, priorities: readonly number[]): fc.Arbitrary<Gang> =>
  fc
    .record({
      queue: fc.nat(2),
      priority: fc.constantFrom(...priorities),
      preemptible: fc.nat(7),
      preempts: fc.nat(9),
      age: fc.nat(10),
      runtime: fc.constantFrom(0, 0, 0, 0, 30, 150),
      delay: fc.constantFrom(0, 0, 0, 0, 0, 90),
      expected: fc.option(fc.constantFrom(30, 60, 120, 300, 600, 600, 1_200, 3_600), { freq: 4 }),
      topology: fc.constantFrom(undefined, undefined, undefined, { required: 'rack' }, { preferred: 'rack' }),
      minimum: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 1 }),
      roles: fc.array(
        fc.record({ count: fc.integer({ min: 1, max: 4 }), spare: fc.nat(3), priority: fc.nat(1), template }),
        { minLength: 1, maxLength: 2 },
      ),
    })
    .map(({ queue, preemptible, preempts, age, runtime, delay, expected, minimum, roles, ...rest }): Gang => {
      const count = roles.reduce((sum, role) => sum + role.count, 0);
      return {
        ...rest,
        name: `${prefix}${index}`,
        queue: `q${queue}`,
        preemptible: preemptible !== 0,
        preempts: preempts !== 0,
        arrival: NOW - age * 30_000,
        minimumRuntimeSeconds: runtime,
        preemptionDelaySeconds: delay,
        expectedSeconds: expected ?? undefined,
        minimum: minimum === null || roles.length < 2 ? undefined : Math.min(minimum, count),
        roles: roles.map((role, i): Role => ({
          name: `role${i}`,
          count: role.count,
          minimum: minimum === null || roles.length < 2 ? Math.max(0, role.count - role.spare) : undefined,
          priority: role.priority,
          template: role.template,
        })),
      };
    });

const gangs = (prefix: string, maxLength: number, priorities: readonly number[]): fc.Arbitrary<Gang[]> =>
  fc
    .integer({ min: 1, max: maxLength })
    .chain((length) => fc.tuple(...Array.from({ length }, (_, i) => gang(prefix, i, priorities))));

export const tightWorlds: fc.Arbitrary<World> = fc
  .record({
    nodes: fc.integer({ min: 1, max: 3 }).chain((length) => fc.tuple(...Array.from({ length }, (_, i) => node(i)))),
    queues,
    early: gangs('e', 5, [0, 0, 50]),
    late: gangs('l', 5, [0, 50, 100]),
  })
  .map((world) => {
    const named = (list: readonly Gang[]): Gang[] =>
      list.map((one) => (world.queues.some(({ name }) => name === one.queue) ? one : { ...one, queue: 'q0' }));
    return { ...world, early: named(world.early), late: named(world.late) };
  });

export const allPolicies: fc.Arbitrary<Policy> = fc
  .record({
    actions: fc.constantFrom(
      DEFAULT_POLICY.actions,
      DEFAULT_POLICY.actions,
      DEFAULT_POLICY.actions,
      ['allocate', 'preempt', 'reclaim', 'consolidate', 'evict-stale'] as const,
      ['allocate', 'backfill', 'reclaim', 'evict-stale'] as const,
      ['allocate', 'backfill', 'consolidate', 'reclaim', 'preempt', 'evict-stale'] as const,
    ),
    queueOrder: fc.constantFrom(
      'quota-then-surplus' as const,
      'quota-then-surplus' as const,
      'drf' as const,
      'proportion' as const,
      'weight' as const,
    ),
    gangOrder: fc.constantFrom('age' as const, 'share' as const, 'shortest-first' as const),
    shareJudgment: fc.constantFrom('any-resource' as const, 'requested-resources' as const),
    surplusOrder: fc.constantFrom('first-gang' as const, 'in-turn' as const),
    podOrder: fc.constantFrom('declared' as const, 'priority' as const),
    sharedDeviceWaitSeconds: fc.constantFrom(Infinity, Infinity, 0, 60, 180),
    queueing: fc.constantFrom(
      'best-effort-fifo' as const,
      'best-effort-fifo' as const,
      'best-effort-fifo' as const,
      'strict-fifo' as const,
    ),
    nodeScore: fc.constantFrom(
      'binpack' as const,
      'spread' as const,
      'spread-devices' as const,
      'fragmentation' as const,
    ),
    victimOrder: fc.constantFrom('youngest-first' as const, 'cheapest-first' as const),
    gangSpread: fc.constantFrom('together' as const, 'anywhere' as const),
    nonPreemptibleWithinQuota: fc.boolean(),
    moveIntervalSeconds: fc.constantFrom(0, 60, 600),
    makeRoomLimit: fc.constantFrom(64, 64, 64, 1, 2),
  })
  .map((choice) => ({ ...DEFAULT_POLICY, ...choice, staleGangSeconds: 0 }));

/** The property that `runs` such worlds keep every guarantee from start to rest. */
export function checkStarted(runs: number, seed: number): void {
  fc.assert(
    fc.property(
      tightWorlds,
      allPolicies,
      fc.integer(),
      fc.constantFrom(0, 1_000, MINUTE, MINUTE),
      (world, policy, shuffle, step) => keepsGuarantees(world, policy, shuffle, step),
    ),
    { numRuns: runs, seed },
  );
}

/** Gangs that ask for parts of devices, which nodes have once their MIG configuration changes, beside gangs of higher priority. */
const slicedGangs = (prefix: string, most: number, priorities: readonly number[]): fc.Arbitrary<Gang[]> =>
  fc
    .array(
      fc.record({
        asks: fc.constantFrom('1g.6gb' as const, '2g.12gb' as const, '4g.24gb' as const, 'whole' as const),
        count: fc.integer({ min: 1, max: 4 }),
        spare: fc.nat(2),
        each: fc.integer({ min: 1, max: 2 }),
        cpu: fc.constantFrom(1, 1, 8),
        queue: fc.nat(1),
        priority: fc.constantFrom(...priorities),
        age: fc.nat(10),
      }),
      { minLength: 1, maxLength: most },
    )
    .map((drafts) =>
      drafts.map(({ asks, count, spare, each, cpu, queue, priority, age }, i) => {
        const asked = asking(`${prefix}${i}`, { asks, count, each, cpu });
        return {
          ...asked,
          queue: `q${queue}`,
          priority,
          arrival: NOW - age * 30_000,
          roles: asked.roles.map((role) => ({ ...role, minimum: Math.max(0, count - spare) })),
        };
      }),
    );

export const slicedWorlds = fc.record({
  nodes: fc.array(
    fc.record({
      devices: fc.integer({ min: 1, max: 2 }),
      config: fc.constantFrom(...CONFIG_NAMES),
      cpu: fc.constantFrom(8, 32),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  early: slicedGangs('e', 3, [0, 0, 50]),
  late: slicedGangs('l', 4, [0, 50, 100]),
  quota: fc.nat(2),
  queueOrder: fc.constantFrom('quota-then-surplus' as const, 'proportion' as const, 'drf' as const, 'weight' as const),
});

/** The same where nodes get other MIG configurations: each change is decided in one cycle, applied in the next, and done in the one after. */
export function checkStartedBesideRepartition(runs: number, seed: number): void {
  fc.assert(fc.property(slicedWorlds, keepsStarted), { numRuns: runs, seed });
}

type SlicedWorld = typeof slicedWorlds extends fc.Arbitrary<infer W> ? W : never;

/** @throws Error that names a pod that the next decision evicts, or says that the world never comes to rest */
export function keepsStarted({ nodes: drafts, early, late, quota, queueOrder }: SlicedWorld): void {
  const policy: Policy = { ...DEFAULT_POLICY, queueOrder, repartitionLimit: 2, staleGangSeconds: 0 };
  const queuesOf = [0, 1].map((i) => ({
    name: `q${i}`,
    deserved: i === 0 && quota > 0 ? { [GPU]: quota, 'nvidia.com/mig-1g.6gb': 2 * quota } : undefined,
  }));
  let nodes = drafts.map(({ devices, config, cpu }, i) => divided(`n${i}`, devices, config, cpu));
  let pods: readonly Pod[] = [];
  // The clock goes on: a pod that starts later than now may not be evicted yet.
  let now = NOW;
  for (const gangList of [early, [...early, ...late]]) {
    let started = new Set<string>();
    for (let cycle = 0, isAtRest = false; !isAtRest; cycle++, now += 1_000) {
      const snapshot: Snapshot = { now, nodes, queues: queuesOf, gangs: gangList, pods };
      const { repartitions = [], ...decision } = decide(snapshot, policy);
      const lost = decision.evictions.filter(({ pod, movesTo }) => started.has(pod) && movesTo === undefined);
      if (lost.length > 0 || cycle === 40) {
        const all = lost.map(
          ({ pod, beneficiary }) => `${pod} was only just started and is evicted for ${beneficiary}`,
        );
        throw new Error(all.join('; ') || 'no rest');
      }
      started = new Set(decision.bindings.map(({ pod }) => pod));
      pods = apply(snapshot, { ...decision, repartitions });
      isAtRest =
        nodes.every(({ migChange }) => migChange === undefined) &&
        decision.bindings.length + decision.evictions.length + decision.nominations.length + repartitions.length === 0;
      nodes = nodes.map((one) => {
        const config = repartitions.find(({ node: on }) => on === one.name)?.config;
        return config !== undefined
          ? { ...one, migChange: config }
          : one.migChange === undefined
            ? one
            : withMigConfig(one, one.migChange);
      });
    }
  }
}
