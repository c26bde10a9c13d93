/**
 * The state of a cluster at one moment, as plain JSON: the value that the text, the JSON report, the HTML page, and the page of a live
 * scheduler all show. They need no other input.
 *
 * Made for 5,000 nodes of 8 devices: nodes refer to pools, gangs and kinds of devices by index, amounts of nodes are lists in the order
 * of `resources`, and only pods that hold devices are listed. All names are plain text of foreign origin: a page has to escape them.
 *
 * Units: milli-CPU for `cpu`, bytes for `memory` and `ephemeral-storage`, pieces for everything else; parts of a device in thousandths.
 */

/** Resource name to an amount in its unit. What is not named is zero, or has no bound. */
export type ViewAmounts = Readonly<Record<string, number>>;

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
  readonly deviceKinds: readonly ViewDeviceKind[];
  readonly pools: readonly ViewPool[];
  /** In the order of their places (`path`), then by name. */
  readonly nodes: readonly ViewNode[];
  /** Parents before children, each followed by its own. */
  readonly queues: readonly ViewQueue[];
  /** Those that were asked about first, in the order of their manifests; then those that are in the cluster, by name. */
  readonly gangs: readonly ViewGang[];
  /** In the order of the decision. */
  readonly evictions: readonly ViewEviction[];
  readonly reservations: readonly ViewReservation[];
  readonly fragmentation: ViewFragmentation;
  readonly counters: ViewCounters;
  /** Sentences for people: what was left out and why, what was assumed. */
  readonly notes: readonly string[];
}

export interface ViewLevel {
  /** The node label, or the name of a level that is not a label (`hypernode-tier-2`). */
  readonly label: string;
  /** A word for people: `zone`, `block`, `rack`, `tier 2`. */
  readonly title: string;
  /** How many domains there are. */
  readonly domains: number;
}

/** Devices that are alike in everything but who holds them. */
export interface ViewDeviceKind {
  /** The resource under which pods ask for it. */
  readonly resource: string;
  readonly model?: string;
  readonly memoryMiB?: number;
  readonly numa?: number;
  readonly island?: string;
  /** Instances by profile, where the device is divided. */
  readonly mig?: Readonly<Record<string, number>>;
  /** Partition mode of an AMD GPU, such as `CPX/NPS4`, and how many of these devices, one after another, make up one GPU. */
  readonly partition?: { readonly mode: string; readonly perDevice: number };
  /** Time-sliced replicas, where it is more than one. */
  readonly replicas?: number;
  /** Present where the device is broken. */
  readonly healthy?: false;
}

export interface ViewPool {
  readonly name: string;
  readonly nodes: number;
  /** Nodes that are not ready or cordoned. */
  readonly unavailable: number;
  /** The commonest model, where the pool has devices. */
  readonly model?: string;
  readonly devices: number;
  /** In devices; parts count as parts. */
  readonly devicesUsed: number;
  readonly allocatable: ViewAmounts;
  readonly used: ViewAmounts;
}

export interface ViewNode {
  readonly name: string;
  /** Index in `pools`. */
  readonly pool: number;
  /** Its domain on each level, in the order of `levels`; an empty text where it is in none. */
  readonly path: readonly string[];
  /** Present where it is not ready. */
  readonly ready?: false;
  /** Present where it is cordoned. */
  readonly cordoned?: true;
  /** `key=value:Effect`, those that keep pods away. */
  readonly taints?: readonly string[];
  /** In the order of `resources`. */
  readonly allocatable: readonly number[];
  /** After the decision, in the order of `resources`. */
  readonly used: readonly number[];
  /** Index in `deviceKinds` of each device. */
  readonly devices: readonly number[];
  /** Pods that hold devices here. */
  readonly pods: readonly ViewPod[];
}

export interface ViewPod {
  readonly name: string;
  /** Index in `gangs`; absent for a pod that no gang stands for. */
  readonly gang?: number;
  readonly role?: string;
  /** Indices of its devices on the node; one that it has several instances of is named several times. */
  readonly devices: readonly number[];
  /** Of each device, in thousandths; absent for whole devices. */
  readonly share?: number;
  /** MIG profile of its instances. */
  readonly profile?: string;
  /** `planned`: it starts by this decision; `nominated`: when room is free; `leaving`: it goes. Absent: it runs. */
  readonly state?: 'planned' | 'nominated' | 'leaving';
}

export interface ViewQueue {
  readonly name: string;
  readonly parent?: string;
  /** 0 for a root. */
  readonly depth: number;
  readonly weight: number;
  /** Present where it is not 0. */
  readonly priority?: number;
  /** Present where the queue starts nothing. */
  readonly closed?: true;
  /** Present where others may not take back what it has. */
  readonly reclaimable?: false;
  /** What it and all below it have after the decision. */
  readonly allocated: ViewAmounts;
  /** What it and all below it have and wait for. */
  readonly requested: ViewAmounts;
  readonly fairShare: ViewAmounts;
  readonly deserved?: Readonly<Record<string, number | 'unlimited'>>;
  readonly guarantee?: ViewAmounts;
  readonly capability?: ViewAmounts;
  /** Gangs of the queue itself: that have their place, and that wait. */
  readonly placed: number;
  readonly pending: number;
}

/**
 * `placed`: all its pods get a place by this decision. `running`: all its pods ran before. `partial`: it runs, and pods beyond its minimum
 * wait. `nominated`: it starts when room that is being released is free. `pending`: it waits. `evicting`: it, or a part of it, has to go.
 */
export type ViewGangState = 'placed' | 'running' | 'partial' | 'nominated' | 'pending' | 'evicting';

export interface ViewGang {
  /** Unique; `namespace/name` wherever that is unique. */
  readonly name: string;
  /** Kind of the object that it comes from: `PyTorchJob`, `PodGroup`, `Pod`. */
  readonly kind: string;
  readonly namespace: string;
  readonly queue: string;
  /** Where it was written; absent for what is in the cluster. */
  readonly source?: { readonly file?: string; readonly line?: number; readonly construct?: string };
  readonly state: ViewGangState;
  readonly priority: number;
  readonly preemptible: boolean;
  readonly pods: number;
  /** Pods that have to run for any to run. */
  readonly minimum: number;
  /** Pods with a place after the decision, nominated ones among them. */
  readonly placed: number;
  /** Devices of all pods; parts count as parts. */
  readonly devices: number;
  readonly roles: readonly ViewRole[];
  /** What its topology asks, `within one rack`; absent where it asks nothing. */
  readonly topology?: string;
  /** Index in `nodes`, and how many of its pods are there. */
  readonly where: readonly (readonly [node: number, pods: number])[];
  /** The smallest domain that holds all its placed pods: index in `levels` (-1 for a single node), and the domain's name. */
  readonly domain?: { readonly level: number; readonly name: string };
  readonly pending?: ViewPending;
  /** What goes for it, as indices in `evictions`. */
  readonly evictions?: readonly number[];
}

export interface ViewRole {
  readonly name: string;
  readonly count: number;
  readonly minimum: number;
  readonly placed: number;
  /** One pod's request for devices for people: `8 x nvidia.com/gpu`, `1 x 1g.10gb`, `2 x 4096 MiB`; absent where it asks for none. */
  readonly devices?: string;
  readonly request: ViewAmounts;
}

export interface ViewPending {
  /** `PendingKind` of the placement core. */
  readonly kind: string;
  /** One sentence for people. */
  readonly message: string;
  readonly role?: string;
  /** For each constraint how many nodes it keeps out, most first. */
  readonly blocked: readonly { readonly constraint: string; readonly detail?: string; readonly nodes: number }[];
  /** Why nodes are excluded: a sentence for each of `blocked`, and one for the nearest node. */
  readonly excluded: readonly string[];
  /** How many of the pods needed would have found room. */
  readonly fits: number;
  readonly needed: number;
  readonly nearest?: {
    readonly node: string;
    readonly constraint: string;
    readonly detail?: string;
    readonly missing?: number;
  };
  /** The smallest changes with which the gang fits, each sufficient by itself, one sentence each; the simplest first. */
  readonly changes: readonly string[];
}

export interface ViewEviction {
  readonly pod: string;
  /** Index in `gangs`. */
  readonly gang: number;
  /** Index in `nodes`; -1 where the node is not known. */
  readonly node: number;
  readonly action: string;
  /** Index in `gangs` of the one that it is done for. */
  readonly for?: number;
  /** Index in `nodes`, where the pod is placed again. */
  readonly movesTo?: number;
}

export interface ViewReservation {
  /** Index in `gangs`. */
  readonly gang: number;
  /** Milliseconds since the epoch. */
  readonly startAt: number;
  /** Indices in `nodes`. */
  readonly nodes: readonly number[];
}

/** Where the free devices are, after the decision. Devices that are broken or on nodes that take nothing are not free. */
export interface ViewFragmentation {
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

export interface ViewCounters {
  readonly nodes: number;
  readonly gangs: number;
  readonly placed: number;
  readonly running: number;
  readonly pending: number;
  /** Pods that start by this decision. */
  readonly bindings: number;
  readonly nominations: number;
  readonly evictions: number;
  readonly capacityReports: { readonly fresh: number; readonly stale: number; readonly malformed: number };
}

/** Who holds a part of a device. */
export interface Occupant {
  readonly pod: ViewPod;
  /** Thousandths of the device; for a MIG device, one instance of that many. */
  readonly share: number;
}

/** The occupants of each device of a node, by index of the device. */
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
