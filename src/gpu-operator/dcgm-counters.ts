/**
 * DcgmCounters: which metrics of GPUs the exporter collects, as CSV in a ConfigMap.
 */
import { type ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { ConfigMap } from '../api/types/core/v1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { DCGM_OPERATOR_KEY, DCGM_STANDALONE_KEY, type DcgmMetricType } from './dcgm-counters-text';

export interface DcgmCounter {
  /** Name in DCGM, and of the metric: `DCGM_FI_DEV_GPU_UTIL`. */
  readonly field: `DCGM_${'FI' | 'EXP'}_${string}`;
  readonly type: DcgmMetricType;
  readonly help: string;
}

export interface DcgmCountersProps extends NamespacedObjectProps {
  /** @default - `USUAL_DCGM_COUNTERS` */
  readonly counters?: readonly DcgmCounter[];
  /** Who reads them: the exporter of the GPU operator, or one of your own with `--configmap-data`. @default operator */
  readonly readBy?: 'operator' | 'stand-alone';
}

/**
 * Utilisation, memory, power, clocks, temperature and the faults that alerts are made of.
 *
 * Source: NVIDIA DCGM, field identifiers. Aggregate ECC counters and XIDs are off in the exporter's own list.
 */
export const USUAL_DCGM_COUNTERS: readonly DcgmCounter[] = [
  { field: 'DCGM_FI_DEV_SM_CLOCK', type: 'gauge', help: 'SM clock in MHz' },
  { field: 'DCGM_FI_DEV_MEM_CLOCK', type: 'gauge', help: 'Memory clock in MHz' },
  { field: 'DCGM_FI_DEV_GPU_TEMP', type: 'gauge', help: 'GPU temperature in degrees Celsius' },
  { field: 'DCGM_FI_DEV_POWER_USAGE', type: 'gauge', help: 'Power draw in W' },
  { field: 'DCGM_FI_DEV_GPU_UTIL', type: 'gauge', help: 'Part of the time in which a kernel ran in percent' },
  { field: 'DCGM_FI_DEV_FB_USED', type: 'gauge', help: 'Memory in use in MiB' },
  { field: 'DCGM_FI_DEV_FB_FREE', type: 'gauge', help: 'Free memory in MiB' },
  { field: 'DCGM_FI_DEV_FB_RESERVED', type: 'gauge', help: 'Memory that the driver reserves in MiB' },
  { field: 'DCGM_FI_DEV_XID_ERRORS', type: 'gauge', help: 'Last XID' },
  { field: 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL', type: 'counter', help: 'Double-bit errors since the last driver load' },
  { field: 'DCGM_FI_DEV_ECC_SBE_AGG_TOTAL', type: 'counter', help: 'Single-bit errors over the life of the GPU' },
  { field: 'DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS', type: 'counter', help: 'Rows remapped for uncorrectable errors' },
  { field: 'DCGM_FI_DEV_ROW_REMAP_FAILURE', type: 'gauge', help: 'Whether remapping of rows has failed' },
  { field: 'DCGM_FI_DEV_THERMAL_VIOLATION', type: 'counter', help: 'Time below full clocks for heat in ns' },
  { field: 'DCGM_FI_DEV_POWER_VIOLATION', type: 'counter', help: 'Time below full clocks for power in ns' },
  { field: 'DCGM_FI_PROF_GR_ENGINE_ACTIVE', type: 'gauge', help: 'Part of the time in which the graphics engine was busy' },
  { field: 'DCGM_FI_PROF_SM_ACTIVE', type: 'gauge', help: 'Part of the time in which an SM had work' },
  { field: 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', type: 'gauge', help: 'Part of the time in which the tensor cores were busy' },
];

/**
 * Rules: `gpu-operator/dcgm-*`. Source: dcgm-exporter, internal/pkg/counters.
 *
 * @example
 * const counters = new DcgmCounters(chart, 'counters', { namespace: 'gpu-operator' });
 * new GpuOperator(chart, 'gpu', { dcgmExporter: { counters } });
 */
export class DcgmCounters extends Construct {
  readonly configMapName: string;
  readonly resource: ApiObject;
  private readonly rows: DcgmCounter[];

  constructor(scope: Construct, id: string, props: DcgmCountersProps = {}) {
    super(scope, id);
    this.configMapName = props.name ?? id;
    this.rows = [...props.counters ?? USUAL_DCGM_COUNTERS];
    const key = props.readBy === 'stand-alone' ? DCGM_STANDALONE_KEY : DCGM_OPERATOR_KEY;
    this.resource = new Resource(this, 'Resource', ConfigMap, {
      metadata: namespacedMetadata(this.configMapName, props),
      data: { [key]: Lazy.any({ produce: () => this.text }) as string },
    });
    dependOn(this.resource, props.namespace);
  }

  /** Adds counters; of one that is there already, the new type and help count. */
  addCounters(...counters: readonly DcgmCounter[]): this {
    for (const counter of counters) {
      const index = this.rows.findIndex(({ field }) => field === counter.field);
      if (index < 0) this.rows.push(counter);
      else this.rows[index] = counter;
    }
    return this;
  }

  get counters(): readonly DcgmCounter[] {
    return [...this.rows];
  }

  /** The CSV as the exporter reads it. */
  get text(): string {
    return dcgmCsv(this.rows);
  }
}

/** Counters as CSV. A help text with a comma or a quote stands in quotes, right after the comma: a blank before them is an error. */
export function dcgmCsv(counters: readonly DcgmCounter[]): string {
  return counters.map(({ field, type, help }) => {
    const line = help.replace(/\s+/g, ' ');
    return `${field}, ${type},${/[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : ` ${line}`}\n`;
  }).join('');
}
