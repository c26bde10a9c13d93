/**
 * Thresholds of what nodes report about their devices, as a part of the policy.
 */

/** Whether a filter excludes a device (`hard`), or only makes it the last choice (`soft`). */
export const CAPACITY_FILTER_MODES = ['hard', 'soft'] as const;

/**
 * Keeps pods away from devices whose capacity report is beyond a threshold, such as devices that a process outside of Kubernetes uses. Only
 * fresh reports count, and only what they say; MIG instances are not filtered, since reports are about whole devices.
 */
export interface CapacityFilter {
  /** Whether the filter excludes a device, or only makes it the last choice. */
  readonly mode: (typeof CAPACITY_FILTER_MODES)[number];
  /** Pools of nodes, as `ClusterNode.pool` names them. @default - all nodes */
  readonly pools?: readonly string[];
  /** Queues; a queue includes those below it. @default - the pods of all queues */
  readonly queues?: readonly string[];
  /** Least free memory of the device, MiB. @default - any */
  readonly freeMemoryMiB?: number;
  /** Highest utilization of the device, 0 to 1. @default - any */
  readonly utilization?: number;
  /** Highest latency that is reported for the device, milliseconds. @default - any */
  readonly latencyMs?: number;
}
