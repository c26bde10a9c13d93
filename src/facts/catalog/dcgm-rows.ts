/**
 * The table of the metrics of NVIDIA's DCGM exporter, in the terms of exporters up to 4.8.4, with what is new from 4.9.0 on.
 *
 * Sources: those of dcgm-metrics.ts.
 */

/** Unit of a metric; `none` for a label. */
export type DcgmUnit =
  | 'MHz'
  | 'Hz'
  | '°C'
  | 'W'
  | 'mJ'
  | 'J'
  | '%'
  | 'ratio'
  | 'MiB'
  | 'bytes'
  | 'ns'
  | 's'
  | 'bytes/s'
  | 'KB/s'
  | 'MB/s'
  | 'count'
  | 'code'
  | 'flag'
  | 'bitmask'
  | 'none';

/** Identifier of a DCGM field, which is also the name of its metric. */
export type DcgmField = `DCGM_${'FI' | 'EXP'}_${string}`;

/** One field of DCGM. */
export interface DcgmRow {
  readonly unit: DcgmUnit;
  readonly meaning: string;
  readonly type?: 'counter' | 'label';
  readonly declared?: 'counter';
  /** In the exporter's own list, in both generations. */
  readonly on?: true;
  /** Name and unit from 4.9 on, where they are new. */
  readonly now?: DcgmField;
  readonly nowUnit?: DcgmUnit;
  readonly onNow?: true;
  readonly aliases?: readonly string[];
  readonly labels?: readonly string[];
  readonly since?: string;
  /** The name up to 4.8.4, where it is not `DCGM_FI_DEV_` and the key. */
  readonly was?: DcgmField;
}

const counter = 'counter' as const;
const on = true as const;

export const ROWS = {
  SM_CLOCK: { unit: 'MHz', meaning: 'SM clock', on, now: 'DCGM_FI_DEV_SM_CLOCK_HERTZ', nowUnit: 'Hz' },
  MEM_CLOCK: { unit: 'MHz', meaning: 'Memory clock', on, now: 'DCGM_FI_DEV_MEMORY_CLOCK_HERTZ', nowUnit: 'Hz' },
  CLOCKS_EVENT_REASONS: {
    unit: 'bitmask',
    meaning: 'Reasons why clocks are throttled',
    aliases: ['DCGM_FI_DEV_CLOCK_THROTTLE_REASONS'],
  },
  GPU_TEMP: { unit: '°C', meaning: 'GPU temperature', on, now: 'DCGM_FI_DEV_GPU_TEMP_CELSIUS' },
  MEMORY_TEMP: {
    unit: '°C',
    meaning: 'Memory temperature; a huge number where the GPU has no sensor',
    on,
    now: 'DCGM_FI_DEV_MEMORY_TEMP_CELSIUS',
  },
  GPU_MAX_OP_TEMP: {
    unit: '°C',
    meaning: 'Maximum operating temperature of the GPU',
    now: 'DCGM_FI_DEV_GPU_MAX_OP_TEMP_CELSIUS',
  },
  SLOWDOWN_TEMP: {
    unit: '°C',
    meaning: 'Temperature at which the GPU lowers its clocks',
    now: 'DCGM_FI_DEV_GPU_TEMP_SLOWDOWN_CELSIUS',
  },
  SHUTDOWN_TEMP: {
    unit: '°C',
    meaning: 'Temperature at which the GPU shuts down',
    now: 'DCGM_FI_DEV_GPU_TEMP_SHUTDOWN_CELSIUS',
  },
  GPU_TEMP_LIMIT: {
    unit: '°C',
    meaning: 'Degrees below the temperature at which clocks are lowered',
    now: 'DCGM_FI_DEV_GPU_TEMP_MARGIN_CELSIUS',
  },
  POWER_USAGE: { unit: 'W', meaning: 'Power draw', on, now: 'DCGM_FI_DEV_BOARD_POWER_WATTS' },
  POWER_MGMT_LIMIT: {
    unit: 'W',
    meaning: 'Configured power limit',
    now: 'DCGM_FI_DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS',
  },
  ENFORCED_POWER_LIMIT: {
    unit: 'W',
    meaning: 'Power limit that the driver enforces',
    now: 'DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS',
  },
  TOTAL_ENERGY_CONSUMPTION: {
    unit: 'mJ',
    meaning: 'Energy since the driver was loaded',
    type: counter,
    on,
    now: 'DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL',
    nowUnit: 'J',
  },
  PCIE_TX_THROUGHPUT: { unit: 'KB/s', meaning: 'Data sent over PCIe', declared: counter },
  PCIE_RX_THROUGHPUT: { unit: 'KB/s', meaning: 'Data received over PCIe', declared: counter },
  PCIE_REPLAY_COUNTER: {
    unit: 'count',
    meaning: 'PCIe packets retransmitted',
    type: counter,
    on,
    now: 'DCGM_FI_DEV_PCIE_REPLAY_TOTAL',
  },
  GPU_UTIL: {
    unit: '%',
    meaning: 'Part of the time in which a kernel was resident',
    on,
    now: 'DCGM_FI_DEV_GPU_UTIL_RATIO',
    nowUnit: 'ratio',
  },
  MEM_COPY_UTIL: {
    unit: '%',
    meaning: 'Part of the time in which memory was read or written',
    on,
    now: 'DCGM_FI_DEV_MEMORY_UTIL_RATIO',
    nowUnit: 'ratio',
  },
  ENC_UTIL: { unit: '%', meaning: 'Use of the encoder', on, now: 'DCGM_FI_DEV_ENC_UTIL_RATIO', nowUnit: 'ratio' },
  DEC_UTIL: { unit: '%', meaning: 'Use of the decoder', on, now: 'DCGM_FI_DEV_DEC_UTIL_RATIO', nowUnit: 'ratio' },
  XID_ERRORS: {
    unit: 'code',
    meaning: 'The last XID; it remains until the next one',
    on,
    now: 'DCGM_FI_DEV_XID_ERROR',
  },
  POWER_VIOLATION: {
    unit: 'ns',
    meaning: 'Time with lowered clocks because of power',
    type: counter,
    now: 'DCGM_FI_DEV_GPU_POWER_THROTTLE_SECONDS_TOTAL',
    nowUnit: 's',
  },
  THERMAL_VIOLATION: {
    unit: 'ns',
    meaning: 'Time with lowered clocks because of temperature',
    type: counter,
    now: 'DCGM_FI_DEV_GPU_THERMAL_THROTTLE_SECONDS_TOTAL',
    nowUnit: 's',
  },
  SYNC_BOOST_VIOLATION: { unit: 'ns', meaning: 'Time with lowered clocks because of sync boost', type: counter },
  BOARD_LIMIT_VIOLATION: { unit: 'ns', meaning: 'Time with lowered clocks because of a board limit', type: counter },
  LOW_UTIL_VIOLATION: { unit: 'ns', meaning: 'Time with lowered clocks because of low utilization', type: counter },
  RELIABILITY_VIOLATION: { unit: 'ns', meaning: 'Time with lowered clocks because of reliability', type: counter },
  FB_TOTAL: {
    unit: 'MiB',
    meaning: 'Memory of the GPU',
    now: 'DCGM_FI_DEV_FB_CAPACITY_BYTES',
    nowUnit: 'bytes',
    onNow: on,
  },
  FB_FREE: { unit: 'MiB', meaning: 'Free memory', on, now: 'DCGM_FI_DEV_FB_FREE_BYTES', nowUnit: 'bytes' },
  FB_USED: { unit: 'MiB', meaning: 'Memory in use', on, now: 'DCGM_FI_DEV_FB_USED_BYTES', nowUnit: 'bytes' },
  FB_RESERVED: {
    unit: 'MiB',
    meaning: 'Memory that the driver reserves',
    on,
    now: 'DCGM_FI_DEV_FB_RESERVED_BYTES',
    nowUnit: 'bytes',
  },
  FB_USED_PERCENT: {
    unit: 'ratio',
    meaning: 'Part of the memory in use; a ratio despite its old name',
    now: 'DCGM_FI_DEV_FB_USED_RATIO',
  },
  ECC_SBE_VOL_TOTAL: { unit: 'count', meaning: 'Single-bit errors since the driver was loaded', type: counter },
  ECC_DBE_VOL_TOTAL: { unit: 'count', meaning: 'Double-bit errors since the driver was loaded', type: counter },
  ECC_SBE_AGG_TOTAL: { unit: 'count', meaning: 'Single-bit errors over the life of the GPU', type: counter },
  ECC_DBE_AGG_TOTAL: { unit: 'count', meaning: 'Double-bit errors over the life of the GPU', type: counter },
  RETIRED_SBE: {
    unit: 'count',
    meaning: 'Pages retired for single-bit errors',
    type: counter,
    now: 'DCGM_FI_DEV_PAGE_RETIRED_SBE_TOTAL',
  },
  RETIRED_DBE: {
    unit: 'count',
    meaning: 'Pages retired for double-bit errors',
    type: counter,
    now: 'DCGM_FI_DEV_PAGE_RETIRED_DBE_TOTAL',
  },
  RETIRED_PENDING: {
    unit: 'flag',
    meaning: 'Whether pages wait to be retired',
    declared: counter,
    now: 'DCGM_FI_DEV_PAGE_RETIRED_PENDING',
  },
  UNCORRECTABLE_REMAPPED_ROWS: {
    unit: 'count',
    meaning: 'Rows remapped for errors that could not be corrected',
    type: counter,
    on,
    now: 'DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL',
  },
  CORRECTABLE_REMAPPED_ROWS: {
    unit: 'count',
    meaning: 'Rows remapped for errors that could be corrected',
    type: counter,
    on,
    now: 'DCGM_FI_DEV_ROW_REMAP_CORRECTABLE_TOTAL',
  },
  ROW_REMAP_FAILURE: {
    unit: 'flag',
    meaning: 'Whether a row could not be remapped',
    on,
    now: 'DCGM_FI_DEV_ROW_REMAP_FAILED',
  },
  ROW_REMAP_PENDING: { unit: 'flag', meaning: 'Whether a remapped row waits for a reset of the GPU' },
  NVLINK_CRC_FLIT_ERROR: {
    unit: 'count',
    meaning: 'NVLink flow-control CRC errors, before Hopper',
    type: counter,
    was: 'DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL',
    now: 'DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_TOTAL',
  },
  NVLINK_CRC_DATA_ERROR: {
    unit: 'count',
    meaning: 'NVLink data CRC errors, before Hopper',
    type: counter,
    was: 'DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL',
    now: 'DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_TOTAL',
  },
  NVLINK_REPLAY_ERROR: {
    unit: 'count',
    meaning: 'NVLink packets retransmitted, before Hopper',
    type: counter,
    was: 'DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL',
    now: 'DCGM_FI_DEV_NVLINK_REPLAY_ERROR_TOTAL',
  },
  NVLINK_RECOVERY_ERROR: {
    unit: 'count',
    meaning: 'NVLink recoveries, before Hopper',
    type: counter,
    was: 'DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL',
    now: 'DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_TOTAL',
  },
  NVLINK_ERROR_DL_CRC: {
    unit: 'count',
    meaning: 'NVLink CRC errors, Hopper',
    type: counter,
    now: 'DCGM_FI_DEV_NVLINK_CRC_ERROR_TOTAL',
  },
  NVLINK_ERROR_DL_RECOVERY: {
    unit: 'count',
    meaning: 'NVLink recoveries, Hopper',
    type: counter,
    now: 'DCGM_FI_DEV_NVLINK_RECOVERY_TOTAL',
  },
  NVLINK_ERROR_DL_REPLAY: {
    unit: 'count',
    meaning: 'NVLink packets retransmitted, Hopper',
    type: counter,
    now: 'DCGM_FI_DEV_NVLINK_REPLAY_TOTAL',
  },
  NVLINK_RECOVERY_SUCCESSFUL_TOTAL: {
    unit: 'count',
    meaning: 'NVLink recoveries that succeeded, Blackwell',
    type: counter,
    since: '4.8.4',
  },
  NVLINK_RECOVERY_FAILED_TOTAL: {
    unit: 'count',
    meaning: 'NVLink recoveries that failed, Blackwell',
    type: counter,
    since: '4.8.4',
  },
  NVLINK_BANDWIDTH_TOTAL: {
    unit: 'MB/s',
    meaning: 'NVLink throughput of all lanes: a rate, not a total',
    declared: counter,
    on,
    now: 'DCGM_FI_DEV_NVLINK_THROUGHPUT_BYTES_PER_SECOND',
    nowUnit: 'bytes/s',
    aliases: ['DCGM_FI_DEV_NVLINK_THROUGHPUT_TOTAL'],
  },
  FABRIC_HEALTH_SUMMARY: { unit: 'code', meaning: 'Health of the NVLink fabric', since: '4.8.4' },
  VGPU_LICENSE_STATUS: { unit: 'code', meaning: 'Whether a vGPU has a license', on },
  PROF_GR_ENGINE_ACTIVE: {
    unit: 'ratio',
    meaning: 'Part of the time in which any engine was busy',
    on,
    was: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE',
    now: 'DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO',
  },
  PROF_SM_ACTIVE: {
    unit: 'ratio',
    meaning: 'Part of the time in which an SM had a warp, averaged over all SMs',
    was: 'DCGM_FI_PROF_SM_ACTIVE',
    now: 'DCGM_FI_PROF_SM_UTIL_RATIO',
  },
  PROF_SM_OCCUPANCY: {
    unit: 'ratio',
    meaning: 'Resident warps as a part of the maximum of an SM',
    was: 'DCGM_FI_PROF_SM_OCCUPANCY',
    now: 'DCGM_FI_PROF_SM_OCCUPANCY_RATIO',
  },
  PROF_PIPE_TENSOR_ACTIVE: {
    unit: 'ratio',
    meaning: 'Part of the time in which the tensor cores were busy',
    on,
    was: 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE',
    now: 'DCGM_FI_PROF_TENSOR_UTIL_RATIO',
  },
  PROF_DRAM_ACTIVE: {
    unit: 'ratio',
    meaning: 'Part of the time in which memory moved data',
    on,
    was: 'DCGM_FI_PROF_DRAM_ACTIVE',
    now: 'DCGM_FI_PROF_DRAM_UTIL_RATIO',
  },
  PROF_PIPE_FP64_ACTIVE: {
    unit: 'ratio',
    meaning: 'Part of the time in which FP64 units were busy',
    was: 'DCGM_FI_PROF_PIPE_FP64_ACTIVE',
    now: 'DCGM_FI_PROF_FP64_UTIL_RATIO',
  },
  PROF_PIPE_FP32_ACTIVE: {
    unit: 'ratio',
    meaning: 'Part of the time in which FP32 units were busy',
    was: 'DCGM_FI_PROF_PIPE_FP32_ACTIVE',
    now: 'DCGM_FI_PROF_FP32_UTIL_RATIO',
  },
  PROF_PIPE_FP16_ACTIVE: {
    unit: 'ratio',
    meaning: 'Part of the time in which FP16 units were busy',
    was: 'DCGM_FI_PROF_PIPE_FP16_ACTIVE',
  },
  PROF_PCIE_TX_BYTES: {
    unit: 'bytes/s',
    meaning: 'Data sent over PCIe: a rate',
    on,
    declared: counter,
    was: 'DCGM_FI_PROF_PCIE_TX_BYTES',
  },
  PROF_PCIE_RX_BYTES: {
    unit: 'bytes/s',
    meaning: 'Data received over PCIe: a rate',
    on,
    declared: counter,
    was: 'DCGM_FI_PROF_PCIE_RX_BYTES',
  },
  PROF_NVLINK_TX_BYTES: {
    unit: 'bytes/s',
    meaning: 'Data sent over NVLink: a rate',
    declared: counter,
    was: 'DCGM_FI_PROF_NVLINK_TX_BYTES',
  },
  PROF_NVLINK_RX_BYTES: {
    unit: 'bytes/s',
    meaning: 'Data received over NVLink: a rate',
    declared: counter,
    was: 'DCGM_FI_PROF_NVLINK_RX_BYTES',
  },
  DRIVER_VERSION: {
    unit: 'none',
    meaning: 'Driver version, as a label of the others',
    type: 'label',
    on,
    was: 'DCGM_FI_DRIVER_VERSION',
    now: 'DCGM_FI_SYSTEM_DRIVER_VERSION',
  },
  EXP_XID_ERRORS_COUNT: {
    unit: 'count',
    meaning: 'XIDs within the last window',
    labels: ['xid', 'window_size_in_ms'],
    was: 'DCGM_EXP_XID_ERRORS_COUNT',
  },
  EXP_XID_ERRORS_TOTAL: {
    unit: 'count',
    meaning: 'XIDs since the exporter was started',
    type: counter,
    labels: ['xid'],
    was: 'DCGM_EXP_XID_ERRORS_TOTAL',
    since: '4.8.3',
  },
  EXP_CLOCK_EVENTS_COUNT: {
    unit: 'count',
    meaning: 'Reasons for lower clocks within the last window',
    labels: ['clock_event', 'window_size_in_ms'],
    was: 'DCGM_EXP_CLOCK_EVENTS_COUNT',
  },
  EXP_CLOCK_EVENTS_TOTAL: {
    unit: 'count',
    meaning: 'How many times a reason for lower clocks occurred',
    type: counter,
    labels: ['clock_event'],
    was: 'DCGM_EXP_CLOCK_EVENTS_TOTAL',
    since: '4.8.3',
  },
  EXP_GPU_HEALTH_STATUS: {
    unit: 'code',
    meaning: "Result of DCGM's health watches",
    labels: ['health_watch', 'health_error_code'],
    was: 'DCGM_EXP_GPU_HEALTH_STATUS',
  },
  EXP_P2P_STATUS: { unit: 'code', meaning: 'Whether two GPUs can reach each other', was: 'DCGM_EXP_P2P_STATUS' },
} as const satisfies Readonly<Record<string, DcgmRow>>;
