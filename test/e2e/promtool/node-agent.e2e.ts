/**
 * The alerts of the node agent, put to Prometheus itself: each fires where it has to, names the node, and is quiet where it must not.
 */
import { NODE_AGENT_ALERTS } from '../../../src/constructs/agent';
import { renderGroup } from '../../../src/constructs/monitoring/rule-groups';
import { type AlertCase, describeAlerts } from './alert-cases';

/** Series of the agent on node a, as Prometheus has them after the relabeling of its PodMonitor. */
const AGENT =
  'namespace="gantry-node-agent", pod="gantry-node-agent-h100-x2x7q", container="agent", node="a", job="gantry-node-agent"';
const condition = (type: string, status: string): string =>
  `gantry_node_condition{${AGENT}, type="${type}", status="${status}"}`;
const patches = (outcome: string): string => `gantry_agent_patches_total{${AGENT}, outcome="${outcome}"}`;

const lasting = (type: string, minutes: number): AlertCase => ({
  at: 20 + minutes,
  // The condition is True from minute 20 on.
  fires: { [condition(type, 'False')]: '1x19 _x60', [condition(type, 'True')]: '_x20 1x60' },
  // True for a minute less than the alert waits; and unknown, which is not a problem of the node.
  quiet: {
    [condition(type, 'True')]: `_x20 ${'1 '.repeat(minutes)}stale`,
    [condition(type, 'Unknown')]: `_x${20 + minutes} 1x60`,
  },
});

const CASES: Readonly<Record<string, AlertCase>> = {
  // 7 of 8 devices are allocatable.
  NodeAcceleratorsMissing: lasting('AcceleratorsMissing', 5),
  NodeAcceleratorUnhealthy: lasting('AcceleratorUnhealthy', 1),
  NodeRdmaDegraded: lasting('RdmaDegraded', 5),
  NodeAgentCannotReport: {
    at: 40,
    fires: { [patches('failed')]: '0+1x60', [patches('written')]: '5x60' },
    quiet: { [patches('failed')]: '0+1x60', [patches('written')]: '0+1x60' },
  },
};

describeAlerts({
  rules: { groups: [renderGroup({ name: 'gantry-node-agent', rules: NODE_AGENT_ALERTS })] },
  alerts: NODE_AGENT_ALERTS.map(({ alert }) => alert),
  cases: CASES,
  by: ['node', 'a'],
});
