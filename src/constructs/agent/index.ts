/**
 * The agent on every node: what it reports, what it may change, and the alerts about it.
 */
export { NODE_AGENT_ALERTS, NodeAgentAlerts, type NodeAgentAlertsProps } from './alerts';
export {
  NodeAgent,
  type NodeAgentExporter,
  type NodeAgentPool,
  type NodeAgentProps,
  type NodeAgentVendor,
} from './node-agent';
