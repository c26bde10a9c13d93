/**
 * Entitled work gets in: held against a brute force that knows nothing of the core.
 *
 * Small clusters with flat queues, whole devices, and rigid gangs. Once a cluster is at rest, no gang may wait that fits into the unused
 * quota of its queue and for which some set of evictions that the policy allows would make room, unless other entitled work has a claim
 * on that room as well. The brute force tries every set of up
 * to three running gangs: of other queues while those are above their quota, or of its own queue with a lower priority.
 */
import * as fc from 'fast-check';
import {
  decide,
  DEFAULT_POLICY,
  type Gang,
  type Pod,
  type Policy,
  type Queue,
  type Snapshot,
} from '../../src/placement';
import { gang as makeGang, node, NOW, template } from './builders';
import { apply } from './guarantees';

const GPU = 'nvidia.com/gpu';
/** Cycles within which entitled work must run: one that evicts and one that binds for each gang that is in front of it. */
const MOST_CYCLES = 40;
const MOST_VICTIMS = 3;

interface EntitledWorld {
  readonly sizes: readonly number[];
  readonly queues: readonly Queue[];
  readonly early: readonly Gang[];
  readonly late: readonly Gang[];
}

const gangOf = (prefix: string, index: number): fc.Arbitrary<Gang> =>
  fc
    .record({
      queue: fc.nat(2),
      count: fc.constantFrom(1, 1, 1, 2, 3),
      devices: fc.constantFrom(1, 1, 2, 4, 8),
      priority: fc.constantFrom(0, 0, 0, 10, 100),
      preemptible: fc.integer({ min: 0, max: 5 }),
      age: fc.nat(100),
    })
    .map(({ queue, count, devices, priority, preemptible, age }) =>
      makeGang(`${prefix}${index}`, count, template(devices), {
        queue: `q${queue}`,
        priority,
        preemptible: preemptible !== 0,
        arrival: NOW - age * 60_000,
      }),
    );

const gangsOf = (prefix: string, most: number): fc.Arbitrary<Gang[]> =>
  fc
    .integer({ min: 1, max: most })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => gangOf(prefix, i))));

export const entitledWorlds: fc.Arbitrary<EntitledWorld> = fc
  .record({
    sizes: fc.array(fc.constantFrom(2, 4, 8), { minLength: 1, maxLength: 3 }),
    parts: fc.array(fc.record({ part: fc.nat(4), weight: fc.integer({ min: 1, max: 3 }), priority: fc.nat(1) }), {
      minLength: 3,
      maxLength: 3,
    }),
    early: gangsOf('e', 6),
    late: gangsOf('l', 5),
  })
  .map(({ sizes, parts, early, late }) => {
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const whole = parts.reduce((sum, { part }) => sum + part, 0);
    return {
      sizes,
      early,
      late,
      queues: parts.map(({ part, weight, priority }, i) => ({
        name: `q${i}`,
        deserved: { [GPU]: whole === 0 ? 0 : Math.floor((total * part) / whole) },
        weight,
        priority,
        arrival: i,
      })),
    };
  });

/** @throws Error with the gang that waits and the evictions that would let it in */
export function checkEntitled(runs: number, seed: number, policy: Policy = DEFAULT_POLICY): void {
  fc.assert(
    fc.property(entitledWorlds, (world) => {
      const wrong = starved(world, policy);
      if (wrong !== undefined) {
        throw new Error(wrong);
      }
    }),
    { numRuns: runs, seed },
  );
}

/** Runs the world to rest, and says which gang then waits although it is entitled to run. */
export function starved(world: EntitledWorld, policy: Policy = DEFAULT_POLICY): string | undefined {
  const settled = untilRest(world, world.early, [], policy);
  const gangs = [...world.early, ...world.late];
  return waitsWithoutNeed(snapshotOf(world, gangs, untilRest(world, gangs, settled, policy)));
}

export function snapshotOf({ sizes, queues }: EntitledWorld, gangs: readonly Gang[], pods: readonly Pod[]): Snapshot {
  return { now: NOW, nodes: sizes.map((size, i) => node(`n${i}`, size)), queues, gangs, pods };
}

export function untilRest(
  world: EntitledWorld,
  gangs: readonly Gang[],
  from: readonly Pod[],
  policy: Policy,
): readonly Pod[] {
  let pods = from;
  for (let cycle = 0; cycle < MOST_CYCLES; cycle++) {
    const snapshot = snapshotOf(world, gangs, pods);
    const decision = decide(snapshot, policy);
    if (decision.bindings.length + decision.evictions.length + decision.nominations.length === 0) {
      return pods;
    }
    pods = apply(snapshot, decision);
  }
  throw new Error(`not at rest after ${MOST_CYCLES} cycles`);
}

/** The first gang that could run by right and does not, with what would have to be evicted for it. */
function waitsWithoutNeed(snapshot: Snapshot): string | undefined {
  const running = new Map<string, Pod[]>();
  snapshot.pods.forEach((pod) => running.set(pod.gang!, [...(running.get(pod.gang!) ?? []), pod]));
  const gangs = new Map(snapshot.gangs.map((gang) => [gang.name, gang]));
  const size = (gang: Gang): number => gang.roles[0].count * (gang.roles[0].template.request[GPU] ?? 0);
  const used = (queue: string): number =>
    [...running.keys()].reduce((sum, name) => sum + (gangs.get(name)!.queue === queue ? size(gangs.get(name)!) : 0), 0);
  const quota = (queue: string): number => snapshot.queues.find(({ name }) => name === queue)!.deserved![GPU] as number;

  for (const gang of snapshot.gangs) {
    if (running.has(gang.name) || used(gang.queue) + size(gang) > quota(gang.queue)) {
      continue;
    }
    const candidates = [...running.keys()].map((name) => gangs.get(name)!).filter(({ preemptible }) => preemptible);
    for (const victims of subsets(candidates, MOST_VICTIMS)) {
      // Other entitled work may take the room that the victims leave, and the gang is then where it was.
      const left = (queue: string): number =>
        used(queue) - victims.reduce((sum, victim) => sum + (victim.queue === queue ? size(victim) : 0), 0);
      const contended = snapshot.gangs.some(
        (other) =>
          other !== gang &&
          !running.has(other.name) &&
          size(other) > 0 &&
          left(other.queue) + size(other) <= quota(other.queue),
      );
      if (contended) {
        continue;
      }
      if (allowed(gang, victims, used, quota, size) && fits(snapshot, gang, new Set(victims.map(({ name }) => name)))) {
        return `${gang.name} waits in ${gang.queue} and would run after ${victims.map(({ name }) => name).join(', ') || 'nothing'} is evicted`;
      }
    }
  }
  return undefined;
}

/** In some order every victim is of lower priority in the same queue, or of a queue that is still above its quota. */
function allowed(
  gang: Gang,
  victims: readonly Gang[],
  used: (queue: string) => number,
  quota: (queue: string) => number,
  size: (gang: Gang) => number,
): boolean {
  // One action does it all: preemption within the queue, or reclaim from others.
  if (victims.every(({ queue, priority = 0 }) => queue === gang.queue && priority < (gang.priority ?? 0))) {
    return true;
  }
  return victims.every((victim) => {
    const others = victims.filter((other) => other.queue === victim.queue && other !== victim);
    const left = used(victim.queue) - others.reduce((sum, other) => sum + size(other), 0);
    return victim.queue !== gang.queue && left > quota(victim.queue);
  });
}

/** Pods of one size on nodes of whole devices: first fit is exact. */
function fits(snapshot: Snapshot, gang: Gang, gone: ReadonlySet<string>): boolean {
  const devices = gang.roles[0].template.request[GPU] ?? 0;
  let room = 0;
  for (const { name, allocatable } of snapshot.nodes) {
    const taken = snapshot.pods
      .filter((pod) => pod.node === name && !gone.has(pod.gang!))
      .reduce(
        (sum, pod) => sum + snapshot.gangs.find((other) => other.name === pod.gang)!.roles[0].template.request[GPU],
        0,
      );
    room += Math.floor((allocatable[GPU] - taken) / devices);
  }
  return room >= gang.roles[0].count;
}

function* subsets<T>(list: readonly T[], most: number, from = 0, chosen: readonly T[] = []): Generator<readonly T[]> {
  yield chosen;
  if (chosen.length < most) {
    for (let i = from; i < list.length; i++) {
      yield* subsets(list, most, i + 1, [...chosen, list[i]]);
    }
  }
}
