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
}

export interface RemediationGang {
  /** Key of the gang; of another pod, its own. */
  readonly key: string;
  readonly pods: readonly RemediationPod[];
}

export interface RemediationAlert {
  readonly name: string;
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface RemediationState {
  /** Milliseconds; never goes back. */
  readonly now: number;
  readonly nodes: readonly RemediationNode[];
  /** Gangs that use devices, with all of their pods that run. */
  readonly gangs: readonly RemediationGang[];
  /** Pods of device plugins. */
  readonly plugins: readonly RemediationPod[];
  readonly alerts: readonly RemediationAlert[];
}
