/**
 * A reclaim across queues happens where the rules allow it, and loses no more pods than it must: held against a brute force over all sets of
 * victims, with a small part for what the bounded search misses.
 *
 * Small full clusters with whole devices, and rigid gangs of two queues with quotas. The claimant is alone in a third queue, whose quota it just
 * fits. The brute force takes from a queue as long as that is above its quota, and leaves out sets with a gang that would return within the
 * unused quota of its queue. Moving pods may save some of them, so the core may lose fewer.
 */
import * as fc from 'fast-check';
import { decide, DEFAULT_POLICY, type Gang, type Queue, type Snapshot } from '../../src/placement';
import { cluster, gang, node, NOW, template } from './builders';
import { fits, podsOf, shape, subsets } from './fewest-victims';
import { apply } from './guarantees';

const GPU = 'nvidia.com/gpu';

interface ReclaimWorld {
  readonly sizes: readonly number[];
  readonly running: readonly { readonly count: number; readonly devices: number; readonly queue: string }[];
  readonly claimant: { readonly count: number; readonly devices: number };
  /** Of the two queues that lose pods. */
  readonly quotas: readonly number[];
}

const worlds: fc.Arbitrary<ReclaimWorld> = fc.record({
  sizes: fc.array(fc.constantFrom(4, 8, 8), { minLength: 2, maxLength: 5 }),
  running: fc.array(
    fc.tuple(shape(4), fc.constantFrom('a', 'b')).map(([one, queue]) => ({ ...one, queue })),
    { minLength: 6, maxLength: 12 },
  ),
  claimant: shape(4),
  quotas: fc.tuple(fc.nat(12), fc.nat(12)),
});

function devicesOf(gangs: readonly Gang[]): number {
  return gangs.reduce((sum, { roles }) => sum + roles[0].count * roles[0].template.request[GPU], 0);
}

/** Was the queue above its quota before each of the gangs went, the largest last, and does none of them return within it? */
function mayLose({ name, deserved }: Queue, there: readonly Gang[], victims: readonly Gang[]): boolean {
  const quota = Number(deserved?.[GPU]);
  const lost = victims.filter(({ queue }) => queue === name);
  const sizes = lost.map((one) => devicesOf([one]));
  const before = devicesOf(there.filter(({ queue }) => queue === name));
  const left = before - devicesOf(lost);
  return lost.length === 0 || (left + Math.max(...sizes) > quota && left + Math.min(...sizes) > quota);
}

/** Pods that the core loses, and the fewest that any set of victims loses; undefined where no set is allowed or necessary. */
function lostAndFewest(world: ReclaimWorld): { readonly lost: number; readonly fewest: number } | undefined {
  const { count, devices } = world.claimant;
  const queues: readonly Queue[] = [
    ...['a', 'b'].map((name, i) => ({ name, deserved: { [GPU]: world.quotas[i] } })),
    { name: 'claims', deserved: { [GPU]: count * devices } },
  ];
  const nodes = world.sizes.map((size, i) => node(`n${i}`, size));
  const gangs = world.running.map((one, i): Gang =>
    gang(`g${i}`, one.count, template(one.devices), { queue: one.queue, arrival: NOW - (100 - i) * 60_000 }),
  );
  const first = cluster(nodes, gangs, [], { queues });
  const pods = apply(first, decide(first, { ...DEFAULT_POLICY, actions: ['allocate'] }));
  const there = gangs.filter(({ name }) => pods.some((pod) => pod.gang === name));
  const claimant = gang('claimant', count, template(devices), { queue: 'claims' });
  const snapshot: Snapshot = { ...first, gangs: [...there, claimant], pods };
  const allowed = subsets(there).filter((victims) => queues.every((queue) => mayLose(queue, there, victims)));
  const sets = allowed.filter((victims) => fits(snapshot, claimant, new Set(victims.map(({ name }) => name))));
  const fewest = sets.reduce((least, victims) => Math.min(least, podsOf(victims)), Infinity);
  if (fewest === 0 || fewest === Infinity) {
    return undefined;
  }
  const { evictions } = decide(snapshot, { ...DEFAULT_POLICY, actions: ['allocate', 'reclaim'] });
  const lost = evictions.filter(({ movesTo }) => movesTo === undefined).length;
  return { lost: evictions.length === 0 ? Infinity : lost, fewest };
}

/** Part of the reclaims that may lose more pods than they must. */
const MOST_WASTEFUL = 0.02;

/** @throws Error when a reclaim that is allowed does not happen, or too many lose more pods than necessary */
export function checkFewestReclaimed(runs: number, seed: number): void {
  const found = fc.sample(worlds, { numRuns: runs, seed }).flatMap((world) => {
    const result = lostAndFewest(world);
    return result === undefined ? [] : [{ ...result, world }];
  });
  const missed = found.filter(({ lost }) => lost === Infinity).map(({ world }) => JSON.stringify(world));
  const more = found.filter(({ lost, fewest }) => lost > fewest).length - missed.length;
  if (found.length === 0 || missed.length > 0 || more > MOST_WASTEFUL * found.length) {
    throw new Error(
      [`of ${found.length} reclaims ${missed.length} do not happen, and ${more} lose more pods than necessary`]
        .concat(missed)
        .join('\n'),
    );
  }
}
