/**
 * What the placement core is asked: nodes, queues, gangs and pods as plain values, and the moment they were seen.
 *
 * Nothing here knows Kubernetes, a clock or a file. Amounts are whole numbers: milli-CPU for `cpu`, bytes for `memory` and
 * `ephemeral-storage`, pieces for everything else (devices, pods, MIG instances).
 */
import { type CapacityFilter } from './capacity-filter';
import { type ClaimableDevices, type DeviceClaims } from './claims';

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
  /** The nodes of the cluster. */
  readonly nodes: readonly ClusterNode[];
  /** The queues, in any order. */
  readonly queues: readonly Queue[];
  /** The gangs, running and pending. */
  readonly gangs: readonly Gang[];
  /** Pods that exist. If the `count` of a role is larger than the number of its pods, the missing pods are still to be created. */
  readonly pods: readonly Pod[];
  /** Named trees of domains. @default - none; a constraint may still name any node label as its level */
  readonly topologies?: readonly Topology[];
  /** Devices that pods request by claim, and the claims. @default - no pod has claims @internal */
  readonly deviceClaims?: DeviceClaims;
}

/** Effect of a taint, as in Kubernetes. */
export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

/** A taint of a node. */
export interface Taint {
  /** Key of the taint. */
  readonly key: string;
  /** Value of the taint. @default - no value */
  readonly value?: string;
  /** Effect of the taint. */
  readonly effect: TaintEffect;
}

/** A node, with what it offers and what is already taken. */
export interface ClusterNode {
  /** Name of the node, unique in the snapshot. */
  readonly name: string;
  /** What pods can request on the node in total. */
  readonly allocatable: Amounts;
  /**
   * What is taken by something that is not among the pods of the snapshot.
   * @default - nothing
   */
  readonly used?: Amounts;
  /** Labels of the node. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Values of topology levels that are not labels, such as the tiers of Volcano's HyperNodes.
   * @default - only labels count
   */
  readonly domains?: Readonly<Record<string, string>>;
  /** Taints of the node. @default - none */
  readonly taints?: readonly Taint[];
  /**
   * Name of the pool that the node was made from, for messages.
   * @default - the node is named instead
   */
  readonly pool?: string;
  /** Whether the node accepts pods; a node that is not ready gets none. @default true */
  readonly ready?: boolean;
  /** Cordoned. @default false */
  readonly unschedulable?: boolean;
  /**
   * Accelerators of the node, in the order of their indices.
   * @default - as many alike devices as `allocatable` has of the device resource
   */
  readonly devices?: readonly Device[];
  /** The resource that the devices are counted as. @default 'nvidia.com/gpu' */
  readonly deviceResource?: string;
  /**
   * What claims call the devices. Pods get the devices of such a node only by claim, so that no device is given twice.
   * @default - pods get the devices by the device resource
   * @internal
   */
  readonly claimable?: ClaimableDevices;
  /**
   * MIG configurations that a controller can apply to the node, by name: the instances of each device by profile, none for whole devices.
   * They are used only with `Policy.repartitionLimit`, and require `devices`.
   * @default - none; the devices stay as they are
   */
  readonly migConfigs?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The one of `migConfigs` that is being applied. Until it is, the devices of the node take nothing. @default - none */
  readonly migChange?: string;
  /**
   * Text of the annotation `gantry.dev/accelerator-capacity`, unread.
   * @default - no report
   */
  readonly capacityReport?: string;
}

/** One accelerator of a node. Its index is its place in `ClusterNode.devices`. */
export interface Device {
  /** Model of the device, as requests name it. @default - any model; requests that name a model do not match */
  readonly model?: string;
  /** Memory of the device in MiB. @default - unknown; requests for device memory do not fit */
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
  /** Name of the topology, unique in the snapshot. */
  readonly name: string;
  /** The levels from the outermost to the innermost: node labels, or keys of `ClusterNode.domains`. */
  readonly levels: readonly string[];
}

/** A queue of the tree, with its shares. */
export interface Queue {
  /** Name of the queue, unique in the snapshot. */
  readonly name: string;
  /** Name of the parent queue. @default - a root */
  readonly parent?: string;
  /** Part of the surplus that this queue gets among its siblings. @default 1 */
  readonly weight?: number;
  /** Weights of single resources, which take precedence over `weight`. @default - `weight` for every resource */
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
  /** Whether other queues may reclaim what this queue uses above its share. @default true */
  readonly reclaimable?: boolean;
  /** A closed queue starts nothing. @default 'open' */
  readonly state?: 'open' | 'closed';
}

/** Pods that start together or not at all. */
export interface Gang {
  /** Name of the gang, unique in the snapshot. */
  readonly name: string;
  /** Name of its queue. */
  readonly queue: string;
  /** Kinds of pods that the gang consists of. */
  readonly roles: readonly Role[];
  /**
   * Pods that must run for the gang to run. More of them are optional.
   * @default - the sum of the roles' minimums
   */
  readonly minimum?: number;
  /** Parts of the gang with a topology or a minimum of their own. @default - none */
  readonly subgroups?: readonly Subgroup[];
  /** Where the pods of the gang have to be, relative to each other. @default - anywhere */
  readonly topology?: TopologyConstraint;
  /** Gangs of higher priority are considered first, and may preempt others. @default 0 */
  readonly priority?: number;
  /** Whether its pods may be evicted for other gangs. @default true */
  readonly preemptible?: boolean;
  /** Whether other gangs of its queue may be evicted for it. @default true */
  readonly preempts?: boolean;
  /** Milliseconds since the epoch. @default 0 */
  readonly arrival?: number;
  /** Seconds that a pod runs before it may be evicted. @default 0 */
  readonly minimumRuntimeSeconds?: number;
  /** Seconds from start to end. @default - unknown, so it is never backfilled onto reserved nodes */
  readonly expectedSeconds?: number;
  /** Seconds between checkpoints; an interruption loses the work since the last one. @default - all work since its start is lost */
  readonly checkpointSeconds?: number;
  /** Since when the gang runs with fewer pods than its minimum, milliseconds since the epoch. @default - `now` */
  readonly staleSince?: number;
  /** Seconds that the gang waits before others are evicted for it. @default 0 */
  readonly preemptionDelaySeconds?: number;
}

/** Pods of a gang that are alike. */
export interface Role {
  /** Name of the role, unique in the gang. */
  readonly name: string;
  /** Number of pods. */
  readonly count: number;
  /** Pods of the role that must run. @default - all of them, or none where the gang or its subgroup states a minimum */
  readonly minimum?: number;
  /** What each pod is like. */
  readonly template: PodTemplate;
  /** Name of the subgroup that the role's pods belong to. @default - the gang itself */
  readonly subgroup?: string;
  /** Where the pods of the role have to be, relative to each other. @default - anywhere */
  readonly topology?: TopologyConstraint;
  /** Priority of the pods among those of their gang, under the pod order `priority`. @default 0 */
  readonly priority?: number;
  /** The leader is placed first, and the workers beside it. @default false */
  readonly leader?: boolean;
}

/** Part of a gang with a topology and a minimum of its own; subgroups nest. */
export interface Subgroup {
  /** Name of the subgroup, unique in the gang. */
  readonly name: string;
  /** Name of the subgroup that contains it. @default - the gang */
  readonly parent?: string;
  /** Pods of the subgroup that must run. @default - the sum of its roles' minimums */
  readonly minimum?: number;
  /** Where the pods of the subgroup have to be, relative to each other. @default - anywhere */
  readonly topology?: TopologyConstraint;
}

/** Where pods have to be, relative to each other. */
export interface TopologyConstraint {
  /** Name of a topology of the snapshot. @default - the first one that has the level */
  readonly topology?: string;
  /** Level (a node label): all pods must be in one domain of it. @default - none */
  readonly required?: string;
  /**
   * Level: all pods should be in one domain of it. Where that is not possible, the next wider level that fits is
   * taken, and the pods are split last.
   * @default - none
   */
  readonly preferred?: string;
  /**
   * Number of pods of a slice. Each slice stays within one domain of `sliceLevel`.
   * @default - pods do not come in slices
   */
  readonly sliceSize?: number;
  /** Level: the pods of each slice must be in one domain of it. @default - none */
  readonly sliceLevel?: string;
}

/** Operator of a requirement, as in Kubernetes. */
export type SelectorOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

/** A requirement on a label or a field, as in Kubernetes. */
export interface Requirement {
  /** Key of the label or the field. */
  readonly key: string;
  /** How the value is compared. */
  readonly operator: SelectorOperator;
  /** Values to compare with. @default - none, as `Exists` and `DoesNotExist` need it */
  readonly values?: readonly string[];
}

/** All requirements of a term hold together; of several terms one is enough. */
export interface NodeTerm {
  /** Requirements on labels. @default - none */
  readonly labels?: readonly Requirement[];
  /** Requirements on fields. Only `metadata.name` exists. @default - none */
  readonly fields?: readonly Requirement[];
}

/** A term of preferred node affinity. */
export interface WeightedNodeTerm {
  /** 1 to 100. */
  readonly weight: number;
  /** The term that nodes should match. */
  readonly term: NodeTerm;
}

/** A toleration, as in Kubernetes. */
export interface Toleration {
  /** Key of the taints that are tolerated. @default - every key, with operator `Exists` */
  readonly key?: string;
  /** `Exists` tolerates any value; `Equal` tolerates `value` alone. @default 'Equal' */
  readonly operator?: 'Exists' | 'Equal';
  /** The value that is tolerated. @default - the empty value */
  readonly value?: string;
  /** The effect that is tolerated. @default - every effect */
  readonly effect?: TaintEffect;
}

/** A port of the node that a pod uses; two pods with the same port do not fit on one node. */
export interface HostPort {
  /** Number of the port. */
  readonly port: number;
  /** Protocol of the port. @default 'TCP' */
  readonly protocol?: string;
  /** Address of the node that the port is bound to. @default '0.0.0.0' */
  readonly address?: string;
}

/** Which pods an affinity term or a spread counts. */
export interface PodSelector {
  /** Requirements on the labels of the pods. */
  readonly labels: readonly Requirement[];
  /** Namespaces of the pods. @default - the namespace of the pod that selects */
  readonly namespaces?: readonly string[];
}

/** A term of pod affinity or anti-affinity. */
export interface PodAffinityTerm {
  /** The other pods that it is about. */
  readonly selector: PodSelector;
  /** Node label whose value is the same for nodes of one domain. */
  readonly topologyKey: string;
}

/** A term of preferred pod affinity or anti-affinity. */
export interface WeightedPodAffinityTerm {
  /** Weight from 1 to 100. */
  readonly weight: number;
  /** The term that nodes should match. */
  readonly term: PodAffinityTerm;
}

/** A topology spread constraint, as in Kubernetes. */
export interface TopologySpread {
  /** Node label whose value is the same for nodes of one domain. */
  readonly topologyKey: string;
  /** By how many pods two domains may differ. */
  readonly maxSkew: number;
  /** Whether a node that would exceed the skew is excluded, or only scored lower. @default 'DoNotSchedule' */
  readonly whenUnsatisfiable?: 'DoNotSchedule' | 'ScheduleAnyway';
  /** The pods that are counted. */
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
  | {
      readonly kind: 'mig';
      readonly profile: string;
      readonly count: number;
      readonly models?: readonly string[];
      /**
       * Whether queues count each instance as its number of compute slices, under the device resource, as KAI does.
       * @default - by the name of the instance in the request, where there is one
       */
      readonly countedInSlices?: boolean;
    }
  /** Time-sliced replicas. */
  | { readonly kind: 'shared'; readonly count: number; readonly models?: readonly string[] };

/** What every pod of a role is like. Equal templates are worked on once, so share the value where you can. */
export interface PodTemplate {
  /** Everything but the pod itself; an amount of the device resource means that many whole devices. */
  readonly request: Amounts;
  /** Devices that the pod needs beside `request`. @default - none */
  readonly accelerator?: AcceleratorRequest;
  /** Keys of the claims of the pod in `Snapshot.deviceClaims`. @default - none @internal */
  readonly claims?: readonly string[];
  /** Those capacity filters of the policy that apply to the queue of the pod, which the session finds. @default - none @internal */
  readonly capacityFilters?: readonly CapacityFilter[];
  /** What queues are charged for the claims; nodes are not asked for it. @default - nothing @internal */
  readonly charged?: Amounts;
  /** What of it is for claims that pods share, by their keys: a gang is charged once for each. @default - nothing @internal */
  readonly sharedCharges?: Readonly<Record<string, Amounts>>;
  /** Namespace of the pod, which affinity terms and spreads compare. @default - the empty namespace */
  readonly namespace?: string;
  /** Labels of the pod, which affinity terms and spreads select by. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** The only node that the pod may run on. @default - any node */
  readonly nodeName?: string;
  /** Labels that the node must have. @default - none */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Required node affinity: one of these terms must match. @default - every node */
  readonly nodeTerms?: readonly NodeTerm[];
  /** Preferred node affinity. @default - none */
  readonly preferredNodeTerms?: readonly WeightedNodeTerm[];
  /** Node affinity of the volumes that are already bound: each list must have a term that matches. @default - none */
  readonly volumeNodeTerms?: readonly (readonly NodeTerm[])[];
  /** Tolerations of the pod. @default - none */
  readonly tolerations?: readonly Toleration[];
  /** Ports of the node that the pod uses. @default - none */
  readonly hostPorts?: readonly HostPort[];
  /** Required pod affinity. @default - none */
  readonly podAffinity?: readonly PodAffinityTerm[];
  /** Required pod anti-affinity. @default - none */
  readonly podAntiAffinity?: readonly PodAffinityTerm[];
  /** Pod affinity that nodes should meet. @default - none */
  readonly preferredPodAffinity?: readonly WeightedPodAffinityTerm[];
  /** Pod anti-affinity that nodes should meet. @default - none */
  readonly preferredPodAntiAffinity?: readonly WeightedPodAffinityTerm[];
  /** Topology spread constraints. @default - none */
  readonly topologySpread?: readonly TopologySpread[];
}

/** `releasing`: on its way out, and its room counts as free only for what may wait for it. */
export type PodState = 'pending' | 'running' | 'releasing';

/** A pod that exists. */
export interface Pod {
  /** Name of the pod, unique in the snapshot. */
  readonly name: string;
  /** Whether it runs. */
  readonly state: PodState;
  /** Name of its gang, set together with `role`. @default - none; the pod takes capacity and is never evicted */
  readonly gang?: string;
  /** Name of its role, set together with `gang`. @default - none */
  readonly role?: string;
  /** What a pod without a gang is like, or where this pod differs from its role. @default - the role's template */
  readonly template?: PodTemplate;
  /** Name of the node of a running or releasing pod. @default - none, as for a pending pod */
  readonly node?: string;
  /** Keys of its own claims in `Snapshot.deviceClaims`, where they exist already. @default - those of its template @internal */
  readonly claims?: readonly string[];
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
  /** Whether the pod may be evicted for other gangs. @default - as its gang */
  readonly preemptible?: boolean;
  /** Smaller first among the pods of a role. @default - by name */
  readonly order?: number;
}
