/**
 * Small random worlds of gangs with claims, and whether their pods fit: by trying every node and every set of devices, apart from the search.
 */
import { type Binding, decide, type Snapshot } from '../../../src/placement';
import {
  type AllocatedDevice,
  type ClaimFacts,
  type Device,
  type DeviceClaim,
  deviceKey,
  type DeviceSlice,
  type RequestAlternative,
} from '../../../src/placement/model/claims';
import { Random } from '../../support/random';

export interface GangWorld {
  readonly snapshot: Snapshot;
  readonly slices: readonly DeviceSlice[];
  readonly claims: ReadonlyMap<string, ClaimFacts>;
}

const UNIT = 1_000_000_000n;

export function alternative(more: Partial<RequestAlternative> = {}): RequestAlternative {
  return { accepts: () => true, count: 1, adminAccess: false, tolerations: [], capacity: new Map(), ...more };
}

export function device(name: string, more: Partial<Device> = {}): Device {
  return {
    name,
    attributes: new Map(),
    capacity: new Map(),
    consumes: [],
    taints: [],
    shareable: false,
    bindsLater: false,
    ...more,
  };
}

/** A device, and the two halves that it can be divided into. */
export function partitioned(name: string): readonly Device[] {
  const part = (suffix: string, slots: bigint): Device =>
    device(`${name}${suffix}`, {
      attributes: new Map([['size', { type: 'int', values: [slots] }]]),
      consumes: [{ set: name, counters: new Map([['slots', slots * UNIT]]) }],
    });
  return [part('', 2n), part('-half-a', 1n), part('-half-b', 1n)];
}

export function slicesOf(node: string, devices: readonly Device[]): readonly DeviceSlice[] {
  const sets = new Set(devices.flatMap(({ consumes }) => consumes.map(({ set }) => set)));
  const common = {
    driver: 'd',
    pool: node,
    generation: 1,
    sliceCount: sets.size > 0 ? 2 : 1,
    nodes: (name: string) => name === node,
    node,
  };
  return [
    { ...common, name: `${node}-devices`, devices, counters: new Map() },
    ...(sets.size === 0
      ? []
      : [
          {
            ...common,
            name: `${node}-counters`,
            devices: [],
            counters: new Map([...sets].map((set) => [set, new Map([['slots', 2n * UNIT]])])),
          },
        ]),
  ];
}

export const hasSize =
  (size: bigint) =>
  (_: string, { attributes }: Device): boolean =>
    attributes.get('size')?.values[0] === size;

export function makeGangWorld(random: Random): GangWorld {
  const below = (count: number): number => Math.floor(random.next() * count);
  const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const nodes = range(1 + below(3)).map((index) => `n${index}`);
  const slices = nodes.flatMap((node) =>
    slicesOf(
      node,
      range(1 + below(2)).flatMap((index) =>
        random.chance(0.5)
          ? partitioned(`g${index}`)
          : [
              device(`g${index}`, {
                attributes: new Map([
                  ['size', { type: 'int', values: [BigInt(1 + below(2))] }],
                  ['numa', { type: 'int', values: [BigInt(below(2))] }],
                ]),
              }),
            ],
      ),
    ),
  );
  const way = (name?: string): RequestAlternative => {
    const size = BigInt(below(3));
    return alternative({
      ...(name !== undefined && { name }),
      ...(size > 0n && { accepts: hasSize(size) }),
      count: random.chance(0.2) ? 2 : 1,
    });
  };
  const claim = (name: string): DeviceClaim => {
    const requests = range(random.chance(0.25) ? 2 : 1).map((index) => ({
      name: `r${index}`,
      alternatives: random.chance(0.5) ? [way('x'), way('y')] : [way()],
    }));
    const constraints = random.chance(0.2)
      ? [{ kind: random.pick(['match', 'distinct'] as const), attribute: 'd/numa', requests: [] }]
      : [];
    return { name, requests, constraints };
  };
  const claims = new Map<string, ClaimFacts>(
    range(2).map((index) => {
      const shared = random.chance(0.3);
      return [`c${index}`, { title: `c${index}`, shared, claim: claim(`c${index}`) }];
    }),
  );
  const roles = range(1 + below(2)).map((index) => ({
    name: `role${index}`,
    count: 1 + below(2),
    template: {
      request: { cpu: 1 + below(2) },
      claims: random.chance(0.25) ? ['c0', 'c1'] : [`c${index}`],
    },
  }));
  const snapshot: Snapshot = {
    now: 0,
    nodes: nodes.map((name) => ({ name, allocatable: { cpu: 2 + below(4), pods: 10 } })),
    queues: [{ name: 'q' }],
    gangs: [{ name: 'g', queue: 'q', roles }],
    pods: [],
    deviceClaims: { slices, claims },
  };
  return { snapshot, slices, claims };
}

export function decided(world: GangWorld): readonly Binding[] {
  return decide(world.snapshot).bindings;
}

interface Unit {
  readonly key: string;
  readonly claim: DeviceClaim;
}

/** By trying everything. */
export function isFeasible({ snapshot, slices, claims }: GangWorld): boolean {
  const pods = snapshot.gangs.flatMap(({ roles }) =>
    roles.flatMap(({ name, count, template }) =>
      Array.from({ length: count }, (_, index) => ({ name: `${name}-${index}`, template })),
    ),
  );
  const free = new Map(snapshot.nodes.map(({ name, allocatable }) => [name, allocatable.cpu ?? 0]));
  const placed = new Map<string, { readonly node: string; readonly devices: readonly Device[] }>();
  const go = (at: number): boolean => {
    const pod = pods[at];
    if (pod === undefined) {
      return true;
    }
    const cpu = pod.template.request.cpu ?? 0;
    return snapshot.nodes.some(({ name: node }) => {
      const left = free.get(node) ?? 0;
      if (left < cpu) {
        return false;
      }
      const units = (pod.template.claims ?? []).map((key): Unit => {
        const facts = claims.get(key)!;
        return { key: facts.shared ? key : `${key} ${pod.name}`, claim: facts.claim! };
      });
      if (units.some(({ key }) => placed.has(key) && placed.get(key)?.node !== node)) {
        return false;
      }
      free.set(node, left - cpu);
      const all = slices.filter((slice) => slice.node === node).flatMap(({ devices }) => devices);
      const open = units.filter(({ key }) => !placed.has(key));
      const allocate = (next: number): boolean => {
        const unit = open[next];
        if (unit === undefined) {
          return go(at + 1);
        }
        return choicesOf(unit.claim, all).some((devices) => {
          placed.set(unit.key, { node, devices });
          const done = areCompatible([...placed.values()].filter((one) => one.node === node)) && allocate(next + 1);
          if (!done) {
            placed.delete(unit.key);
          }
          return done;
        });
      };
      const done = allocate(0);
      if (!done) {
        free.set(node, left);
      }
      return done;
    });
  };
  return go(0);
}

/** No device twice, and of each divided device at most the whole. */
function areCompatible(held: readonly { readonly devices: readonly Device[] }[]): boolean {
  const devices = held.flatMap((one) => one.devices);
  const used = new Map<string, bigint>();
  for (const { set, counters } of devices.flatMap(({ consumes }) => consumes)) {
    used.set(set, (used.get(set) ?? 0n) + (counters.get('slots') ?? 0n));
  }
  return new Set(devices).size === devices.length && [...used.values()].every((amount) => amount <= 2n * UNIT);
}

/** Every set of devices that satisfies the claim alone. */
function choicesOf({ requests, constraints }: DeviceClaim, all: readonly Device[]): readonly (readonly Device[])[] {
  let sets: readonly (readonly Device[])[] = [[]];
  for (const { alternatives } of requests) {
    sets = sets.flatMap((set) =>
      alternatives.flatMap(({ accepts, count }) =>
        subsets(
          all.filter((one) => accepts('d', one) && !set.includes(one)),
          Number(count),
        ).map((more) => [...set, ...more]),
      ),
    );
  }
  return sets.filter((set) => constraints.every(({ kind }) => observes(kind, set)));
}

function observes(kind: 'match' | 'distinct', devices: readonly Device[]): boolean {
  const values = devices.map(({ attributes }) => attributes.get('numa')?.values[0]);
  const different = new Set(values).size;
  return !values.includes(undefined) && (kind === 'match' ? different <= 1 : different === values.length);
}

function subsets<T>(list: readonly T[], count: number): readonly (readonly T[])[] {
  if (count === 0) {
    return [[]];
  }
  return list.flatMap((first, at) => subsets(list.slice(at + 1), count - 1).map((rest) => [first, ...rest]));
}

/** What is wrong with a decision; empty where every pod has what its claims request, and no device is held twice. */
export function faultsOf({ snapshot, slices, claims }: GangWorld, bindings: readonly Binding[]): readonly string[] {
  const faults: string[] = [];
  const byKey = new Map<string, { readonly node: string; readonly devices: readonly AllocatedDevice[] }>();
  for (const { pod, node, role, claims: claimed = [] } of bindings) {
    const keys = snapshot.gangs[0]?.roles.find(({ name }) => name === role)?.template.claims ?? [];
    claimed.forEach(({ key, devices }, index) => {
      const known = byKey.get(key);
      if (
        known !== undefined &&
        (known.node !== node || JSON.stringify(lines(known.devices)) !== JSON.stringify(lines(devices)))
      ) {
        faults.push(`${pod}: claim ${key} is allocated twice`);
      }
      byKey.set(key, { node, devices });
      const all = slices.filter((slice) => slice.node === node).flatMap((slice) => slice.devices);
      const chosen = devices.map((one) => all.find(({ name }) => name === one.device));
      const claim = claims.get(keys[index] ?? '')?.claim;
      const fits =
        claim !== undefined &&
        choicesOf(claim, all).some((set) => set.length === chosen.length && set.every((one) => chosen.includes(one)));
      if (!fits) {
        faults.push(`${pod}: claim ${key} has ${lines(devices).join()}`);
      }
    });
    if (claimed.length !== keys.length) {
      faults.push(`${pod} has ${claimed.length} of ${keys.length} claims`);
    }
  }
  for (const { name } of snapshot.nodes) {
    const all = slices.filter((slice) => slice.node === name).flatMap((slice) => slice.devices);
    const held = [...byKey.values()]
      .filter(({ node }) => node === name)
      .map(({ devices }) => ({ devices: devices.map((one) => all.find((other) => other.name === one.device)!) }));
    if (!areCompatible(held)) {
      faults.push(`node ${name}: devices are held twice`);
    }
  }
  return faults;
}

function lines(devices: readonly AllocatedDevice[]): readonly string[] {
  return devices.map((one) => deviceKey(one).replaceAll('\0', '/'));
}

/** Each gang is placed where trying everything finds places, and has what its claims request. @returns how many could be placed */
export function checkClaimGangs(runs: number, seed: number): number {
  const wrong: string[] = [];
  let feasible = 0;
  for (let run = 0; run < runs; run++) {
    const world = makeGangWorld(new Random(seed + run));
    const bindings = decided(world);
    const expected = isFeasible(world);
    feasible += Number(expected);
    if (bindings.length > 0 !== expected) {
      wrong.push(`${seed + run}: ${expected ? 'feasible' : 'infeasible'}, ${bindings.length} bindings`);
    }
    wrong.push(...faultsOf(world, bindings).map((fault) => `${seed + run}: ${fault}`));
  }
  if (wrong.length > 0) {
    throw new Error(`${wrong.length} worlds differ: ${wrong.slice(0, 10).join('; ')}`);
  }
  return feasible;
}
