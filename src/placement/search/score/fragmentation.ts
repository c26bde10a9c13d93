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
 * Lost depends on the state of the devices, the model, and which kinds' CPU the node still has: so it is kept in an array for each such
 * combination. Published scores are kept as bytes by the same, for each kind of placement, and what is wasted by the state: a score is two
 * look-ups. O(kinds × devices) for a combination that is new.
 */
import { CPU_COLUMN, type NodeTable, WHOLE } from '../../nodes/node-table';
import { type AfterRequest, type DeviceShape, type DeviceStates, longer } from './device-states';
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
  readonly steps: Float64Array;
  /** By situation and the rank of the CPU among the steps; NaN where it is not known. */
  private losses = new Float64Array(0);
  private readonly ranks: CpuRanks;
  /** Sums of what is free on the first devices of a state; 0 for none. */
  private readonly sums: Float64Array;
  /** Milli-CPU that is kept for a free thousandth of a device. */
  private readonly kept: number;
  /** Wasted thousandths by what is free of a device, once they are asked for. */
  private waste: Float64Array | undefined;

  constructor(
    readonly table: NodeTable,
    readonly states: DeviceStates,
    private readonly workload: Workload,
    private readonly partValues: PartValues,
  ) {
    this.steps = Float64Array.from(new Set(workload.typical.map(({ cpu }) => cpu))).sort();
    this.ranks = new CpuRanks(this.steps);
    this.sums = new Float64Array(table.mostDevices() + 1);
    const scarcity = workload.cpuPerMilli / cpuPerMilliOf(table);
    this.kept = workload.cpuPerMilli * Math.min(MOST_KEPT, Math.max(LEAST_KEPT, scarcity - MARGIN));
  }

  /** Placements of one kind. */
  placement(shape: DeviceShape, cpu: number): Placement {
    return new Placement(this, shape, cpu);
  }

  /** The published scores, less what the placement starves and wastes, by row. */
  scores(shape: DeviceShape, cpu: number): (row: number) => number {
    const placement = this.placement(shape, cpu);
    return (row) => placement.of(row);
  }

  /** Free thousandths for which the CPU is too little. */
  starved(idle: number, cpu: number): number {
    return this.kept === 0 ? 0 : Math.max(0, idle - cpu / this.kept);
  }

  wasteOf(state: number): number {
    const waste = (this.waste ??= this.partValues
      .of(this.workload.shares)
      .map((value, milli) => milli - WHOLE * value));
    const { values, starts } = this.states;
    let sum = 0;
    for (let at = starts[state]; at < starts[state + 1]; at++) {
      sum += waste[values[at]];
    }
    return sum;
  }

  /** Thousandths of free devices that the typical pods have no use for. */
  lost(state: number, model: number, cpu: number): number {
    const at = this.states.situation(state, model) * (this.steps.length + 1) + this.ranks.of(cpu);
    if (at >= this.losses.length) {
      this.losses = longer(this.losses, new Float64Array(2 * at + 1024).fill(NaN));
    }
    const known = this.losses[at];
    return known === known ? known : (this.losses[at] = this.measure(state, model, cpu));
  }

  private measure(state: number, model: number, cpu: number): number {
    const { sums } = this;
    const { values, starts } = this.states;
    const { typical } = this.workload;
    const start = starts[state];
    const count = starts[state + 1] - start;
    for (let i = 0; i < count; i++) {
      sums[i + 1] = sums[i] + values[start + i];
    }
    let lost = 0;
    for (let kind = 0; kind < typical.length; kind++) {
      const { part, devices, milli, cpu: needed, models } = typical[kind];
      let useless = 0;
      while (useless < count && values[start + useless] < milli) {
        useless++;
      }
      const may =
        devices > 0 && cpu >= needed && count - useless >= devices && (models === undefined || models.has(model));
      lost += part * sums[may ? useless : count];
    }
    return lost;
  }
}

/** Placements of one kind: what they take of devices, and their CPU. What is asked of thousands of rows is in arrays. */
export class Placement {
  private readonly states: DeviceStates;
  private readonly table: NodeTable;
  private readonly cpuFree: Float64Array;
  private readonly after: AfterRequest;
  private readonly taken: number;
  /** What is lost changes where the CPU of a typical kind is just there, before the placement or after it. */
  private readonly ranks: CpuRanks;
  private readonly stride: number;
  /** Scores by situation and the rank of the CPU. */
  private scores = new Uint8Array(0);
  /** How much more is wasted after the placement, by state; NaN where it is not known. */
  private waste = new Float64Array(0);

  constructor(
    private readonly measure: Fragmentation,
    shape: DeviceShape,
    private readonly cpu: number,
  ) {
    const { states, table, steps } = measure;
    this.states = states;
    this.table = table;
    this.cpuFree = table.free[CPU_COLUMN];
    this.after = states.after(shape);
    this.taken = shape.devices * shape.milli;
    const all = withLater(steps, cpu);
    this.ranks = new CpuRanks(all);
    this.stride = all.length + 1;
  }

  /** The published score, from 0 to 100: 50 when nothing is lost or won. */
  published(row: number): number {
    const at = this.states.situationOf(row) * this.stride + this.ranks.of(this.cpuFree[row]);
    if (at >= this.scores.length) {
      this.scores = longer(this.scores, new Uint8Array(2 * at + 1024).fill(UNKNOWN));
    }
    const known = this.scores[at];
    return known === UNKNOWN ? (this.scores[at] = this.publishedNow(row)) : known;
  }

  /** The published score, less what the placement starves and wastes. */
  of(row: number): number {
    const { deviceStart, milliFree } = this.table;
    if (deviceStart[row] === deviceStart[row + 1]) {
      return NEUTRAL;
    }
    const { measure } = this;
    const left = this.cpuFree[row];
    const idle = milliFree[row];
    const growth = measure.starved(idle - this.taken, left - this.cpu) - measure.starved(idle, left);
    return this.published(row) - (STARVED_POINTS * growth + WASTED_POINTS * this.wasted(row)) / WHOLE;
  }

  private wasted(row: number): number {
    const state = this.states.of(row);
    if (state >= this.waste.length) {
      this.waste = longer(this.waste, new Float64Array(2 * state + 256).fill(NaN));
    }
    const known = this.waste[state];
    return known === known ? known : (this.waste[state] = this.wastedNow(state));
  }

  private wastedNow(state: number): number {
    const after = this.after.of(state);
    return after < 0 ? 0 : this.measure.wasteOf(after) - this.measure.wasteOf(state);
  }

  private publishedNow(row: number): number {
    const { measure } = this;
    const state = this.states.of(row);
    const after = this.after.of(state);
    if (after < 0) {
      return NEUTRAL;
    }
    const model = this.states.modelOf(row);
    const free = this.cpuFree[row];
    const growth = measure.lost(after, model, free - this.cpu) - measure.lost(state, model, free);
    return Math.trunc(100 / (1 + Math.exp(growth / 1000)));
  }
}

/** The steps, and each of them with the amount added: least first, each once. O(steps). */
function withLater(steps: Float64Array, amount: number): Float64Array {
  const all = new Float64Array(2 * steps.length);
  let count = 0;
  let now = 0;
  let later = 0;
  while (later < steps.length) {
    const next = now < steps.length && steps[now] <= steps[later] + amount ? steps[now++] : steps[later++] + amount;
    if (count === 0 || next !== all[count - 1]) {
      all[count++] = next;
    }
  }
  return all.subarray(0, count);
}

/** How many of the steps, least first, are at most an amount: found from the first step of a part of their range. */
class CpuRanks {
  /** By part of the range: how many steps are at most where it begins. */
  private readonly firsts: Int32Array;
  /** A power of two, so that an amount is never taken to be in the part above its own. */
  private readonly width: number;

  constructor(private readonly steps: Float64Array) {
    const most = steps.length === 0 ? 0 : steps[steps.length - 1];
    this.width = most <= PARTS ? 1 : 2 ** Math.ceil(Math.log2(most / PARTS));
    this.firsts = new Int32Array(Math.floor(most / this.width) + 1);
    for (let part = 0, rank = 0; part < this.firsts.length; part++) {
      while (rank < steps.length && steps[rank] <= part * this.width) {
        rank++;
      }
      this.firsts[part] = rank;
    }
  }

  of(amount: number): number {
    const { steps, firsts, width } = this;
    const part = Math.floor(amount / width);
    if (part >= firsts.length) {
      return steps.length;
    }
    let rank = part < 0 ? 0 : firsts[part];
    while (rank < steps.length && steps[rank] <= amount) {
      rank++;
    }
    return rank;
  }
}

/** Into about how many parts the range of steps is divided. */
const PARTS = 256;

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
