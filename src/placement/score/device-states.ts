/**
 * States of the devices of a node (how much is free on each, whatever the order) as small numbers.
 *
 * Thousands of nodes are in a few hundred states, so what is worked out for a state is worked out once. States are found by walking a tree
 * of maps, one step for each device; what a request makes of a state is remembered as well.
 */
import { WHOLE, type NodeTable } from '../node-table';

/** How a request uses devices: their number, and the thousandths of each. */
export interface DeviceShape {
  readonly devices: number;
  readonly milli: number;
}

export class DeviceStates {
  /** Free thousandths by state, least first. */
  readonly free: number[][] = [[]];
  private readonly steps = new Map<number, number>();
  private readonly after = new Map<number, number>();
  private readonly ofRow: Int32Array;
  private readonly versions: Int32Array;
  private readonly sorted: number[] = [];

  private readonly table: NodeTable;
  private readonly models: number;
  /** Numbers of states with a model, by row, with the version of the row for which they hold. */
  private readonly situations: Int32Array;
  private readonly seen: Int32Array;
  private readonly numbers: (number | undefined)[] = [];
  private count = 0;

  constructor({ table }: { readonly table: NodeTable }) {
    this.table = table;
    this.models = table.models.length + 1;
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
      if (next === undefined) {
        next = this.free.length;
        this.free.push([...this.free[state], free]);
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
