/**
 * The working form of queues, gangs and pods inside one decision: records with links between them and the counts that change.
 */
import {
  type Gang,
  type PodTemplate,
  type Queue,
  type Role,
  type Subgroup,
  type TopologyConstraint,
} from '../model/model';
import { type ClaimedDevices } from '../model/claims';
import { type PodClass } from '../nodes/pod-class';

/** Row of a pod that has no place. */
export const NOWHERE = -1;
/** Row of a pod that runs on a node which is not part of the snapshot. */
export const ELSEWHERE = -2;

export interface PodRecord {
  /** Place among the pods of its gang. */
  index: number;
  /** Its place among those of its role, as the snapshot sets it; undefined for a pod that is still to be made. */
  readonly order: number | undefined;
  readonly name: string;
  readonly role: RoleRecord | undefined;
  readonly podClass: PodClass;
  startedAt: number;
  readonly preemptible: boolean;
  /** Was there before this decision: `running` and `releasing` pods are. While the next decision is tried out, before that one. */
  existed: boolean;
  readonly releasing: boolean;
  /** When it ought to have terminated, milliseconds since the epoch; Infinity where that is not known. */
  readonly releasedBy: number;
  /** May be placed: it is new, or (while the next cycle is tried out) it was evicted in this one. */
  waits: boolean;
  /** Row where it was before this decision. */
  readonly home: number;
  /** Indices of its devices on that node, as they were stated. */
  readonly stated: readonly number[];
  row: number;
  /** Slots of its devices. */
  devices: readonly number[];
  /** Keys of its claims, where they are not those of its class. */
  readonly claims: readonly string[] | undefined;
  /** The claims that it has while it is placed, with their devices. */
  claimed: readonly ClaimedDevices[];
}

export interface RoleRecord {
  readonly role: Role;
  readonly gang: GangRecord;
  readonly unit: UnitRecord;
  readonly template: PodTemplate;
  readonly minimum: number;
  /** In the order in which they start. */
  readonly pods: PodRecord[];
  /** How many pods it has, whether they are made or not. */
  readonly size: number;
  /** The class of all its pods, if they were all still to be made when the gang came. */
  readonly fresh: PodClass | undefined;
  placed: number;
}

/** The gang itself or one of its subgroups. */
export interface UnitRecord {
  readonly name: string;
  readonly subgroup: Subgroup | undefined;
  readonly topology: TopologyConstraint | undefined;
  readonly children: UnitRecord[];
  readonly roles: RoleRecord[];
  /** Pods that must run in here; undefined when the roles' and children's minimums say it all. */
  readonly minimum: number | undefined;
}

export interface GangRecord {
  /** Grows in the order of names. */
  index: number;
  readonly gang: Gang;
  queue: QueueRecord | undefined;
  readonly root: UnitRecord;
  readonly roles: RoleRecord[];
  readonly priority: number;
  readonly arrival: number;
  readonly preemptible: boolean;
  /** Pods that must run for the gang to run. */
  readonly needed: number;
  readonly size: number;
  /** The same number for gangs without pods that have the same requirements on nodes; undefined if that is not known. */
  kind: number | undefined;
  /** What it starts with if none of its pods has run; undefined if one has, or if it needs none. */
  start: 'same-pods' | 'pods-that-fit' | undefined;
  /** What it starts with, once it was asked for, where that does not depend on what is free. */
  firstTurn: Turn | undefined;
  placed: number;
  /** The number of the list that it was put into last; see `reasons.ts`. */
  listed: number;
  /** Its placed pods by the keys of the claims that they share. @default - none shares a claim */
  claimPods?: Map<string, ClaimHolders>;
}

/** Pods of one gang that share a claim. */
export interface ClaimHolders {
  all: number;
  /** Those that must not be preempted. */
  fixed: number;
}

export interface QueueRecord {
  readonly index: number;
  readonly queue: Queue;
  readonly parent: QueueRecord | undefined;
  readonly children: QueueRecord[];
  readonly depth: number;
  /** By account; what this queue and all below it have. */
  readonly allocated: Float64Array;
  readonly nonPreemptible: Float64Array;
  readonly requested: Float64Array;
  readonly fairShare: Float64Array;
  /** Infinity where it is unlimited, 0 where the queue names none. */
  readonly deserved: Float64Array;
  /** True where the queue says something on the account's quota. */
  readonly hasQuota: readonly boolean[];
  readonly capability: Float64Array;
}

/** A gang, and the pods it is to get in this step. */
export interface Turn {
  readonly gang: GangRecord;
  readonly pods: readonly PodRecord[];
  /** How many pods these are: a question for which none has to be made. */
  readonly count: number;
  /** The class of all its pods, where they are alike. */
  readonly podClass: PodClass | undefined;
  /** What its queues would be charged. */
  readonly asked: Float64Array;
  /** The gang already has its minimum. */
  readonly optional: boolean;
}

/** Pods of a gang that are evicted together. */
export interface Portion {
  readonly gang: GangRecord;
  readonly pods: readonly PodRecord[];
  /** What is left of the gang after its surplus. */
  readonly core: boolean;
}
