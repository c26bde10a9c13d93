/**
 * The working form of gangs and pods: roles in the order in which they are placed, subgroups as a tree, and pods that exist or represent
 * pods that are still to be made.
 */
import { SnapshotError } from '../model/facts';
import { type Gang, type Pod, type PodTemplate, type Role, type Subgroup } from '../model/model';
import { canonicalText } from '../model/canonical-text';
import { type PodClass } from '../nodes/pod-class';
import { rolesIn } from './needs';
import { compareInRole, newPod, RolePods } from './role-pods';
import {
  type GangRecord,
  NOWHERE,
  type PodRecord,
  type QueueRecord,
  type RoleRecord,
  type UnitRecord,
} from './records';

/** The class of a template, and the row of a node. */
export interface Lookup {
  readonly classOf: (template: PodTemplate, queue: string | undefined) => PodClass;
  /** Row of the node; ELSEWHERE where there is no such node. */
  readonly rowOf: (node: string) => number;
  /** Whether the order of roles is that of their priorities. */
  readonly byPriority: () => boolean;
}

/**
 * The record of a gang with its pods, none of them on the books yet.
 *
 * @param listed the pods that exist
 * @throws SnapshotError when a pod names a role that the gang does not have
 */
export function gangWithPods(
  gang: Gang,
  index: number,
  queue: QueueRecord | undefined,
  listed: readonly Pod[],
  lookup: Lookup,
): GangRecord {
  const record = gangRecord(gang, index, queue, lookup.byPriority());
  let count = 0;
  for (const role of record.roles) {
    if (listed.length === 0) {
      if (role.role.count > 0) {
        role.becomeFresh(lookup.classOf(role.template, gang.queue), count);
        count += role.role.count;
      }
      continue;
    }
    const taken = new Set<string>();
    const own = listed.filter((pod) => (pod.role ?? record.roles[0].role.name) === role.role.name);
    own.sort(compareInRole);
    own.forEach((pod) => taken.add(pod.name) && role.pods.push(podRecord(pod, role, count++, lookup)));
    if (role.pods.length < role.role.count) {
      const podClass = lookup.classOf(role.template, gang.queue);
      for (let i = 0; role.pods.length < role.role.count; i++) {
        const name = `${gang.name}-${role.role.name}-${i}`;
        if (!taken.has(name)) {
          role.pods.push(newPod(name, role, count++, podClass));
        }
      }
    }
  }
  const lost = listed.find((pod) => pod.role !== undefined && !gang.roles.some(({ name }) => name === pod.role));
  if (lost !== undefined) {
    throw new SnapshotError(`Pod "${lost.name}" names role "${lost.role}", which gang "${gang.name}" does not have.`);
  }
  return record;
}

const NO_DEVICES: readonly number[] = [];

export function podRecord(pod: Pod, role: RoleRecord | undefined, index: number, lookup: Lookup): PodRecord {
  const existed = pod.state !== 'pending' && pod.node !== undefined;
  return {
    index,
    order: pod.order ?? 0,
    name: pod.name,
    role,
    podClass: lookup.classOf(pod.template ?? role!.template, role?.gang.gang.queue),
    startedAt: pod.startedAt ?? role?.gang.arrival ?? 0,
    preemptible: role !== undefined && (pod.preemptible ?? role.gang.preemptible),
    existed,
    releasing: existed && pod.state === 'releasing',
    releasedBy: pod.releasedBy ?? Infinity,
    waits: !existed,
    home: existed ? lookup.rowOf(pod.node) : NOWHERE,
    stated: pod.devices ?? NO_DEVICES,
    row: NOWHERE,
    devices: NO_DEVICES,
    claims: pod.claims,
    claimed: NO_CLAIMS,
  };
}

const NO_CLAIMS: PodRecord['claimed'] = [];

/** Whether the pods that a gang starts with depend on what is free; undefined if one of its pods has run, or if it needs none. */
export function startOf({ roles, root, needed }: GangRecord): GangRecord['start'] {
  return needed <= 0 || !roles.every(hasNotRun) ? undefined : startsAlike(root) ? 'same-pods' : 'pods-that-fit';
}

/** Equal for gangs that fit or do not fit alike, whose first turn does not depend on what is free; undefined where that cannot be said. */
export function likenessOf({ gang, roles, root, needed }: GangRecord): string | number | undefined {
  return needed === 0 || !roles.every(isNew) || roles.some(mayGain) || !startsAlike(root)
    ? undefined
    : (plainLikeness(gang, roles) ??
        canonicalText([
          gang.topology,
          gang.subgroups,
          gang.minimum,
          roles.map((record) => [
            classOf(record)?.id,
            record.size,
            record.minimum,
            record.role.topology,
            record.role.subgroup,
            record.role.leader,
          ]),
        ]));
}

/** None of its pods runs, or has run. */
function hasNotRun(role: RoleRecord): boolean {
  return role.fresh !== undefined || role.pods.every(({ existed }) => !existed);
}

/** None of its pods exists, and all are alike. */
function isNew(role: RoleRecord): boolean {
  return (
    role.fresh !== undefined ||
    role.pods.every(
      ({ existed, podClass, claims }) => !existed && claims === undefined && podClass === role.pods[0].podClass,
    )
  );
}

/** The class of its first pod. */
function classOf(role: RoleRecord): PodClass | undefined {
  return role.fresh ?? role.pods.at(0)?.podClass;
}

/** More pods than most gangs have; keeps numbers of gangs that are alike apart. */
const MOST_USUAL = 2 ** 20;

/** The same for gangs of one role that say nothing else: most gangs, thousands of which may come at once. */
function plainLikeness(
  { topology, subgroups, minimum }: Gang,
  roles: readonly RoleRecord[],
): string | number | undefined {
  const [only] = roles;
  const isPlain =
    roles.length === 1 &&
    topology === undefined &&
    subgroups === undefined &&
    minimum === undefined &&
    only.role.topology === undefined &&
    only.role.subgroup === undefined;
  if (!isPlain) {
    return undefined;
  }
  const id = classOf(only)?.id;
  const { size } = only;
  const isUsual = id !== undefined && only.minimum === size && size < MOST_USUAL && only.role.leader === undefined;
  return isUsual ? id * MOST_USUAL + size : `${id} ${size} ${only.minimum} ${only.role.leader}`;
}

/** May one of its pods fit somewhere because another was placed? What keeps others away, or is kept away, fits in fewer places then. */
function mayGain(role: RoleRecord): boolean {
  const template = classOf(role)?.template;
  if (template === undefined) {
    return false;
  }
  const { podAffinity, topologySpread, preferredPodAffinity, preferredPodAntiAffinity } = template;
  return [podAffinity, topologySpread, preferredPodAffinity, preferredPodAntiAffinity].some(
    (list) => list !== undefined && list.length > 0,
  );
}

/** Which pods bring the unit to its minimum is clear: all of them, or the first of pods that are alike. */
function startsAlike(unit: UnitRecord): boolean {
  return (unit.minimum === undefined || isChosen(unit, unit.minimum)) && unit.children.every(startsAlike);
}

function isChosen(unit: UnitRecord, minimum: number): boolean {
  const pods = rolesIn(unit).flatMap((role) => role.pods);
  return minimum >= pods.length || pods.every(({ podClass }) => podClass === pods[0].podClass);
}

function gangRecord(
  gang: Gang,
  index: number,
  queue: QueueRecord | undefined,
  byPriority: boolean,
): GangRecord & { readonly roles: RolePods[] } {
  const root = unitOf(gang, gang.name, undefined, NO_PATH);
  const units = root.children.length === 0 ? undefined : unitsIn(root, new Map());
  const inOrder =
    gang.roles.length < 2
      ? gang.roles
      : [...gang.roles].sort((a, b) => leadersFirst(a, b) || (byPriority ? importantFirst(a, b) : 0));
  const record: GangRecord & { roles: RolePods[]; needed: number } = {
    // Not a whole number, since indices need not be: V8 makes code for all records again when the first of them gets another kind of number.
    index: NaN,
    gang,
    queue,
    root,
    roles: NO_ROLES,
    priority: gang.priority ?? 0,
    arrival: gang.arrival ?? 0,
    preemptible: gang.preemptible ?? true,
    needed: 0,
    size: gang.roles.reduce((sum, { count }) => sum + count, 0),
    kind: undefined,
    start: undefined,
    firstTurn: undefined,
    placed: 0,
    listed: 0,
  };
  record.index = index;
  const roles: RolePods[] = [];
  for (const role of inOrder) {
    roles.push(roleIn(record, role, units));
  }
  record.roles = roles;
  if (units === undefined) {
    root.roles = record.roles;
  } else {
    record.roles.forEach((role) => role.unit.roles.push(role));
  }
  record.needed = neededIn(root);
  return record;
}

function roleIn(record: GangRecord, role: Role, units: ReadonlyMap<string, UnitRecord> | undefined): RolePods {
  const { gang, root } = record;
  const unit = role.subgroup === undefined ? root : units?.get(role.subgroup);
  if (unit === undefined) {
    throw new SnapshotError(
      `Role "${role.name}" of gang "${gang.name}" names subgroup "${role.subgroup}", which the gang does not have.`,
    );
  }
  const stated = gang.minimum !== undefined || unit.minimum !== undefined;
  const minimum = Math.min(role.count, role.minimum ?? (stated ? 0 : role.count));
  return new RolePods(role, record, unit, minimum);
}

/** The list of its roles is that of the gang where there are no subgroups. */
type UnitInMaking = UnitRecord & { roles: RoleRecord[] };

const NO_PATH: readonly string[] = [];
const NO_UNITS: UnitRecord[] = [];
const NO_ROLES: RolePods[] = [];

function unitOf(gang: Gang, name: string, subgroup: Subgroup | undefined, path: readonly string[]): UnitInMaking {
  if (path.includes(name)) {
    throw new SnapshotError(`Subgroup "${name}" of gang "${gang.name}" is its own ancestor.`);
  }
  const inside = subgroup === undefined ? path : [...path, name];
  const children = gang.subgroups
    ?.filter(({ parent }) => parent === subgroup?.name)
    .map((child) => unitOf(gang, child.name, child, inside));
  return {
    name,
    subgroup,
    topology: subgroup === undefined ? gang.topology : subgroup.topology,
    children: children ?? NO_UNITS,
    roles: gang.subgroups === undefined ? NO_ROLES : [],
    minimum: subgroup === undefined ? gang.minimum : subgroup.minimum,
  };
}

/** Subgroups by their names. */
function unitsIn(unit: UnitRecord, units: Map<string, UnitRecord>): ReadonlyMap<string, UnitRecord> {
  for (const child of unit.children) {
    units.set(child.name, child);
    unitsIn(child, units);
  }
  return units;
}

/** Pods that must run in the unit: its own minimum, or what its parts need, whichever is more. */
function neededIn(unit: UnitRecord): number {
  const parts =
    unit.roles.reduce((sum, { minimum }) => sum + minimum, 0) +
    unit.children.reduce((sum, child) => sum + neededIn(child), 0);
  return Math.max(parts, unit.minimum ?? 0);
}

function leadersFirst(a: Role, b: Role): number {
  return Number(b.leader ?? false) - Number(a.leader ?? false);
}

function importantFirst(a: Role, b: Role): number {
  return (b.priority ?? 0) - (a.priority ?? 0);
}
