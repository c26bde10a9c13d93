/**
 * States of the devices of a node (how much is free on each, whatever the order) as small numbers.
 *
 * Thousands of nodes are in a few hundred states, so what is worked out for a state is worked out once. States are found by a
 * hash of what is free; what a request makes of a state, and what scores depend on a state with free CPU, is remembered as well.
 */
import { devicesFit } from '../../nodes/devices';
import { CPU_COLUMN, WHOLE, type NodeTable } from '../../nodes/node-table';
import { type PodClass } from '../../nodes/pod-class';
import { NumberTable } from './number-table';

/** How a request uses devices: their number, and the thousandths of each. */
export interface DeviceShape {
  readonly devices: number;
  readonly milli: number;
}

export class DeviceStates {
  /** Free thousandths by state, least first. */
  readonly free: number[][] = [];
  /** One more than a state, by the hash of what is free; 0 where there is none. */
  private places = new Int32Array(1024);
  /** One more than the state after a request, by the state and the request; 0 where the request does not fit. */
  private readonly after = new NumberTable();
  private readonly ofRow: Int32Array;
  private readonly versions: Int32Array;
  private readonly sorted: number[] = [];

  private readonly table: NodeTable;
  private readonly models: number;
  /** The devices of each node are of one model. */
  private readonly alike: boolean;
  /** Numbers of states with a model, by row, with the version of the row for which they hold. */
  private readonly situations: Int32Array;
  private readonly seen: Int32Array;
  private readonly numbers: (number | undefined)[] = [];
  private count = 0;
  /** Numbers of situations with an amount of free CPU, by row, with the version of the row for which they hold. */
  private readonly combinations: Int32Array;
  private readonly combined: Int32Array;
  private combinationNumbers = new NumberTable();
  private combinationCount = 0;
  private combinationEra = 0;

  constructor({ table }: { readonly table: NodeTable }) {
    this.table = table;
    this.models = table.models.length + 1;
    this.alike = table.allRows.every((row) => haveOneModel(table, row));
    this.situations = new Int32Array(table.count);
    this.seen = new Int32Array(table.count).fill(-1);
    this.combinations = new Int32Array(table.count);
    this.combined = new Int32Array(table.count).fill(-1);
    this.ofRow = new Int32Array(table.count);
    this.versions = new Int32Array(table.count).fill(-1);
  }

  /** State of the row's devices now. */
  of(row: number): number {
    const { table } = this;
    if (this.versions[row] !== table.version[row]) {
      this.versions[row] = table.version[row];
      const from = table.deviceStart[row];
      const count = table.deviceStart[row + 1] - from;
      const { sorted } = this;
      sorted.length = count;
      // Few devices, and mostly in order already.
      for (let i = 0; i < count; i++) {
        insert(sorted, i, Math.max(0, table.deviceFree[from + i]));
      }
      this.ofRow[row] = this.intern(sorted);
    }
    return this.ofRow[row];
  }

  /** A small number for the state of the row's devices and their model. */
  situationOf(row: number): number {
    const { version, deviceModel, deviceStart } = this.table;
    if (this.seen[row] !== version[row]) {
      this.seen[row] = version[row];
      const model = deviceModel[deviceStart[row]] ?? -1;
      const key = this.of(row) * this.models + model + 1;
      this.situations[row] = this.numbers[key] ??= this.count++;
    }
    return this.situations[row];
  }

  /**
   * Remembers what depends on nothing but the devices of a row, their model, and the CPU that is free: by a small number for these, the same for
   * all who ask, so that a row that changes is looked at once.
   */
  remembered(value: (row: number) => number): (row: number) => number {
    let known = new Float64Array(0);
    let era = this.combinationEra;
    return (row) => {
      const at = this.combinationOf(row);
      if (at < 0) {
        return value(row);
      }
      if (era !== this.combinationEra || at >= known.length) {
        known = era === this.combinationEra ? grown(known, at) : new Float64Array(2 * at + 1024).fill(NaN);
        era = this.combinationEra;
      }
      const before = known[at];
      if (before === before) {
        return before;
      }
      return (known[at] = value(row));
    };
  }

  /** Whether the devices of a row, their model, and its free CPU say all that scores depend on, if no pod holds more than its device has. */
  remembers({ accelerator }: PodClass): boolean {
    const kind = accelerator?.kind;
    return (
      this.alike && this.table.reports.fresh === 0 && (kind === undefined || kind === 'whole' || kind === 'fraction')
    );
  }

  /** -1 where there is no such number. */
  private combinationOf(row: number): number {
    const { table, combined } = this;
    if (combined[row] !== table.version[row]) {
      combined[row] = table.version[row];
      this.combinations[row] = this.combinationNow(row);
    }
    return this.combinations[row];
  }

  private combinationNow(row: number): number {
    const { table } = this;
    const cpu = table.free[CPU_COLUMN][row];
    const situation = this.situationOf(row);
    if (
      table.overdrawn[row] > 0 ||
      !(cpu >= 0 && cpu < MOST_CPU) ||
      !Number.isInteger(cpu) ||
      situation >= MOST_SITUATIONS
    ) {
      return -1;
    }
    const key = cpu * MOST_SITUATIONS + situation;
    let number = this.combinationNumbers.get(key);
    if (number < 0) {
      if (this.combinationCount === MOST_COMBINATIONS) {
        this.combinationNumbers = new NumberTable();
        this.combinationCount = 0;
        this.combinationEra++;
        this.combined.fill(-1);
        this.combined[row] = table.version[row];
      }
      number = this.combinationCount++;
      this.combinationNumbers.set(key, number);
    }
    return number;
  }

  /** Whether the devices of a row serve one more pod of the class, remembered by what is left of them. */
  fits(podClass: PodClass): (row: number) => boolean {
    const { table } = this;
    const { accelerator } = podClass;
    if (!this.alike || accelerator?.kind !== 'fraction' || table.reports.fresh > 0) {
      return (row) => devicesFit(table, row, podClass);
    }
    const known: (boolean | undefined)[] = [];
    return (row) => {
      if (table.overdrawn[row] > 0) {
        return devicesFit(table, row, podClass);
      }
      return (known[this.situationOf(row)] ??= devicesFit(table, row, podClass));
    };
  }

  /** The state once the request has taken its devices, the fullest that will do; -1 when there are not enough. */
  take(state: number, shape: DeviceShape): number {
    const key = (state * MOST_DEVICES + shape.devices) * (WHOLE + 1) + shape.milli;
    let result = this.after.get(key);
    if (result < 0) {
      result = this.takeNow(state, shape) + 1;
      this.after.set(key, result);
    }
    return result - 1;
  }

  private takeNow(state: number, { devices, milli }: DeviceShape): number {
    const { sorted } = this;
    const before = this.free[state];
    const from = before.findIndex((free) => free >= milli);
    if (from < 0 || from + devices > before.length) {
      return -1;
    }
    sorted.length = before.length;
    for (let i = 0; i < before.length; i++) {
      insert(sorted, i, i >= from && i < from + devices ? before[i] - milli : before[i]);
    }
    return this.intern(sorted);
  }

  private intern(sorted: readonly number[]): number {
    const { free } = this;
    const at = this.placeOf(sorted);
    if (this.places[at] > 0) {
      return this.places[at] - 1;
    }
    const state = free.push([...sorted]) - 1;
    this.places[at] = state + 1;
    if (2 * free.length > this.places.length) {
      this.places = new Int32Array(2 * this.places.length);
      free.forEach((list, other) => (this.places[this.placeOf(list)] = other + 1));
    }
    return state;
  }

  /** Where a state is, or would be. */
  private placeOf(sorted: readonly number[]): number {
    const { places, free } = this;
    const mask = places.length - 1;
    let hash = sorted.length;
    for (let i = 0; i < sorted.length; i++) {
      hash = Math.imul(hash ^ sorted[i], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    let at = hash & mask;
    while (places[at] > 0 && !areEqual(free[places[at] - 1], sorted)) {
      at = (at + 1) & mask;
    }
    return at;
  }
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) {
    return false;
  }
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) {
      return false;
    }
  }
  return true;
}

/** Puts a value into its place among the first `count`, which are in order, mostly at the end. */
function insert(sorted: number[], count: number, value: number): void {
  let at = count;
  for (; at > 0 && sorted[at - 1] > value; at--) {
    sorted[at] = sorted[at - 1];
  }
  sorted[at] = value;
}

/** A longer copy, in which what is not known is NaN. */
function grown(known: Float64Array, at: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * at + 1024).fill(NaN);
  larger.set(known);
  return larger;
}

/** Bounds within which situations with an amount of free CPU have numbers, and how many of them are remembered. */
const MOST_CPU = 2 ** 31;
const MOST_SITUATIONS = 2 ** 20;
const MOST_COMBINATIONS = 2 ** 16;

/** More devices than a node has; only makes keys unique. */
const MOST_DEVICES = 1024;

function haveOneModel({ deviceStart, deviceModel }: NodeTable, row: number): boolean {
  for (let slot = deviceStart[row] + 1; slot < deviceStart[row + 1]; slot++) {
    if (deviceModel[slot] !== deviceModel[slot - 1]) {
      return false;
    }
  }
  return true;
}
