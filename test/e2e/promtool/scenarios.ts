/**
 * For each alert a cluster in which it has to fire, and one in which it has to be quiet, as series of a minute's step.
 */
import { type DcgmGeneration, type DcgmKey } from '../../../src/facts/catalog';
import { MetricNames } from '../../../src/constructs/monitoring/alerts/recipe';
import { type GpuAlertName } from '../../../src/constructs/monitoring/gpu-alerts';

/** Series and their values, in promtool's notation. */
type World = Readonly<Record<string, string>>;

export interface Scenario {
  /** Minutes from the start at which one looks. */
  readonly at: number;
  readonly fires: World;
  readonly quiet: World;
  /** Where more than one element of the result fires. */
  readonly count?: number;
}

const FREE = 'gpu="3", UUID="GPU-1", GPU_I_ID="", modelName="NVIDIA H100", node="a", job="nvidia-dcgm-exporter"';
const HELD = `${FREE}, exported_namespace="research", exported_pod="train-0", exported_container="main"`;
const POD = 'namespace="research", pod="train-0"';
const MAIN = `${POD}, container="main"`;
const PORT = 'device="mlx5_0", port="1", instance="a:9100"';
const ASKS_FOR_GPU: World = {
  [`kube_pod_container_resource_requests{${MAIN}, node="a", resource="nvidia_com_gpu", unit="integer"}`]: '8x2000',
};
const ON_NODE = 'node="a", resource="nvidia_com_gpu", unit="integer"';

export function scenarios(exporter: DcgmGeneration): Readonly<Record<GpuAlertName, Scenario>> {
  const names = new MetricNames({ exporter, honorLabels: false, exporterJob: 'nvidia-dcgm-exporter' });
  const gpu = (key: DcgmKey, more = ''): string => `${names.dcgm(key)}{${HELD}${more}}`;
  /** So many seconds a minute, in the unit of the metric. */
  const secondsAMinute = (key: DcgmKey, seconds: number): string =>
    `0+${names.unit(key) === 'ns' ? `${seconds}e9` : seconds}x200`;
  const used = (percent: number): string => `${names.unit('GPU_UTIL') === '%' ? percent : percent / 100}x200`;
  const memory = (gigabytes: number): string =>
    `${names.unit('FB_USED') === 'MiB' ? gigabytes * 1024 : gigabytes * 2 ** 30}x200`;
  const counted = (metric: string, labels: string, values: string): World => ({ [`${metric}{${labels}}`]: values });
  return {
    GpuXidNeedsAction: {
      at: 20,
      // The very first XID of a GPU: no series before it.
      fires: { [gpu('EXP_XID_ERRORS_COUNT', ', xid="79", window_size_in_ms="300000"')]: '_x15 1x5 _x100' },
      quiet: {
        [gpu('EXP_XID_ERRORS_COUNT', ', xid="31", window_size_in_ms="300000"')]: '1x60',
        [gpu('XID_ERRORS')]: '79x60',
      },
    },
    GpuXidOfProgram: {
      at: 20,
      fires: { [gpu('EXP_XID_ERRORS_COUNT', ', xid="31", window_size_in_ms="300000"')]: '_x15 1x5 _x100' },
      quiet: { [gpu('EXP_XID_ERRORS_COUNT', ', xid="79", window_size_in_ms="300000"')]: '1x60' },
    },
    GpuDoubleBitErrors: {
      at: 20,
      fires: { [gpu('ECC_DBE_VOL_TOTAL')]: '0x15 1x30' },
      quiet: { [gpu('ECC_DBE_VOL_TOTAL')]: '2x100' },
    },
    GpuRowRemapFailed: {
      at: 5,
      fires: { [gpu('ROW_REMAP_FAILURE')]: '1x30' },
      quiet: { [gpu('ROW_REMAP_FAILURE')]: '0x30' },
    },
    GpuRowRemapPending: {
      at: 10,
      fires: { [gpu('ROW_REMAP_PENDING')]: '1x30' },
      quiet: { [gpu('ROW_REMAP_PENDING')]: '0x30' },
    },
    GpuRowsRemapped: {
      at: 30,
      fires: { [gpu('UNCORRECTABLE_REMAPPED_ROWS')]: '3x20 4x40' },
      quiet: { [gpu('UNCORRECTABLE_REMAPPED_ROWS')]: '4x60' },
    },
    GpuNvlinkErrors: {
      at: 20,
      // One GPU before Hopper, and one of it.
      fires: {
        [gpu('NVLINK_ERROR_DL_RECOVERY')]: '0x15 2x30',
        [gpu('NVLINK_RECOVERY_ERROR', ', slot="2"')]: '0x15 1x30',
      },
      count: 2,
      quiet: { [gpu('NVLINK_RECOVERY_ERROR')]: '7x100', [gpu('NVLINK_ERROR_DL_RECOVERY')]: '0x100' },
    },
    GpuHeatThrottled: {
      at: 30,
      fires: { [gpu('THERMAL_VIOLATION')]: secondsAMinute('THERMAL_VIOLATION', 6) },
      quiet: { [gpu('THERMAL_VIOLATION')]: secondsAMinute('THERMAL_VIOLATION', 1) },
    },
    GpuNearSlowdown: {
      at: 20,
      fires: { [gpu('GPU_TEMP')]: '86x60', [gpu('SLOWDOWN_TEMP')]: '88x60' },
      // The sentinel of a GPU without a sensor is no temperature.
      quiet: { [gpu('GPU_TEMP')]: '9.2e18x60', [gpu('SLOWDOWN_TEMP')]: '88x60' },
    },
    GpuPowerThrottled: {
      at: 50,
      fires: { [gpu('POWER_VIOLATION')]: secondsAMinute('POWER_VIOLATION', 40) },
      quiet: { [gpu('POWER_VIOLATION')]: secondsAMinute('POWER_VIOLATION', 20) },
    },
    GpuAllocatedButIdle: {
      at: 120,
      fires: { [gpu('PROF_GR_ENGINE_ACTIVE')]: '0.01x200', [gpu('GPU_UTIL')]: used(90) },
      // No pod has it; and one that its pod uses.
      quiet: { [`${names.dcgm('PROF_GR_ENGINE_ACTIVE')}{${FREE}}`]: '0x200', [gpu('GPU_UTIL')]: used(40) },
    },
    GpuMemoryNearlyFull: {
      at: 20,
      fires: { [gpu('FB_USED')]: memory(78), [gpu('FB_FREE')]: memory(1), [gpu('FB_RESERVED')]: memory(1) },
      quiet: { [gpu('FB_USED')]: memory(0), [gpu('FB_FREE')]: memory(0), [gpu('FB_RESERVED')]: memory(0) },
    },
    GpuDevicesMissing: {
      at: 30,
      fires: {
        'kube_node_labels{node="a", label_nvidia_com_gpu_present="true"}': '1x60',
        [`kube_node_status_allocatable{${ON_NODE}}`]: '0x60',
      },
      quiet: {
        'kube_node_labels{node="a", label_nvidia_com_gpu_present="true"}': '1x60',
        'kube_node_status_allocatable{node="a", resource="nvidia_com_mig_1g_10gb"}': '7x60',
      },
    },
    GpuDevicesUnhealthy: {
      at: 30,
      fires: {
        [`kube_node_status_capacity{${ON_NODE}}`]: '8x60',
        [`kube_node_status_allocatable{${ON_NODE}}`]: '7x60',
      },
      quiet: {
        [`kube_node_status_capacity{${ON_NODE}}`]: '8x60',
        [`kube_node_status_allocatable{${ON_NODE}}`]: '8x60',
      },
    },
    GpuExporterAbsent: {
      at: 30,
      fires: {
        'up{job="nvidia-dcgm-exporter", instance="a"}': '0x60',
        'kube_node_status_capacity{node="a", resource="cpu"}': '64x60',
        [`kube_node_status_capacity{${ON_NODE}}`]: '8x60',
      },
      // Scaled to none: nodes there are, GPUs there are not.
      quiet: { 'kube_node_status_capacity{node="b", resource="cpu"}': '64x60' },
    },
    GpuNodeWithoutMetrics: {
      at: 30,
      fires: { [`kube_node_status_capacity{${ON_NODE}}`]: '8x60' },
      quiet: { [`kube_node_status_capacity{${ON_NODE}}`]: '8x60', [gpu('GPU_TEMP')]: '50x60' },
    },
    GpuPodsPending: {
      at: 60,
      fires: { ...ASKS_FOR_GPU, [`kube_pod_status_phase{${POD}, phase="Pending"}`]: '1x100' },
      quiet: {
        ...ASKS_FOR_GPU,
        [`kube_pod_status_phase{${POD}, phase="Running"}`]: '1x100',
        'kube_pod_status_phase{namespace="web", pod="x", phase="Pending"}': '1x100',
      },
    },
    GangsPending: {
      at: 100,
      fires: { 'volcano_unschedule_job_count{job="volcano"}': '2x200' },
      quiet: { 'volcano_unschedule_job_count{job="volcano"}': '0x200' },
    },
    ContainerCpuThrottled: {
      at: 40,
      fires: {
        ...ASKS_FOR_GPU,
        ...counted('container_cpu_cfs_throttled_periods_total', MAIN, '0+300x100'),
        ...counted('container_cpu_cfs_periods_total', MAIN, '0+600x100'),
      },
      // An idle container has no periods; and a throttled one without a GPU is not this set's.
      quiet: {
        ...ASKS_FOR_GPU,
        ...counted('container_cpu_cfs_throttled_periods_total', MAIN, '5x100'),
        ...counted('container_cpu_cfs_periods_total', MAIN, '9x100'),
        ...counted('container_cpu_cfs_throttled_periods_total', 'namespace="web", pod="x", container="c"', '0+300x100'),
        ...counted('container_cpu_cfs_periods_total', 'namespace="web", pod="x", container="c"', '0+600x100'),
      },
    },
    ContainerCpuWaiting: {
      at: 40,
      fires: { ...ASKS_FOR_GPU, ...counted('container_pressure_cpu_waiting_seconds_total', MAIN, '0+30x100') },
      quiet: { ...ASKS_FOR_GPU, ...counted('container_pressure_cpu_waiting_seconds_total', MAIN, '0+3x100') },
    },
    ContainerMemoryStalled: {
      at: 40,
      fires: { ...ASKS_FOR_GPU, ...counted('container_pressure_memory_stalled_seconds_total', MAIN, '0+12x100') },
      quiet: { ...ASKS_FOR_GPU, ...counted('container_pressure_memory_stalled_seconds_total', MAIN, '0+3x100') },
    },
    ContainerNearMemoryLimit: {
      at: 40,
      fires: {
        ...ASKS_FOR_GPU,
        ...counted('container_memory_working_set_bytes', MAIN, '98e9x100'),
        ...counted('container_spec_memory_limit_bytes', MAIN, '100e9x100'),
      },
      // No limit is 0.
      quiet: {
        ...ASKS_FOR_GPU,
        ...counted('container_memory_working_set_bytes', MAIN, '98e9x100'),
        ...counted('container_spec_memory_limit_bytes', MAIN, '0x100'),
      },
    },
    ContainerOutOfMemory: {
      at: 30,
      fires: {
        ...ASKS_FOR_GPU,
        [`kube_pod_container_status_last_terminated_reason{${MAIN}, reason="OOMKilled"}`]: '_x25 1x60',
        [`kube_pod_container_status_restarts_total{${MAIN}}`]: '0x25 1x60',
        // One that is not started again.
        'kube_pod_container_resource_requests{namespace="research", pod="once", container="main", resource="nvidia_com_gpu"}':
          '1x60',
        'kube_pod_container_status_terminated_reason{namespace="research", pod="once", container="main", reason="OOMKilled"}':
          '1x60',
      },
      count: 2,
      // Killed long ago, and running since.
      quiet: {
        ...ASKS_FOR_GPU,
        [`kube_pod_container_status_last_terminated_reason{${MAIN}, reason="OOMKilled"}`]: '1x60',
        [`kube_pod_container_status_restarts_total{${MAIN}}`]: '1x60',
      },
    },
    NodeMemoryStalled: {
      at: 30,
      fires: counted('node_pressure_memory_stalled_seconds_total', 'instance="a:9100"', '0+12x60'),
      quiet: counted('node_pressure_memory_stalled_seconds_total', 'instance="a:9100"', '0+1x60'),
    },
    InfinibandCongested: {
      at: 1480,
      fires: counted('node_infiniband_port_transmit_wait_total', PORT, '0+60e6x1440 86.4e9+6e9x100'),
      // Always this busy: nothing has changed.
      quiet: counted('node_infiniband_port_transmit_wait_total', PORT, '0+6e9x1540'),
    },
    RoceCongested: {
      at: 30,
      fires: {
        ...counted('node_infiniband_np_ecn_marked_roce_packets_received_total', PORT, '0+600x60'),
        ...counted('node_infiniband_rp_cnp_packets_handled_total', PORT, '0+600x60'),
        ...counted('node_infiniband_packet_sequence_errors_total', PORT, '0+120x60'),
        ...counted('node_infiniband_local_ack_timeout_errors_total', PORT, '0x60'),
      },
      // Congestion control at work, and nothing lost.
      quiet: {
        ...counted('node_infiniband_np_ecn_marked_roce_packets_received_total', PORT, '0+600x60'),
        ...counted('node_infiniband_rp_cnp_packets_handled_total', PORT, '0+600x60'),
        ...counted('node_infiniband_packet_sequence_errors_total', PORT, '0x60'),
        ...counted('node_infiniband_local_ack_timeout_errors_total', PORT, '0x60'),
      },
    },
    RdmaLinkDown: {
      at: 20,
      fires: counted('node_infiniband_link_downed_total', PORT, '0x15 1x30'),
      quiet: counted('node_infiniband_link_downed_total', PORT, '3x60'),
    },
    RdmaErrors: {
      at: 30,
      fires: counted('node_infiniband_port_errors_received_total', PORT, '0+1x60'),
      quiet: counted('node_infiniband_port_errors_received_total', PORT, '9x60'),
    },
  };
}
