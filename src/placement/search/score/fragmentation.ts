/**
 * Fragmentation of nodes: device thousandths that are free and yet of no use to the workload.
 *
 * *Lost*, after "Beware of Fragmentation" (USENIX ATC '23): for every typical kind of pod, weighted by its part of the workload, all that
 * is free if the kind does not fit the node, else what is free on devices that have less left than it needs. Kinds without devices lose
 * all. The published score of a placement is `trunc(100 · sigmoid((lost before − lost after) / 1000))`; the truncation makes many nodes
 * equal, and the lowest of equals is taken, which fills one node before the next.
 *
 * *Starved*: free thousandths for which the node has too little CPU left. The published measure sees that only when the last kind no longer
 * fits. Kept for each thousandth is a part of what the workload uses on average, pods without devices included: three quarters where the cluster
 * has CPU to spare, up to nine tenths where the workload needs all of it. Growth of what is starved costs points for each device.
 *
 * *Wasted*: free thousandths less what they are worth to the workload (`part-values.ts`). A request for 470 beside one for 320 leaves 210
 * that serve nothing, where two more for 320 would have fit. The published measure prefers that place if many pods request whole devices.
 * Growth of what is wasted costs more than all else.
 *
 * Lost depends on the state of the devices, the model, and which kinds' CPU the node still has: so it is kept for each such combination.
 * Published scores are kept as bytes by the same, for each kind of placement: a score is one look-up. O(kinds × devices) for a combination
 * that is new.
 */
import { CPU_COLUMN, type NodeTable, WHOLE } from '../../nodes/node-table';
import { type DeviceShape, type DeviceStates } from './device-states';
import { NumberTable } from './number-table';
import { type PartValues } from './part-values';
import { type Workload } from './workload';

/** Points for each device that a placement starves. */
const STARVED_POINTS = 70;
/** Points for each device that a placement wastes. */
const WASTED_POINTS = 200;
/** Least and largest part of the workload's CPU for a thousandth of a device that is kept beside a free one. */
const LEAST_KEPT = 0.75;
const MOST_KEPT = 0.9;
/** How much less is kept than the part of the cluster's CPU that the workload needs. */
const MARGIN = 0.1;

/** The score of a placement that changes nothing. */
const NEUTRAL = 50;
/** No score. */
const UNKNOWN = 255;

export class Fragmentation {
  /** CPU of the typical kinds, least first. */
  private readonly steps: Float64Array;
  /** Places in `losses` by state, CPU, and model. */
  private readonly known = new NumberTable();
  private readonly losses: number[] = [];
  private readonly models: number;
  /** Milli-CPU that is kept for a free thousandth of a device. */
  private readonly kept: number;
  /** Wasted thousandths by what is free of a device, once they are asked for. */
  private waste: Float64Array | undefined;

  constructor(
    private readonly table: NodeTable,
    private readonly states: DeviceStates,
    private readonly workload: Workload,
    private readonly partValues: PartValues,
  ) {
    this.steps = Float64Array.from(new Set(workload.typical.map(({ cpu }) => cpu))).sort();
    this.models = table.models.length + 1;
    const scarcity = workload.cpuPerMilli / cpuPerMilliOf(table);
    this.kept = workload.cpuPerMilli * Math.min(MOST_KEPT, Math.max(LEAST_KEPT, scarcity - MARGIN));
  }

  /** The published scores of a kind of placement by row, from 0 to 100: 50 when nothing is lost or won. */
  published(shape: DeviceShape, cpu: number): (row: number) => number {
    const { states } = this;
    const free = this.table.free[CPU_COLUMN];
    // What is lost changes where the CPU of a typical kind is just there, before the placement or after it.
    const steps = Float64Array.from(new Set([...this.steps].flatMap((step) => [step, step + cpu]))).sort();
    const ranks = steps.length + 1;
    let known = new Uint8Array(0);
    return (row) => {
      const at = states.situationOf(row) * ranks + rankIn(steps, free[row]);
      if (at >= known.length) {
        const larger = new Uint8Array(2 * at + 1024).fill(UNKNOWN);
        larger.set(known);
        known = larger;
      }
      if (known[at] === UNKNOWN) {
        known[at] = this.publishedNow(row, shape, cpu);
      }
      return known[at];
    };
  }

  /** The published scores, less what the placement starves and wastes. */
  scores(shape: DeviceShape, cpu: number): (row: number) => number {
    const { deviceStart, milliFree, free } = this.table;
    const published = this.published(shape, cpu);
    const wasted = this.wastedBy(shape);
    const taken = shape.devices * shape.milli;
    return (row) => {
      if (deviceStart[row] === deviceStart[row + 1]) {
        return NEUTRAL;
      }
      const left = free[CPU_COLUMN][row];
      const idle = milliFree[row];
      const growth = this.starved(idle - taken, left - cpu) - this.starved(idle, left);
      return published(row) - (STARVED_POINTS * growth + WASTED_POINTS * wasted(row)) / WHOLE;
    };
  }

  /** How much more is wasted after a placement, remembered by the state of the devices. */
  private wastedBy(shape: DeviceShape): (row: number) => number {
    const { states } = this;
    const known: (number | undefined)[] = [];
    return (row) => {
      const state = states.of(row);
      if (known[state] === undefined) {
        const after = states.take(state, shape);
        known[state] = after < 0 ? 0 : this.wasteOf(after) - this.wasteOf(state);
      }
      return known[state];
    };
  }

  private wasteOf(state: number): number {
    const waste = (this.waste ??= this.partValues
      .of(this.workload.shares)
      .map((value, milli) => milli - WHOLE * value));
    return this.states.free[state].reduce((sum, milli) => sum + waste[milli], 0);
  }

  private publishedNow(row: number, shape: DeviceShape, cpu: number): number {
    const state = this.states.of(row);
    const after = this.states.take(state, shape);
    if (after < 0) {
      return NEUTRAL;
    }
    const free = this.table.free[CPU_COLUMN][row];
    return Math.trunc(100 / (1 + Math.exp((this.lost(row, after, free - cpu) - this.lost(row, state, free)) / 1000)));
  }

  /** Thousandths of free devices that the typical pods have no use for. */
  lost(row: number, state: number, cpu: number): number {
    const model = this.table.deviceModel[this.table.deviceStart[row]] ?? -1;
    const key = (state * (this.steps.length + 1) + rankIn(this.steps, cpu)) * this.models + model + 1;
    const at = this.known.get(key);
    if (at >= 0) {
      return this.losses[at];
    }
    const sum = this.measure(this.states.free[state], model, cpu);
    this.known.set(key, this.losses.push(sum) - 1);
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
}

/** How many of the steps are at most this much. */
function rankIn(steps: Float64Array, amount: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= amount) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
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
