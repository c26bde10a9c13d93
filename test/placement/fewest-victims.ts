/**
 * A preemption loses no more pods than it must, held against a brute force over all sets of victims.
 *
 * Small full clusters with whole devices, rigid gangs of one priority, and one claimant of a higher one. Moving pods may save some of them,
 * so the core may lose fewer than the brute force, which only evicts.
 */
import * as fc from 'fast-check';
import { decide, DEFAULT_POLICY, type Gang, type Pod, type Snapshot } from '../../src/placement';
import { cluster, gang, node, NOW, template } from './builders';
import { apply } from './guarantees';

const GPU = 'nvidia.com/gpu';

export interface VictimWorld {
  readonly sizes: readonly number[];
  readonly running: readonly { readonly count: number; readonly devices: number }[];
  readonly claimant: { readonly count: number; readonly devices: number };
}

export const shape = (most: number): fc.Arbitrary<{ count: number; devices: number }> =>
  fc.record({ count: fc.integer({ min: 1, max: most }), devices: fc.constantFrom(1, 1, 2, 3, 4, 8) });

export const victimWorlds: fc.Arbitrary<VictimWorld> = fc.record({
  sizes: fc.array(fc.constantFrom(4, 8, 8), { minLength: 2, maxLength: 5 }),
  running: fc.array(shape(4), { minLength: 6, maxLength: 12 }),
  claimant: shape(4),
});

/** Pods that the core loses, and the fewest that any set of victims loses; undefined where no pod has to be evicted. */
export function lostAndFewest(world: VictimWorld): { readonly lost: number; readonly fewest: number } | undefined {
  const nodes = world.sizes.map((size, i) => node(`n${i}`, size));
  const gangs = world.running.map(({ count, devices }, i): Gang =>
    gang(`g${i}`, count, template(devices), { arrival: NOW - (100 - i) * 60_000 }),
  );
  const first = cluster(nodes, gangs);
  const pods = apply(first, decide(first, { ...DEFAULT_POLICY, actions: ['allocate'] }));
  const there = gangs.filter(({ name }) => pods.some((pod) => pod.gang === name));
  const { count, devices } = world.claimant;
  const claimant = gang('high', count, template(devices), { priority: 10 });
  const snapshot: Snapshot = { ...first, gangs: [...there, claimant], pods };
  const sets = subsets(there).filter((victims) => fits(snapshot, claimant, new Set(victims.map(({ name }) => name))));
  const fewest = sets.reduce((least, victims) => Math.min(least, podsOf(victims)), Infinity);
  if (fewest === 0 || fewest === Infinity) {
    return undefined;
  }
  const { evictions } = decide(snapshot, { ...DEFAULT_POLICY, actions: ['allocate', 'preempt'] });
  const lost = evictions.filter(({ movesTo }) => movesTo === undefined).length;
  return { lost: evictions.length === 0 ? Infinity : lost, fewest };
}

export function podsOf(gangs: readonly Gang[]): number {
  return gangs.reduce((sum, { roles }) => sum + roles[0].count, 0);
}

export function subsets(list: readonly Gang[]): Gang[][] {
  return list.reduce<Gang[][]>((sets, one) => [...sets, ...sets.map((set) => [...set, one])], [[]]);
}

/** Pods of one size on whole devices: counting is exact. */
export function fits({ nodes, pods, gangs }: Snapshot, { roles }: Gang, gone: ReadonlySet<string>): boolean {
  const size = (pod: Pod): number => gangs.find(({ name }) => name === pod.gang)!.roles[0].template.request[GPU];
  const room = nodes.map(({ name, allocatable }) => {
    const held = pods.filter((pod) => pod.node === name && !gone.has(pod.gang!));
    return Math.floor(
      (allocatable[GPU] - held.reduce((sum, pod) => sum + size(pod), 0)) / roles[0].template.request[GPU],
    );
  });
  return room.reduce((sum, most) => sum + most, 0) >= roles[0].count;
}

/** Part of preemptions that may lose more pods than they must. */
const MOST_WASTEFUL = 0.05;

/** @throws Error when more preemptions than that lose more pods than necessary */
export function checkFewestVictims(runs: number, seed: number): void {
  const { preemptions, more } = wasteful(runs, seed);
  if (preemptions === 0 || more > MOST_WASTEFUL * preemptions) {
    throw new Error(`${more} of ${preemptions} preemptions lose more pods than necessary`);
  }
}

/** Part of the preemptions of `runs` worlds that lose more pods than necessary. */
export function wasteful(runs: number, seed: number): { readonly preemptions: number; readonly more: number } {
  const found = fc.sample(victimWorlds, { numRuns: runs, seed }).flatMap((world) => lostAndFewest(world) ?? []);
  return { preemptions: found.length, more: found.filter(({ lost, fewest }) => lost > fewest).length };
}
