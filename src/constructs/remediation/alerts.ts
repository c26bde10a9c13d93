/**
 * When somebody should look at remediation: alerts on the metrics of its program.
 */
import { Duration } from 'cdk8s';
import { type Construct } from 'constructs';
import { type Alert, PrometheusRule, type PrometheusRuleProps } from '../monitoring';
import { publicClass } from '../resources/public-class';

const runbook = (heading: string): Alert['annotations'] => ({
  runbook: `cdk8s-gantry, docs/remediation.md#${heading}`,
});

/** The alerts about remediation. */
export const REMEDIATION_ALERTS: readonly Alert[] = [
  {
    alert: 'GantryRemediationNoLeader',
    for: Duration.minutes(5),
    expr:
      '(max by (namespace, job) (gantry_remediation_leader) < 1 and max by (namespace, job) (gantry_remediation_dry_run) < 1) ' +
      'or absent(gantry_remediation_dry_run)',
    summary: 'No replica of remediation acts: nodes with a problem are left as they are',
    annotations: runbook('no-leader'),
  },
  {
    alert: 'GantryRemediationBudgetExhausted',
    severity: 'critical',
    for: Duration.minutes(15),
    expr: 'max by (namespace, job) (gantry_remediation_refused{kind="budget"}) > 0',
    summary: '{{ $value }} actions are not done because too many nodes are unavailable',
    annotations: runbook('the-budget-is-exhausted'),
  },
  {
    alert: 'GantryRemediationBlocked',
    for: Duration.minutes(30),
    expr: 'max by (namespace, job, kind) (gantry_remediation_refused{kind=~"no-places|protected"}) > 0',
    summary: '{{ $value }} gangs stay on nodes with a problem ({{ $labels.kind }})',
    annotations: runbook('a-gang-stays'),
  },
  {
    alert: 'GantryRemediationCannotAct',
    for: Duration.minutes(10),
    expr:
      'sum by (namespace, job) (increase(gantry_remediation_actions_total{outcome="failed"}[10m])) > 0 or ' +
      'sum by (namespace, job) (increase(gantry_remediation_plan_failures_total[10m])) > 0',
    summary: 'Remediation cannot change nodes, or cannot plan',
    annotations: runbook('remediation-cannot-act'),
  },
  {
    alert: 'GantryRemediationAlertsNotKept',
    expr: 'sum by (namespace, job) (increase(gantry_remediation_alerts_total{outcome="failed"}[10m])) > 0',
    summary: 'Alerts that Alertmanager sent could not be kept',
    annotations: runbook('alerts-are-not-kept'),
  },
];

/**
 * Props of RemediationAlerts.
 *
 * @beta
 */
export type RemediationAlertsProps = Omit<PrometheusRuleProps, 'groups'>;

/**
 * The alerts about remediation as an object of the Prometheus operator. `Remediation` makes one.
 *
 * @beta
 *
 * @example
 * new RemediationAlerts(chart, 'remediation-alerts', { labels: { release: 'prometheus' } });
 */
@publicClass('RemediationAlerts')
export class RemediationAlerts extends PrometheusRule {
  constructor(scope: Construct, id: string, props: RemediationAlertsProps = {}) {
    super(scope, id, { ...props, groups: [{ name: 'gantry-remediation', rules: REMEDIATION_ALERTS }] });
  }
}
