/**
 * The metrics of remediation.
 */
import { Counter, Gauge, Registry } from 'prom-client';
import { type RemediationPlan, type RemediationRefusal, type RemediationStep } from '../../planning/remediation';

const REFUSALS: readonly RemediationRefusal['kind'][] = ['budget', 'no-places', 'protected'];

export class Metrics {
  readonly registry = new Registry();
  private readonly own = { registers: [this.registry] };
  readonly leader = new Gauge({ ...this.own, name: 'gantry_remediation_leader', help: '1 while this replica acts' });
  readonly dryRun = new Gauge({ ...this.own, name: 'gantry_remediation_dry_run', help: '1 while nothing is changed' });
  readonly evictedPods = new Counter({
    ...this.own,
    name: 'gantry_remediation_evicted_pods_total',
    help: 'Pods that were evicted or recreated',
    labelNames: ['rule'],
  });
  readonly alerts = new Counter({
    ...this.own,
    name: 'gantry_remediation_alerts_total',
    help: 'Alerts that the webhook received, by outcome',
    labelNames: ['outcome'],
  });
  readonly planFailures = new Counter({
    ...this.own,
    name: 'gantry_remediation_plan_failures_total',
    help: 'Plans that failed',
  });
  readonly requests = new Counter({
    ...this.own,
    name: 'gantry_remediation_api_requests_total',
    help: 'Requests to the API server by method and status; status 0: no answer',
    labelNames: ['method', 'status'],
  });
  private readonly actions = new Counter({
    ...this.own,
    name: 'gantry_remediation_actions_total',
    help: 'Actions by outcome',
    labelNames: ['action', 'outcome'],
  });
  private readonly refused = new Gauge({
    ...this.own,
    name: 'gantry_remediation_refused',
    help: 'Actions that are demanded now and prevented, by what prevents them',
    labelNames: ['kind'],
  });
  private readonly nodes = new Gauge({
    ...this.own,
    name: 'gantry_remediation_nodes',
    help: 'Nodes with a cause that holds, and nodes that remediation acts on',
    labelNames: ['state'],
  });

  countStep(
    { add, remove, gangs, plugins }: RemediationStep,
    outcome: 'done' | 'failed' | 'conflict' | 'dry-run',
  ): void {
    add.forEach((action) => this.actions.inc({ action, outcome }));
    remove.forEach((action) => this.actions.inc({ action: `undo-${action}`, outcome }));
    this.actions.inc({ action: 'evict-gang', outcome }, gangs.length);
    this.actions.inc({ action: 'restart-device-plugin', outcome }, plugins.length);
  }

  show({ findings }: RemediationPlan, refusals: readonly RemediationRefusal[], acting: number): void {
    this.nodes.set({ state: 'with-cause' }, new Set(findings.map(({ node }) => node)).size);
    this.nodes.set({ state: 'acted-on' }, acting);
    REFUSALS.forEach((kind) => this.refused.set({ kind }, refusals.filter((one) => one.kind === kind).length));
  }

  showNothing(): void {
    this.nodes.reset();
    this.refused.reset();
  }
}
