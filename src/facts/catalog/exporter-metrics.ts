/**
 * Metrics of other exporters that alerts about GPU nodes are made of: who publishes them, their types and their labels.
 *
 * Sources: kube-state-metrics v2; cAdvisor v0.56, metrics/prometheus.go; node_exporter v1.11, collector/infiniband_linux.go,
 * pressure_linux.go, vmstat_linux.go; Kueue v0.19, pkg/metrics; Volcano v1.15, pkg/scheduler/metrics.
 */
import { frozen } from './frozen';

/** Exporters other than those of accelerators, and Prometheus itself. */
export type ExporterName = 'kube-state-metrics' | 'cAdvisor' | 'node_exporter' | 'Kueue' | 'Volcano' | 'Prometheus';

/** A metric that alerts and panels read, of an exporter that serves no accelerator. */
export interface ExporterMetric {
  /** Name in Prometheus. */
  readonly name: string;
  /** The exporter that serves it. */
  readonly exporter: ExporterName;
  /** Type in Prometheus. */
  readonly type: 'gauge' | 'counter';
  /** Unit of the value. */
  readonly unit: string;
  /** Labels of its series. */
  readonly labels: readonly string[];
  /** The setting, or the release, that the metric needs. Absent where it is always served. */
  readonly needs?: string;
}

type Row = readonly [name: string, type: 'gauge' | 'counter', unit: string, needs?: string];

const of = (exporter: ExporterName, labels: readonly string[], ...rows: readonly Row[]): readonly ExporterMetric[] =>
  rows.map(([name, type, unit, needs]) => ({
    name,
    exporter,
    type,
    unit,
    labels,
    ...(needs === undefined ? {} : { needs }),
  }));

const CONTAINER = ['namespace', 'pod', 'container', 'id', 'image', 'name', 'node'];
const PORT = ['device', 'port', 'instance', 'node'];
const HARDWARE_COUNTERS = 'node_exporter 1.11 or newer, and a driver that counts';

/**
 * Metrics of kube-state-metrics, cAdvisor, node_exporter, Kueue, Volcano, and Prometheus that alerts and panels read.
 */
export const EXPORTER_METRICS: readonly ExporterMetric[] = frozen([
  ...of(
    'Prometheus',
    ['job', 'instance', 'namespace', 'pod', 'service', 'endpoint', 'container', 'node'],
    ['up', 'gauge', 'flag'],
  ),
  ...of(
    'kube-state-metrics',
    ['node', 'resource', 'unit'],
    ['kube_node_status_capacity', 'gauge', 'of the resource'],
    ['kube_node_status_allocatable', 'gauge', 'of the resource'],
  ),
  ...of(
    'kube-state-metrics',
    ['node', 'label_nvidia_com_gpu_present'],
    ['kube_node_labels', 'gauge', 'none', '--metric-labels-allowlist=nodes=[nvidia.com/gpu.present]'],
  ),
  ...of('kube-state-metrics', ['node', 'condition', 'status'], ['kube_node_status_condition', 'gauge', 'flag']),
  ...of(
    'kube-state-metrics',
    ['namespace', 'pod', 'container', 'node', 'resource', 'unit', 'uid'],
    ['kube_pod_container_resource_requests', 'gauge', 'of the resource'],
    ['kube_pod_container_resource_limits', 'gauge', 'of the resource'],
  ),
  ...of('kube-state-metrics', ['namespace', 'pod', 'phase', 'uid'], ['kube_pod_status_phase', 'gauge', 'flag']),
  ...of('kube-state-metrics', ['namespace', 'pod', 'uid'], ['kube_pod_status_unschedulable', 'gauge', 'flag']),
  ...of(
    'kube-state-metrics',
    ['namespace', 'pod', 'container', 'reason', 'uid'],
    ['kube_pod_container_status_terminated_reason', 'gauge', 'flag'],
    ['kube_pod_container_status_last_terminated_reason', 'gauge', 'flag'],
  ),
  ...of(
    'kube-state-metrics',
    ['namespace', 'pod', 'container', 'uid'],
    ['kube_pod_container_status_restarts_total', 'counter', 'restarts'],
  ),
  ...of(
    'cAdvisor',
    CONTAINER,
    ['container_cpu_cfs_throttled_periods_total', 'counter', 'periods'],
    ['container_cpu_cfs_periods_total', 'counter', 'periods'],
    ['container_cpu_cfs_throttled_seconds_total', 'counter', 's'],
    ['container_cpu_usage_seconds_total', 'counter', 's'],
    ['container_memory_working_set_bytes', 'gauge', 'bytes'],
    ['container_spec_memory_limit_bytes', 'gauge', 'bytes'],
    ['container_oom_events_total', 'counter', 'count'],
    [
      'container_pressure_cpu_waiting_seconds_total',
      'counter',
      's',
      'KubeletPSI: off by default before Kubernetes 1.34',
    ],
    [
      'container_pressure_memory_waiting_seconds_total',
      'counter',
      's',
      'KubeletPSI: off by default before Kubernetes 1.34',
    ],
    [
      'container_pressure_memory_stalled_seconds_total',
      'counter',
      's',
      'KubeletPSI: off by default before Kubernetes 1.34',
    ],
  ),
  ...of(
    'node_exporter',
    ['instance', 'node'],
    ['node_pressure_cpu_waiting_seconds_total', 'counter', 's'],
    ['node_pressure_memory_waiting_seconds_total', 'counter', 's'],
    ['node_pressure_memory_stalled_seconds_total', 'counter', 's'],
    ['node_vmstat_oom_kill', 'counter', 'count'],
    ['node_memory_MemAvailable_bytes', 'gauge', 'bytes'],
    ['node_memory_MemTotal_bytes', 'gauge', 'bytes'],
  ),
  ...of(
    'node_exporter',
    PORT,
    ['node_infiniband_port_transmit_wait_total', 'counter', 'ticks'],
    ['node_infiniband_port_data_transmitted_bytes_total', 'counter', 'bytes'],
    ['node_infiniband_port_data_received_bytes_total', 'counter', 'bytes'],
    ['node_infiniband_port_packets_transmitted_total', 'counter', 'packets'],
    ['node_infiniband_port_discards_transmitted_total', 'counter', 'packets'],
    ['node_infiniband_port_errors_received_total', 'counter', 'packets'],
    ['node_infiniband_link_downed_total', 'counter', 'count'],
    ['node_infiniband_link_error_recovery_total', 'counter', 'count'],
    ['node_infiniband_symbol_error_total', 'counter', 'count'],
    ['node_infiniband_rate_bytes_per_second', 'gauge', 'bytes/s'],
    ['node_infiniband_state_id', 'gauge', 'code'],
    ['node_infiniband_np_ecn_marked_roce_packets_received_total', 'counter', 'packets', HARDWARE_COUNTERS],
    ['node_infiniband_np_cnp_packets_sent_total', 'counter', 'packets', HARDWARE_COUNTERS],
    ['node_infiniband_rp_cnp_packets_handled_total', 'counter', 'packets', HARDWARE_COUNTERS],
    ['node_infiniband_packet_sequence_errors_total', 'counter', 'count', HARDWARE_COUNTERS],
    ['node_infiniband_local_ack_timeout_errors_total', 'counter', 'count', HARDWARE_COUNTERS],
    ['node_infiniband_out_of_sequence_packets_received_total', 'counter', 'packets', HARDWARE_COUNTERS],
    ['node_infiniband_out_of_buffer_drops_total', 'counter', 'count', HARDWARE_COUNTERS],
    ['node_infiniband_rnr_nak_retry_packets_received_total', 'counter', 'packets', HARDWARE_COUNTERS],
  ),
  ...of('Kueue', ['cluster_queue', 'status'], ['kueue_pending_workloads', 'gauge', 'workloads']),
  ...of('Volcano', [], ['volcano_unschedule_job_count', 'gauge', 'jobs']),
]);

const BY_NAME: ReadonlyMap<string, ExporterMetric> = new Map(EXPORTER_METRICS.map((metric) => [metric.name, metric]));

/** Returns what is known of a metric, or `undefined` where the catalog does not list it. */
export function findExporterMetric(name: string): ExporterMetric | undefined {
  return BY_NAME.get(name);
}
