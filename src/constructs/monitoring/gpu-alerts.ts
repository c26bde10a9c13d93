/**
 * The set of alerts about GPUs and about what keeps GPUs waiting, each with its threshold and a page that says what to do.
 */
import { Duration } from 'cdk8s';
import { type DcgmGeneration } from '../../facts/catalog';
import { metricsOf, parsePromql } from '../../facts/promql';
import { CONTENTION_ALERTS } from './alerts/contention';
import { GANG_ALERTS, GPU_DEVICE_ALERTS } from './alerts/gpu-devices';
import { GPU_FAULT_ALERTS } from './alerts/gpu-faults';
import { GPU_USE_ALERTS } from './alerts/gpu-use';
import { RDMA_ALERTS } from './alerts/rdma';
import { type AlertGroupName, type AlertRecipe, MetricNames } from './alerts/recipe';
import { requireKnown } from './alerts/known-alerts';
import { type Alert, type AlertSeverity, type RuleGroup } from './rule-groups';
import { publicFunction } from '../../facts/calls/public-function';

const RECIPES = { ...GPU_FAULT_ALERTS, ...GPU_USE_ALERTS, ...GPU_DEVICE_ALERTS, ...CONTENTION_ALERTS, ...RDMA_ALERTS };

/** An alert about GPUs. */
export type GpuAlertName = keyof typeof RECIPES | 'GangsPending';
export type { AlertGroupName };

/** What is to be different about one alert. */
export interface AlertSetting {
  /** In the unit that docs/monitoring.md gives. @default - as there */
  readonly threshold?: number;
  /** Time that the condition must hold before the alert fires. @default - as in docs/monitoring.md */
  readonly for?: Duration;
  /** Severity of the alert. @default - as in docs/monitoring.md */
  readonly severity?: AlertSeverity;
}

/** Options of the alerts about GPUs. */
export interface GpuAlertsOptions {
  /** Generation of the DCGM exporter whose names and units the list of counters uses. @default 4.8 */
  readonly exporter?: DcgmGeneration;
  /**
   * Changes of single alerts: `false` removes one, `true` adds an optional one.
   * @default - all but GpuMemoryNearlyFull, as docs/monitoring.md has them
   */
  readonly alerts?: Readonly<Partial<Record<GpuAlertName, AlertSetting | boolean>>>;
  /** Groups of alerts to omit, such as `rdma` without such a network. @default - none */
  readonly without?: readonly AlertGroupName[];
  /** Who admits gangs; without it there is no GangsPending. @default - none */
  readonly engine?: 'volcano' | 'kueue';
  /** Whether the exporter's scrape honors labels. @default false */
  readonly honorLabels?: boolean;
  /** The label `job` of the exporter's metrics. @default nvidia-dcgm-exporter */
  readonly exporterJob?: string;
  /** Labels of all alerts, for routing. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Address of the folder that holds docs/monitoring.md, or of a copy of yours. @default - the page is named without an address */
  readonly runbooks?: string;
}

const ORDER: readonly AlertGroupName[] = ['gpu-faults', 'gpu-use', 'gpu-devices', 'contention', 'rdma'];

/** The alerts in their groups, for a `PrometheusRule`. @throws if an alert or a group is unknown, or a threshold is given for an alert that has none */
export const gpuAlerts = publicFunction(
  'monitoring.gpuAlerts',
  (options: GpuAlertsOptions = {}): readonly RuleGroup[] => {
    const chosen = chosenAlerts(options);
    return ORDER.flatMap((name): readonly RuleGroup[] => {
      const rules = chosen
        .filter(([, { group }]) => group === name)
        .map(([alert, recipe]) => render(alert, recipe, options));
      return rules.length === 0 ? [] : [{ name, rules }];
    });
  },
);

/** What a table of all alerts has to say: those that stay out by default too. */
export function describeGpuAlerts(): readonly (AlertRecipe & { readonly name: GpuAlertName })[] {
  return [...Object.entries(RECIPES), ['GangsPending', GANG_ALERTS.volcano] as const].map(([name, recipe]) => ({
    ...recipe,
    name: name as GpuAlertName,
  }));
}

/** Names of all metrics that the expressions of groups read. */
export function metricsInGroups(groups: readonly RuleGroup[]): readonly string[] {
  const names = groups.flatMap(({ rules }) =>
    rules.flatMap(({ expr }) => {
      const { expression } = parsePromql(expr);
      return expression === undefined ? [] : metricsOf(expression);
    }),
  );
  return [...new Set(names)].sort();
}

type Named = readonly [name: GpuAlertName, recipe: AlertRecipe];

function chosenAlerts({ alerts = {}, without = [], engine }: GpuAlertsOptions): readonly Named[] {
  const all: readonly Named[] = [
    ...(Object.entries(RECIPES) as Named[]),
    ...(engine === undefined ? [] : [['GangsPending', GANG_ALERTS[engine]] as const]),
  ];
  requireKnown('alerts', Object.keys(alerts), [...Object.keys(RECIPES), 'GangsPending']);
  requireKnown('without', without, ORDER);
  return all.filter(([name, { group, optIn }]) => {
    const setting = alerts[name];
    return setting !== false && !without.includes(group) && (optIn !== true || setting !== undefined);
  });
}

function render(alert: GpuAlertName, recipe: AlertRecipe, options: GpuAlertsOptions): Alert {
  const { exporter = '4.8', honorLabels = false, exporterJob = 'nvidia-dcgm-exporter', runbooks, labels } = options;
  const setting = options.alerts?.[alert];
  const own: AlertSetting = typeof setting === 'object' ? setting : {};
  const { threshold, severity, summary, description } = recipe;
  if (own.threshold !== undefined && threshold === undefined) {
    throw new Error(`alerts.${alert}.threshold: ${alert} has no threshold. Remove it.`);
  }
  const names = new MetricNames({ exporter, honorLabels, exporterJob });
  const page = `monitoring.md#${alert.toLowerCase()}`;
  return {
    alert,
    expr: recipe.expr(names, own.threshold ?? threshold?.value ?? 0),
    ...((own.for ?? minutes(recipe.for)) && { for: own.for ?? minutes(recipe.for) }),
    ...(recipe.keepFiringFor === undefined ? {} : { keepFiringFor: minutes(recipe.keepFiringFor) }),
    severity: own.severity ?? severity,
    summary,
    description,
    ...(runbooks === undefined
      ? { annotations: { runbook: `cdk8s-gantry, docs/${page}` } }
      : { runbook: `${runbooks.replace(/\/$/, '')}/${page}` }),
    ...(labels === undefined ? {} : { labels }),
  };
}

function minutes(count: number | undefined): Duration | undefined {
  return count === undefined ? undefined : Duration.minutes(count);
}
