/**
 * A scenario: a cluster, its queues, the gangs that arrive over time, what happens to the cluster meanwhile, and what is expected.
 *
 * Times are seconds from the beginning of the simulation.
 */
import { type ClusterNode, type Gang, type PendingKind, type Policy, type Queue, type Topology } from '../../placement';
import { type DeviceClaims } from '../../placement/model/claims';
import { type Mark, type RemediationSettings } from '../remediation';

export interface Scenario {
  readonly name: string;
  /** What the scenario shows, in a sentence or two. */
  readonly about?: string;
  readonly nodes: readonly ClusterNode[];
  readonly topologies: readonly Topology[];
  /** Devices and claims. @default - no pod has claims */
  readonly deviceClaims?: DeviceClaims;
  readonly queues: readonly Queue[];
  /** In the order of their arrival. */
  readonly gangs: readonly ScenarioGang[];
  /** In the order of time. */
  readonly events: readonly ScenarioEvent[];
  /** @default - none */
  readonly scaling?: readonly ScalingGroup[];
  /** @default - faults stay until they end */
  readonly remediation?: ScenarioRemediation;
  readonly policy: Policy;
  readonly run: RunOptions;
  readonly expectations: readonly Expectation[];
}

/** One gang that arrives once; what repeats was written out when the scenario was read. */
export interface ScenarioGang {
  /** Without its arrival and expected duration, which change as time goes by. */
  readonly gang: Omit<Gang, 'arrival' | 'expectedSeconds' | 'staleSince'>;
  readonly arrivesAt: number;
  /** Work with all pods, seconds; `Infinity` for what runs until it is stopped. */
  readonly durationSeconds: number;
  /** The expected duration that the scheduler knows; `undefined` if it knows none. */
  readonly expectedSeconds: number | undefined;
  /** Work up to the last multiple of this survives an interruption; `undefined`: nothing does. */
  readonly checkpointSeconds: number | undefined;
  /** With fewer pods than all, work takes longer in proportion. */
  readonly scales: boolean;
}

export type ScenarioEvent = { readonly at: number } & (
  | { readonly kind: NodeEventKind; readonly nodes: readonly string[] }
  | { readonly kind: 'queue'; readonly queue: string; readonly set: Partial<Omit<Queue, 'name' | 'parent'>> }
  /** The gang is withdrawn, whether it runs or waits. */
  | { readonly kind: 'cancel'; readonly gang: string }
  | { readonly kind: 'fault' | 'fault-ends'; readonly fault: ScenarioFault }
  | { readonly kind: 'report'; readonly report: ScenarioReport }
);

/** What the agents of nodes report about devices from a moment on. */
export interface ScenarioReport {
  readonly nodes: readonly string[];
  /** @default - the agents stop, and the reports that they wrote last age */
  readonly devices?: readonly ReportedDevice[];
}

/** What a capacity report says about a device that no pod of the scenario causes. */
export interface ReportedDevice {
  /** @default - each device of the node */
  readonly index?: number;
  readonly freeMemoryMiB?: number;
  /** 0 to 1. */
  readonly utilization?: number;
  readonly latencyMs?: number;
  /** The kubelet had given the device to a pod, so that what was measured is the pod's. */
  readonly held?: boolean;
}

/** Rules that act on nodes with a fault. */
export interface ScenarioRemediation {
  readonly settings: RemediationSettings;
  /** Only notes what would be done. */
  readonly dryRun: boolean;
}

/** The action of remediation that repairs a fault. */
export type FaultRepair = Mark | 'restart-device-plugin';

/** A fault of nodes that stay ready. */
export interface ScenarioFault {
  readonly nodes: readonly string[];
  /** Condition that is True meanwhile. */
  readonly condition?: string;
  /** Alert that fires for the nodes meanwhile. */
  readonly alert?: string;
  /** Devices of each node that fail, with the pods that have them. */
  readonly devices?: number;
  /** Speed of gangs with pods on one of the nodes and on others, as a part of their full speed. */
  readonly speed?: number;
  /** It ends `takesSeconds` after this action. @default - only at its own end */
  readonly endedBy?: FaultRepair;
  readonly takesSeconds?: number;
}

/**
 * `fail`: the nodes fail with everything on them. `return`: they are ready and take pods again. `drain`: they take no new pods, and what runs
 * on them is evicted. `reclaim`: the same, because the provider takes a spot node back. `leave`: they end, with everything on them. `join`:
 * they are new, or replace nodes that ended.
 */
export type NodeEventKind = 'fail' | 'return' | 'drain' | 'reclaim' | 'leave' | 'join';

/** Nodes that are started when gangs wait for them, and ended when they are idle. */
export interface ScalingGroup extends ScalingTerms {
  readonly name: string;
  /** Nodes of the scenario; the first ones are ready at the beginning. */
  readonly nodes: readonly string[];
}

export interface ScalingTerms {
  /** Nodes that stay even if they are idle. */
  readonly least: number;
  /** From the request of a node until it is ready. */
  readonly delaySeconds: number;
  /** How long a node has no pods before it ends. */
  readonly idleSeconds: number;
}

/** How long a MIG manager takes, where a scenario does not say: it stops and starts the operator's pods of the node. */
export const REPARTITION_SECONDS = 120;

export interface RunOptions {
  /** How long to simulate, seconds. @default - until nothing changes any more, 30 days at most */
  readonly seconds?: number;
  /** Decisions are made at multiples of this, when something has changed. */
  readonly cycleSeconds: number;
  /** How long an evicted pod still holds its room. */
  readonly graceSeconds: number;
  /** How long a MIG manager takes to give a node another configuration. */
  readonly repartitionSeconds: number;
}

/** Bounds of an amount; equal bounds ask for exactly that. */
export interface Bounds {
  readonly atLeast?: number;
  readonly atMost?: number;
}

export type Expectation =
  | { readonly about: 'gang'; readonly gang: string; readonly checks: readonly GangCheck[] }
  | { readonly about: 'queue'; readonly queue: string; readonly checks: readonly QueueCheck[] }
  | { readonly about: 'node'; readonly node: string; readonly checks: readonly NodeCheck[] }
  | { readonly about: 'cluster'; readonly checks: readonly ClusterCheck[] };

export interface NodeCheck {
  readonly kind: 'marks';
  readonly at: number;
  /** Exactly these. */
  readonly marks: readonly Mark[];
}

export type GangCheck =
  | { readonly kind: 'starts-by'; readonly by: number }
  | { readonly kind: 'starts-after'; readonly after: number }
  | { readonly kind: 'ends-by'; readonly by: number }
  | { readonly kind: 'waits-at-most'; readonly seconds: number }
  | { readonly kind: 'evictions-at-most'; readonly count: number }
  | { readonly kind: 'lands-in'; readonly level: string; readonly domain: string | undefined }
  | { readonly kind: 'lands-on'; readonly nodes: readonly string[] }
  | { readonly kind: 'pods'; readonly at: number; readonly bounds: Bounds }
  | { readonly kind: 'pending'; readonly at: number; readonly because: PendingKind | undefined };

export type QueueCheck =
  | { readonly kind: 'has'; readonly at: number; readonly resource: string; readonly bounds: Bounds }
  | { readonly kind: 'waits-at-most'; readonly seconds: number; readonly percentile: number };

export type ClusterCheck =
  /** Mean over the window, as a part of what is ready, 0 to 1. */
  | {
      readonly kind: 'utilization';
      readonly resource: string;
      readonly bounds: Bounds;
      readonly from: number;
      readonly until: number | undefined;
    }
  | { readonly kind: 'makespan-at-most'; readonly seconds: number }
  | { readonly kind: 'evictions-at-most'; readonly count: number }
  | { readonly kind: 'all-finish' };
