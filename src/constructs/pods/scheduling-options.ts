/**
 * What one may ask of a scheduler beside its queue, per engine. An engine that has no means for something has no property for it.
 */
import type { Duration } from 'cdk8s';
import { type KubernetesMinor } from '../../facts/api/schema';
import { type WorkloadPriorityClassReference } from '../resources/references';

/** How close the pods must be: a level whose domain must contain all of them, or contains them if possible. */
export type TopologyChoice<Level = string> =
  | { readonly required: Level; readonly preferred?: undefined }
  | { readonly preferred: Level; readonly required?: undefined };

/** How many pods make a start. Those above the least come as there is room. */
export interface ElasticRange {
  /** Number of pods that must fit for the workload to start. */
  readonly min: number;
  /** Most pods. What the workload states, and refused where it states something else. @default - the pods of the workload */
  readonly max?: number;
}

/** Options of `Scheduling.volcano`. */
export interface VolcanoOptions {
  /** A tier of hyper nodes, by number or (where the kind has a field for it) by name. @default - anywhere */
  readonly topology?: TopologyChoice<number | string>;
  /** Lets the workload start with fewer pods than it asks for. @default - all pods start together */
  readonly elastic?: ElasticRange;
  /** Time that a pod runs before it may be evicted, where Volcano's plugin `cdp` is on. @default - it may be evicted at once */
  readonly minimumRuntime?: Duration;
}

/** Options of `Scheduling.kueue`. */
export interface KueueOptions {
  /** Priority among workloads of the queue, apart from the priority of pods. @default - that of the pods */
  readonly workloadPriorityClass?: WorkloadPriorityClassReference;
  /** A level of the flavor's Topology (a node label), for the pods of each role. @default - anywhere */
  readonly topology?: TopologyChoice;
  /** Lets Kueue admit a Job with fewer pods. @default - all pods or none */
  readonly elastic?: ElasticRange;
}

/** Options of `Scheduling.kai`. */
export interface KaiOptions {
  /** Whether pods may be evicted for others. @default - by the priority class: below 100 they may */
  readonly preemptible?: boolean;
}

/** Options of `Scheduling.podGroup`. */
export interface PodGroupOptions {
  /** A node label; the cluster needs the feature gate `TopologyAwareWorkloadScheduling`. From 1.36 on. @default - anywhere */
  readonly topology?: {
    /** Node label; all pods must be on nodes with the same value of it. */
    readonly required: string;
  };
  /** Lets the workload start with fewer pods than it asks for. @default - all pods start together */
  readonly elastic?: ElasticRange;
  /** Whether a pod may be evicted alone, or the group goes as a whole; from 1.36 on. @default - the server's: pod */
  readonly disruption?: 'pod' | 'group';
  /** The minor whose form is written. @default - the target of the app's checks, when the workload is scheduled */
  readonly kubernetes?: KubernetesMinor;
}

/** Options of `Scheduling.schedulerPlugins`. */
export interface SchedulerPluginsOptions {
  /** Name under which the scheduler with the coscheduling plugin runs. @default scheduler-plugins-scheduler */
  readonly schedulerName?: string;
  /** Lets the workload start with fewer pods than it asks for. @default - all pods start together */
  readonly elastic?: ElasticRange;
  /** Time that members wait for each other, where Gantry writes the group. @default - the plugin's: 60 seconds */
  readonly scheduleTimeout?: Duration;
}

/** Options of `Scheduling.gantry`. */
export interface GantryOptions {
  /** Topology levels (node labels). A gang may need one and prefer another within it. @default - anywhere */
  readonly topology?: {
    /** Level: all pods must be in one domain of it. @default - none */
    readonly required?: string;
    /** Level: all pods should be in one domain of it. @default - none */
    readonly preferred?: string;
  };
  /** Lets the workload start with fewer pods than it asks for. @default - all pods start together */
  readonly elastic?: ElasticRange;
  /** Time that a pod runs before it may be evicted. @default - it may be evicted at once */
  readonly minimumRuntime?: Duration;
  /** Time from start to end, as far as you know: short work may then run in the gap before a large gang. @default - unknown */
  readonly expectedDuration?: Duration;
  /**
   * Time between checkpoints. An interruption loses the work since the last one, which is the price of a move to another node.
   * @default - unknown, so all work since the start counts as lost
   */
  readonly checkpointInterval?: Duration;
  /** Whether pods may be evicted for others. @default true */
  readonly preemptible?: boolean;
  /**
   * Gantry chooses the node and hands the pod over to the cluster's own scheduler, which checks and binds: for pods with volumes that
   * are bound late, or with claims. The pod waits with a scheduling gate.
   * @default false: Gantry binds itself
   */
  readonly handOver?: boolean;
}

/** Pods that start together, as a workload knows them. */
export interface Gang {
  /** Unique in the namespace. */
  readonly name: string;
  /** Pods with which it can start. */
  readonly minMember: number;
  /** All of its pods. */
  readonly members: number;
  /** Label whose value tells gangs of this name apart. @default - there is one gang of the name */
  readonly perLabel?: string;
  /** Whether a PodGroup is written beside the workload, so that pods have to name it. @default false: its controller makes one */
  readonly written?: boolean;
}

/** @throws if the range does not fit the workload */
export function elasticGang(gang: Gang, elastic: ElasticRange | undefined): Gang {
  if (elastic === undefined) {
    return gang;
  }
  const { min, max = gang.members } = elastic;
  if (!Number.isInteger(min) || min < 1 || min > gang.members) {
    throw new Error(
      `elastic.min must be a whole number from 1 to ${gang.members}, the number of pods of the workload, not ${min}.`,
    );
  }
  if (max !== gang.members) {
    throw new Error(
      `elastic.max ${max}: the workload has ${gang.members} pods. Set ${max} there, or omit elastic.max.`,
    );
  }
  return { ...gang, minMember: min };
}
