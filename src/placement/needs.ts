/**
 * Which pods of a gang must start together, and which may follow one by one.
 */
import { type GangRecord, NOWHERE, type PodRecord, type RoleRecord, type UnitRecord } from './records';

/** Not placed, and free to be. */
export function waiting(role: RoleRecord): PodRecord[] {
  return role.pods.filter(({ row, waits }) => row === NOWHERE && waits);
}

/**
 * The pods that bring every role, subgroup and the gang itself to its minimum: roles first, then subgroups, then the gang, each topped up
 * in the order of its roles. Undefined when there are not enough pods.
 */
export function missingPods(gang: GangRecord): PodRecord[] | undefined {
  const chosen: PodRecord[] = [];
  return fill(gang.root, chosen) === undefined ? undefined : chosen;
}

/** Adds to `chosen`, and says how many pods the unit then has. */
function fill(unit: UnitRecord, chosen: PodRecord[]): number | undefined {
  let have = 0;
  for (const role of unit.roles) {
    const missing = Math.max(0, role.minimum - role.placed);
    const pods = missing === 0 ? [] : waiting(role).slice(0, missing);
    if (pods.length < missing) {
      return undefined;
    }
    chosen.push(...pods);
    have += role.placed + pods.length;
  }
  for (const child of unit.children) {
    const inside = fill(child, chosen);
    if (inside === undefined) {
      return undefined;
    }
    have += inside;
  }
  if (have < (unit.minimum ?? 0)) {
    const taken = new Set(chosen);
    for (const pod of waitingIn(unit)) {
      if (have < unit.minimum! && !taken.has(pod)) {
        chosen.push(pod);
        have++;
      }
    }
  }
  return have < (unit.minimum ?? 0) ? undefined : have;
}

export function rolesIn(unit: UnitRecord): RoleRecord[] {
  return [...unit.roles, ...unit.children.flatMap(rolesIn)];
}

function waitingIn(unit: UnitRecord): PodRecord[] {
  return rolesIn(unit).flatMap(waiting);
}

/** The next pod that the gang may have beyond its minimum. */
export function optionalPod(gang: GangRecord): PodRecord | undefined {
  for (const role of gang.roles) {
    if (role.placed < role.pods.length) {
      const pod = role.pods.find(({ row, waits }) => row === NOWHERE && waits);
      if (pod !== undefined) {
        return pod;
      }
    }
  }
  return undefined;
}

/** Does the gang have all that it must have? */
export function runs(gang: GangRecord): boolean {
  return gang.placed === gang.size || (gang.placed >= gang.needed && unitRuns(gang.root));
}

function unitRuns(unit: UnitRecord): boolean {
  return (
    unit.roles.every(({ placed, minimum }) => placed >= minimum) &&
    unit.children.every(unitRuns) &&
    (unit.minimum === undefined || rolesIn(unit).reduce((sum, { placed }) => sum + placed, 0) >= unit.minimum)
  );
}

/** Is every pod that runs in the unit there with all others that must be, once `pod` is gone? */
export function isSurplus(pod: PodRecord, gone: ReadonlySet<PodRecord>): boolean {
  const role = pod.role!;
  const left = (roles: readonly RoleRecord[]): number =>
    roles.reduce((sum, { pods }) => sum +
      pods.filter((other) => other.row !== NOWHERE && !other.releasing && other !== pod && !gone.has(other)).length, 0);
  if (left([role]) < role.minimum) {
    return false;
  }
  const path: UnitRecord[] = [];
  const find = (unit: UnitRecord): boolean => {
    path.push(unit);
    if (unit === role.unit || unit.children.some(find)) {
      return true;
    }
    path.pop();
    return false;
  };
  find(role.gang.root);
  return path.every((unit) => left(rolesIn(unit)) >= (unit.minimum ?? 0));
}
