/**
 * GpuMonitoring: what is measured of GPUs, who fetches it, what is alerted on and what is shown, as one thing that fits together.
 */
import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { DCGM_METRICS, type DcgmGeneration, type DcgmKey, findDcgmMetric } from '../../facts/catalog';
import {
  type DcgmCounter,
  dcgmCounter,
  DcgmCounters,
  type DcgmCountersProps,
  type DcgmExporterOptions,
  USUAL_DCGM_COUNTERS,
} from '../gpu-operator';
import { type NamespacedObjectProps } from '../resources/object-props';
import { type NamedReference } from '../resources/references';
import { GrafanaDashboard, type GrafanaDashboardProps } from './dashboard/grafana-dashboard';
import { gpuDashboard, metricsInDashboard } from './dashboard/gpu-panels';
import { gpuAlerts, type GpuAlertsOptions, metricsInGroups } from './gpu-alerts';
import { ServiceMonitor, type ServiceMonitorProps } from './monitors';
import { PrometheusRule, type PrometheusRuleProps } from './prometheus-rule';
import { NODE_RELABELING } from './scrape-endpoint';
import { publicClass } from '../resources/public-class';

/** Overrides of the objects of GpuMonitoring, by the property that has them. */
export interface GpuMonitoringOverrides {
  /** Fields of the ConfigMap with the counters. @default - none */
  readonly counters?: DcgmCountersProps['overrides'];
  /** Fields of the spec of the ServiceMonitor. @default - none */
  readonly serviceMonitor?: ServiceMonitorProps['overrides'];
  /** Fields of the spec of the PrometheusRule. @default - none */
  readonly rules?: PrometheusRuleProps['overrides'];
  /** Fields of the ConfigMap with the dashboard. @default - none */
  readonly dashboard?: GrafanaDashboardProps['overrides'];
}

/** Props of GpuMonitoring. */
export interface GpuMonitoringProps extends Omit<NamespacedObjectProps, 'name'>, Omit<GpuAlertsOptions, 'labels'> {
  /** Namespace of the GPU operator, whose exporter is scraped. @default gpu-operator */
  readonly namespace?: NamedReference<'Namespace'>;
  /**
   * Labels by which Prometheus finds the ServiceMonitor and the rules; with kube-prometheus-stack `release: <its release>`.
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /** More rows for the exporter's list of counters. @default - none */
  readonly counters?: readonly DcgmCounter[];
  /** Time between scrapes. @default - 15 seconds */
  readonly interval?: Duration;
  /** Labels of all alerts, for routing. @default - none */
  readonly alertLabels?: Readonly<Record<string, string>>;
  /** Whether a dashboard is made. @default true */
  readonly dashboard?: boolean;
  /** Fields without a property, of each object. @default - none */
  readonly overrides?: GpuMonitoringOverrides;
}

/**
 * The list of counters, the ServiceMonitor, the alerts and the dashboard. Each metric that an alert or a panel reads is
 * in the list that the exporter is given, under the name and in the unit that it is read by.
 *
 * Pass `monitoring.exporter` to the GPU operator: it contains the counter list and turns off the operator's own
 * ServiceMonitor.
 *
 * @example
 * const gpus = new monitoring.GpuMonitoring(chart, 'gpu-monitoring', { labels: { release: 'prometheus' } });
 * new gpuOperator.GpuOperator(chart, 'gpu', { dcgmExporter: gpus.exporter });
 */
@publicClass('monitoring.GpuMonitoring')
export class GpuMonitoring extends Construct {
  /** The metrics that the exporter collects. */
  readonly counters: DcgmCounters;
  /** Makes Prometheus scrape the exporter. */
  readonly serviceMonitor: ServiceMonitor;
  /** The alerts. */
  readonly rules: PrometheusRule;
  /** Absent where none was wanted. */
  readonly dashboard?: GrafanaDashboard;

  /** @throws if a threshold is given for an alert that has none */
  constructor(scope: Construct, id: string, props: GpuMonitoringProps = {}) {
    super(scope, id);
    const {
      namespace = 'gpu-operator',
      labels,
      annotations,
      exporter = '4.8',
      exporterJob = 'nvidia-dcgm-exporter',
      honorLabels,
      overrides = {},
    } = props;
    const shared = { namespace, labels, annotations };
    const groups = gpuAlerts({ ...props, labels: props.alertLabels });
    const model = gpuDashboard({
      exporter,
      honorLabels,
      without: (['contention', 'rdma'] as const).filter((name) => props.without?.includes(name) === true),
    });
    const read = [...metricsInGroups(groups), ...(props.dashboard === false ? [] : metricsInDashboard(model))];
    this.counters = new DcgmCounters(this, 'Counters', {
      ...shared,
      name: `${id}-counters`,
      counters: countersFor(read, exporter),
      overrides: overrides.counters,
    }).addCounters(...(props.counters ?? []));
    this.serviceMonitor = new ServiceMonitor(this, 'ServiceMonitor', {
      ...shared,
      name: id,
      // As the operator labels the exporter's Service.
      selector: { app: exporterJob },
      port: 'gpu-metrics',
      interval: props.interval ?? Duration.seconds(15),
      ...(honorLabels === undefined ? {} : { honorLabels }),
      relabelings: [NODE_RELABELING],
      overrides: overrides.serviceMonitor,
    });
    this.rules = new PrometheusRule(this, 'Rules', { ...shared, name: id, groups, overrides: overrides.rules });
    if (props.dashboard !== false) {
      this.dashboard = new GrafanaDashboard(this, 'Dashboard', {
        ...model,
        namespace,
        annotations,
        name: `${id}-dashboard`,
        overrides: overrides.dashboard,
      });
    }
  }

  /** The exporter settings for the GPU operator. */
  get exporter(): Pick<DcgmExporterOptions, 'counters' | 'serviceMonitor'> {
    return { counters: this.counters, serviceMonitor: false };
  }
}

/** The usual counters and those that are read, in the order of the catalog. */
function countersFor(read: readonly string[], exporter: DcgmGeneration): readonly DcgmCounter[] {
  const usual = USUAL_DCGM_COUNTERS.map(({ field }) => field);
  const wanted = new Set<DcgmKey>([...usual, ...read].flatMap((name) => findDcgmMetric(name)?.key ?? []));
  return DCGM_METRICS.filter(({ key }) => wanted.has(key)).map(({ key }) => dcgmCounter(key, exporter));
}
