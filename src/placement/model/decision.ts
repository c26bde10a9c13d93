/**
 * What the placement core answers: who starts where, who has to go and for whom, what is reserved, and why the others wait.
 */
import { type ClaimedDevices } from './claims';
import { type Amounts, type Taint } from './model';
import { type Action } from './policy';

/** What one cycle of the core decides. Equal snapshots and policies give equal decisions. */
export interface Decision {
  /** Pods to start now. */
  readonly bindings: readonly Binding[];
  /** Pods whose room is still being released, by evictions of this decision or earlier ones. They start when it is free. */
  readonly nominations: readonly Binding[];
  /** Pods to evict, each for a gang that really starts on the freed capacity, or because its own gang is stale. */
  readonly evictions: readonly Eviction[];
  /** Nodes that get another MIG configuration; something else has to apply it. @default - none */
  readonly repartitions?: readonly Repartition[];
  /** Start time promised to the first gang that does not fit; nothing is backfilled that would delay it. */
  readonly reservations: readonly Reservation[];
  /** Every gang that is not running in full and did not get its minimum, in the order in which it was considered. */
  readonly pending: readonly PendingGang[];
  /** Every queue with what it has after this decision. */
  readonly queues: readonly QueueUsage[];
  /** How many capacity reports of nodes counted. */
  readonly capacityReports: CapacityReportCounts;
  /** Statements of the snapshot about running pods that contradict each other. @default - none */
  readonly contradictions?: readonly Contradiction[];
}

/** A pod that runs on a node whose devices, as the other pods there hold them, have no room for it. */
export interface Contradiction {
  /** Name of the pod. */
  readonly pod: string;
  /** Name of the node. */
  readonly node: string;
  /** One sentence for people. */
  readonly message: string;
}

/** A pod and the node that it gets. */
export interface Binding {
  /** Name of the pod. */
  readonly pod: string;
  /** Name of its gang. */
  readonly gang: string;
  /** Name of its role. */
  readonly role: string;
  /** Name of the node. */
  readonly node: string;
  /** Indices of devices of the node; one that is shared or divided counts like a whole one. */
  readonly devices: readonly number[];
  /** Devices of its claims. @default - the pod has no claims @internal */
  readonly claims?: readonly ClaimedDevices[];
}

/** A pod to evict, with the reason. */
export interface Eviction {
  /** Name of the pod. */
  readonly pod: string;
  /** Name of its gang. */
  readonly gang: string;
  /** Name of the node that it runs on. */
  readonly node: string;
  /** The action that decided it. */
  readonly action: Extract<Action, 'preempt' | 'reclaim' | 'consolidate' | 'evict-stale'>;
  /** The gang that gets the capacity. Absent for a stale gang, which is evicted for no other. */
  readonly beneficiary?: string;
  /**
   * The node where this decision places the pod again; it is among the nominations. Absent where the pod is not placed
   * again.
   */
  readonly movesTo?: string;
}

/** A node whose devices nothing uses, and the MIG configuration that it is to have. */
export interface Repartition {
  /** Name of the node. */
  readonly node: string;
  /** Name of the configuration, one of `ClusterNode.migConfigs`. */
  readonly config: string;
  /** The gang that starts on the node afterwards. */
  readonly beneficiary: string;
}

/** Nodes that are kept for a gang that waits, and when it can start on them. */
export interface Reservation {
  /** Name of the gang. */
  readonly gang: string;
  /** Milliseconds since the epoch: when the last running pod ends that is in its way. */
  readonly startAt: number;
  /** Names of the nodes. */
  readonly nodes: readonly string[];
}

/** What a queue uses after the decision, beside its limits. */
export interface QueueUsage {
  /** Name of the queue. */
  readonly queue: string;
  /** What its pods request, in the units of `Amounts`. */
  readonly allocated: Amounts;
  /** Without the resources that the queue has no bound for. */
  readonly fairShare: Amounts;
  /** Its quota. Absent where it has none. */
  readonly deserved?: Amounts;
  /** Its ceiling. Absent where it has none. */
  readonly capability?: Amounts;
}

/** How many capacity reports of nodes counted, and how many did not. */
export interface CapacityReportCounts {
  /** Reports that counted. */
  readonly fresh: number;
  /** Reports that are older than `Policy.capacityReportSeconds`. */
  readonly stale: number;
  /** Reports that could not be read. */
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
  /** A capacity filter of the policy excludes the devices. */
  | 'capacity-filter'
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

/**
 * Why a gang is pending.
 *
 * - `unknown-queue`: its queue is not in the snapshot
 * - `queue-closed`: its queue starts nothing
 * - `queue-capability`: it would exceed the ceiling of its queue or of a parent
 * - `queue-guarantees`: the guarantees of other queues leave too little
 * - `quota-of-non-preemptible`: it cannot be evicted, and so may use only the quota of its queue
 * - `unknown-topology`: its topology constraint names a level that no node has
 * - `too-few-pods`: it has fewer pods than its minimum
 * - `topology`: its pods fit, but not within one domain of the required level
 * - `no-fit`: its pods do not fit
 * - `reserved`: the nodes that fit are reserved for a gang before it
 * - `repartition`: it starts when nodes have the MIG configuration that is being applied to them, or would be evicted then
 * - `outranked`: gangs before it took the capacity
 */
export type PendingKind =
  | 'unknown-queue'
  | 'queue-closed'
  | 'queue-capability'
  | 'queue-guarantees'
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
  /** It starts, or would be evicted again, when nodes have another MIG configuration, which is decided or being applied. */
  | 'repartition'
  /** It fits, and gangs of greater claim take the room first. */
  | 'outranked';

/** Why a gang is pending, and the smallest changes that would let it start. */
export interface PendingGang {
  /** Name of the gang. */
  readonly gang: string;
  /** Name of its queue. */
  readonly queue: string;
  /** Why it is pending. */
  readonly kind: PendingKind;
  /** One sentence for people. */
  readonly message: string;
  /** The role that did not fit. Absent where the reason is not about one role. */
  readonly role?: string;
  /** For each constraint how many nodes it excludes, most first; of several on one node the first that was tested counts. */
  readonly blocked: readonly BlockedNodes[];
  /** How many of the pods needed would have found room. */
  readonly fits: number;
  /** Number of pods that the gang needs beside those that have their places. */
  readonly needed: number;
  /** The node that comes closest. Absent where no node does. */
  readonly nearest?: NearestMiss;
  /** Smallest changes with which the gang fits, each sufficient by itself; the simplest first. */
  readonly counterfactuals: readonly Counterfactual[];
}

/** A constraint, and how many nodes it excludes. */
export interface BlockedNodes {
  /** The constraint that the nodes do not meet. */
  readonly constraint: Constraint;
  /** The resource, taint, or label that the constraint is about. Absent where the constraint says all. */
  readonly detail?: string;
  /** Number of nodes. */
  readonly nodes: number;
}

/** The node that lacks least for one more pod. */
export interface NearestMiss {
  /** Name of the node. */
  readonly node: string;
  /** The constraint that it does not meet. */
  readonly constraint: Constraint;
  /** The resource, taint, or label that the constraint is about. Absent where the constraint says all. */
  readonly detail?: string;
  /** What is missing, in units of the resource; for devices, in devices. Absent where nothing can be counted. */
  readonly missing?: number;
}

/** By how much the ceiling of a queue is too low, in units of the resource. */
export interface CapabilityRaise {
  /** Name of the queue. */
  readonly queue: string;
  /** Name of the resource. */
  readonly resource: string;
  /** The amount to add, in units of the resource. */
  readonly by: number;
}

/** By how much the guarantee of a queue is too high for the gang of another queue, in units of the resource. */
export interface GuaranteeReduction {
  /** Name of the queue. */
  readonly queue: string;
  /** Name of the resource. */
  readonly resource: string;
  /** The amount to take off the guarantee, in units of the resource. */
  readonly by: number;
}

/**
 * One change that would let a pending gang start.
 *
 * - `more-on-node`: `amount` more of the resource free on the node, which other pods use now
 * - `wider-topology`: a wider required level, or none (`null`)
 * - `fewer-pods`: `by` fewer pods
 * - `raise-capability`: all the raises together
 * - `lower-guarantees`: all the reductions together
 * - `make-preemptible`: a gang that may be evicted may use more than the quota of its queue
 * - `wait-until`: the time `at`, in milliseconds since the epoch
 */
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
  | { readonly kind: 'lower-guarantees'; readonly reductions: readonly GuaranteeReduction[] }
  | { readonly kind: 'make-preemptible' }
  | { readonly kind: 'wait-until'; readonly at: number };
