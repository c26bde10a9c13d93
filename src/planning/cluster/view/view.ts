/**
 * The state of a cluster at one moment, as plain JSON: the value that the text, the JSON report, the HTML page, and the page of a live
 * scheduler all show. They need no other input.
 *
 * Made for 5,000 nodes of 8 devices: nodes refer to pools, gangs and kinds of devices by index, amounts of nodes are lists in the order
 * of `resources`, and only pods that hold devices are listed. All names are plain text of foreign origin: a page has to escape them.
 *
 * Units: milli-CPU for `cpu`, bytes for `memory` and `ephemeral-storage`, pieces for everything else; parts of a device in thousandths.
 */

/**
 * Resource name to an amount in its unit. What is not named is zero, or has no bound.
 *
 * @beta
 */
export type ViewAmounts = Readonly<Record<string, number>>;

/**
 * A cluster and a decision as text, JSON, and pages show them. Plain JSON; lists refer to each other by index.
 *
 * @beta
 */
export interface ClusterView {
  /** Grows when a member changes its meaning; new members do not count. */
  readonly version: 1;
  /** When the cluster was seen, milliseconds since the epoch; absent where no time plays a part (a plan on a cluster file). */
  readonly at?: number;
  /** What the cluster is called: a file's name, `sample cluster`, a live cluster's name. */
  readonly cluster: string;
  /** Topology levels, outermost first. Empty if nodes have no topology. */
  readonly levels: readonly ViewLevel[];
  /** The order of the amounts of nodes: `cpu`, `memory`, `pods` first, then by name. */
  readonly resources: readonly string[];
  /** The kinds of devices, which nodes refer to. */
  readonly deviceKinds: readonly ViewDeviceKind[];
  /** The pools, which nodes refer to. */
  readonly pools: readonly ViewPool[];
  /** In the order of their places (`path`), then by name. */
  readonly nodes: readonly ViewNode[];
  /** Parents before children, each followed by its own. */
  readonly queues: readonly ViewQueue[];
  /** Those that were asked about first, in the order of their manifests; then those that are in the cluster, by name. */
  readonly gangs: readonly ViewGang[];
  /** In the order of the decision. */
  readonly evictions: readonly ViewEviction[];
  /** Nodes that are kept for gangs that wait. */
  readonly reservations: readonly ViewReservation[];
  /** Where the free devices are. */
  readonly fragmentation: ViewFragmentation;
  /** The totals. */
  readonly counters: ViewCounters;
  /** Sentences for people: what was left out and why, what was assumed. */
  readonly notes: readonly string[];
}

/**
 * A level of the topology.
 *
 * @beta
 */
export interface ViewLevel {
  /** The node label, or the name of a level that is not a label (`hypernode-tier-2`). */
  readonly label: string;
  /** A word for people: `zone`, `block`, `rack`, `tier 2`. */
  readonly title: string;
  /** How many domains there are. */
  readonly domains: number;
}

/**
 * Devices that are alike in everything but who holds them.
 *
 * @beta
 */
export interface ViewDeviceKind {
  /** The resource under which pods ask for it. */
  readonly resource: string;
  /** Model of the device. Absent where it is unknown. */
  readonly model?: string;
  /** Memory of the device in MiB. Absent where it is unknown. */
  readonly memoryMiB?: number;
  /** NUMA node of the device. Absent where it is unknown. */
  readonly numa?: number;
  /** Island whose devices reach each other over NVLink. Absent where it is unknown. */
  readonly island?: string;
  /** MIG instances by profile. Absent where the device is not divided. */
  readonly mig?: Readonly<Record<string, number>>;
  /** Partition mode of an AMD GPU. Absent for whole devices and for other vendors. */
  readonly partition?: {
    /** Compute and memory mode, such as `CPX/NPS4`. */
    readonly mode: string;
    /** Number of these devices, one after another, that make up one GPU. */
    readonly perDevice: number;
  };
  /** Number of time-sliced replicas. Absent where it is 1. */
  readonly replicas?: number;
  /** `false` where the device is broken. Absent otherwise. */
  readonly healthy?: false;
}

/**
 * Nodes of one pool, in total.
 *
 * @beta
 */
export interface ViewPool {
  /** Name of the pool. */
  readonly name: string;
  /** Number of nodes. */
  readonly nodes: number;
  /** Nodes that are not ready or cordoned. */
  readonly unavailable: number;
  /** The most common model of its devices. Absent where the pool has no devices. */
  readonly model?: string;
  /** Number of devices. */
  readonly devices: number;
  /** In devices; parts count as parts. */
  readonly devicesUsed: number;
  /** What its nodes offer. */
  readonly allocatable: ViewAmounts;
  /** What its nodes have used up, after the decision. */
  readonly used: ViewAmounts;
}

/**
 * A node after the decision.
 *
 * @beta
 */
export interface ViewNode {
  /** Name of the node. */
  readonly name: string;
  /** Index in `pools`. */
  readonly pool: number;
  /** Its domain on each level, in the order of `levels`; an empty text where it is in none. */
  readonly path: readonly string[];
  /** `false` where the node is not ready. Absent otherwise. */
  readonly ready?: false;
  /** `true` where the node is cordoned. Absent otherwise. */
  readonly cordoned?: true;
  /** Taints that keep pods away, as `key=value:Effect`. Absent where there are none. */
  readonly taints?: readonly string[];
  /** What is wrong with the node, and what remediation did to it. Absent where nothing is known. */
  readonly health?: ViewNodeHealth;
  /** In the order of `resources`. */
  readonly allocatable: readonly number[];
  /** After the decision, in the order of `resources`. */
  readonly used: readonly number[];
  /** Index in `deviceKinds` of each device. */
  readonly devices: readonly number[];
  /** Pods that hold devices here. */
  readonly pods: readonly ViewPod[];
}

/**
 * What is wrong with a node, and what remediation did to it.
 *
 * @beta
 */
export interface ViewNodeHealth {
  /** Conditions of the Node that report a problem. */
  readonly problems: readonly {
    /** Type of the condition. */
    readonly condition: string;
    /** Message of the condition. Absent where it has none. */
    readonly message?: string;
  }[];
  /** Marks of remediation, such as `taint`. Absent where there are none. */
  readonly marks?: readonly string[];
  /** Gangs that remediation is evicting from the node. Absent where there are none. */
  readonly evicts?: readonly string[];
  /** Why remediation acted, one sentence for each rule. Absent where it did not. */
  readonly why?: readonly string[];
}

/**
 * A pod that holds devices of a node.
 *
 * @beta
 */
export interface ViewPod {
  /** Name of the pod. */
  readonly name: string;
  /** Index in `gangs`; absent for a pod that no gang represents. */
  readonly gang?: number;
  /** Role of the pod. Absent for a pod without a gang. */
  readonly role?: string;
  /** Indices of its devices on the node; one that it has several instances of is named several times. */
  readonly devices: readonly number[];
  /** Of each device, in thousandths; absent for whole devices. */
  readonly share?: number;
  /** MIG profile of its instances. Absent where it holds none. */
  readonly profile?: string;
  /** `planned`: it starts by this decision; `nominated`: when room is free; `leaving`: it goes. Absent: it runs. */
  readonly state?: 'planned' | 'nominated' | 'leaving';
}

/**
 * A queue after the decision.
 *
 * @beta
 */
export interface ViewQueue {
  /** Name of the queue. */
  readonly name: string;
  /** Name of the parent queue. Absent for a root. */
  readonly parent?: string;
  /** 0 for a root. */
  readonly depth: number;
  /** Weight among its siblings. */
  readonly weight: number;
  /** Priority of the queue. Absent where it is 0. */
  readonly priority?: number;
  /** `true` where the queue starts nothing. Absent otherwise. */
  readonly closed?: true;
  /** `false` where other queues may not reclaim what it uses. Absent otherwise. */
  readonly reclaimable?: false;
  /** What it and all below it have after the decision. */
  readonly allocated: ViewAmounts;
  /** What it and all below it have and wait for. */
  readonly requested: ViewAmounts;
  /** What the queue is entitled to, given what all queues request. */
  readonly fairShare: ViewAmounts;
  /** Its quota. Absent where it has none. */
  readonly deserved?: Readonly<Record<string, number | 'unlimited'>>;
  /** What stays reserved for it. Absent where nothing does. */
  readonly guarantee?: ViewAmounts;
  /** Its ceiling. Absent where it has none. */
  readonly capability?: ViewAmounts;
  /** Number of gangs of the queue itself that have their places. */
  readonly placed: number;
  /** Number of gangs of the queue itself that wait. */
  readonly pending: number;
}

/**
 * `placed`: all its pods get a place by this decision. `running`: all its pods ran before. `partial`: it runs, and pods beyond its minimum
 * wait. `nominated`: it starts when room that is being released is free. `pending`: it waits. `evicting`: it, or a part of it, has to go.
 *
 * @beta
 */
export type ViewGangState = 'placed' | 'running' | 'partial' | 'nominated' | 'pending' | 'evicting';

/**
 * A gang after the decision.
 *
 * @beta
 */
export interface ViewGang {
  /** Unique; `namespace/name` wherever that is unique. */
  readonly name: string;
  /** Kind of the object that it comes from: `PyTorchJob`, `PodGroup`, `Pod`. */
  readonly kind: string;
  /** Namespace of the object that it comes from. */
  readonly namespace: string;
  /** Name of its queue. */
  readonly queue: string;
  /** Where it was written; absent for what is in the cluster. */
  readonly source?: {
    /** The file as the user named it. Absent for what a construct rendered. */
    readonly file?: string;
    /** Line in the file, from 1. Absent for what a construct rendered. */
    readonly line?: number;
    /** Path of the construct. Absent for what was read from a file. */
    readonly construct?: string;
  };
  /** Whether it starts, runs, or waits. */
  readonly state: ViewGangState;
  /** Priority of the gang. */
  readonly priority: number;
  /** Whether its pods may be evicted for other gangs. */
  readonly preemptible: boolean;
  /** Number of its pods. */
  readonly pods: number;
  /** Pods that have to run for any to run. */
  readonly minimum: number;
  /** Pods with a place after the decision, nominated ones among them. */
  readonly placed: number;
  /** Devices of all pods; parts count as parts. */
  readonly devices: number;
  /** What all pods request of devices that are counted by another unit: `12 Neuron cores`. Absent where they request devices, or no such units. */
  readonly deviceUnits?: string;
  /** Its roles. */
  readonly roles: readonly ViewRole[];
  /** What its topology asks, `within one rack`; absent where it asks nothing. */
  readonly topology?: string;
  /** Index in `nodes`, and how many of its pods are there. */
  readonly where: readonly (readonly [node: number, pods: number])[];
  /** Devices of the claims of its placed pods. Absent where no pod has claims. @internal */
  readonly claims?: readonly ViewClaimedDevice[];
  /**
   * The smallest domain that contains all its placed pods. Absent where no pod is placed, or where no domain contains
   * all.
   */
  readonly domain?: {
    /** Index in `levels`; -1 for a single node. */
    readonly level: number;
    /** Name of the domain, or of the node. */
    readonly name: string;
  };
  /** Why it waits. Absent where it does not. */
  readonly pending?: ViewPending;
  /** Evictions for this gang, as indices in `evictions`. Absent where there are none. */
  readonly evictions?: readonly number[];
}

/**
 * A role of a gang after the decision.
 *
 * @beta
 */
export interface ViewRole {
  /** Name of the role. */
  readonly name: string;
  /** Number of pods. */
  readonly count: number;
  /** Number of pods that must run for any to run. */
  readonly minimum: number;
  /** Number of pods with a place. */
  readonly placed: number;
  /** One pod's request for devices for people: `8 x nvidia.com/gpu`, `1 x 1g.10gb`, `2 x 4096 MiB`; absent where it asks for none. */
  readonly devices?: string;
  /** What each pod requests. */
  readonly request: ViewAmounts;
}

/**
 * Why a gang waits, and what would help.
 *
 * @beta
 */
export interface ViewPending {
  /** `PendingKind` of the placement core. */
  readonly kind: string;
  /** One sentence for people. */
  readonly message: string;
  /** The role that did not fit. Absent where the reason is not about one role. */
  readonly role?: string;
  /** For each constraint how many nodes it keeps out, most first. */
  readonly blocked: readonly { readonly constraint: string; readonly detail?: string; readonly nodes: number }[];
  /** Why nodes are excluded: a sentence for each of `blocked`, and one for the nearest node. */
  readonly excluded: readonly string[];
  /** How many of the pods needed would have found room. */
  readonly fits: number;
  /** Number of pods that the gang needs beside those that have their places. */
  readonly needed: number;
  /** The node that lacks least for one more pod. Absent where no node comes close. */
  readonly nearest?: {
    /** Name of the node. */
    readonly node: string;
    /** The constraint that it does not meet. */
    readonly constraint: string;
    /** The resource, taint, or label that the constraint is about. Absent where the constraint says all. */
    readonly detail?: string;
    /** What is missing, in units of the resource. Absent where nothing can be counted. */
    readonly missing?: number;
  };
  /** The smallest changes with which the gang fits, each sufficient by itself, one sentence each; the simplest first. */
  readonly changes: readonly string[];
}

/**
 * A pod that the decision evicts.
 *
 * @beta
 */
export interface ViewEviction {
  /** Name of the pod. */
  readonly pod: string;
  /** Index in `gangs`. */
  readonly gang: number;
  /** Index in `nodes`; -1 where the node is not known. */
  readonly node: number;
  /** The action that decided it: `preempt`, `reclaim`, `consolidate`, or `evict-stale`. */
  readonly action: string;
  /** Index in `gangs` of the gang that gets the capacity. Absent for a stale gang. */
  readonly for?: number;
  /** Index in `nodes` of the node where the pod is placed again. Absent where it is not. */
  readonly movesTo?: number;
}

/**
 * Nodes that are kept for a gang that waits.
 *
 * @beta
 */
export interface ViewReservation {
  /** Index in `gangs`. */
  readonly gang: number;
  /** Milliseconds since the epoch. */
  readonly startAt: number;
  /** Indices in `nodes`. */
  readonly nodes: readonly number[];
}

/**
 * Where the free devices are, after the decision. Devices that are broken or on nodes that take nothing are not free.
 *
 * @beta
 */
export interface ViewFragmentation {
  /** Number of devices. */
  readonly devices: number;
  /** In devices; parts count as parts. */
  readonly used: number;
  /** Broken, cordoned or not ready. */
  readonly unavailable: number;
  /** Whole devices that no pod uses, not even in part. */
  readonly freeWhole: number;
  /** The free devices on nodes whose devices are all free. */
  readonly onFreeNodes: number;
  /** Free parts of devices that are in use, summed up in devices. */
  readonly freeParts: number;
  /** Free whole devices on nodes that have less than a tenth of their CPU or memory per device left for each. */
  readonly stranded: number;
  /** The most free whole devices in one domain of each level (in the order of `levels`), and on one node as the last entry. */
  readonly largest: readonly { readonly name: string; readonly devices: number }[];
  /** Number of nodes by the number of their free whole devices. */
  readonly nodesByFree: readonly number[];
}

/**
 * Totals of the view.
 *
 * @beta
 */
export interface ViewCounters {
  /** Number of nodes. */
  readonly nodes: number;
  /** Number of gangs. */
  readonly gangs: number;
  /** Gangs whose pods all get a place by this decision. */
  readonly placed: number;
  /** Gangs whose pods all ran before. */
  readonly running: number;
  /** Gangs that wait. */
  readonly pending: number;
  /** Pods that start by this decision. */
  readonly bindings: number;
  /** Pods that start when capacity that is being released is free. */
  readonly nominations: number;
  /** Pods that are evicted. */
  readonly evictions: number;
  /** How many capacity reports of nodes counted, and how many did not. */
  readonly capacityReports: {
    /** Reports that counted. */
    readonly fresh: number;
    /** Reports that are too old. */
    readonly stale: number;
    /** Reports that could not be read. */
    readonly malformed: number;
  };
}

/**
 * Who holds a part of a device.
 *
 * @beta
 */
export interface Occupant {
  /** The pod that holds devices. */
  readonly pod: ViewPod;
  /** Thousandths of the device; for a MIG device, one instance of that many. */
  readonly share: number;
}

/**
 * The occupants of each device of a node, by index of the device.
 *
 * @beta
 */
export function occupantsOf(view: ClusterView, node: ViewNode): readonly (readonly Occupant[])[] {
  const occupants: Occupant[][] = node.devices.map(() => []);
  for (const pod of node.pods) {
    for (const device of pod.devices) {
      const { mig } = view.deviceKinds[node.devices[device]];
      const instances = Object.values(mig ?? {}).reduce((sum, count) => sum + count, 0);
      occupants[device]?.push({ pod, share: pod.share ?? (instances > 0 ? Math.floor(1000 / instances) : 1000) });
    }
  }
  return occupants;
}

/**
 * A device of a claim of a pod.
 *
 * @internal
 */
export interface ViewClaimedDevice {
  /** Name of the pod. */
  readonly pod: string;
  /** Name of the node. */
  readonly node: string;
  /** Name of the request, or `REQUEST/ALTERNATIVE`. */
  readonly request: string;
  /** Name of the driver. */
  readonly driver: string;
  /** Name of the pool of the driver. */
  readonly pool: string;
  /** Name of the device in the pool. */
  readonly device: string;
}
