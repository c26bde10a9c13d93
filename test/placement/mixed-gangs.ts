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
}
