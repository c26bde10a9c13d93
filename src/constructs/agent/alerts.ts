/**
 * When somebody should look at a node: alerts on the metrics of the node agent.
 */
import { Duration } from 'cdk8s';
import { type Construct } from 'constructs';
import { type Alert, PrometheusRule, type PrometheusRuleProps } from '../monitoring';
import { publicClass } from '../resources/public-class';

const runbook = (heading: string): Alert['annotations'] => ({ runbook: `cdk8s-gantry, docs/agent.md#${heading}` });

/**
 * The alerts about nodes and their agent. Their label `node` is that of the scraped pod (`NODE_RELABELING`), by which remediation finds the node.
 */
export const NODE_AGENT_ALERTS: readonly Alert[] = [
  {
    alert: 'NodeAcceleratorsMissing',
    severity: 'critical',
    for: Duration.minutes(5),
    expr: 'max by (node, namespace, pod) (gantry_node_condition{type="AcceleratorsMissing", status="True"}) > 0',
    summary: 'Node {{ $labels.node }} has fewer devices than it should',
    annotations: runbook('acceleratorsmissing'),
  },
  {
    alert: 'NodeAcceleratorUnhealthy',
    severity: 'critical',
    for: Duration.minutes(1),
    expr: 'max by (node, namespace, pod) (gantry_node_condition{type="AcceleratorUnhealthy", status="True"}) > 0',
    summary: 'A device of node {{ $labels.node }} reports a fault',
    annotations: runbook('acceleratorunhealthy'),
  },
  {
    alert: 'NodeRdmaDegraded',
    for: Duration.minutes(5),
    expr: 'max by (node, namespace, pod) (gantry_node_condition{type="RdmaDegraded", status="True"}) > 0',
    summary: 'An RDMA port of node {{ $labels.node }} is down or counts errors',
    annotations: runbook('rdmadegraded'),
  },
  {
    alert: 'NodeAgentCannotReport',
    for: Duration.minutes(10),
    expr:
      'sum by (node, namespace, pod) (increase(gantry_agent_patches_total{outcome="failed"}[10m])) > 0 unless ' +
      'sum by (node, namespace, pod) (increase(gantry_agent_patches_total{outcome="written"}[10m])) > 0',
    summary: 'The node agent {{ $labels.pod }} cannot update its Node {{ $labels.node }}',
    annotations: runbook('the-agent-cannot-report'),
  },
];

/**
 * Props of NodeAgentAlerts.
 *
 * @beta
 */
export type NodeAgentAlertsProps = Omit<PrometheusRuleProps, 'groups'>;

/**
 * The alerts about nodes and their agent as an object of the Prometheus operator. `NodeAgent` makes one.
 *
 * @beta
 *
 * @example
 * new NodeAgentAlerts(chart, 'node-alerts', { labels: { release: 'prometheus' } });
 */
@publicClass('NodeAgentAlerts')
export class NodeAgentAlerts extends PrometheusRule {
  constructor(scope: Construct, id: string, props: NodeAgentAlertsProps = {}) {
    super(scope, id, { ...props, groups: [{ name: 'gantry-node-agent', rules: NODE_AGENT_ALERTS }] });
  }
}
