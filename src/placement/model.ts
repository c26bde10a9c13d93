/**
 * What the placement core is asked: nodes, queues, gangs and pods as plain values, and the moment they were seen.
 *
 * Nothing here knows Kubernetes, a clock or a file. Amounts are whole numbers: milli-CPU for `cpu`, bytes for `memory` and
 * `ephemeral-storage`, pieces for everything else (devices, pods, MIG instances).
 */

/** Resource name to a whole amount. A resource that is not named is zero. */
export type Amounts = Readonly<Record<string, number>>;

/** The resource that counts pods on a node. */
export const PODS = 'pods';

/** The resource that counts whole devices, where a node does not name another. */
export const DEFAULT_DEVICE_RESOURCE = 'nvidia.com/gpu';

/** Everything one decision depends on. */
export interface Snapshot {
  /** Milliseconds since the epoch. The only notion of time that the core has. */
  readonly now: number;
  readonly nodes: readonly ClusterNode[];
  readonly queues: readonly Queue[];
  readonly gangs: readonly Gang[];
  /** Pods that exist. If the `count` of a role is larger than the number of its pods, the missing pods are still to be created. */
  readonly pods: readonly Pod[];
  /** @default - none; a constraint may still name any node label as its level */
  readonly topologies?: readonly Topology[];
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: TaintEffect;
}

export interface ClusterNode {
  readonly name: string;
  readonly allocatable: Amounts;
  /**
   * What is taken by something that is not among the pods of the snapshot.
   * @default - nothing
   */
  readonly used?: Amounts;
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Values of topology levels that are not labels, such as the tiers of Volcano's HyperNodes.
   * @default - only labels count
   */
  readonly domains?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /**
   * Name of the pool that the node was made from, for messages.
   * @default - the node is named instead
   */
  readonly pool?: string;
  /** @default true */
  readonly ready?: boolean;
  /** Cordoned. @default false */
  readonly unschedulable?: boolean;
  /** @default - as many alike devices as `allocatable` has of the device resource */
  readonly devices?: readonly Device[];
  /** @default 'nvidia.com/gpu' */
  readonly deviceResource?: string;
  /**
   * Text of the annotation `gantry.dev/accelerator-capacity`, unread.
   * @default - no report
   */
  readonly capacityReport?: string;
}

/** One accelerator of a node. Its index is its place in `ClusterNode.devices`. */
export interface Device {
  /** @default - any model; requests that name a model do not match */
  readonly model?: string;
  readonly memoryMiB?: number;
  /** NUMA node. @default - unknown, so it is never preferred */
  readonly numa?: number;
  /** Devices of one island reach each other over NVLink. @default - unknown */
  readonly island?: string;
  /**
   * MIG instances that the device is divided into, by profile (`1g.10gb`). Such a device serves only MIG requests.
   * @default - not divided
   */
  readonly mig?: Readonly<Record<string, number>>;
  /** Time-sliced replicas. @default 1 */
  readonly replicas?: number;
  /** A device that is broken takes nothing. @default true */
  readonly healthy?: boolean;
}

/** A named tree of domains: node labels (or `ClusterNode.domains`), outermost first. */
export interface Topology {
  readonly name: string;
  readonly levels: readonly string[];
}

export interface Queue {
  readonly name: string;
  /** @default - a root */
  readonly parent?: string;
  /** Part of the surplus that this queue gets among its siblings. @default 1 */
  readonly weight?: number;
  /** Weights of single resources, before `weight`. */
  readonly surplusWeight?: Amounts;
  /**
   * Quota: what the queue can count on. A resource that is not named here has no quota of its own and is shared by weight,
   * unless it is `unlimited`.
   * @default - no quota: everything is shared by weight
   */
  readonly deserved?: Readonly<Record<string, number | 'unlimited'>>;
  /** What stays reserved for the queue even while it is idle. @default - nothing */
  readonly guarantee?: Amounts;
  /** Ceiling. A resource that is not named has none. @default - none */
  readonly capability?: Amounts;
  /** Surplus goes to queues of higher priority first. @default 0 */
  readonly priority?: number;
  /** Older queues come first among equals; any number that grows with time. @default 0 */
  readonly arrival?: number;
  /** May others take back what this queue has above its share? @default true */
  readonly reclaimable?: boolean;
  /** A closed queue starts nothing. @default 'open' */
  readonly state?: 'open' | 'closed';
}

/** Pods that start together or not at all. */
export interface Gang {
  readonly name: string;
  readonly queue: string;
  readonly roles: readonly Role[];
  /**
   * Pods that must run for the gang to run. More of them are optional.
   * @default - the sum of the roles' minimums
   */
  readonly minimum?: number;
  readonly subgroups?: readonly Subgroup[];
  readonly topology?: TopologyConstraint;
  /** @default 0 */
  readonly priority?: number;
  /** May its pods be evicted for others? @default true */
  readonly preemptible?: boolean;
  /** May it have others of its queue evicted? @default true */
  readonly preempts?: boolean;
  /** Milliseconds since the epoch. @default 0 */
  readonly arrival?: number;
  /** Seconds that a pod runs before it may be evicted. @default 0 */
  readonly minimumRuntimeSeconds?: number;
  /** Seconds from start to end. @default - unknown, so it is never backfilled onto reserved nodes */
  readonly expectedSeconds?: number;
  /** Since when the gang runs with fewer pods than its minimum, milliseconds since the epoch. @default - `now` */
  readonly staleSince?: number;
  /** Seconds that the gang waits before others are evicted for it. @default 0 */
  readonly preemptionDelaySeconds?: number;
}

export interface Role {
  readonly name: string;
  readonly count: number;
  /** Pods of the role that must run. @default - all of them, or none where the gang or its subgroup states a minimum */
  readonly minimum?: number;
  readonly template: PodTemplate;
  /** Name of the subgroup that the role's pods belong to. @default - the gang itself */
  readonly subgroup?: string;
  readonly topology?: TopologyConstraint;
  /** The leader is placed first, and the workers beside it. @default false */
  readonly leader?: boolean;
}

/** Part of a gang with a topology and a minimum of its own; subgroups nest. */
export interface Subgroup {
  readonly name: string;
  /** @default - the gang */
  readonly parent?: string;
  /** Pods of the subgroup that must run. @default - the sum of its roles' minimums */
  readonly minimum?: number;
  readonly topology?: TopologyConstraint;
}

export interface TopologyConstraint {
  /** Name of a topology of the snapshot. @default - the first one that has the level */
  readonly topology?: string;
  /** All pods in one domain of this level (a node label). */
  readonly required?: string;
  /** In one domain of this level if that can be; else in the next wider one that does, and split last. */
  readonly preferred?: string;
  /** Pods come in slices of this many, and each slice stays within one domain of `sliceLevel`. */
  readonly sliceSize?: number;
  readonly sliceLevel?: string;
}

export type SelectorOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values?: readonly string[];
}

/** All requirements of a term hold together; of several terms one is enough. */
export interface NodeTerm {
  readonly labels?: readonly Requirement[];
  /** Requirements on fields; only `metadata.name` exists. */
  readonly fields?: readonly Requirement[];
}

export interface WeightedNodeTerm {
  /** 1 to 100. */
  readonly weight: number;
  readonly term: NodeTerm;
}

export interface Toleration {
  /** @default - every key, with operator `Exists` */
  readonly key?: string;
  /** @default 'Equal' */
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  /** @default - every effect */
  readonly effect?: TaintEffect;
}

export interface HostPort {
  readonly port: number;
  /** @default 'TCP' */
  readonly protocol?: string;
  /** @default '0.0.0.0' */
  readonly address?: string;
}

export interface PodSelector {
  readonly labels: readonly Requirement[];
  /** @default - the namespace of the pod that selects */
  readonly namespaces?: readonly string[];
}

export interface PodAffinityTerm {
  readonly selector: PodSelector;
  readonly topologyKey: string;
}

export interface WeightedPodAffinityTerm {
  readonly weight: number;
  readonly term: PodAffinityTerm;
}

export interface TopologySpread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** @default 'DoNotSchedule' */
  readonly whenUnsatisfiable?: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly selector: PodSelector;
}

/** What a pod wants of the accelerators of one node. */
export type AcceleratorRequest = AcceleratorNeed & {
  /** The device resource of the nodes that will do. @default - any node's */
  readonly resource?: string;
};

type AcceleratorNeed =
  | { readonly kind: 'whole'; readonly count: number; readonly models?: readonly string[] }
  /** A part of each of `count` devices, in thousandths. */
  | { readonly kind: 'fraction'; readonly milli: number; readonly count?: number; readonly models?: readonly string[] }
  /** Device memory on each of `count` devices. */
  | {
      readonly kind: 'memory';
      readonly mebibytes: number;
      readonly count?: number;
      readonly models?: readonly string[];
    }
  | { readonly kind: 'mig'; readonly profile: string; readonly count: number; readonly models?: readonly string[] }
  /** Time-sliced replicas. */
  | { readonly kind: 'shared'; readonly count: number; readonly models?: readonly string[] };

/** What every pod of a role is like. Equal templates are worked on once, so share the value where you can. */
export interface PodTemplate {
  /** Everything but the pod itself; an amount of the device resource means that many whole devices. */
  readonly request: Amounts;
  readonly accelerator?: AcceleratorRequest;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The pod may run on this node only. */
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Required node affinity: one of these terms must match. @default - every node */
  readonly nodeTerms?: readonly NodeTerm[];
  readonly preferredNodeTerms?: readonly WeightedNodeTerm[];
  /** Node affinity of the volumes that are bound already: each list must have a term that matches. */
  readonly volumeNodeTerms?: readonly (readonly NodeTerm[])[];
  readonly tolerations?: readonly Toleration[];
  readonly hostPorts?: readonly HostPort[];
  readonly podAffinity?: readonly PodAffinityTerm[];
  readonly podAntiAffinity?: readonly PodAffinityTerm[];
  readonly preferredPodAffinity?: readonly WeightedPodAffinityTerm[];
  readonly preferredPodAntiAffinity?: readonly WeightedPodAffinityTerm[];
  readonly topologySpread?: readonly TopologySpread[];
}

/** `releasing`: on its way out, and its room counts as free only for what may wait for it. */
export type PodState = 'pending' | 'running' | 'releasing';

export interface Pod {
  readonly name: string;
  readonly state: PodState;
  /** Together with `role`; a pod without a gang is never evicted, and only takes room. */
  readonly gang?: string;
  readonly role?: string;
  /** What a pod without a gang is like, or where this pod differs from its role. @default - the role's template */
  readonly template?: PodTemplate;
  /** Where a running or releasing pod is. */
  readonly node?: string;
  /** Indices of its devices. @default - the core assumes the first ones that are free */
  readonly devices?: readonly number[];
  /** Milliseconds since the epoch. @default - the gang's arrival */
  readonly startedAt?: number;
  /**
   * When a releasing pod ought to have terminated, milliseconds since the epoch. One that is still there long after that is stuck, and
   * nothing waits for its room (see `Policy.stuckSeconds`).
   * @default - it terminates at some time
   */
  readonly releasedBy?: number;
  /** @default - as its gang */
  readonly preemptible?: boolean;
  /** Smaller first among the pods of a role. @default - by name */
  readonly order?: number;
}
