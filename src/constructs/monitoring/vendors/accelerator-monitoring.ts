/**
 * AcceleratorMonitoring: how the accelerators of a vendor other than NVIDIA are scraped, alerted on, and shown.
 */
import { Duration } from 'cdk8s';
import { Construct } from 'constructs';
import { ACCELERATOR_EXPORTERS, type MeasuredVendor } from '../../../facts/catalog';
import { type NamespacedObjectProps } from '../../resources/object-props';
import { type NamedReference } from '../../resources/references';
import { GrafanaDashboard, type GrafanaDashboardProps } from '../dashboard/grafana-dashboard';
import { PodMonitor, type PodMonitorProps } from '../monitors';
import { PrometheusRule, type PrometheusRuleProps } from '../prometheus-rule';
import { NODE_RELABELING, type Relabeling } from '../scrape-endpoint';
import { vendorAlerts, type VendorAlertsOptions } from './vendor-alerts';
import { vendorDashboard } from './vendor-dashboard';
import { publicClass } from '../../resources/public-class';

/** Overrides of the objects of AcceleratorMonitoring, by the property that has them. */
export interface AcceleratorMonitoringOverrides {
  /** Fields of the spec of the PodMonitor. @default - none */
  readonly podMonitor?: PodMonitorProps['overrides'];
  /** Fields of the spec of the PrometheusRule. @default - none */
  readonly rules?: PrometheusRuleProps['overrides'];
  /** Fields of the ConfigMap with the dashboard. @default - none */
  readonly dashboard?: GrafanaDashboardProps['overrides'];
}

/** Props of AcceleratorMonitoring. */
export interface AcceleratorMonitoringProps extends Omit<NamespacedObjectProps, 'name'>, VendorAlertsOptions {
  /** Whose accelerators are measured. */
  readonly vendor: MeasuredVendor;
  /** Namespace of the exporter. @default - the conventional one of the vendor */
  readonly namespace?: NamedReference<'Namespace'>;
  /**
   * Labels by which Prometheus finds monitor and rules; with kube-prometheus-stack `release: <its release>`.
   * @default - those of the chart
   */
  readonly labels?: Readonly<Record<string, string>>;
  /** Labels of the exporter's pods. @default - the conventional ones of the vendor */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** Time between scrapes. @default - 30 seconds */
  readonly interval?: Duration;
  /** Whether a dashboard is made. @default true */
  readonly dashboard?: boolean;
  /** Fields without a property, of each object. @default - none */
  readonly overrides?: AcceleratorMonitoringOverrides;
}

/** What a DeviceConfig of AMD states for its exporter. */
export interface OperatorScrape {
  /** The operator creates the ServiceMonitor. */
  readonly serviceMonitor: true;
  /** Labels by which Prometheus finds the ServiceMonitor. */
  readonly serviceMonitorLabels: Readonly<Record<string, string>>;
  /** Changes to the labels of the series. */
  readonly serviceMonitorRelabelings: readonly Relabeling[];
}

/**
 * The monitor, the alerts, and the dashboard of an exporter: AMD device-metrics-exporter, Gaudi metric exporter,
 * neuron-monitor, npu-exporter, or GKE's TPU device plugin. For NVIDIA use `GpuMonitoring`.
 *
 * The operator of AMD makes the ServiceMonitor of its exporter itself; `monitoring.exporter` is what the DeviceConfig
 * states for it.
 *
 * Rules: `monitoring/*`.
 *
 * @example
 * new monitoring.AcceleratorMonitoring(chart, 'gaudi', { vendor: 'gaudi', labels: { release: 'prometheus' } });
 *
 * const amd = new monitoring.AcceleratorMonitoring(chart, 'amd', { vendor: 'amd', labels: { release: 'prometheus' } });
 * new amdGpu.DeviceConfig(chart, 'gpus', { exporter: amd.exporter });
 */
@publicClass('monitoring.AcceleratorMonitoring')
export class AcceleratorMonitoring extends Construct {
  /** Absent where the operator makes its own (AMD). */
  readonly podMonitor?: PodMonitor;
  /** The alerts. */
  readonly rules: PrometheusRule;
  /** Absent where none is wanted. */
  readonly dashboard?: GrafanaDashboard;

  /** @throws if a threshold is given for an alert that has none */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: AcceleratorMonitoringProps,
  ) {
    super(scope, id);
    const facts = ACCELERATOR_EXPORTERS[props.vendor];
    const { namespace = facts.namespace, labels, annotations, podLabels = facts.podLabels, overrides = {} } = props;
    const shared = { namespace, labels, annotations };
    if (podLabels !== undefined) {
      this.podMonitor = new PodMonitor(this, 'PodMonitor', {
        ...shared,
        name: id,
        selector: podLabels,
        port: facts.port.name ?? facts.port.number,
        interval: props.interval ?? Duration.seconds(30),
        relabelings: [NODE_RELABELING],
        overrides: overrides.podMonitor,
      });
    }
    this.rules = new PrometheusRule(this, 'Rules', {
      ...shared,
      name: id,
      groups: vendorAlerts(props.vendor, props),
      overrides: overrides.rules,
    });
    if (props.dashboard !== false) {
      this.dashboard = new GrafanaDashboard(this, 'Dashboard', {
        ...vendorDashboard(props.vendor),
        namespace,
        annotations,
        name: `${id}-dashboard`,
        overrides: overrides.dashboard,
      });
    }
  }

  /** What the DeviceConfig of AMD states for its exporter, so that the operator makes the ServiceMonitor. */
  get exporter(): OperatorScrape {
    return {
      serviceMonitor: true,
      serviceMonitorLabels: this.props.labels ?? {},
      serviceMonitorRelabelings: [NODE_RELABELING],
    };
  }
}
