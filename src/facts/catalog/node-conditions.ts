/**
 * The node conditions that Gantry's node agent reports. As with node-problem-detector, `True` is a problem.
 */
import { frozen } from './frozen';

/** Types of the conditions, in the order in which the agent reports them. */
export const NODE_AGENT_CONDITIONS = frozen([
  'AcceleratorsMissing',
  'AcceleratorUnhealthy',
  'RdmaDegraded',
  'CpuThrottled',
  'MemoryPressureStalled',
] as const);

/** Type of a condition that the node agent reports. */
export type NodeAgentCondition = (typeof NODE_AGENT_CONDITIONS)[number];

/** Type of the condition by which remediation requests a repair of the node. */
export const REPAIR_REQUESTED_CONDITION = 'GantryRepairRequested';
