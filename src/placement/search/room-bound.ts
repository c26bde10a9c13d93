/**
 * At most how many pods of a class the nodes have room for, from sums over all of them: thousands of classes are ruled out without a look at
 * any node. As the books are when it is made. O(nodes), then O(1) for each class.
 */
import { type NodeTable } from '../nodes/node-table';
import { type PodClass } from '../nodes/pod-class';

export class RoomBound {
  private readonly sums: Float64Array;
  private milli = 0;
  /** Nodes by the number of their free devices. */
  private readonly byDevices: Int32Array;

  constructor(table: NodeTable) {
    const { free, wholeFree, milliFree, count } = table;
    this.sums = Float64Array.from(free, sumOf);
    this.byDevices = new Int32Array(table.mostDevices() + 1);
    for (let row = 0; row < count; row++) {
      this.byDevices[wholeFree[row]]++;
      this.milli += milliFree[row];
    }
  }

  of({ columns, amounts, accelerator, deviceCount }: PodClass): number {
    let most = Infinity;
    for (let i = 0; i < columns.length; i++) {
      most = Math.min(most, times(this.sums[columns[i]], amounts[i]));
    }
    switch (accelerator?.kind) {
      case 'whole':
        return Math.min(most, this.ofDevices(deviceCount));
      case 'fraction':
        return Math.min(most, times(this.milli, accelerator.milli * deviceCount));
      case undefined:
      case 'mig':
      case 'memory':
      case 'shared':
        return most;
    }
  }

  private ofDevices(deviceCount: number): number {
    let pods = 0;
    for (let devices = deviceCount; devices < this.byDevices.length; devices++) {
      pods += this.byDevices[devices] * Math.floor(devices / deviceCount);
    }
    return pods;
  }
}

/** What is free on nodes that have more taken than there is does not lessen what others have. */
function sumOf(free: Float64Array): number {
  let sum = 0;
  for (let row = 0; row < free.length; row++) {
    sum += Math.max(0, free[row]);
  }
  return sum;
}

/** How often an amount is contained in a sum that may be a little too small, as bytes of thousands of nodes are not added exactly. */
function times(sum: number, amount: number): number {
  return Math.floor((sum / amount) * (1 + 1e-9));
}
