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
    if (missing > 0 && addWaiting(role, missing, chosen) < missing) {
      return undefined;
    }
    have += role.placed + missing;
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

/** Adds the first of the role's pods that are free to be placed, at most `most`, and says how many. */
function addWaiting({ pods }: RoleRecord, most: number, chosen: PodRecord[]): number {
  let added = 0;
  for (let i = 0; i < pods.length && added < most; i++) {
    if (pods[i].row === NOWHERE && pods[i].waits) {
      chosen.push(pods[i]);
      added++;
    }
  }
  return added;
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

/** The next pod of each role that the gang may have beyond its minimum; the first one is what it gets if it can. */
export function optionalPods(gang: GangRecord, roomFor: RoomFor): readonly PodRecord[] {
  const next: PodRecord[] = [];
  for (const role of gang.roles) {
    const pod =
      role.placed < role.pods.length ? role.pods.find(({ row, waits }) => row === NOWHERE && waits) : undefined;
    if (pod !== undefined) {
      next.push(pod);
    }
  }
  return next.length < 2 ? next : roomyFirst(next, [], roomFor);
}

/** Choices of pods for one gang that are looked at, and those of them that are tried, spread evenly over all. */
const MOST_SEEN = 256;
const MOST_CHOICES = 16;

/**
 * Other pods that bring the gang to its minimum, as many of them as `chosen`: each choice takes another number of pods from the roles. More
 * pods of the first roles come first. Empty where the minimums of its roles leave no choice.
 */
export function otherChoices(gang: GangRecord, chosen: readonly PodRecord[]): readonly (readonly PodRecord[])[] {
  const { roles } = gang;
  const free = roles.map(waiting);
  const least = roles.map(({ minimum, placed }) => Math.max(0, minimum - placed));
  const taken = roles.map((role) => chosen.reduce((sum, pod) => sum + (pod.role === role ? 1 : 0), 0));
  const sumFrom = (amounts: readonly number[], from: number): number =>
    amounts.slice(from).reduce((sum, amount) => sum + amount, 0);
  const mostFrom = roles.map((_, at) =>
    sumFrom(
      free.map(({ length }) => length),
      at,
    ),
  );
  const leastFrom = roles.map((_, at) => sumFrom(least, at));
  let seen = 0;
  const found: (readonly number[])[] = [];
  const choose = (counts: readonly number[], left: number): void => {
    const at = counts.length;
    // Every branch that is followed ends in a choice.
    if (seen === MOST_SEEN || left > (mostFrom[at] ?? 0) || left < (leastFrom[at] ?? 0)) {
      return;
    }
    if (at === roles.length) {
      seen++;
      if (
        counts.some((count, i) => count !== taken[i]) &&
        isEnough(gang.root, new Map(roles.map((role, i) => [role, counts[i]])))
      ) {
        found.push(counts);
      }
      return;
    }
    for (let count = Math.min(free[at].length, left); count >= least[at]; count--) {
      choose([...counts, count], left - count);
    }
  };
  choose([], chosen.length);
  const step = Math.max(1, found.length / MOST_CHOICES);
  const tried = Array.from({ length: Math.min(found.length, MOST_CHOICES) }, (_, i) => found[Math.floor(i * step)]);
  return tried.map((counts) => counts.flatMap((count, at) => free[at].slice(0, count)));
}

/** Does the unit have all that it must have with so many more pods of each role? */
function isEnough(unit: UnitRecord, more: ReadonlyMap<RoleRecord, number>): boolean {
  return (
    unit.children.every((child) => isEnough(child, more)) &&
    rolesIn(unit).reduce((sum, role) => sum + role.placed + more.get(role)!, 0) >= (unit.minimum ?? 0)
  );
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
