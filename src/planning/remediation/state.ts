/**
 * What the planner of remediation sees: nodes, the gangs on them, and alerts. Values of a cluster are untrusted, and are read with bounds.
 */
import { type RemediationRecord } from './record';

export interface RemediationNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  /** Keys of the taints of the node. */
  readonly taints: readonly string[];
  /** Types of the conditions whose status is True, without Ready. */
  readonly problems: readonly string[];
  /** By type of a condition: for how long it has its status, as the condition says, milliseconds. Believed at the first sight of a node only. */
  readonly held?: Readonly<Record<string, number>>;
  /** Number of devices in the capacity report, and the least free memory among them. Absent: no report. */
  readonly report?: { readonly devices: number; readonly freeMemoryMiB?: number };
  /** What remediation did to the node before. */
  readonly record: RemediationRecord;
}

export interface RemediationPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  /** Milliseconds since the epoch, as the API server wrote it. */
  readonly createdAt: number;
}

export interface RemediationGang {
  /** Key of the gang; of another pod, its own. */
  readonly key: string;
  /** Pods that are not about to end. */
  readonly pods: readonly RemediationPod[];
  /** Nodes that have a pod of the gang, also one that failed or is about to end. */
  readonly nodes: ReadonlySet<string>;
}

export interface RemediationAlert {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** For how long it fires, milliseconds. */
  readonly held?: number;
}

export interface RemediationState {
  /** Milliseconds on a clock that never goes back. */
  readonly now: number;
  /** The API server's time, milliseconds since the epoch. */
  readonly time: number;
  readonly nodes: readonly RemediationNode[];
  /** Gangs that use devices. Asked for only where a rule or a record needs them. */
  readonly gangs: readonly RemediationGang[];
  /** Pods of device plugins. */
  readonly plugins: readonly RemediationPod[];
  readonly alerts: readonly RemediationAlert[];
}
