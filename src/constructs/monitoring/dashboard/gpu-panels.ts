/**
 * The dashboard of GPU nodes: use, memory, faults, and why GPUs wait. Units are those of the metrics; a panel's
 * description explains what the panel does not show.
 */
import { type DcgmGeneration } from '../../../facts/catalog';
import { metricsOf, parsePromql } from '../../../facts/promql';
import { MetricNames } from '../alerts/recipe';
import { type DashboardModel, type Panel, type PanelRow } from './panel';
import { publicFunction } from '../../../facts/calls/public-function';

/** Options of the GPU dashboard. */
export interface GpuDashboardOptions {
  /** Generation of the DCGM exporter, which decides the names of the metrics. @default 4.8 */
  readonly exporter?: DcgmGeneration;
  /** Whether the exporter's scrape honors labels. @default false */
  readonly honorLabels?: boolean;
  /** Rows to omit. @default - none */
  readonly without?: readonly ('contention' | 'rdma')[];
}

const LEGEND = '{{node}} GPU {{gpu}}';

/** The dashboard that goes with `gpuAlerts`. */
export const gpuDashboard = publicFunction(
  'monitoring.gpuDashboard',
  (options: GpuDashboardOptions = {}): DashboardModel => {
    const { exporter = '4.8', honorLabels = false, without = [] } = options;
    const names = new MetricNames({ exporter, honorLabels, exporterJob: 'nvidia-dcgm-exporter' });
    return {
      title: 'GPU nodes',
      uid: 'gantry-gpu-nodes',
      tags: ['gpu', 'gantry'],
      description: 'Use, memory and faults of GPUs, and what keeps them waiting.',
      variables: [
        { name: 'node', label: 'Node', metric: names.dcgm('GPU_TEMP'), of: 'node' },
        { name: 'gpu', label: 'GPU', metric: names.dcgm('GPU_TEMP'), of: 'gpu', where: 'node=~"$node"' },
      ],
      rows: [
        overview(names),
        use(names),
        memory(names),
        heat(names),
        faults(names),
        ...(without.includes('contention') ? [] : [contention()]),
        ...(without.includes('rdma') ? [] : [rdma()]),
      ],
    };
  },
);

/** Names of all metrics that a dashboard reads, its variables included. */
export function metricsInDashboard({ rows, variables = [] }: DashboardModel): readonly string[] {
  const queries = rows.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ expr }) => expr)));
  const read = queries.flatMap((expr) => {
    const { expression } = parsePromql(expr.replace(/\$__rate_interval/g, '5m'));
    return expression === undefined ? [] : metricsOf(expression);
  });
  return [...new Set([...read, ...variables.map(({ metric }) => metric)])].sort();
}

const CHOSEN = 'node=~"$node", gpu=~"$gpu"';

function lines(title: string, expr: string, more: Partial<Panel> = {}): Panel {
  return { title, kind: 'timeseries', queries: [{ expr, legend: LEGEND }], ...more };
}

function overview(names: MetricNames): PanelRow {
  const busy = `${names.dcgm('PROF_GR_ENGINE_ACTIVE')}{${CHOSEN}}`;
  const held = `${names.dcgm('GPU_TEMP')}{${CHOSEN}, ${names.pod}!=""}`;
  const stat = (title: string, expr: string, more: Partial<Panel> = {}): Panel => ({
    title,
    kind: 'stat',
    width: 6,
    height: 4,
    queries: [{ expr }],
    ...more,
  });
  return {
    title: 'Overview',
    panels: [
      stat('GPUs', `count(count by (UUID) (${names.dcgm('GPU_TEMP')}{${CHOSEN}}))`, { unit: 'none' }),
      stat('Held by pods', `count(count by (UUID) (${held})) or vector(0)`, { unit: 'none' }),
      stat('Busy', `avg(${busy})`, {
        unit: 'percentunit',
        description: 'Average over all GPUs, those without a pod included.',
      }),
      stat('Power', `sum(${names.dcgm('POWER_USAGE')}{${CHOSEN}})`, { unit: 'watt' }),
    ],
  };
}

function use(names: MetricNames): PanelRow {
  const of = (key: 'PROF_GR_ENGINE_ACTIVE' | 'PROF_SM_ACTIVE' | 'PROF_PIPE_TENSOR_ACTIVE'): string =>
    `${names.dcgm(key)}{${CHOSEN}}`;
  const ratio = { unit: 'percentunit', min: 0, max: 1 } as const;
  return {
    title: 'Use',
    panels: [
      lines('Any engine busy', of('PROF_GR_ENGINE_ACTIVE'), {
        ...ratio,
        description: 'Part of the time in which something ran. A kernel on one SM counts as much as one on all.',
      }),
      lines('SMs with work', of('PROF_SM_ACTIVE'), {
        ...ratio,
        description: 'Averaged over all SMs: how wide the work is.',
      }),
      lines('Tensor cores busy', of('PROF_PIPE_TENSOR_ACTIVE'), {
        ...ratio,
        description: 'Low in mixed-precision training means that something else is waited for.',
      }),
      lines('Utilization as nvidia-smi reports it', names.ratio('GPU_UTIL', `${names.dcgm('GPU_UTIL')}{${CHOSEN}}`), {
        ...ratio,
        description: 'Part of the time in which a kernel was resident. 100% does not mean that the GPU is used well.',
      }),
    ],
  };
}

function memory(names: MetricNames): PanelRow {
  const of = (key: 'FB_USED' | 'FB_FREE' | 'FB_RESERVED'): string => `${names.dcgm(key)}{${CHOSEN}}`;
  return {
    title: 'Memory of GPUs',
    panels: [
      lines('In use', names.bytes('FB_USED', of('FB_USED')), { unit: 'bytes', min: 0 }),
      lines('Part in use', `${of('FB_USED')} / ((${of('FB_USED')} + ${of('FB_FREE')} + ${of('FB_RESERVED')}) > 0)`, {
        unit: 'percentunit',
        min: 0,
        max: 1,
        description: 'Inference servers take most of it at the start, by design.',
      }),
    ],
  };
}

function heat(names: MetricNames): PanelRow {
  const throttled = (key: 'THERMAL_VIOLATION' | 'POWER_VIOLATION'): string =>
    names.seconds(key, `rate(${names.dcgm(key)}{${CHOSEN}}[$__rate_interval])`);
  const clock = `${names.dcgm('SM_CLOCK')}{${CHOSEN}}`;
  return {
    title: 'Heat, power and clocks',
    panels: [
      lines(
        'Degrees left until it slows down',
        `(${names.dcgm('SLOWDOWN_TEMP')}{${CHOSEN}} > 0) - (${names.dcgm('GPU_TEMP')}{${CHOSEN}} < 200)`,
        {
          unit: 'celsius',
          description: 'Each model slows down at its own temperature.',
        },
      ),
      lines('Power', `${names.dcgm('POWER_USAGE')}{${CHOSEN}}`, { unit: 'watt', min: 0 }),
      {
        title: 'Slower for heat or power',
        kind: 'timeseries',
        unit: 'percentunit',
        min: 0,
        max: 1,
        queries: [
          { expr: throttled('THERMAL_VIOLATION'), legend: `${LEGEND} heat` },
          { expr: throttled('POWER_VIOLATION'), legend: `${LEGEND} power` },
        ],
      },
      lines('SM clock', names.unit('SM_CLOCK') === 'MHz' ? `${clock} * 1e6` : clock, { unit: 'hertz', min: 0 }),
    ],
  };
}

function faults(names: MetricNames): PanelRow {
  const nvlink = `${names.dcgm('NVLINK_BANDWIDTH_TOTAL')}{${CHOSEN}}`;
  return {
    title: 'Faults and NVLink',
    panels: [
      {
        title: 'XIDs',
        kind: 'timeseries',
        unit: 'none',
        queries: [{ expr: `${names.dcgm('EXP_XID_ERRORS_COUNT')}{${CHOSEN}}`, legend: `${LEGEND} XID {{xid}}` }],
      },
      {
        title: 'Memory errors and remapped rows',
        kind: 'timeseries',
        unit: 'none',
        queries: [
          { expr: `${names.dcgm('ECC_DBE_VOL_TOTAL')}{${CHOSEN}}`, legend: `${LEGEND} double-bit` },
          { expr: `${names.dcgm('UNCORRECTABLE_REMAPPED_ROWS')}{${CHOSEN}}`, legend: `${LEGEND} remapped` },
          { expr: `${names.dcgm('ROW_REMAP_PENDING')}{${CHOSEN}}`, legend: `${LEGEND} waits for a reset` },
        ],
      },
      lines('NVLink throughput', names.unit('NVLINK_BANDWIDTH_TOTAL') === 'MB/s' ? `${nvlink} * 1e6` : nvlink, {
        unit: 'Bps',
        min: 0,
        description: "A rate already, although the exporter's own list calls it a counter.",
      }),
      {
        title: 'Devices offered and out of use',
        kind: 'timeseries',
        unit: 'none',
        queries: [
          {
            expr: 'sum by (node, resource) (kube_node_status_allocatable{node=~"$node", resource=~"nvidia_com_.+"})',
            legend: '{{node}} {{resource}} offered',
          },
          {
            expr: 'sum by (node, resource) (kube_node_status_capacity{node=~"$node", resource=~"nvidia_com_.+"}) - sum by (node, resource) (kube_node_status_allocatable{node=~"$node", resource=~"nvidia_com_.+"})',
            legend: '{{node}} {{resource}} out of use',
          },
        ],
      },
    ],
  };
}

const GPU_PODS =
  'and on (namespace, pod) (kube_pod_container_resource_requests{resource=~"nvidia_com_.+", node=~"$node"} > 0)';

function contention(): PanelRow {
  const by = 'by (namespace, pod, container)';
  const legend = '{{namespace}}/{{pod}} {{container}}';
  const panel = (title: string, expr: string, description: string): Panel => ({
    title,
    kind: 'timeseries',
    unit: 'percentunit',
    min: 0,
    description,
    queries: [{ expr: `(${expr}) ${GPU_PODS}`, legend }],
  });
  const rate = (metric: string): string => `sum ${by} (rate(${metric}{container!=""}[$__rate_interval]))`;
  return {
    title: 'Containers that hold GPUs',
    panels: [
      panel(
        'Throttled periods',
        `${rate('container_cpu_cfs_throttled_periods_total')} / (${rate('container_cpu_cfs_periods_total')} > 0)`,
        'Of the periods in which the container wanted to run.',
      ),
      panel(
        'Waiting for a CPU (PSI)',
        rate('container_pressure_cpu_waiting_seconds_total'),
        'Part of the time in which some task waited.',
      ),
      panel(
        'Stalled on memory (PSI)',
        rate('container_pressure_memory_stalled_seconds_total'),
        'Part of the time in which every task waited.',
      ),
      panel(
        'Memory of the limit',
        `max ${by} (container_memory_working_set_bytes{container!=""}) / (max ${by} (container_spec_memory_limit_bytes{container!=""}) > 0)`,
        'Shared memory counts.',
      ),
    ],
  };
}

function rdma(): PanelRow {
  const legend = '{{instance}} {{device}}/{{port}}';
  const rate = (name: string): string => `rate(node_infiniband_${name}[$__rate_interval])`;
  const panel = (
    title: string,
    unit: Panel['unit'],
    ...queries: readonly (readonly [expr: string, what: string])[]
  ): Panel => ({
    title,
    kind: 'timeseries',
    unit,
    min: 0,
    queries: queries.map(([expr, what]) => ({ expr, legend: `${legend}${what === '' ? '' : ` ${what}`}` })),
  });
  return {
    title: 'RDMA',
    collapsed: true,
    panels: [
      panel(
        'Throughput',
        'Bps',
        [rate('port_data_transmitted_bytes_total'), 'sent'],
        [rate('port_data_received_bytes_total'), 'received'],
      ),
      panel('Waiting for credits (InfiniBand, ticks a second)', 'short', [rate('port_transmit_wait_total'), '']),
      panel(
        'Congestion control (RoCE)',
        'ops',
        [rate('np_ecn_marked_roce_packets_received_total'), 'marked'],
        [rate('rp_cnp_packets_handled_total'), 'slowed down'],
      ),
      panel(
        'Retries and losses',
        'ops',
        [rate('packet_sequence_errors_total'), 'out of sequence'],
        [rate('local_ack_timeout_errors_total'), 'timeouts'],
        [rate('out_of_buffer_drops_total'), 'no buffer'],
      ),
    ],
  };
}
