/**
 * What the units of a gang (the gang, its subgroups, roles with a topology of their own) contain and ask for.
 */
import { rolesIn } from '../books/needs';
import { type GangRecord, type PodRecord, type Turn, type UnitRecord } from '../books/records';
import { type TopologyConstraint } from '../model/model';
import { type PodClass } from '../nodes/pod-class';
import { hasWishes } from './wishes';

export type Part = Pick<UnitRecord, 'roles' | 'children' | 'topology'>;

export interface Kind {
  readonly worker: PodClass;
  readonly leader: PodRecord | undefined;
}

/** The pods are of one kind, but for a single leader; and nothing inside has a topology of its own. */
export function sameKind(unit: Part, pods: readonly PodRecord[]): Kind | undefined {
  const plain =
    unit.children.every((child) => child.topology === undefined && child.children.length === 0) &&
    unit.roles.every(({ role }) => role.topology === undefined || role.topology === unit.topology);
  if (!plain) {
    return undefined;
  }
  let leader: PodRecord | undefined;
  let worker: PodClass | undefined;
  for (let i = 0; i < pods.length; i++) {
    const pod = pods[i];
    if (pod.role!.role.leader === true) {
      if (leader !== undefined) {
        return undefined;
      }
      leader = pod;
    } else {
      worker ??= pod.podClass;
      if (worker !== pod.podClass) {
        return undefined;
      }
    }
  }
  return worker === undefined ? undefined : { worker, leader };
}

/** How many of the pods are of each class; neighbors are mostly alike, and there may be thousands. */
export function classesOf(pods: readonly PodRecord[]): Map<PodClass, number> {
  const counts = new Map<PodClass, number>();
  for (let from = 0, to = 0; from < pods.length; from = to) {
    const { podClass } = pods[from];
    while (to < pods.length && pods[to].podClass === podClass) {
      to++;
    }
    counts.set(podClass, (counts.get(podClass) ?? 0) + to - from);
  }
  return counts;
}

/** The same for the pods of a turn: none has to be made for it. */
export function classesOfTurn(turn: Turn): Map<PodClass, number> {
  return turn.podClass === undefined ? classesOf(turn.pods) : new Map([[turn.podClass, turn.count]]);
}

/** The classes of all pods of the gang: none has to be made for it. */
export function classesIn({ roles }: GangRecord): readonly PodClass[] {
  return [
    ...new Set(roles.flatMap((role) => (role.fresh === undefined ? [...classesOf(role.pods).keys()] : [role.fresh]))),
  ];
}

/** Has any pod of the turn claims? */
export function turnHasClaims(turn: Turn): boolean {
  return turn.podClass === undefined ? haveClaims(turn.pods) : turn.podClass.claims.length > 0;
}

export function saysNothing({ topology, children, roles }: UnitRecord): boolean {
  return (
    topology === undefined && children.every(saysNothing) && roles.every(({ role }) => role.topology === undefined)
  );
}

/** Must any part of the unit be in one domain? */
export function requires({ topology, children, roles }: UnitRecord): boolean {
  const must = (constraint: TopologyConstraint | undefined): boolean =>
    constraint?.required !== undefined || constraint?.sliceLevel !== undefined;
  return must(topology) || children.some(requires) || roles.some(({ role }) => must(role.topology));
}

export function podsOf(unit: Part, isMeant: (pod: PodRecord) => boolean): PodRecord[] {
  const found: PodRecord[] = [];
  for (const { pods } of unit.children.length === 0 ? unit.roles : [...unit.roles, ...unit.children.flatMap(rolesIn)]) {
    for (const pod of pods) {
      if (isMeant(pod)) {
        found.push(pod);
      }
    }
  }
  return found;
}

/** Rows of pods of the unit that run already. */
export function placedRows(unit: Part, wanted: ReadonlySet<PodRecord>): readonly number[] {
  const rows: number[] = [];
  for (const { row } of podsOf(unit, (pod) => pod.row >= 0 && !pod.releasing && !wanted.has(pod))) {
    rows.push(row);
  }
  return rows;
}

/** Do the pods differ, and some of them prefer places that others need? */
export function prefers(pods: readonly PodRecord[]): boolean {
  const [{ podClass }] = pods;
  return pods.some((pod) => pod.podClass !== podClass) && pods.some((pod) => hasWishes(pod.podClass.template));
}

/** Neighbors are mostly alike, so that few of them are asked. */
export function haveClaims(pods: readonly PodRecord[]): boolean {
  let known: PodClass | undefined;
  for (const { podClass } of pods) {
    if (podClass !== known && podClass.claims.length > 0) {
      return true;
    }
    known = podClass;
  }
  return false;
}
