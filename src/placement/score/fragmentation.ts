/**
 * Fragmentation of nodes: device thousandths that are free and yet of no use to the workload.
 *
 * *Lost*, after "Beware of Fragmentation" (USENIX ATC '23): for every typical kind of pod, weighted by its part of the workload, all that
 * is free if the kind does not fit the node, else what is free on devices that have less left than it needs. Kinds without devices lose
 * all. The published score of a placement is `trunc(100 · sigmoid((lost before − lost after) / 1000))`; the truncation makes many nodes
 * equal, and the lowest of equals is taken, which fills one node before the next.
 *
 * *Starved*: free thousandths for which the node has too little CPU left. The published measure sees that only when the last kind no longer
 * fits. Kept for each thousandth is a part of what the workload uses on average: seven tenths where the cluster has CPU to spare, up to
 * nine tenths where the workload needs all of it. Growth of what is starved costs points for each device.
 *
 * Lost depends on the state of the devices, the model, and which kinds' CPU the node still has: so it is kept for each such combination,
 * and a score is a few look-ups. O(kinds × devices) for a combination that is new.
 */
import { CPU_COLUMN, type NodeTable, WHOLE } from '../node-table';
import { type DeviceShape, type DeviceStates } from './device-states';
import { type Workload } from './workload';

/** Points for each device that a placement starves. */
const STARVED_POINTS = 10;
/** Least and largest part of the workload's CPU for a thousandth of a device that is kept beside a free one. */
const LEAST_KEPT = 0.7;
const MOST_KEPT = 0.9;
/** How much less is kept than the part of the cluster's CPU that the workload needs. */
const MARGIN = 0.15;

/** The score of a placement that changes nothing. */
const NEUTRAL = 50;

export class Fragmentation {
  /** CPU of the typical kinds, least first. */
  private readonly steps: number[];
  private readonly known = new Map<number, number>();
  private readonly models: number;
  /** Milli-CPU that is kept for a free thousandth of a device. */
  private readonly kept: number;

  constructor(
    private readonly table: NodeTable,
    private readonly states: DeviceStates,
    private readonly workload: Workload,
  ) {
    this.steps = [...new Set(workload.typical.map(({ cpu }) => cpu))].sort((a, b) => a - b);
    this.models = table.models.length + 1;
    const scarcity = workload.cpuPerMilli / cpuPerMilliOf(table);
    this.kept = workload.cpuPerMilli * Math.min(MOST_KEPT, Math.max(LEAST_KEPT, scarcity - MARGIN));
  }

  /** The published score, from 0 to 100: 50 when nothing is lost or won. */
  published(row: number, shape: DeviceShape, cpu: number): number {
    const state = this.states.of(row);
    const after = this.states.take(state, shape);
    if (after < 0) {
      return NEUTRAL;
    }
    const free = this.table.free[CPU_COLUMN][row];
    return Math.trunc(100 / (1 + Math.exp((this.lost(row, after, free - cpu) - this.lost(row, state, free)) / 1000)));
  }

  /** The published score, less what the placement starves. */
  score(row: number, shape: DeviceShape, cpu: number): number {
    if (this.table.deviceStart[row] === this.table.deviceStart[row + 1]) {
      return NEUTRAL;
    }
    const free = this.table.free[CPU_COLUMN][row];
    const idle = this.table.milliFree[row];
    const growth = this.starved(idle - shape.devices * shape.milli, free - cpu) - this.starved(idle, free);
    return this.published(row, shape, cpu) - (STARVED_POINTS * growth) / 1000;
  }

  /** Thousandths of free devices that the typical pods have no use for. */
  lost(row: number, state: number, cpu: number): number {
    const model = this.table.deviceModel[this.table.deviceStart[row]] ?? -1;
    const key = (state * (this.steps.length + 1) + this.rank(cpu)) * this.models + model + 1;
    let sum = this.known.get(key);
    if (sum === undefined) {
      sum = this.measure(this.states.free[state], model, cpu);
      this.known.set(key, sum);
    }
    return sum;
  }

  private starved(idle: number, cpu: number): number {
    return this.kept === 0 ? 0 : Math.max(0, idle - cpu / this.kept);
  }

  private measure(free: readonly number[], model: number, cpu: number): number {
    const all = free.reduce((sum, milli) => sum + milli, 0);
    let sum = 0;
    for (const kind of this.workload.typical) {
      const may = kind.devices > 0 && cpu >= kind.cpu && (kind.models === undefined || kind.models.has(model));
      let enough = 0;
      let useless = 0;
      for (const milli of free) {
        if (milli >= kind.milli) {
          enough++;
        } else {
          useless += milli;
        }
      }
      sum += kind.part * (may && enough >= kind.devices ? useless : all);
    }
    return sum;
  }

  /** How many kinds' CPU there is. */
  private rank(cpu: number): number {
    let low = 0;
    let high = this.steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.steps[middle] <= cpu) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** Milli-CPU of nodes with devices for each thousandth of their devices. */
function cpuPerMilliOf(table: NodeTable): number {
  let cpu = 0;
  let milli = 0;
  for (let row = 0; row < table.count; row++) {
    const devices = table.deviceStart[row + 1] - table.deviceStart[row];
    if (devices > 0) {
      cpu += table.allocatable[CPU_COLUMN][row];
      milli += devices * WHOLE;
    }
  }
  return milli === 0 || cpu === 0 ? Infinity : cpu / milli;
}
