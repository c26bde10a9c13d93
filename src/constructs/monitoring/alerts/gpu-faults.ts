/**
 * Faults of GPUs: what the driver and the memory report.
 */
import { XIDS, XIDS_TO_ACT_ON } from '../../../facts/catalog';
import { type AlertRecipe } from './recipe';

const ON_GPU = 'GPU {{ $labels.gpu }} of {{ $labels.node }}';
const APPLICATION_XIDS = XIDS.filter(({ origin }) => origin === 'application').map(({ code }) => code);

export const GPU_FAULT_ALERTS = {
  // The windowed count and not the total: a total begins with 1 at the first XID, and `increase` sees no increase in a series that
  // begins. Nor the last XID as a value, which never resets.
  GpuXidNeedsAction: {
    group: 'gpu-faults',
    severity: 'critical',
    keepFiringFor: 15,
    expr: (names) => `${names.dcgm('EXP_XID_ERRORS_COUNT')}{xid=~"${XIDS_TO_ACT_ON.join('|')}"} > 0`,
    summary: `${ON_GPU} reports XID {{ $labels.xid }}`,
    description:
      'The driver reports a fault of the hardware. Drain the node, then reset the GPU or reboot, as the XID says.',
  },
  GpuXidOfProgram: {
    group: 'gpu-faults',
    severity: 'info',
    keepFiringFor: 15,
    threshold: { value: 0, unit: "XIDs within the exporter's window (5 minutes by default)" },
    expr: (names, threshold) =>
      `${names.dcgm('EXP_XID_ERRORS_COUNT')}{xid=~"${APPLICATION_XIDS.join('|')}"} > ${threshold}`,
    summary: `A program on ${ON_GPU} failed with XID {{ $labels.xid }}`,
    description:
      "The fault is the program's as a rule. On one GPU again and again, with different programs, it is the GPU's.",
  },
  GpuDoubleBitErrors: {
    group: 'gpu-faults',
    severity: 'critical',
    keepFiringFor: 15,
    expr: (names) => `increase(${names.dcgm('ECC_DBE_VOL_TOTAL')}[15m]) > 0`,
    summary: `${ON_GPU} has memory errors that ECC cannot correct`,
    description: 'What ran there is lost or wrong. Drain the node and reset the GPU.',
  },
  GpuRowRemapFailed: {
    group: 'gpu-faults',
    severity: 'critical',
    expr: (names) => `${names.dcgm('ROW_REMAP_FAILURE')} > 0`,
    summary: `${ON_GPU} has no spare rows left where it needs one`,
    description: 'A row of memory could not be remapped. The GPU is to be replaced.',
  },
  GpuRowRemapPending: {
    group: 'gpu-faults',
    severity: 'warning',
    for: 5,
    expr: (names) => `${names.dcgm('ROW_REMAP_PENDING')} > 0`,
    summary: `${ON_GPU} waits for a reset to put a bad row of memory out of use`,
    description: 'Until the reset the bad row is in use. Drain the node, reset the GPU.',
  },
  GpuRowsRemapped: {
    group: 'gpu-faults',
    severity: 'warning',
    expr: (names) => `increase(${names.dcgm('UNCORRECTABLE_REMAPPED_ROWS')}[1h]) > 0`,
    summary: `${ON_GPU} remapped a row of memory`,
    description: 'One is what the spare rows are for. Several on one GPU are a GPU that is failing.',
  },
  GpuNvlinkErrors: {
    group: 'gpu-faults',
    severity: 'warning',
    keepFiringFor: 15,
    expr: (names) =>
      [names.dcgm('NVLINK_RECOVERY_ERROR'), names.dcgm('NVLINK_ERROR_DL_RECOVERY')]
        .map((name) => `(increase(${name}[10m]) > 0)`)
        .join(' or '),
    summary: `NVLink of ${ON_GPU} had to recover`,
    description:
      "A link lost its training. Collectives over it are slow or hang; see the fabric manager's log, then the baseboard.",
  },
  GpuHeatThrottled: {
    group: 'gpu-faults',
    severity: 'warning',
    for: 10,
    threshold: { value: 0.05, unit: 'of the time' },
    expr: (names, threshold) =>
      `${names.seconds('THERMAL_VIOLATION', `rate(${names.dcgm('THERMAL_VIOLATION')}[5m])`)} > ${threshold}`,
    summary: `${ON_GPU} runs slower for heat, {{ $value | humanizePercentage }} of the time`,
    description: 'Cooling or airflow. A gang runs at the speed of its slowest GPU.',
  },
  GpuNearSlowdown: {
    group: 'gpu-faults',
    severity: 'warning',
    for: 10,
    threshold: { value: 3, unit: '°C below the temperature at which this GPU slows down' },
    expr: (names, threshold) => {
      const temperature = names.dcgm('GPU_TEMP');
      return `(${names.dcgm('SLOWDOWN_TEMP')} > 0) - (${temperature} < 200) < ${threshold}`;
    },
    summary: `${ON_GPU} is {{ $value }} °C away from slowing down`,
    description:
      'Each model has its own limit, so it is the distance that is compared and not a fixed number of degrees.',
  },
  GpuPowerThrottled: {
    group: 'gpu-faults',
    severity: 'info',
    for: 30,
    threshold: { value: 0.5, unit: 'of the time' },
    expr: (names, threshold) =>
      `${names.seconds('POWER_VIOLATION', `rate(${names.dcgm('POWER_VIOLATION')}[5m])`)} > ${threshold}`,
    summary: `${ON_GPU} is held back by its power limit, {{ $value | humanizePercentage }} of the time`,
    description:
      'A busy GPU sits at its limit by design. It matters where one GPU of a gang is held back more than the others.',
  },
} as const satisfies Readonly<Record<string, AlertRecipe>>;
