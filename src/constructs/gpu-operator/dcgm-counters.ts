/**
 * DcgmCounters: which metrics of GPUs the exporter collects, as CSV in a ConfigMap.
 */
import { embedded } from '../../manifests/values/deferred';
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type DcgmGeneration, type DcgmKey, dcgmMetric, type DcgmUnit } from '../../facts/catalog';
import { ConfigMap } from '../../facts/api/types/core/v1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { DCGM_OPERATOR_KEY, DCGM_STANDALONE_KEY, type DcgmMetricType } from './dcgm-counters-text';
import { publicClass } from '../resources/public-class';
import { publicFunction } from '../../facts/calls/public-function';

/** A row of the exporter's list. */
export interface DcgmCounter {
  /** Name in DCGM, and of the metric: `DCGM_FI_DEV_GPU_UTIL`. */
  readonly field: `DCGM_${'FI' | 'EXP'}_${string}`;
  /** Type of the metric in Prometheus. */
  readonly type: DcgmMetricType;
  /** Description of the metric in Prometheus. */
  readonly help: string;
}

/** Props of DcgmCounters. */
export interface DcgmCountersProps extends NamespacedObjectProps, Overridable<ConfigMap> {
  /** The metrics that the exporter collects. @default - `USUAL_DCGM_COUNTERS` */
  readonly counters?: readonly DcgmCounter[];
  /** Who reads them: the exporter of the GPU operator, or one of your own with `--configmap-data`. @default operator */
  readonly readBy?: 'operator' | 'stand-alone';
}

/**
 * A row of the list for a metric of the catalog: `dcgmCounter('GPU_UTIL')`.
 *
 * @param key the catalog's name of the metric
 * @param exporter the generation whose name and unit are asked for; the exporter gives the metric the name of the row
 */
export const dcgmCounter = publicFunction(
  'gpuOperator.dcgmCounter',
  (key: DcgmKey, exporter: DcgmGeneration = '4.8'): DcgmCounter => {
    const { names, type, meaning } = dcgmMetric(key);
    const { name, unit } = names[exporter];
    return { field: name, type, help: SAID_BY_ITSELF.has(unit) ? meaning : `${meaning} (in ${unit})` };
  },
);

const SAID_BY_ITSELF: ReadonlySet<DcgmUnit> = new Set(['count', 'code', 'flag', 'bitmask', 'none']);

/**
 * Utilization, memory, power, clocks, temperature and the faults that alerts are made of.
 *
 * Source: NVIDIA DCGM, field identifiers. Aggregate ECC counters and XIDs are off in the exporter's own list.
 */
export const USUAL_DCGM_COUNTERS: readonly DcgmCounter[] = (
  [
    'SM_CLOCK',
    'MEM_CLOCK',
    'GPU_TEMP',
    'POWER_USAGE',
    'GPU_UTIL',
    'FB_USED',
    'FB_FREE',
    'FB_RESERVED',
    'XID_ERRORS',
    'EXP_XID_ERRORS_COUNT',
    'ECC_DBE_VOL_TOTAL',
    'ECC_SBE_AGG_TOTAL',
    'UNCORRECTABLE_REMAPPED_ROWS',
    'ROW_REMAP_FAILURE',
    'ROW_REMAP_PENDING',
    'THERMAL_VIOLATION',
    'POWER_VIOLATION',
    'PROF_GR_ENGINE_ACTIVE',
    'PROF_SM_ACTIVE',
    'PROF_PIPE_TENSOR_ACTIVE',
  ] as const
).map((key) => dcgmCounter(key));

/**
 * Rules: `gpu-operator/dcgm-*`. Source: dcgm-exporter, internal/pkg/counters.
 *
 * @example
 * const counters = new gpuOperator.DcgmCounters(chart, 'counters', { namespace: 'gpu-operator' });
 * new gpuOperator.GpuOperator(chart, 'gpu', { dcgmExporter: { counters } });
 */
@publicClass('gpuOperator.DcgmCounters')
export class DcgmCounters extends Construct {
  /** Always `ConfigMap`, the kind that references carry. */
  readonly kind = 'ConfigMap';
  /** Name of the ConfigMap. */
  readonly name: string;
  /** The ConfigMap object. */
  readonly resource: Resource<ConfigMap>;
  private readonly rows: DcgmCounter[];

  constructor(scope: Construct, id: string, props: DcgmCountersProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.rows = [...(props.counters ?? USUAL_DCGM_COUNTERS)];
    const key = props.readBy === 'stand-alone' ? DCGM_STANDALONE_KEY : DCGM_OPERATOR_KEY;
    this.resource = new Resource(
      this,
      'Resource',
      ConfigMap,
      {
        metadata: namespacedMetadata(this.name, props),
        data: { [key]: Lazy.any({ produce: () => this.text }) as string },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Adds counters; of one that is there already, the new type and help count. */
  addCounters(...counters: readonly DcgmCounter[]): this {
    for (const counter of counters) {
      const index = this.rows.findIndex(({ field }) => field === counter.field);
      if (index < 0) {
        this.rows.push(counter);
      } else {
        this.rows[index] = counter;
      }
    }
    return this;
  }

  /** The rows of the list, in their order. */
  get counters(): readonly DcgmCounter[] {
    return [...this.rows];
  }

  /** The CSV as the exporter reads it. */
  get text(): string {
    return embedded(this.rows, dcgmCsv);
  }
}

/** Counters as CSV. A help text with a comma or a quotation mark is quoted. The quotation mark must follow the comma directly; a space is an error. */
export function dcgmCsv(counters: readonly DcgmCounter[]): string {
  return counters
    .map(({ field, type, help }) => {
      const line = help.replace(/\s+/g, ' ');
      return `${field}, ${type},${/[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : ` ${line}`}\n`;
    })
    .join('');
}
