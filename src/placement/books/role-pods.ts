/**
 * A role of a gang with its pods. Those of a gang that has none yet are made when somebody asks for one of them: a gang of thousands may come,
 * get nothing, and go, and what is said of it is counted.
 */
import { type Pod, type PodTemplate, type Role } from '../model/model';
import { type PodClass } from '../nodes/pod-class';
import { compareNames } from '../model/names';
import { type GangRecord, NOWHERE, type PodRecord, type RoleRecord, type UnitRecord } from './records';

const NO_DEVICES: readonly number[] = [];
const NO_CLAIMS: PodRecord['claimed'] = [];

export class RolePods implements RoleRecord {
  placed = 0;
  fresh: PodClass | undefined;
  readonly template: PodTemplate;
  private list: PodRecord[] | undefined = [];
  private first = 0;

  constructor(
    readonly role: Role,
    readonly gang: GangRecord,
    readonly unit: UnitRecord,
    readonly minimum: number,
  ) {
    this.template = role.template;
  }

  get pods(): PodRecord[] {
    return (this.list ??= this.allNew());
  }

  get size(): number {
    return this.list?.length ?? this.role.count;
  }

  /**
   * All its pods are still to be made.
   *
   * @param first place of the first of them among the pods of the gang
   */
  becomeFresh(podClass: PodClass, first: number): void {
    this.fresh = podClass;
    this.first = first;
    this.list = undefined;
  }

  private allNew(): PodRecord[] {
    const { role, gang, first, fresh } = this;
    // Of its final length: a list that grows takes several times the memory, and most gangs have few pods.
    const pods = new Array<PodRecord>(role.count);
    for (let i = 0; i < pods.length; i++) {
      pods[i] = newPod(`${gang.gang.name}-${role.name}-${i}`, this, first + i, fresh!);
    }
    return pods;
  }
}

type Ordered = Pick<Pod, 'name' | 'order'>;

/** A pod that is still to be made. */
export function newPod(name: string, role: RoleRecord, index: number, podClass: PodClass): PodRecord {
  return {
    index,
    order: undefined,
    name,
    role,
    podClass,
    startedAt: role.gang.arrival,
    preemptible: role.gang.preemptible,
    existed: false,
    releasing: false,
    releasedBy: Infinity,
    waits: true,
    home: NOWHERE,
    stated: NO_DEVICES,
    row: NOWHERE,
    devices: NO_DEVICES,
    claims: undefined,
    claimed: NO_CLAIMS,
  };
}

/** Negative when `a` comes first among the pods of one role that the snapshot lists, or among those that are still to be made. */
export function compareInRole(a: Ordered, b: Ordered): number {
  return (a.order ?? 0) - (b.order ?? 0) || compareNames(a.name, b.name);
}
