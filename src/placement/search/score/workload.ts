/**
 * What the cluster is used for: the kinds of pods that are typical of the workload, told apart by CPU and devices alone.
 */
import { milliOn } from '../../nodes/devices';
import { CPU_COLUMN, type NodeTable, WHOLE } from '../../nodes/node-table';
import { canonicalText } from '../../model/canonical-text';
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

/** Pods that count as one kind. */
interface Kind {
  readonly pod: Omit<TypicalPod, 'part'>;
  readonly key: string;
  count: number;
}

/** The kinds of what the cluster is used for, kept up to date by what changed: O(classes) to look, and O(kinds) for each class of another number. */
export class WorkloadKinds {
  private readonly counts = new Map<PodClass, number>();
  private readonly ofClass = new Map<PodClass, Kind>();
  private readonly byKey = new Map<string, Kind>();
  /** The most frequent first. */
  private readonly sorted: Kind[] = [];
  /** Classes by their devices and the magnitude of their CPU. */
  private readonly alike = new Map<string, Set<PodClass>>();

  take(counts: ReadonlyMap<PodClass, number>): void {
    for (const [podClass, count] of counts) {
      this.put(podClass, count);
    }
    if (this.counts.size > counts.size) {
      for (const podClass of [...this.counts.keys()].filter((known) => !counts.has(known))) {
        this.put(podClass, 0);
      }
    }
  }

  get workload(): Workload {
    const shares = new Map<number, number>();
    let total = 0;
    let cpu = 0;
    let milli = 0;
    for (const { pod, count } of this.sorted) {
      total += count;
      cpu += count * pod.cpu;
      milli += count * pod.devices * pod.milli;
      shares.set(pod.milli, count * pod.devices + (shares.get(pod.milli) ?? 0));
    }
    let kinds = 0;
    let covered = 0;
    for (; kinds < this.sorted.length && covered < COVER * total; kinds++) {
      covered += this.sorted[kinds].count;
    }
    return {
      typical: this.sorted.slice(0, kinds).map(({ pod, count }) => ({ ...pod, part: count / covered })),
      cpuPerMilli: milli === 0 ? 0 : cpu / milli,
      shares,
    };
  }

  /** The mean CPU of pods with these devices and a CPU of this magnitude; undefined where there are none. */
  meanCpu({ accelerator }: PodClass, size: number): number | undefined {
    let sum = 0;
    let pods = 0;
    for (const podClass of this.alike.get(likeness(accelerator, size)) ?? []) {
      const count = this.counts.get(podClass)!;
      sum += cpuOf(podClass) * count;
      pods += count;
    }
    return pods === 0 ? undefined : sum / pods;
  }

  private put(podClass: PodClass, count: number): void {
    const before = this.counts.get(podClass) ?? 0;
    if (count === before) {
      return;
    }
    const kind = this.kindOf(podClass);
    if (kind.count > 0) {
      this.sorted.splice(this.placeOf(kind), 1);
    }
    kind.count += count - before;
    if (kind.count > 0) {
      this.sorted.splice(this.placeOf(kind), 0, kind);
    }
    const alike = likeness(podClass.accelerator, magnitude(kind.pod.cpu));
    if (count > 0) {
      this.counts.set(podClass, count);
      const classes = this.alike.get(alike);
      this.alike.set(alike, classes?.add(podClass) ?? new Set([podClass]));
    } else {
      this.counts.delete(podClass);
      this.alike.get(alike)?.delete(podClass);
    }
  }

  private kindOf(podClass: PodClass): Kind {
    let kind = this.ofClass.get(podClass);
    if (kind === undefined) {
      const pod = { ...shapeOf(podClass), cpu: cpuOf(podClass), models: podClass.models };
      const key = [pod.cpu, pod.devices, pod.milli, ...[...(pod.models ?? [])].sort((a, b) => a - b)].join();
      kind = this.byKey.get(key) ?? { pod, key, count: 0 };
      this.byKey.set(key, kind);
      this.ofClass.set(podClass, kind);
    }
    return kind;
  }

  /** Where the kind is, or belongs. */
  private placeOf({ count, key }: Kind): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.sorted[middle];
      if (other.count > count || (other.count === count && other.key < key)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** Of a number of pods for each class. */
export function workloadOf(counts: ReadonlyMap<PodClass, number>): Workload {
  const kinds = new WorkloadKinds();
  kinds.take(counts);
  return kinds.workload;
}

function likeness(accelerator: PodClass['accelerator'], size: number): string {
  return `${size} ${canonicalText(accelerator)}`;
}

/** The power of two that is nearest in ratio. */
export function magnitude(cpu: number): number {
  return cpu <= 0 ? 0 : 2 ** Math.round(Math.log2(cpu));
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
