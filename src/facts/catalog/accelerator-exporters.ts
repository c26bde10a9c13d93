/**
 * Exporters of accelerators beside NVIDIA's: where they run, and the metrics, types, units, and labels that alerts and dashboards read.
 *
 * Sources: ROCm device-metrics-exporter, docs/configuration/metricslist.md; HabanaAI/gaudi-metric-exporter, exporter.go;
 * neuron-monitor-prometheus.py of aws-neuronx-tools, which the neuron-monitor image runs, and the user guide; Ascend mind-cluster,
 * component/npu-exporter; ray-project/ray, dashboard/modules/reporter, and dynolog, src/tpumon, which read what GKE's TPU device plugin serves.
 * An exporter that declares errors as a gauge has no counter for them: alerts compare values over time instead of `increase()`.
 */
import { frozen } from './frozen';

/** The exporter of a vendor's device metrics. */
export type AcceleratorExporter =
  | 'device-metrics-exporter'
  | 'Gaudi metric exporter'
  | 'neuron-monitor'
  | 'npu-exporter'
  | 'tpu-device-plugin';
/** Vendors whose exporter is described here; NVIDIA's is `DCGM_METRICS`. */
export type MeasuredVendor = 'amd' | 'gaudi' | 'neuron' | 'ascend' | 'tpu';

/** A metric of an accelerator exporter. */
export interface AcceleratorMetric {
  /** Name in Prometheus. */
  readonly name: string;
  /** Type in Prometheus. */
  readonly type: 'gauge' | 'counter';
  /** Unit of the value. */
  readonly unit: string;
  /** Labels beside those of the device. Absent where there are none. */
  readonly labels?: readonly string[];
  /** What the value measures. */
  readonly meaning: string;
}

/**
 * What is known of one vendor's exporter: where it is, how it labels series, and which metrics alerts and panels read.
 */
export interface AcceleratorExporterFacts {
  /** The exporter that these facts are about. */
  readonly exporter: AcceleratorExporter;
  /** Namespace of the exporter, by convention. */
  readonly namespace: string;
  /** Labels of its pods; absent where an operator makes the ServiceMonitor. */
  readonly podLabels?: Readonly<Record<string, string>>;
  /** The port of its pods. */
  readonly port: {
    /** Name of the container port. Absent where it has none. */
    readonly name?: string;
    /** Number of the container port. */
    readonly number: number;
  };
  /** Labels that every metric of a device has. */
  readonly deviceLabels: readonly string[];
  /** Labels of the pod that holds the device, in the exporter's words. */
  readonly podLabel: string;
  /** What the names of its metrics begin with. */
  readonly prefixes: readonly string[];
  /** The metrics that alerts and panels read. */
  readonly metrics: readonly AcceleratorMetric[];
}

const gauge = (name: string, unit: string, meaning: string, labels?: readonly string[]): AcceleratorMetric => ({
  name,
  type: 'gauge',
  unit,
  meaning,
  ...(labels === undefined ? {} : { labels }),
});
const counter = (name: string, meaning: string, labels: readonly string[]): AcceleratorMetric => ({
  name,
  type: 'counter',
  unit: 'count',
  meaning,
  labels,
});

/** The exporters of AMD, Gaudi, Neuron, and Ascend devices, by vendor. */
export const ACCELERATOR_EXPORTERS: Readonly<Record<MeasuredVendor, AcceleratorExporterFacts>> = frozen({
  amd: {
    exporter: 'device-metrics-exporter',
    namespace: 'kube-amd-gpu',
    port: { name: 'exporter-port', number: 5000 },
    deviceLabels: ['gpu_id', 'serial_number', 'card_model', 'hostname'],
    podLabel: 'pod',
    prefixes: ['gpu_', 'pcie_'],
    metrics: [
      gauge('gpu_health', 'flag', '1 if the GPU is healthy'),
      gauge('gpu_gfx_activity', '%', 'use of the compute engine of an unpartitioned GPU'),
      gauge('gpu_umc_activity', '%', 'use of the memory engine'),
      gauge('gpu_used_vram', 'MB', 'memory in use'),
      gauge('gpu_total_vram', 'MB', 'memory'),
      gauge('gpu_junction_temperature', '°C', 'temperature of the hottest spot'),
      gauge('gpu_memory_temperature', '°C', 'temperature of the memory'),
      gauge('gpu_power_usage', 'W', 'power draw'),
      gauge('gpu_ecc_correct_total', 'count', 'correctable memory errors since the driver was loaded'),
      gauge('gpu_ecc_uncorrect_total', 'count', 'uncorrectable memory errors since the driver was loaded'),
      gauge(
        'gpu_violation_socket_thermal_residency_percentage',
        '%',
        'part of the time in which the clock is lowered because of temperature',
      ),
      gauge(
        'gpu_violation_ppt_residency_percentage',
        '%',
        'part of the time in which the clock is lowered because of the power limit',
      ),
      gauge('pcie_replay_count', 'count', 'PCIe replays'),
    ],
  },
  gaudi: {
    exporter: 'Gaudi metric exporter',
    namespace: 'habana-system',
    podLabels: { 'app.kubernetes.io/name': 'metric-exporter-ds' },
    port: { name: 'metrics', number: 41611 },
    deviceLabels: ['Serial', 'UUID', 'device', 'id'],
    podLabel: 'pod_name',
    prefixes: ['habanalabs_'],
    metrics: [
      gauge('habanalabs_utilization', '%', 'use of the device'),
      gauge('habanalabs_memory_used_bytes', 'bytes', 'memory in use'),
      gauge('habanalabs_memory_total_bytes', 'bytes', 'memory'),
      gauge('habanalabs_temperature_onchip', '°C', 'temperature of the chip'),
      gauge('habanalabs_temperature_onboard', '°C', 'temperature of the board'),
      gauge('habanalabs_temperature_threshold_slowdown', '°C', 'temperature from which the device slows down'),
      gauge('habanalabs_power_mW', 'mW', 'power draw'),
      gauge('habanalabs_pending_rows_with_double_bit_ecc_errors', 'count', 'rows of memory with double-bit errors'),
      gauge('habanalabs_pending_rows_with_single_bit_ecc_errors', 'count', 'rows of memory with single-bit errors'),
      gauge('habanalabs_pending_rows_state', 'flag', '1 if rows are to be replaced at the next reset'),
      gauge('habanalabs_nic_port_status', 'flag', '1 if the port of the device is up', ['port', 'port_type']),
      gauge('habanalabs_pcie_replay_count', 'count', 'PCIe replays'),
    ],
  },
  neuron: {
    exporter: 'neuron-monitor',
    namespace: 'neuron-monitor',
    podLabels: { app: 'neuron-monitor' },
    port: { name: 'metrics', number: 8000 },
    deviceLabels: ['instance_id', 'instance_type', 'availability_zone', 'region'],
    podLabel: 'runtime_tag',
    prefixes: ['neuron', 'execution_', 'hardware_ecc_'],
    metrics: [
      gauge('neuroncore_utilization_ratio', 'ratio', 'use of a core', ['neuroncore', 'runtime_tag']),
      gauge('neuron_runtime_memory_used_bytes', 'bytes', 'memory of a runtime', ['memory_location', 'runtime_tag']),
      gauge('neuron_runtime_vcpu_usage_ratio', 'ratio', 'use of the CPU by a runtime', ['usage_type', 'runtime_tag']),
      gauge('execution_latency_seconds', 's', 'latency of executions', ['percentile', 'runtime_tag']),
      counter('execution_errors_total', 'failed executions', ['error_type', 'runtime_tag']),
      counter('execution_status_total', 'executions', ['status_type', 'runtime_tag']),
      counter(
        'hardware_ecc_events_total',
        'memory errors of a device: event_type is one of mem_ecc_corrected, mem_ecc_uncorrected, sram_ecc_corrected, and sram_ecc_uncorrected',
        ['event_type', 'neuron_device_index'],
      ),
    ],
  },
  ascend: {
    exporter: 'npu-exporter',
    namespace: 'npu-exporter',
    podLabels: { app: 'npu-exporter' },
    port: { name: 'http', number: 8082 },
    deviceLabels: ['id', 'model_name', 'vdie_id', 'pcie_bus_info'],
    podLabel: 'pod_name',
    prefixes: ['npu_', 'machine_npu_'],
    metrics: [
      gauge('machine_npu_nums', 'count', 'NPUs of the node'),
      gauge('npu_chip_info_health_status', 'flag', '1 if the NPU is healthy'),
      gauge('npu_chip_info_error_code', 'code', 'error code; 0 without an error'),
      gauge('npu_chip_info_utilization', '%', 'use of the AI cores'),
      gauge('npu_chip_info_hbm_used_memory', 'MB', 'memory in use'),
      gauge('npu_chip_info_hbm_total_memory', 'MB', 'memory'),
      gauge('npu_chip_info_temperature', '°C', 'temperature of the chip'),
      gauge('npu_chip_info_hbm_temperature', '°C', 'temperature of the memory'),
      gauge('npu_chip_info_power', 'W', 'power draw'),
      gauge('npu_chip_info_hbm_ecc_double_bit_error_cnt', 'count', 'double-bit memory errors at present'),
      gauge('npu_chip_info_hbm_ecc_total_double_bit_error_cnt', 'count', 'double-bit memory errors in total'),
      gauge('npu_chip_info_network_status', 'flag', '1 if the network of the NPU is healthy'),
      gauge('npu_chip_info_link_status', 'flag', '1 if the RoCE port of the NPU is up'),
    ],
  },
  tpu: {
    exporter: 'tpu-device-plugin',
    namespace: 'kube-system',
    podLabels: { 'k8s-app': 'tpu-device-plugin' },
    port: { number: 2112 },
    deviceLabels: ['accelerator_id', 'make', 'model', 'tpu_topology'],
    podLabel: 'exported_pod',
    prefixes: ['duty_cycle', 'tensorcore_', 'memory_bandwidth_'],
    metrics: [
      gauge('duty_cycle', '%', 'time in which a chip that a container holds was busy', [
        'container',
        'namespace',
        'pod',
      ]),
      gauge('duty_cycle_node', '%', 'time in which the chip was busy'),
      gauge('tensorcore_utilization_node', '%', 'use of the TensorCores'),
      gauge('memory_bandwidth_utilization_node', '%', 'use of the bandwidth of the memory'),
      gauge('memory_used_node', 'bytes', 'memory in use'),
      gauge('memory_total_node', 'bytes', 'memory'),
    ],
  },
});

const BY_NAME: ReadonlyMap<string, AcceleratorMetric & { readonly vendor: MeasuredVendor }> = new Map(
  (Object.entries(ACCELERATOR_EXPORTERS) as [MeasuredVendor, AcceleratorExporterFacts][]).flatMap(
    ([vendor, { metrics }]) => metrics.map((metric) => [metric.name, { ...metric, vendor }] as const),
  ),
);
/** What is known of a metric of these exporters; `undefined` where it is not one of those that alerts and panels read. */
export function findAcceleratorMetric(
  name: string,
): (AcceleratorMetric & { readonly vendor: MeasuredVendor }) | undefined {
  return BY_NAME.get(name);
}
