/**
 * A gang of several roles is placed wherever it can be, held against a brute force over all assignments of pods to nodes.
 */
import * as fc from 'fast-check';
import { decide, type ClusterNode, type Gang, type Role } from '../../src/placement';
import { cluster, gang, node, template } from './builders';

interface Piece {
  readonly cpu: number;
  readonly devices: number;
}

export interface MixedWorld {
  readonly nodes: readonly Piece[];
  readonly roles: readonly (Piece & { readonly count: number })[];
}

const piece = (most: number): fc.Arbitrary<Piece> =>
  fc.record({ cpu: fc.integer({ min: 1, max: 8 }), devices: fc.integer({ min: 0, max: most }) });

export const mixedWorlds: fc.Arbitrary<MixedWorld> = fc.record({
  nodes: fc.array(
    piece(4).map(({ cpu, devices }) => ({ cpu: cpu + 2, devices })),
    { minLength: 2, maxLength: 4 },
  ),
  roles: fc.array(
    fc.record({ cpu: fc.integer({ min: 1, max: 6 }), devices: fc.nat(3), count: fc.integer({ min: 1, max: 2 }) }),
    {
      minLength: 2,
      maxLength: 3,
    },
  ),
});

/** Whether the core places the gang, and whether it can be placed at all. */
export function placedAndPossible({ nodes, roles }: MixedWorld): {
  readonly placed: boolean;
  readonly possible: boolean;
} {
  const machines = nodes.map(({ cpu, devices }, i): ClusterNode => {
    const made = node(`n${i}`, devices);
    return { ...made, allocatable: { ...made.allocatable, cpu: cpu * 1000 } };
  });
  const mixed: Gang = {
    ...gang('mixed', 1, template(1)),
    roles: roles.map(({ cpu, devices, count }, i): Role => {
      const plain = template(devices);
      return { name: `r${i}`, count, template: { ...plain, request: { ...plain.request, cpu: cpu * 1000 } } };
    }),
  };
  const { bindings } = decide(cluster(machines, [mixed]));
  return { placed: bindings.length === podsOf(roles).length, possible: assignable(podsOf(roles), nodes) };
}

/** Can all pods be assigned to nodes? */
export function possible({ nodes, roles }: MixedWorld): boolean {
  return assignable(podsOf(roles), nodes);
}

function podsOf(roles: MixedWorld['roles']): readonly Piece[] {
  return roles.flatMap(({ cpu, devices, count }) => Array.from({ length: count }, () => ({ cpu, devices })));
}

function assignable([first, ...rest]: readonly Piece[], nodes: readonly Piece[]): boolean {
  if (first === undefined) {
    return true;
  }
  return nodes.some(
    ({ cpu, devices }, at) =>
      cpu >= first.cpu &&
      devices >= first.devices &&
      assignable(
        rest,
        nodes.map((free, i) => (i === at ? { cpu: cpu - first.cpu, devices: devices - first.devices } : free)),
      ),
  );
}

/** @throws Error on a gang that fits and was not placed, or the other way round */
export function checkMixedGangs(runs: number, seed: number): void {
  fc.assert(
    fc.property(mixedWorlds, (world) => {
      const { placed, possible } = placedAndPossible(world);
      return placed === possible;
    }),
    { numRuns: runs, seed },
  );
  fc.assert(
    fc.property(choiceWorlds, (world) => {
      const broken = brokenChoice(world);
      if (broken !== undefined) {
        throw new Error(broken);
      }
    }),
    { numRuns: runs, seed },
  );
}

/** A gang that needs only some of its pods, all in one rack, in a queue with a limit. */
export interface ChoiceWorld extends MixedWorld {
  /** Rack of each node, as far as there are nodes. */
  readonly racks: readonly number[];
  readonly needed: number;
  readonly limit: Piece;
}

export const choiceWorlds: fc.Arbitrary<ChoiceWorld> = fc.record({
  nodes: fc.array(
    piece(4).map(({ cpu, devices }) => ({ cpu: cpu + 2, devices })),
    { minLength: 2, maxLength: 4 },
  ),
  racks: fc.array(fc.nat(1), { minLength: 4, maxLength: 4 }),
  roles: fc.array(
    fc.record({ cpu: fc.integer({ min: 1, max: 6 }), devices: fc.nat(3), count: fc.integer({ min: 1, max: 3 }) }),
    { minLength: 2, maxLength: 3 },
  ),
  needed: fc.integer({ min: 1, max: 4 }),
  limit: fc.record({ cpu: fc.integer({ min: 4, max: 20 }), devices: fc.integer({ min: 1, max: 9 }) }),
});

/** What is wrong with the decision, if a gang does not start that could, or has fewer pods than it could have. */
export function brokenChoice({ nodes, racks, roles, needed, limit }: ChoiceWorld): string | undefined {
  const machines = nodes.map(({ cpu, devices }, i): ClusterNode => {
    const made = node(`n${i}`, devices, { labels: { rack: `r${racks[i]}` } });
    return { ...made, allocatable: { ...made.allocatable, cpu: cpu * 1000 } };
  });
  const elastic: Gang = {
    ...gang('elastic', 1, template(1)),
    minimum: needed,
    topology: { required: 'rack' },
    roles: roles.map(({ cpu, devices, count }, i): Role => {
      const plain = template(devices);
      return {
        name: `r${i}`,
        count,
        minimum: 0,
        template: { ...plain, request: { ...plain.request, cpu: cpu * 1000 } },
      };
    }),
  };
  const capability = { cpu: limit.cpu * 1000, 'nvidia.com/gpu': limit.devices };
  const { bindings } = decide(
    cluster(machines, [elastic], [], {
      queues: [{ name: 'q', capability }],
      topologies: [{ name: 'rooms', levels: ['rack'] }],
    }),
  );
  const started = roles.map((_, i) => bindings.filter(({ role }) => role === `r${i}`).length);
  const fits = (counts: readonly number[]): boolean => {
    const pods = roles.flatMap(({ cpu, devices }, i) => Array.from({ length: counts[i] }, () => ({ cpu, devices })));
    return (
      pods.reduce((sum, { cpu }) => sum + cpu, 0) <= limit.cpu &&
      pods.reduce((sum, { devices }) => sum + devices, 0) <= limit.devices &&
      [0, 1].some((rack) =>
        assignable(
          pods,
          nodes.filter((_, i) => racks[i] === rack),
        ),
      )
    );
  };
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  if (sum(started) === 0) {
    const could = countsOf(roles).find((counts) => sum(counts) === needed && fits(counts));
    return could === undefined ? undefined : `nothing starts, and ${could.join(' and ')} pods of the roles could`;
  }
  if (!fits(started) || sum(started) < needed) {
    return `${started.join(' and ')} pods of the roles start, which do not fit or are too few`;
  }
  // Beside what has started, on the nodes where it is, no pod of any role finds a place.
  const [rack] = bindings.map(({ node: on }) => racks[machines.findIndex(({ name }) => name === on)]);
  const left = nodes.map(({ cpu, devices }, i) => {
    const own = bindings.filter(({ node: on }) => on === `n${i}`).map(({ role }) => roles[Number(role.slice(1))]);
    return {
      rack: racks[i],
      cpu: cpu - own.reduce((all, pod) => all + pod.cpu, 0),
      devices: devices - own.reduce((all, pod) => all + pod.devices, 0),
    };
  });
  const used = (what: 'cpu' | 'devices'): number => started.reduce((all, count, i) => all + count * roles[i][what], 0);
  const more = roles.findIndex(
    ({ cpu, devices, count }, i) =>
      started[i] < count &&
      used('cpu') + cpu <= limit.cpu &&
      used('devices') + devices <= limit.devices &&
      left.some((free) => free.rack === rack && free.cpu >= cpu && free.devices >= devices),
  );
  return more < 0 ? undefined : `${started.join(' and ')} pods of the roles start, and one more of role ${more} could`;
}

/** All numbers of pods that each role may have. */
function countsOf([first, ...rest]: MixedWorld['roles']): readonly (readonly number[])[] {
  if (first === undefined) {
    return [[]];
  }
  const others = countsOf(rest);
  return Array.from({ length: first.count + 1 }, (_, i) => i).flatMap((count) =>
    others.map((other) => [count, ...other]),
  );
}
