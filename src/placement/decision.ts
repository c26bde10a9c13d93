/**
 * What the placement core answers: who starts where, who has to go and for whom, what is reserved, and why the others wait.
 */
import { type Amounts, type Taint } from './model';
import { type Action } from './policy';

export interface Decision {
  /** Pods to start now. */
  readonly bindings: readonly Binding[];
  /** Pods whose room is still being released, by evictions of this decision or earlier ones. They start when it is free. */
  readonly nominations: readonly Binding[];
  readonly evictions: readonly Eviction[];
  /** Start time promised to the first gang that does not fit; nothing is backfilled that would delay it. */
  readonly reservations: readonly Reservation[];
  /** Every gang that is not running in full and did not get its minimum, in the order in which it was considered. */
  readonly pending: readonly PendingGang[];
  /** Every queue with what it has after this decision. */
  readonly queues: readonly QueueUsage[];
  readonly capacityReports: CapacityReportCounts;
  /** What the snapshot says of running pods and cannot be true. @default - none */
  readonly contradictions?: readonly Contradiction[];
}

/** A pod that runs on a node whose devices, as the other pods there hold them, have no room for it. */
export interface Contradiction {
  readonly pod: string;
  readonly node: string;
  /** One sentence for people. */
  readonly message: string;
}

export interface Binding {
  readonly pod: string;
  readonly gang: string;
  readonly role: string;
  readonly node: string;
  /** Indices of devices of the node; one that is shared or divided counts like a whole one. */
  readonly devices: readonly number[];
}

export interface Eviction {
  readonly pod: string;
  readonly gang: string;
  readonly node: string;
  readonly action: Extract<Action, 'preempt' | 'reclaim' | 'consolidate' | 'evict-stale'>;
  /** The gang that the eviction is for; unset when a stale gang is evicted. */
  readonly beneficiary?: string;
  /** Where the pod is placed again by this same decision: it is among the nominations. */
  readonly movesTo?: string;
}

export interface Reservation {
  readonly gang: string;
  /** Milliseconds since the epoch: when the last running pod ends that is in its way. */
  readonly startAt: number;
  readonly nodes: readonly string[];
}

export interface QueueUsage {
  readonly queue: string;
  readonly allocated: Amounts;
  /** Without the resources that the queue has no bound for. */
  readonly fairShare: Amounts;
  readonly deserved?: Amounts;
  readonly capability?: Amounts;
}

export interface CapacityReportCounts {
  readonly fresh: number;
  readonly stale: number;
  readonly malformed: number;
}

/** What a node lacks for a pod. */
export type Constraint =
  | 'resources'
  | 'devices'
  | 'device-model'
  | 'device-memory'
  | 'mig-profile'
  | 'reported-memory'
  /** No node at all has the resource. */
  | 'not-offered'
  | 'node-name'
  | 'node-selector'
  | 'node-affinity'
  | 'volume-affinity'
  | 'taints'
  | 'not-ready'
  | 'unschedulable'
  | 'host-ports'
  | 'pod-affinity'
  | 'pod-anti-affinity'
  | 'topology-spread';

export type PendingKind =
  | 'unknown-queue'
  | 'queue-closed'
  | 'queue-capability'
  /** Work that cannot be evicted stays within the queue's quota. */
  | 'quota-of-non-preemptible'
  | 'unknown-topology'
  /** There are fewer pods than the minimum. */
  | 'too-few-pods'
  /** No node of the cluster, however empty, has a resource, model, or MIG profile that a pod asks for. */
  | 'not-offered'
  /** Enough room in all, but in no single domain of the required level. */
  | 'topology'
  | 'no-fit'
  /** It fits now, but would delay the gang that holds the reservation. */
  | 'reserved'
  /** It fits, and gangs of greater claim take the room first. */
  | 'outranked';

export interface PendingGang {
  readonly gang: string;
  readonly queue: string;
  readonly kind: PendingKind;
  /** One sentence for people. */
  readonly message: string;
  /** Role that did not fit. */
  readonly role?: string;
  /** For each constraint how many nodes it excludes, most first; of several on one node the first that was tested counts. */
  readonly blocked: readonly BlockedNodes[];
  /** How many of the pods needed would have found room. */
  readonly fits: number;
  readonly needed: number;
  readonly nearest?: NearestMiss;
  /** Smallest changes with which the gang fits, each sufficient by itself; the simplest first. */
  readonly counterfactuals: readonly Counterfactual[];
}

export interface BlockedNodes {
  readonly constraint: Constraint;
  /** Resource, taint or label, where that says more. */
  readonly detail?: string;
  readonly nodes: number;
}

export interface NearestMiss {
  readonly node: string;
  readonly constraint: Constraint;
  readonly detail?: string;
  /** In units of the resource; devices for devices. */
  readonly missing?: number;
}

/** By how much the ceiling of a queue is too low, in units of the resource. */
export interface CapabilityRaise {
  readonly queue: string;
  readonly resource: string;
  readonly by: number;
}

export type Counterfactual =
  | { readonly kind: 'more-on-node'; readonly node: string; readonly resource: string; readonly amount: number }
  | { readonly kind: 'wider-topology'; readonly level: string | null }
  /** `role`: the role whose pods are fewer, where the gang has several kinds of pods. */
  | { readonly kind: 'fewer-pods'; readonly by: number; readonly role?: string }
  /** `count` more empty nodes like the node `like`, of pool `pool`; with a required topology all of them in `domain`. */
  | {
      readonly kind: 'more-nodes';
      readonly like: string;
      readonly count: number;
      readonly pool?: string;
      readonly domain?: string;
    }
  /** All of these taints are tolerated. */
  | { readonly kind: 'add-toleration'; readonly taints: readonly Taint[] }
  | { readonly kind: 'drop-node-selector'; readonly key: string; readonly value: string }
  | { readonly kind: 'drop-node-affinity' }
  /** All of them together. */
  | { readonly kind: 'raise-capability'; readonly raises: readonly CapabilityRaise[] }
  | { readonly kind: 'make-preemptible' }
  | { readonly kind: 'wait-until'; readonly at: number };
