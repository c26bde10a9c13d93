/**
 * What an alert of the set is made of, before it is known how the metrics are called and where the thresholds lie.
 */
import { type DcgmGeneration, type DcgmKey, dcgmMetric, type DcgmUnit } from '../../../facts/catalog';
import { type AlertSeverity } from '../rule-groups';

/** A group of alerts. */
export type AlertGroupName = 'gpu-faults' | 'gpu-use' | 'gpu-devices' | 'contention' | 'rdma';

export interface AlertThreshold {
  readonly value: number;
  /** What is compared, with its unit: `of the time`, `°C below slowdown`. */
  readonly unit: string;
}

export interface AlertRecipe {
  readonly group: AlertGroupName;
  readonly severity: AlertSeverity;
  /** Minutes. */
  readonly for?: number;
  /** Minutes. */
  readonly keepFiringFor?: number;
  readonly threshold?: AlertThreshold;
  /** Only where it is asked for: what it says is a fault in some clusters and by design in others. */
  readonly optIn?: true;
  readonly expr: (names: MetricNames, threshold: number) => string;
  readonly summary: string;
  readonly description: string;
}

export interface MetricNamesOptions {
  /** Generation of the DCGM exporter, or of the names that its list of counters asks for. */
  readonly exporter: DcgmGeneration;
  /** Whether the scrape of the exporter honours labels: the pod that has the GPU is `pod` then, otherwise `exported_pod`. */
  readonly honorLabels: boolean;
  /** The label `job` of the exporter's metrics. */
  readonly exporterJob: string;
}

/** How metrics and labels are called in one cluster. */
export class MetricNames {
  /** Labels of the pod that has the GPU. */
  readonly pod: 'pod' | 'exported_pod';
  readonly namespace: 'namespace' | 'exported_namespace';

  constructor(readonly options: MetricNamesOptions) {
    this.pod = options.honorLabels ? 'pod' : 'exported_pod';
    this.namespace = options.honorLabels ? 'namespace' : 'exported_namespace';
  }

  dcgm(key: DcgmKey): string {
    return dcgmMetric(key).names[this.options.exporter].name;
  }

  unit(key: DcgmKey): DcgmUnit {
    return dcgmMetric(key).names[this.options.exporter].unit;
  }

  /** An expression over a metric in nanoseconds, in seconds; one over a metric that has seconds already stays as it is. */
  seconds(key: DcgmKey, expr: string): string {
    return this.unit(key) === 'ns' ? `${expr} / 1e9` : expr;
  }

  /** An expression over a metric in percent, as a ratio; one over a metric that is a ratio already stays as it is. */
  ratio(key: DcgmKey, expr: string): string {
    return this.unit(key) === '%' ? `${expr} / 100` : expr;
  }

  /** An expression over a metric in MiB, in bytes. */
  bytes(key: DcgmKey, expr: string): string {
    return this.unit(key) === 'MiB' ? `${expr} * 1048576` : expr;
  }
}

/** Every resource of NVIDIA's device plugin, as kube-state-metrics writes names: whole GPUs, shares and MIG slices. */
export const NVIDIA_RESOURCES = 'nvidia_com_.+';

/** Containers of pods that ask for a GPU. */
export const OF_GPU_PODS = `kube_pod_container_resource_requests{resource=~"${NVIDIA_RESOURCES}"} > 0`;
