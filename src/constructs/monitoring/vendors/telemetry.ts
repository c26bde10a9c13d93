/**
 * What the exporter of each vendor says, in the same terms: PromQL for health, errors, heat, use, memory, power, and links. Alerts and
 * dashboards are made from this, so that every vendor has the same ones.
 */
import { type MeasuredVendor } from '../../../facts/catalog';

/** Label matchers of a selector, without braces; empty for everything. */
export type Where = string;

export interface Telemetry {
  /** Beginning of alert names. */
  readonly prefix: string;
  readonly title: string;
  /** One device, and several. */
  readonly device: string;
  readonly devices: string;
  /** Resources of the vendor as kube-state-metrics writes their names. */
  readonly resources: string;
  /** A metric that every device has. */
  readonly present: string;
  /** Label that tells the devices of a node apart. */
  readonly id: string;
  /** Elements are unhealthy devices. @default - the exporter does not say */
  readonly unhealthy?: string;
  /**
   * Elements are devices with memory errors that cannot be corrected, new within the last hour or waiting for a reset.
   * @default - the exporter does not say
   */
  readonly memoryErrors?: string;
  /**
   * Temperature in °C, and when a device is too hot: from a limit of its own, or by a number of degrees. AMD's 100 °C is where its GPUs slow
   * down (`amd-smi static --limit`, SLOWDOWN_HOTSPOT_TEMPERATURE of MI210 and MI300A); Huawei publishes no limit, 95 °C is Gantry's own.
   */
  readonly heat?: { readonly celsius: (where: Where) => string; readonly limit?: string; readonly degrees?: number };
  /** Elements are links of a device that are down. @default - the exporter does not say */
  readonly linkDown?: string;
  /** Use from 0 to 1. */
  readonly use: (where: Where) => string;
  /** Elements are devices that a pod holds. @default - the exporter does not say */
  readonly held?: string;
  readonly memory: { readonly used: (where: Where) => string; readonly total?: (where: Where) => string };
  /** Power in watts. @default - the exporter does not say */
  readonly watts?: (where: Where) => string;
  /** Further panels: title, expression, unit. */
  readonly panels: readonly {
    readonly title: string;
    readonly expr: (where: Where) => string;
    readonly unit: 'percentunit' | 'short' | 'ops' | 's' | 'none' | 'celsius';
  }[];
}

const of =
  (metric: string, scale = '') =>
  (where: Where): string =>
    `${metric}{${where}}${scale}`;

/** GKE's device plugin and its GPU exporter share names of metrics. */
const ofTpu =
  (metric: string, scale = '') =>
  (where: Where): string =>
    `${metric}{${[TPU, where].filter((part) => part !== '').join(', ')}}${scale}`;
const TPU = 'make="cloud-tpu"';

/** New in the last hour, of a value that only grows but is declared a gauge. */
const grown = (metric: string): string => `(${metric} - min_over_time(${metric}[1h])) > 0`;

export const TELEMETRY: Readonly<Record<MeasuredVendor, Telemetry>> = {
  amd: {
    prefix: 'Amd',
    title: 'AMD GPUs',
    device: 'GPU',
    devices: 'GPUs',
    resources: 'amd_com_.+',
    present: 'gpu_junction_temperature',
    id: 'gpu_id',
    unhealthy: 'gpu_health == 0',
    memoryErrors: grown('gpu_ecc_uncorrect_total'),
    heat: { celsius: of('gpu_junction_temperature'), degrees: 100 },
    use: of('gpu_gfx_activity', ' / 100'),
    held: 'gpu_gfx_activity{pod!=""}',
    memory: { used: of('gpu_used_vram', ' * 1e6'), total: of('gpu_total_vram', ' * 1e6') },
    watts: of('gpu_power_usage'),
    panels: [
      { title: 'Memory engine busy', expr: of('gpu_umc_activity', ' / 100'), unit: 'percentunit' },
      {
        title: 'Clock lowered by heat',
        expr: of('gpu_violation_socket_thermal_residency_percentage', ' / 100'),
        unit: 'percentunit',
      },
      {
        title: 'Clock lowered by the power limit',
        expr: of('gpu_violation_ppt_residency_percentage', ' / 100'),
        unit: 'percentunit',
      },
      { title: 'Memory temperature', expr: of('gpu_memory_temperature'), unit: 'celsius' },
      { title: 'Correctable memory errors', expr: of('gpu_ecc_correct_total'), unit: 'none' },
      { title: 'Uncorrectable memory errors', expr: of('gpu_ecc_uncorrect_total'), unit: 'none' },
      { title: 'PCIe replays', expr: of('pcie_replay_count'), unit: 'none' },
    ],
  },
  gaudi: {
    prefix: 'Gaudi',
    title: 'Gaudi accelerators',
    device: 'accelerator',
    devices: 'accelerators',
    resources: 'habana_ai_.+',
    present: 'habanalabs_temperature_onchip',
    id: 'id',
    memoryErrors: `(habanalabs_pending_rows_with_double_bit_ecc_errors > 0) or (habanalabs_pending_rows_state > 0)`,
    heat: {
      celsius: of('habanalabs_temperature_onchip'),
      limit: '(habanalabs_temperature_threshold_slowdown > 0)',
    },
    linkDown: 'habanalabs_nic_port_status == 0',
    use: of('habanalabs_utilization', ' / 100'),
    held: 'habanalabs_utilization{pod_name!=""}',
    memory: { used: of('habanalabs_memory_used_bytes'), total: of('habanalabs_memory_total_bytes') },
    watts: of('habanalabs_power_mW', ' / 1000'),
    panels: [
      { title: 'Temperature of the board', expr: of('habanalabs_temperature_onboard'), unit: 'celsius' },
      {
        title: 'Rows with single-bit errors',
        expr: of('habanalabs_pending_rows_with_single_bit_ecc_errors'),
        unit: 'none',
      },
      {
        title: 'Rows with double-bit errors',
        expr: of('habanalabs_pending_rows_with_double_bit_ecc_errors'),
        unit: 'none',
      },
      { title: 'PCIe replays', expr: of('habanalabs_pcie_replay_count'), unit: 'none' },
    ],
  },
  neuron: {
    prefix: 'Neuron',
    title: 'Neuron devices',
    device: 'Neuron core',
    devices: 'Neuron cores',
    resources: 'aws_amazon_com_neuron.*',
    present: 'neuroncore_utilization_ratio',
    id: 'neuroncore',
    memoryErrors: 'increase(hardware_ecc_events_total{event_type=~"(mem|sram)_ecc_uncorrected"}[1h]) > 0',
    use: of('neuroncore_utilization_ratio'),
    held: 'neuroncore_utilization_ratio{runtime_tag!=""}',
    memory: {
      used: (where) =>
        `neuron_runtime_memory_used_bytes{memory_location="neuron_device"${where === '' ? '' : `, ${where}`}}`,
    },
    panels: [
      {
        title: 'Failed executions',
        expr: (where) => `sum by (node, error_type) (rate(execution_errors_total{${where}}[$__rate_interval]))`,
        unit: 'ops',
      },
      {
        title: 'Executions',
        expr: (where) => `sum by (node, status_type) (rate(execution_status_total{${where}}[$__rate_interval]))`,
        unit: 'ops',
      },
      { title: 'Latency of executions', expr: of('execution_latency_seconds'), unit: 's' },
      { title: 'CPU used by runtimes', expr: of('neuron_runtime_vcpu_usage_ratio'), unit: 'percentunit' },
      {
        title: 'Memory errors',
        expr: (where) => `sum by (node, neuron_device_index, event_type) (hardware_ecc_events_total{${where}})`,
        unit: 'none',
      },
    ],
  },
  ascend: {
    prefix: 'Ascend',
    title: 'Ascend NPUs',
    device: 'NPU',
    devices: 'NPUs',
    resources: 'huawei_com_.+',
    present: 'npu_chip_info_temperature',
    id: 'id',
    unhealthy: 'npu_chip_info_health_status == 0',
    memoryErrors: `(npu_chip_info_hbm_ecc_double_bit_error_cnt > 0) or (${grown('npu_chip_info_hbm_ecc_total_double_bit_error_cnt')})`,
    heat: { celsius: of('npu_chip_info_temperature'), degrees: 95 },
    linkDown: '(npu_chip_info_link_status == 0) or (npu_chip_info_network_status == 0)',
    use: of('npu_chip_info_utilization', ' / 100'),
    held: 'npu_chip_info_utilization{pod_name!=""}',
    memory: {
      used: of('npu_chip_info_hbm_used_memory', ' * 1e6'),
      total: of('npu_chip_info_hbm_total_memory', ' * 1e6'),
    },
    watts: of('npu_chip_info_power'),
    panels: [
      { title: 'Memory temperature', expr: of('npu_chip_info_hbm_temperature'), unit: 'celsius' },
      { title: 'Error code', expr: of('npu_chip_info_error_code'), unit: 'none' },
      {
        title: 'Double-bit memory errors',
        expr: of('npu_chip_info_hbm_ecc_total_double_bit_error_cnt'),
        unit: 'none',
      },
      { title: 'NPUs of a node', expr: () => 'machine_npu_nums{node=~"$node"}', unit: 'none' },
    ],
  },
  tpu: {
    prefix: 'Tpu',
    title: 'Google TPUs',
    device: 'TPU chip',
    devices: 'TPU chips',
    resources: 'google_com_tpu',
    present: 'tensorcore_utilization_node',
    id: 'accelerator_id',
    use: ofTpu('duty_cycle_node', ' / 100'),
    held: ofTpu('duty_cycle')('exported_pod!=""'),
    memory: { used: ofTpu('memory_used_node'), total: ofTpu('memory_total_node') },
    panels: [
      { title: 'TensorCores busy', expr: ofTpu('tensorcore_utilization_node', ' / 100'), unit: 'percentunit' },
      {
        title: 'Bandwidth of the memory in use',
        expr: ofTpu('memory_bandwidth_utilization_node', ' / 100'),
        unit: 'percentunit',
      },
    ],
  },
};
