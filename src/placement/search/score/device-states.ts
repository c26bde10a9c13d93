/**
 * States of the devices of a node (how much is free on each, whatever the order) as small numbers.
 *
 * Thousands of nodes are in a few hundred states, so what is worked out for a state is worked out once. States are found by walking a tree
 * of maps, one step for each device; what a request makes of a state is remembered as well.
 */
import { devicesFit } from '../../nodes/devices';
import { WHOLE, type NodeTable } from '../../nodes/node-table';
import { type PodClass } from '../../nodes/pod-class';

/** How a request uses devices: their number, and the thousandths of each. */
export interface DeviceShape {
  readonly devices: number;
  readonly milli: number;
}

export class DeviceStates {
  /** Free thousandths by state, least first. */
  readonly free: number[][] = [[]];
  private readonly steps = new Steps();
  private readonly after = new Map<number, number>();
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

  constructor({ table }: { readonly table: NodeTable }) {
    this.table = table;
    this.models = table.models.length + 1;
    this.alike = table.allRows.every((row) => haveOneModel(table, row));
    this.situations = new Int32Array(table.count);
    this.seen = new Int32Array(table.count).fill(-1);
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
        const free = Math.max(0, table.deviceFree[from + i]);
        let at = i;
        for (; at > 0 && sorted[at - 1] > free; at--) {
          sorted[at] = sorted[at - 1];
        }
        sorted[at] = free;
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
  take(state: number, { devices, milli }: DeviceShape): number {
    const key = (state * MOST_DEVICES + devices) * (WHOLE + 1) + milli;
    let result = this.after.get(key);
    if (result === undefined) {
      const left = [...this.free[state]];
      let from = left.findIndex((free) => free >= milli);
      for (let i = 0; i < devices && from >= 0; i++) {
        left[from] -= milli;
        from = from + 1 < left.length || i + 1 === devices ? from + 1 : -1;
      }
      result = from < 0 ? -1 : this.intern(left.sort(ascending));
      this.after.set(key, result);
    }
    return result;
  }

  private intern(sorted: readonly number[]): number {
    let state = 0;
    for (const free of sorted) {
      const key = state * (WHOLE + 1) + free;
      let next = this.steps.get(key);
      if (next < 0) {
        next = this.free.push([...this.free[state], free]) - 1;
        this.steps.set(key, next);
      }
      state = next;
    }
    return state;
  }
}

/** More devices than a node has; only makes keys unique. */
const MOST_DEVICES = 1024;

function ascending(a: number, b: number): number {
  return a - b;
}

function haveOneModel({ deviceStart, deviceModel }: NodeTable, row: number): boolean {
  for (let slot = deviceStart[row] + 1; slot < deviceStart[row + 1]; slot++) {
    if (deviceModel[slot] !== deviceModel[slot - 1]) {
      return false;
    }
  }
  return true;
}

/** Numbers by number in two flat arrays: asked for every device of every node that changes. */
class Steps {
  private keys = new Float64Array(1024).fill(-1);
  private values = new Int32Array(1024);
  private count = 0;

  /** -1 where there is none. */
  get(key: number): number {
    const at = this.placeOf(key);
    return this.keys[at] === key ? this.values[at] : -1;
  }

  set(key: number, value: number): void {
    if (2 * ++this.count > this.keys.length) {
      this.grow();
    }
    const at = this.placeOf(key);
    this.keys[at] = key;
    this.values[at] = value;
  }

  private placeOf(key: number): number {
    const { keys } = this;
    const mask = keys.length - 1;
    let at = Math.imul(key, 0x9e3779b1) >>> 0;
    for (at = (at ^ (at >>> 15)) & mask; keys[at] !== key && keys[at] !== -1;) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private grow(): void {
    const { keys, values } = this;
    this.keys = new Float64Array(2 * keys.length).fill(-1);
    this.values = new Int32Array(2 * keys.length);
    keys.forEach((key, i) => {
      if (key !== -1) {
        const at = this.placeOf(key);
        this.keys[at] = key;
        this.values[at] = values[i];
      }
    });
  }
}
