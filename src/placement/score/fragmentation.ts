/**
 * Fragmentation of a node, after "Beware of Fragmentation" (USENIX ATC '23): the device thousandths that are free and yet of no use to the
 * typical pods of the workload, each kind weighted by how often it occurs.
 *
 * For a kind that fits the node, devices with less left than it needs are lost to it; for one that does not fit, everything free is lost.
 * Placing a pod costs the growth of that measure. O(kinds × devices of the node) for one answer.
 */
import { WHOLE, type NodeTable } from '../node-table';
import { type PodClass } from '../pod-class';

/** One kind of typical pod, with its part of the workload. */
export interface TypicalPod {
  readonly part: number;
  readonly columns: Int32Array;
  readonly amounts: Float64Array;
  /** Devices per pod; 0 for work without devices. */
  readonly devices: number;
  /** Thousandths on each of them. */
  readonly milli: number;
  readonly models: ReadonlySet<number> | undefined;
}

/** Kinds that make up this part of the workload are typical. */
const COVER = 0.95;
/** A placement is judged by at most this many kinds. */
const MOST_KINDS = 40;

/** The most frequent kinds that together cover 95 % of the pods, renormalised. */
export function typicalPods(counts: ReadonlyMap<PodClass, number>): TypicalPod[] {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const ordered = [...counts].sort(([a, m], [b, n]) => n - m || a.id - b.id);
  const chosen: [PodClass, number][] = [];
  let covered = 0;
  for (const entry of ordered) {
    if (covered >= total * COVER || chosen.length === MOST_KINDS) {
      break;
    }
    chosen.push(entry);
    covered += entry[1];
  }
  return chosen.map(([{ columns, amounts, accelerator, deviceCount, models }, count]) => ({
    part: count / covered,
    columns,
    amounts,
    devices: deviceCount,
    milli: accelerator === undefined ? 0 : accelerator.kind === 'fraction' ? accelerator.milli : WHOLE,
    models,
  }));
}

export class Fragmentation {
  constructor(private readonly table: NodeTable, private readonly typical: readonly TypicalPod[]) {}

  /** Thousandths of free devices that are lost to the typical pods, were `podClass` placed on the row, less what is lost now. */
  cost(podClass: PodClass, row: number): number {
    const { table } = this;
    const from = table.deviceStart[row];
    const to = table.deviceStart[row + 1];
    if (from === to) {
      return 0;
    }
    const free = Array.from(table.deviceFree.subarray(from, to));
    const before = this.lost(row, free, undefined);
    const { accelerator, deviceCount } = podClass;
    if (accelerator !== undefined && accelerator.kind !== 'mig') {
      const milli = accelerator.kind === 'fraction' ? accelerator.milli : WHOLE;
      takeTightest(free, milli, deviceCount);
    }
    return this.lost(row, free, podClass) - before;
  }

  private lost(row: number, free: readonly number[], placed: PodClass | undefined): number {
    let all = 0;
    for (const milli of free) {
      all += milli > 0 ? milli : 0;
    }
    if (all === 0) {
      return 0;
    }
    let sum = 0;
    for (const kind of this.typical) {
      sum += kind.part * (this.fits(kind, row, free, placed) ? unusable(free, kind.milli) : all);
    }
    return sum;
  }

  private fits({ columns, amounts, devices, milli, models }: TypicalPod, row: number, free: readonly number[], placed: PodClass | undefined): boolean {
    if (devices === 0) {
      return false;
    }
    for (let i = 0; i < columns.length; i++) {
      if (this.table.free[columns[i]][row] - takenBy(placed, columns[i]) < amounts[i]) {
        return false;
      }
    }
    if (models !== undefined && !models.has(this.table.deviceModel[this.table.deviceStart[row]])) {
      return false;
    }
    let enough = 0;
    for (const left of free) {
      enough += left >= milli ? 1 : 0;
    }
    return enough >= devices;
  }
}

function takenBy(placed: PodClass | undefined, column: number): number {
  if (placed !== undefined) {
    for (let i = 0; i < placed.columns.length; i++) {
      if (placed.columns[i] === column) {
        return placed.amounts[i];
      }
    }
  }
  return 0;
}

function unusable(free: readonly number[], milli: number): number {
  let sum = 0;
  for (const left of free) {
    sum += left > 0 && left < milli ? left : 0;
  }
  return sum;
}

function takeTightest(free: number[], milli: number, count: number): void {
  for (let taken = 0; taken < count; taken++) {
    let best = -1;
    for (let i = 0; i < free.length; i++) {
      if (free[i] >= milli && (best < 0 || free[i] < free[best])) {
        best = i;
      }
    }
    if (best < 0) {
      return;
    }
    free[best] -= milli;
  }
}
