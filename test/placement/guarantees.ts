/**
 * What must hold for every decision, checked from the outside: only the snapshot and the decision are read.
 */
import * as fc from 'fast-check';
import {
  type Binding,
  decide,
  type Decision,
  DEFAULT_POLICY,
  type Device,
  type Eviction,
  type Gang,
  type Pod,
  type PodTemplate,
  type Policy,
  type Snapshot,
} from '../../src/placement';
import { brokenInvariants } from '../../bench/conformance/invariants';
import { MINUTE, NOW, snapshotOf, type World, worlds } from './worlds';

/** Cycles within which a cluster where nothing changes must have come to rest. */
const MOST_CYCLES = 40;

const GPU = 'nvidia.com/gpu';

export const policies: fc.Arbitrary<Policy> = fc
  .record({
    nodeScore: fc.constantFrom('binpack' as const, 'spread' as const, 'fragmentation' as const),
    queueOrder: fc.constantFrom(
      'quota-then-surplus' as const,
      'quota-then-surplus' as const,
      'drf' as const,
      'proportion' as const,
    ),
    victimOrder: fc.constantFrom('youngest-first' as const, 'cheapest-first' as const),
  })
  .map((choice) => ({ ...DEFAULT_POLICY, ...choice, staleGangSeconds: 0 }));

/** The property that `runs` random worlds keep every guarantee from start to rest. */
export function checkGuarantees(runs: number, seed: number): void {
  fc.assert(
    fc.property(worlds, policies, fc.integer(), (world, policy, shuffle) => keepsGuarantees(world, policy, shuffle)),
    { numRuns: runs, seed },
  );
}

/**
 * @param step milliseconds from one cycle to the next
 * @throws Error that says which guarantee the world breaks
 */
export function keepsGuarantees(world: World, policy: Policy, shuffle: number, step = MINUTE): void {
  const first = untilRest(world, world.early, [], policy, step);
  untilRest(world, [...world.early, ...world.late], first, policy, step);
  permuted(world, policy, shuffle);
}

interface Before {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
}

function untilRest(
  world: World,
  gangs: readonly Gang[],
  from: readonly Pod[],
  policy: Policy,
  step: number,
): readonly Pod[] {
  let pods = from;
  let last = '';
  let before: Before | undefined;
  for (let cycle = 0; cycle < MOST_CYCLES; cycle++) {
    const now = NOW + cycle * step;
    const snapshot = snapshotOf(world, gangs, pods, now);
    const decision = decide(snapshot, policy);
    const broken = [
      ...brokenInvariants(snapshot, decision),
      ...brokenDevices(snapshot, decision),
      ...needless(snapshot, decision, policy),
      ...tooEarly(snapshot, decision),
      ...startedInVain(snapshot, decision, before, policy, step),
      ...waitsForNothing(snapshot, decision),
    ];
    if (broken.length > 0) {
      throw new Error(`cycle ${cycle}: ${broken.join('; ')}; ${summary(decision)}`);
    }
    if (decision.bindings.length + decision.evictions.length + decision.nominations.length === 0) {
      return pods;
    }
    pods = apply(snapshot, decision);
    last = summary(decision);
    before = { snapshot, decision };
  }
  throw new Error(`no rest after ${MOST_CYCLES} cycles; the last one: ${last}`);
}

function summary({ bindings, nominations, evictions, reservations }: Decision): string {
  const places = (list: readonly Binding[]): string =>
    list.map(({ pod, node }) => `${pod} on ${node}`).join(', ') || 'none';
  const gone = evictions.map(
    ({ pod, node, action, beneficiary, movesTo }) =>
      `${pod} from ${node} (${action} for ${beneficiary}, to ${movesTo})`,
  );
  return `bound: ${places(bindings)}; nominated: ${places(nominations)}; evicted: ${gone.join(', ') || 'none'}; reserved: ${JSON.stringify(reservations)}`;
}

/** Bound pods run; evicted ones are gone, and their role stands for new ones. */
export function apply({ pods, now }: Snapshot, { bindings, evictions }: Decision): Pod[] {
  const evicted = new Set(evictions.map(({ pod }) => pod));
  return [
    ...pods.filter(({ name }) => !evicted.has(name)),
    ...bindings.map(({ pod, gang, role, node, devices }): Pod => ({
      name: pod,
      gang,
      role,
      node,
      devices,
      state: 'running',
      startedAt: now,
    })),
  ];
}

function templateOf({ gangs }: Snapshot, gang: string, role: string): PodTemplate {
  return gangs.find(({ name }) => name === gang)!.roles.find(({ name }) => name === role)!.template;
}

/** Thousandths of every device that are in use once evictions are carried out and nominations placed. */
function deviceLoad(snapshot: Snapshot, { bindings, nominations, evictions }: Decision): Map<string, number[]> {
  const evicted = new Set(evictions.map(({ pod }) => pod));
  const load = new Map(snapshot.nodes.map(({ name, devices = [] }) => [name, devices.map(() => 0)]));
  const stays = snapshot.pods
    .filter(({ name }) => !evicted.has(name))
    .map((pod) => ({ node: pod.node!, devices: pod.devices ?? [], gang: pod.gang!, role: pod.role! }));
  for (const { node, devices, gang, role } of [...stays, ...bindings, ...nominations]) {
    const { devices: present = [] } = snapshot.nodes.find(({ name }) => name === node)!;
    devices.forEach((index) => (load.get(node)![index] += milli(templateOf(snapshot, gang, role), present[index])));
  }
  return load;
}

function milli({ accelerator }: PodTemplate, device: Device): number {
  return accelerator?.kind === 'fraction'
    ? accelerator.milli
    : accelerator?.kind === 'memory'
      ? Math.ceil((accelerator.mebibytes * 1000) / device.memoryMiB!)
      : 1000;
}

function brokenDevices(snapshot: Snapshot, decision: Decision): string[] {
  const over = [...deviceLoad(snapshot, decision)].flatMap(([node, load]) =>
    load.flatMap((used, i) => (used > 1000 ? [`device ${i} of ${node} has ${used}`] : [])),
  );
  const wrong = [...decision.bindings, ...decision.nominations].flatMap((binding: Binding) => {
    const { accelerator } = templateOf(snapshot, binding.gang, binding.role);
    const wanted = accelerator === undefined ? 0 : (accelerator.count ?? 1);
    return new Set(binding.devices).size === wanted
      ? []
      : [`${binding.pod} has devices ${binding.devices.join()} and wants ${wanted}`];
  });
  return [...over, ...wrong];
}

/**
 * A gang of which everything that was evicted could have stayed beside what was placed, lost or moved it for nothing, if all that waits gets its
 * places in the next decision nevertheless: with the gang where it was, others may come before what waits.
 */
function needless(snapshot: Snapshot, decision: Decision, policy: Policy): string[] {
  const gangs = new Set(decision.evictions.filter(({ action }) => action !== 'evict-stale').map(({ gang }) => gang));
  return [...gangs].flatMap((gang) => {
    const own = new Set(decision.evictions.filter((eviction) => eviction.gang === gang).map(({ pod }) => pod));
    const without: Decision = {
      ...decision,
      evictions: decision.evictions.filter(({ pod }) => !own.has(pod)),
      nominations: decision.nominations.filter(({ pod }) => !own.has(pod)),
    };
    const dynamic = snapshot.gangs.some(({ roles }) =>
      roles.some(({ template }) => template.podAntiAffinity !== undefined),
    );
    const stays = brokenInvariants(snapshot, without).length === 0 && brokenDevices(snapshot, without).length === 0;
    return stays && !dynamic && !exceedsCeiling(snapshot, without) && serves(snapshot, without, decision, policy)
      ? [`${gang} could have stayed where it was`]
      : [];
  });
}

/** Does each gang that waits get as many pods in the next decision as after the other decision? */
function serves(snapshot: Snapshot, decision: Decision, other: Decision, policy: Policy): boolean {
  const after = (one: Decision): Decision => decide({ ...snapshot, pods: apply(snapshot, one) }, policy);
  const [got, expected] = [after(decision), after(other)];
  return decision.nominations.every(({ gang }) => boundOf(got, gang) >= boundOf(expected, gang));
}

function boundOf({ bindings }: Decision, gang: string): number {
  return bindings.filter((binding) => binding.gang === gang).length;
}

/** Would a queue have more devices than its capability, or than the guarantees of the queues beside it leave? */
function exceedsCeiling(snapshot: Snapshot, { bindings, nominations, evictions }: Decision): boolean {
  const { queues, gangs, nodes } = snapshot;
  const evicted = new Set(evictions.map(({ pod }) => pod));
  const all = [
    ...snapshot.pods.flatMap(({ name, gang, role }) => (evicted.has(name) ? [] : [{ gang: gang!, role: role! }])),
    ...bindings,
    ...nominations,
  ];
  const isWithin = (name: string | undefined, queue: string): boolean =>
    name !== undefined && (name === queue || isWithin(queues.find((one) => one.name === name)?.parent, queue));
  const smallest = Math.min(
    ...nodes.flatMap(({ devices = [] }) => devices).map(({ memoryMiB = Infinity }) => memoryMiB),
  );
  const ceilingOf = (name: string | undefined): number => {
    const queue = queues.find((one) => one.name === name);
    if (queue === undefined) {
      return nodes.reduce((sum, { devices = [] }) => sum + devices.length, 0);
    }
    const beside = queues.filter((one) => one.parent === queue.parent && one.name !== name);
    const left = ceilingOf(queue.parent) - beside.reduce((sum, one) => sum + numberOf(one.guarantee?.[GPU], 0), 0);
    const most = Math.max(left, numberOf(queue.guarantee?.[GPU], 0));
    return Math.min(most, numberOf(queue.capability?.[GPU], Infinity));
  };
  return queues.some(({ name }) => {
    const own = all.filter(({ gang }) => isWithin(gangs.find((one) => one.name === gang)!.queue, name));
    const used = own.reduce((sum, { gang, role }) => sum + devicesOf(templateOf(snapshot, gang, role), smallest), 0);
    return used > ceilingOf(name) + 1e-6;
  });
}

function numberOf(amount: number | string | undefined, otherwise: number): number {
  return typeof amount === 'number' ? amount : otherwise;
}

/** What a pod is charged for in its queue: parts of memory by the smallest device. */
function devicesOf({ accelerator }: PodTemplate, smallest: number): number {
  switch (accelerator?.kind) {
    case 'whole':
      return accelerator.count;
    case 'fraction':
      return ((accelerator.count ?? 1) * accelerator.milli) / 1000;
    case 'memory':
      return ((accelerator.count ?? 1) * accelerator.mebibytes) / smallest;
    case 'mig':
    case 'shared':
    case undefined:
      return 0;
  }
}

/**
 * Nothing but the time changed since the last decision: what it started must not be lost, neither to a gang that it left waiting nor to one that
 * it evicted. Time may have given a gang the right to evict, or taken the protection from other pods; work should have ended since, and
 * other nodes or another moment are promised; or the order of victims is another because work has been done. That counts only where the
 * same decision at the moment of the last one does not evict the pod.
 */
function startedInVain(
  snapshot: Snapshot,
  decision: Decision,
  last: Before | undefined,
  policy: Policy,
  step: number,
): string[] {
  if (last === undefined) {
    return [];
  }
  const { evictions } = decision;
  const before = last.decision;
  const started = new Set(before.bindings.map(({ pod }) => pod));
  const lost = evictions.filter(({ pod, movesTo }) => started.has(pod) && movesTo === undefined);
  const broken = lost.filter(
    ({ pod, beneficiary }) => beneficiary === undefined || !startsForLimit(last, policy, pod, beneficiary),
  );
  if (broken.length === 0) {
    return [];
  }
  const frozen = timeChanges(snapshot, decision, before, policy, step)
    ? new Set(decide({ ...snapshot, now: last.snapshot.now }, policy).evictions.map(({ pod }) => pod))
    : started;
  return broken
    .filter(({ pod }) => frozen.has(pod))
    .map(({ pod, beneficiary }) => `${pod} was only just started and is evicted for ${beneficiary}`);
}

/** Has the time since the last decision changed what this one may do? */
function timeChanges(
  snapshot: Snapshot,
  { evictions, reservations }: Decision,
  before: Decision,
  policy: Policy,
  step: number,
): boolean {
  const gangs = new Map(snapshot.gangs.map((gang) => [gang.name, gang]));
  const isRecent = (moment: number): boolean => moment > snapshot.now - step && moment <= snapshot.now;
  const hasNewRight = ({ arrival = 0, preemptionDelaySeconds = 0 }: Gang): boolean =>
    isRecent(arrival + preemptionDelaySeconds * 1000) || isRecent(arrival + policy.sharedDeviceWaitSeconds * 1000);
  const startedAt = new Map(snapshot.pods.map((pod) => [pod.name, pod.startedAt ?? 0]));
  const hasLostProtection = ({ pod, gang }: Eviction): boolean =>
    isRecent(startedAt.get(pod)! + (gangs.get(gang)!.minimumRuntimeSeconds ?? 0) * 1000);
  const shouldHaveEnded = snapshot.pods.some(({ name, gang = '' }) =>
    isRecent(startedAt.get(name)! + (gangs.get(gang)?.expectedSeconds ?? Infinity) * 1000),
  );
  const started = new Set(before.bindings.map(({ pod }) => pod));
  return (
    (step > 0 && policy.victimOrder === 'cheapest-first') ||
    snapshot.gangs.some(hasNewRight) ||
    evictions.some((eviction) => !started.has(eviction.pod) && hasLostProtection(eviction)) ||
    (shouldHaveEnded && JSON.stringify(reservations) !== JSON.stringify(before.reservations))
  );
}

/**
 * Does the pod start, or the gang wait, because the policy lets a decision make room for fewer gangs than wait, so that it does not see all that the
 * next one may do?
 */
function startsForLimit({ snapshot, decision }: Before, policy: Policy, pod: string, gang: string): boolean {
  const { makeRoomLimit } = DEFAULT_POLICY;
  if (policy.makeRoomLimit >= makeRoomLimit) {
    return false;
  }
  const wide = decide(snapshot, { ...policy, makeRoomLimit });
  const got = ({ bindings, nominations }: Decision): number =>
    [...bindings, ...nominations].filter((binding) => binding.gang === gang).length;
  return wide.bindings.every((binding) => binding.pod !== pod) || got(wide) > got(decision);
}

/** What is nominated waits for a pod that terminates; otherwise it could start. */
function waitsForNothing({ pods }: Snapshot, { nominations, evictions }: Decision): string[] {
  return nominations.length > 0 && evictions.length === 0 && pods.every(({ state }) => state !== 'releasing')
    ? [`${nominations.map(({ pod }) => pod).join(', ')} could start and ${nominations.length === 1 ? 'waits' : 'wait'}`]
    : [];
}

function tooEarly({ gangs, pods, now }: Snapshot, { evictions }: Decision): string[] {
  return evictions.flatMap(({ pod, gang, action }) => {
    const { minimumRuntimeSeconds = 0 } = gangs.find(({ name }) => name === gang)!;
    const { startedAt = 0 } = pods.find(({ name }) => name === pod)!;
    return action !== 'evict-stale' && now - startedAt < minimumRuntimeSeconds * 1000
      ? [`${pod} is evicted before its time`]
      : [];
  });
}

function permuted(world: World, policy: Policy, seed: number): void {
  const gangs = [...world.early, ...world.late];
  const snapshot = snapshotOf(world, gangs, []);
  const turned = {
    ...snapshot,
    nodes: shuffled(world.nodes, seed),
    queues: shuffled(world.queues, seed + 1),
    gangs: shuffled(gangs, seed + 2),
  };
  const [a, b] = [decide(snapshot, policy), decide(turned, policy)].map((decision) => JSON.stringify(decision));
  if (a !== b) {
    throw new Error('another order of nodes, queues and gangs gives another decision');
  }
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const result = [...list];
  let state = (seed >>> 0) + 1;
  for (let i = result.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = state % (i + 1);
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}
