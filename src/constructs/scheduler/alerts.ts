/**
 * When somebody should look at the scheduler: alerts on the metrics that its program exports.
 */
import { Duration } from 'cdk8s';
import { type Construct } from 'constructs';
import { type Alert, PrometheusRule, type PrometheusRuleProps } from '../monitoring';
import { publicClass } from '../resources/public-class';

/** The page that says what to do, by the heading in it. */
const runbook = (heading: string): Alert['annotations'] => ({ runbook: `cdk8s-gantry, docs/scheduler.md#${heading}` });

// A cluster may have several schedulers, of several names: each is looked at for itself.

/** Part of requests or bindings that may fail. */
const TOLERATED = 0.05;

/** The alerts about Gantry's scheduler. */
export const SCHEDULER_ALERTS: readonly Alert[] = [
  {
    alert: 'GantrySchedulerNoLeader',
    severity: 'critical',
    for: Duration.minutes(2),
    expr: 'max by (namespace, job) (gantry_leader) < 1 or absent(gantry_leader)',
    summary: 'No replica of the scheduler holds the lease: nothing is placed',
    annotations: runbook('no-leader'),
  },
  {
    alert: 'GantrySchedulerSeveralLeaders',
    severity: 'critical',
    for: Duration.minutes(1),
    expr: 'sum by (namespace, job) (gantry_leader) > 1',
    summary: '{{ $value }} replicas consider themselves the leader',
    annotations: runbook('several-leaders'),
  },
  {
    alert: 'GantrySchedulerCyclesFail',
    severity: 'critical',
    for: Duration.minutes(1),
    expr: 'max by (namespace, job) (gantry_cycle_failures_in_a_row) >= 5',
    summary: 'The last {{ $value }} cycles of the scheduler failed: nothing is placed',
    annotations: runbook('cycles-fail'),
  },
  {
    alert: 'GantrySchedulerSetAside',
    for: Duration.minutes(5),
    expr: 'max by (namespace, job, kind) (gantry_set_aside) > 0',
    summary: 'The scheduler leaves out {{ $value }} objects of kind {{ $labels.kind }} that it cannot schedule with',
    annotations: runbook('set-aside'),
  },
  {
    alert: 'GantrySchedulerBooksDiverge',
    expr: 'sum by (namespace, job) (increase(gantry_session_divergences_total[1h])) > 0',
    summary: 'The books of the scheduler differed from those built from scratch, and were built again',
    annotations: runbook('books-diverge'),
  },
  {
    alert: 'GantrySchedulerSlow',
    for: Duration.minutes(10),
    expr: 'histogram_quantile(0.99, sum by (le) (rate(gantry_cycle_seconds_bucket[5m]))) > 1',
    summary: 'One cycle in a hundred takes longer than a second ({{ $value | humanizeDuration }})',
    annotations: runbook('slow'),
  },
  {
    alert: 'GantrySchedulerBindingsFail',
    for: Duration.minutes(5),
    expr: `sum(rate(gantry_binding_failures_total[5m])) / (sum(rate(gantry_binding_failures_total[5m])) + sum(rate(gantry_pods_bound_total[5m]))) > ${TOLERATED}`,
    summary: '{{ $value | humanizePercentage }} of the bindings fail',
    annotations: runbook('bindings-fail'),
  },
  {
    alert: 'GantrySchedulerApiErrors',
    for: Duration.minutes(10),
    expr: `sum(rate(gantry_api_requests_total{status=~"5..|0"}[5m])) / sum(rate(gantry_api_requests_total[5m])) > ${TOLERATED}`,
    summary: '{{ $value | humanizePercentage }} of the requests to the API server get no answer or an error of its own',
    annotations: runbook('api-errors'),
  },
  {
    alert: 'GantryQueueBelowItsShare',
    for: Duration.minutes(30),
    expr: 'max by (queue, resource) (gantry_queue_allocated) < 0.5 * max by (queue, resource) (gantry_queue_fair_share)',
    summary:
      'Queue {{ $labels.queue }} has had less than half of its fair share of {{ $labels.resource }} for half an hour',
    annotations: runbook('below-its-share'),
  },
  {
    alert: 'GantrySchedulerClockOff',
    for: Duration.minutes(10),
    expr: 'max(abs(gantry_clock_skew_seconds)) > 5',
    summary: 'The clock of a node that runs the scheduler is {{ $value }} seconds off that of the API server',
    annotations: runbook('clock-off'),
  },
];

/** Props of SchedulerAlerts. */
export type SchedulerAlertsProps = Omit<PrometheusRuleProps, 'groups'>;

/**
 * The alerts as an object of the Prometheus operator; add alerts of your own with `addGroup`.
 *
 * @example
 * new SchedulerAlerts(chart, 'alerts', { labels: { release: 'prometheus' } });
 */
@publicClass('SchedulerAlerts')
export class SchedulerAlerts extends PrometheusRule {
  constructor(scope: Construct, id: string, props: SchedulerAlertsProps = {}) {
    super(scope, id, { ...props, groups: [{ name: 'gantry-scheduler', rules: SCHEDULER_ALERTS }] });
  }
}
