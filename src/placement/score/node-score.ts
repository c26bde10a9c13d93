/**
 * How good a row is for one more pod of a class: larger is better. Asked only where the pod fits.
 *
 * `binpack` counts what stays free: for work with devices the thousandths of devices first, then milli-CPU; work without devices keeps off
 * nodes that have some. A share of a device goes to a node where a device is shared already. `spread` is the same with the sign turned.
 */
import { WHOLE, CPU_COLUMN, MEMORY_COLUMN, type NodeTable } from '../node-table';
import { milliOn } from '../devices';
import { type PodClass } from '../pod-class';
import { type NodeScore } from '../policy';
import { type Fragmentation } from './fragmentation';

export type ScoreFunction = (podClass: PodClass, row: number) => number;

/** More than any difference in what stays free: a preference that is a matter of principle. */
const PRINCIPLE = 1e7;

export function scoreFunction(name: NodeScore, table: NodeTable, fragmentation: () => Fragmentation): ScoreFunction {
  switch (name) {
    case 'binpack':
      return (podClass, row) => -roomAfter(table, podClass, row) + principles(table, podClass, row);
    case 'spread':
      return (podClass, row) => roomAfter(table, podClass, row) + principles(table, podClass, row);
    case 'fragmentation': {
      const measure = fragmentation();
      return (podClass, row) => principles(table, podClass, row) - measure.cost(podClass, row) - roomAfter(table, podClass, row) / PRINCIPLE;
    }
  }
}

function roomAfter(table: NodeTable, podClass: PodClass, row: number): number {
  const cpu = table.free[CPU_COLUMN][row] / (table.allocatable[CPU_COLUMN][row] || 1);
  const memory = table.free[MEMORY_COLUMN][row] / (table.allocatable[MEMORY_COLUMN][row] || 1);
  return podClass.accelerator === undefined ? 1000 * cpu + memory : table.milliFree[row] + cpu / 2 + memory / 4;
}

function principles(table: NodeTable, podClass: PodClass, row: number): number {
  const { accelerator } = podClass;
  if (accelerator === undefined) {
    return table.deviceStart[row + 1] > table.deviceStart[row] ? -PRINCIPLE : 0;
  }
  if (accelerator.kind === 'whole' || accelerator.kind === 'mig') {
    return 0;
  }
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    const free = table.deviceFree[slot];
    if (free < WHOLE && free >= milliOn(table, slot, accelerator)) {
      return PRINCIPLE;
    }
  }
  return 0;
}
