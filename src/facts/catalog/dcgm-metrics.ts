/**
 * The metrics of NVIDIA's DCGM exporter: names, types and units, and which of them its own list of counters has switched on.
 *
 * DCGM 4.7 gave most fields new names and some of them new units, and exporter 4.9 took both over. A field of a list of one's own keeps
 * the name by which the list asks for it, old or new, since the exporter names the metric after the row; what changes by itself on the
 * way from 4.8 to 4.9 is only the exporter's own list.
 *
 * Sources: dcgm-exporter 4.8.4 and 4.9.0 (etc/default-counters.csv, README, release notes); DCGM 4.7 (dcgm_fields.h and its table of
 * deprecated aliases); go-dcgm (fields in base units).
 */
import { nearestName } from '../spelling';
import { publicFunction } from '../calls/public-function';
import { ROWS, type DcgmField, type DcgmRow, type DcgmUnit } from './dcgm-rows';
import { frozen } from './frozen';

/** Exporters up to 4.8.4, and those from 4.9.0 on. */
export const DCGM_GENERATIONS = ['4.8', '4.9'] as const;
/** A line of releases of the exporter with the same metric names. */
export type DcgmGeneration = (typeof DCGM_GENERATIONS)[number];

interface DcgmName {
  readonly name: DcgmField;
  readonly unit: DcgmUnit;
  /** Whether the list of counters that comes with the exporter collects it. */
  readonly on: boolean;
}

/** A metric of NVIDIA's DCGM exporter. */
export interface DcgmMetric {
  /** How this catalog calls it, in any generation: the name up to 4.8.4 without `DCGM_FI_DEV_` or `DCGM_FI_`. */
  readonly key: DcgmKey;
  /** The type that the value has; `label` for a field that becomes a label of other metrics. */
  readonly type: 'gauge' | 'counter' | 'label';
  /** The type that the exporter's own list declares. Absent where that is `type`. */
  readonly declared?: 'counter';
  /** Name and unit in each generation of the exporter. */
  readonly names: Readonly<Record<DcgmGeneration, DcgmName>>;
  /** Other names of the same field in releases before, or of the field in other units. */
  readonly aliases: readonly string[];
  /** What the value measures. */
  readonly meaning: string;
  /** Labels beyond those of the GPU. */
  readonly labels: readonly string[];
  /** First release of the exporter that has the metric. Absent where every supported release has it. */
  readonly since?: string;
}

/** Key of a metric in this catalog, for example `GPU_UTIL`. */
export type DcgmKey = keyof typeof ROWS;

/** The metrics of NVIDIA's DCGM exporter. */
export const DCGM_METRICS: readonly DcgmMetric[] = frozen(
  (Object.entries(ROWS) as readonly (readonly [DcgmKey, DcgmRow])[]).map(([key, row]): DcgmMetric => {
    const was = row.was ?? (`DCGM_FI_DEV_${key}` as const);
    return {
      key,
      type: row.type ?? 'gauge',
      ...(row.declared === undefined ? {} : { declared: row.declared }),
      names: {
        '4.8': { name: was, unit: row.unit, on: row.on ?? false },
        '4.9': { name: row.now ?? was, unit: row.nowUnit ?? row.unit, on: row.on ?? row.onNow ?? false },
      },
      aliases: row.aliases ?? [],
      meaning: row.meaning,
      labels: row.labels ?? [],
      ...(row.since === undefined ? {} : { since: row.since }),
    };
  }),
);

const BY_KEY: ReadonlyMap<DcgmKey, DcgmMetric> = new Map(DCGM_METRICS.map((metric) => [metric.key, metric]));
const BY_NAME: ReadonlyMap<string, DcgmMetric> = new Map(
  DCGM_METRICS.flatMap((metric) => {
    const names = DCGM_GENERATIONS.map((generation) => metric.names[generation].name);
    return [...names, ...metric.aliases].map((name) => [name, metric] as const);
  }),
);

/** A metric by the key of this catalog: `dcgmMetric('GPU_UTIL')`. */
export const dcgmMetric = /* @__PURE__ */ publicFunction('catalog.dcgmMetric', (key: DcgmKey): DcgmMetric => {
  const metric = BY_KEY.get(key);
  if (metric === undefined) {
    const near = nearestName(key, [...BY_KEY.keys()]);
    throw new Error(
      `unknown DCGM metric "${key}"${near === undefined ? '' : ` (did you mean "${near}"?)`}. Use a key of catalog.DCGM_METRICS, such as GPU_UTIL.`,
    );
  }
  return metric;
});

/** A metric by any of its names, of either generation. */
export function findDcgmMetric(name: string): DcgmMetric | undefined {
  return BY_NAME.get(name);
}

/** The unit that a metric has under this name: the name says which generation it is of. */
export function dcgmUnitOf(name: string): DcgmUnit | undefined {
  const metric = BY_NAME.get(name);
  if (metric === undefined) {
    return undefined;
  }
  const named = DCGM_GENERATIONS.map((generation) => metric.names[generation]).find((one) => one.name === name);
  return (named ?? metric.names['4.8']).unit;
}

/** Labels that every metric of a GPU has. Up to 4.8.2 the node is `Hostname`, from 4.8.3 on `hostname`. */
export const DCGM_GPU_LABELS = frozen([
  'gpu',
  'UUID',
  'pci_bus_id',
  'device',
  'modelName',
  'GPU_I_PROFILE',
  'GPU_I_ID',
  'Hostname',
  'hostname',
] as const);

/**
 * Labels of the pod that holds the GPU. The exporter calls them `namespace`, `pod` and `container`; Prometheus, which has such labels of
 * its own for the exporter's pod, renames them, unless the scrape honors labels.
 */
export const DCGM_POD_LABELS = frozen(['exported_namespace', 'exported_pod', 'exported_container'] as const);

/** Bits of `CLOCKS_EVENT_REASONS`, with the label `clock_event` of the exporter's counters. Source: DCGM, dcgm_fields.h. */
export const DCGM_CLOCK_EVENTS = frozen({
  gpu_idle: 0x1,
  clocks_setting: 0x2,
  power_cap: 0x4,
  hw_slowdown: 0x8,
  sync_boost: 0x10,
  sw_thermal: 0x20,
  hw_thermal: 0x40,
  hw_power_brake: 0x80,
  display_clocks: 0x100,
} as const);
