/**
 * Rules of remediation: which cause, after how long, leads to which actions.
 */
import { GANTRY_NODE_PROFILE_LABEL, GANTRY_REPAIR_REQUESTED } from '../../facts/catalog/gantry-names';
import { type NodeAgentCondition } from '../../facts/catalog/node-conditions';

/**
 * A node condition that is True, an alert that fires for the node, or a capacity report that is below a bound. `nodeLabel` is the label of the
 * alert that names the node, `node` by default.
 */
export type RemediationCause =
  | { readonly condition: string }
  | { readonly alert: string; readonly labels?: Readonly<Record<string, string>>; readonly nodeLabel?: string }
  | { readonly report: { readonly devicesBelow?: number; readonly freeMemoryBelowMiB?: number } };

/**
 * What is done for a node.
 *
 * - `taint`: the taint `gantry.dev/unhealthy:NoSchedule`
 * - `cordon`: the node is unschedulable
 * - `evict`: each gang with a pod and a device on the node is evicted as a whole
 * - `move`: as `evict`, if the gang fits on healthy nodes
 * - `restart-device-plugin`: the device plugin's pods on the node are recreated
 * - `request-driver-upgrade`: the annotation by which the GPU operator upgrades the driver of the node
 * - `request-repair`: an annotation and the condition `GantryRepairRequested`, for a controller that repairs nodes
 */
export type RemediationAction = (typeof REMEDIATION_ACTIONS)[number];

export const REMEDIATION_ACTIONS = [
  'taint',
  'cordon',
  'evict',
  'move',
  'restart-device-plugin',
  'request-driver-upgrade',
  'request-repair',
] as const;

export interface RemediationRule {
  readonly name: string;
  readonly cause: RemediationCause;
  /** Seconds for which the cause must last. */
  readonly afterSeconds: number;
  readonly actions: readonly RemediationAction[];
  /** Grace period of evicted pods in seconds. @default - that of each pod */
  readonly graceSeconds?: number;
}

export interface RemediationSettings {
  readonly rules: readonly RemediationRule[];
  /** Part of the nodes of a pool, in percent, that may be unavailable when a node is added to them: rounded down, and at least one node. */
  readonly maxUnavailablePercent: number;
  /** Nodes of a rack that may be unavailable when a node is added to them. */
  readonly maxPerRack: number;
  /** Seconds without a cause after which what was done is undone. */
  readonly healthySeconds: number;
  /** Label of nodes that names their pool. */
  readonly poolLabel: string;
  /** Label of nodes that names their rack. Nodes without it have no rack. */
  readonly rackLabel: string;
  /** Namespace of the device plugin's pods. */
  readonly devicePluginNamespace: string;
  /** Labels of the device plugin's pods. */
  readonly devicePluginLabels: Readonly<Record<string, string>>;
  /** Annotation of `request-repair`. */
  readonly repairAnnotation: string;
}

const condition = (
  type: NodeAgentCondition,
  afterSeconds: number,
  actions: readonly RemediationAction[],
): RemediationRule => ({
  name: type.replace(/[A-Z]/g, (letter, at: number) => (at === 0 ? '' : '-') + letter.toLowerCase()),
  cause: { condition: type },
  afterSeconds,
  actions,
});

/** CPU throttling has no rule: it is the limit of a container, which another node has too. */
export const DEFAULT_REMEDIATION_RULES: readonly RemediationRule[] = [
  condition('AcceleratorsMissing', 300, ['taint', 'restart-device-plugin']),
  condition('AcceleratorUnhealthy', 60, ['taint', 'evict']),
  condition('RdmaDegraded', 300, ['taint', 'move']),
  condition('MemoryPressureStalled', 600, ['taint']),
];

export const DEFAULT_REMEDIATION: RemediationSettings = {
  rules: DEFAULT_REMEDIATION_RULES,
  maxUnavailablePercent: 10,
  maxPerRack: 1,
  healthySeconds: 600,
  poolLabel: GANTRY_NODE_PROFILE_LABEL,
  rackLabel: 'topology.kubernetes.io/rack',
  devicePluginNamespace: 'gpu-operator',
  devicePluginLabels: { app: 'nvidia-device-plugin-daemonset' },
  repairAnnotation: GANTRY_REPAIR_REQUESTED,
};
