/**
 * What the cluster is used for: the kinds of pods that are typical of the workload, told apart by CPU and devices alone.
 */
import { milliOn } from '../../nodes/devices';
import { CPU_COLUMN, type NodeTable, WHOLE } from '../../nodes/node-table';
import { type PodClass } from '../../nodes/pod-class';
import { type DeviceShape } from './device-states';

/** One kind of pod, with its part of the workload. */
export interface TypicalPod extends DeviceShape {
  readonly part: number;
  readonly cpu: number;
  readonly models: ReadonlySet<number> | undefined;
}

export interface Workload {
  /** The most frequent kinds, until they cover 95% of all pods; their parts add up to one. */
  readonly typical: readonly TypicalPod[];
  /** Milli-CPU that the workload uses for each thousandth of a device. */
  readonly cpuPerMilli: number;
  /** How many devices are requested by the thousandths of each. */
  readonly shares: ReadonlyMap<number, number>;
}

const COVER = 0.95;

export function workloadOf(counts: ReadonlyMap<PodClass, number>): Workload {
  const kinds = new Map<string, { kind: Omit<TypicalPod, 'part'>; count: number }>();
  const shares = new Map<number, number>();
  let total = 0;
  let cpu = 0;
  let milli = 0;
  for (const [podClass, count] of counts) {
    const kind = { ...shapeOf(podClass), cpu: cpuOf(podClass), models: podClass.models };
    const key = [kind.cpu, kind.devices, kind.milli, ...[...(kind.models ?? [])].sort((a, b) => a - b)].join();
    const known = kinds.get(key);
    kinds.set(key, { kind, count: count + (known?.count ?? 0) });
    total += count;
    cpu += count * kind.cpu;
    milli += count * kind.devices * kind.milli;
    shares.set(kind.milli, count * kind.devices + (shares.get(kind.milli) ?? 0));
  }
  const typical: { kind: Omit<TypicalPod, 'part'>; count: number }[] = [];
  let covered = 0;
  for (const [, entry] of [...kinds].sort(([a, m], [b, n]) => n.count - m.count || (a < b ? -1 : 1))) {
    if (covered >= COVER * total) {
      break;
    }
    typical.push(entry);
    covered += entry.count;
  }
  return {
    typical: typical.map(({ kind, count }) => ({ ...kind, part: count / covered })),
    cpuPerMilli: milli === 0 ? 0 : cpu / milli,
    shares,
  };
}

/** What the class takes of devices. A share of memory depends on the device, and counts as a whole one where none is named. */
export function shapeOf(podClass: PodClass, table?: NodeTable, slot?: number): DeviceShape {
  const { accelerator, deviceCount } = podClass;
  if (accelerator === undefined || accelerator.kind === 'mig') {
    return NO_DEVICES;
  }
  if (accelerator.kind === 'whole' || accelerator.kind === 'fraction') {
    return { devices: deviceCount, milli: accelerator.kind === 'fraction' ? accelerator.milli : WHOLE };
  }
  const milli = table === undefined || slot === undefined ? WHOLE : milliOn(table, slot, accelerator);
  return { devices: deviceCount, milli: Math.min(WHOLE, milli) };
}

const NO_DEVICES: DeviceShape = { devices: 0, milli: 0 };

export function cpuOf({ columns, amounts }: PodClass): number {
  const at = columns.indexOf(CPU_COLUMN);
  return at < 0 ? 0 : amounts[at];
}
