/**
 * Which pods of a gang must start together, and which may follow one by one.
 */
import { addAll } from '../../facts/collections';
import { type PodClass } from '../nodes/pod-class';
import { type GangRecord, NOWHERE, type PodRecord, type RoleRecord, type UnitRecord } from './records';

/** How many pods of a class could be placed now, and whether any could be, were there room. */
export type RoomFor = (podClass: PodClass) => { readonly now: number; readonly ever: boolean };

/** Not placed, and free to be. */
export function waiting(role: RoleRecord): PodRecord[] {
  return role.pods.filter(({ row, waits }) => row === NOWHERE && waits);
}

/**
 * The pods that bring every role, subgroup and the gang itself to its minimum: roles first, then subgroups, then the gang, each topped up
 * with pods for which there is room, in the order of its roles. Undefined when there are not enough pods.
 */
export function missingPods(gang: GangRecord, roomFor: RoomFor): PodRecord[] | undefined {
  const chosen: PodRecord[] = [];
  return fill(gang.root, chosen, roomFor) === undefined ? undefined : chosen;
}

/** Adds to `chosen`, and says how many pods the unit then has. */
function fill(unit: UnitRecord, chosen: PodRecord[], roomFor: RoomFor): number | undefined {
  let have = 0;
  for (const role of unit.roles) {
    const missing = Math.max(0, role.minimum - role.placed);
    const pods = missing === 0 ? [] : waiting(role).slice(0, missing);
    if (pods.length < missing) {
      return undefined;
    }
    addAll(chosen, pods);
    have += role.placed + pods.length;
  }
  for (const child of unit.children) {
    const inside = fill(child, chosen, roomFor);
    if (inside === undefined) {
      return undefined;
    }
    have += inside;
  }
  if (have < (unit.minimum ?? 0)) {
    const taken = new Set(chosen);
    const left = waitingIn(unit).filter((pod) => !taken.has(pod));
    const missing = unit.minimum! - have;
    const others = left.length <= missing ? left : roomyFirst(left, chosen, roomFor).slice(0, missing);
    addAll(chosen, others);
    have += others.length;
  }
  return have < (unit.minimum ?? 0) ? undefined : have;
}

/** The pods in their order, but those for which there is room come first, and those that could be nowhere last. */
function roomyFirst(pods: readonly PodRecord[], chosen: readonly PodRecord[], roomFor: RoomFor): readonly PodRecord[] {
  if (pods.every(({ podClass }) => podClass === pods[0].podClass)) {
    return pods;
  }
  const rooms = new Map<PodClass, { left: number; readonly ever: boolean }>();
  const rank = ({ podClass }: PodRecord): number => {
    let room = rooms.get(podClass);
    if (room === undefined) {
      const { now, ever } = roomFor(podClass);
      room = { left: now - chosen.filter((pod) => pod.podClass === podClass).length, ever };
      rooms.set(podClass, room);
    }
    return room.left-- > 0 ? 0 : room.ever ? 1 : 2;
  };
  const ranked = pods.map((pod) => ({ pod, rank: rank(pod) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ pod }) => pod);
}

export function rolesIn(unit: UnitRecord): RoleRecord[] {
  return [...unit.roles, ...unit.children.flatMap(rolesIn)];
}

function waitingIn(unit: UnitRecord): PodRecord[] {
  return rolesIn(unit).flatMap(waiting);
}

/** The next pod that the gang may have beyond its minimum. */
export function optionalPod(gang: GangRecord, roomFor: RoomFor): PodRecord | undefined {
  const next: PodRecord[] = [];
  for (const role of gang.roles) {
    const pod =
      role.placed < role.pods.length ? role.pods.find(({ row, waits }) => row === NOWHERE && waits) : undefined;
    if (pod !== undefined) {
      next.push(pod);
    }
  }
  return next.length < 2 ? next[0] : roomyFirst(next, [], roomFor)[0];
}

/** Does the gang have all that it must have? */
export function runs(gang: GangRecord): boolean {
  return gang.placed >= gang.needed && (gang.placed === gang.size || unitRuns(gang.root));
}

function unitRuns(unit: UnitRecord): boolean {
  return (
    unit.roles.every(({ placed, minimum }) => placed >= minimum) &&
    unit.children.every(unitRuns) &&
    (unit.minimum === undefined || rolesIn(unit).reduce((sum, { placed }) => sum + placed, 0) >= unit.minimum)
  );
}

/** Whether every running pod of the unit still has the pods that it requires after `pod` has terminated. */
export function isSurplus(pod: PodRecord, gone: ReadonlySet<PodRecord>): boolean {
  const role = pod.role!;
  const left = (roles: readonly RoleRecord[]): number =>
    roles.reduce(
      (sum, { pods }) =>
        sum +
        pods.filter((other) => other.row !== NOWHERE && !other.releasing && other !== pod && !gone.has(other)).length,
      0,
    );
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
