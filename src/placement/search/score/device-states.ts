/**
 * States of the devices of a node (how much is free on each, whatever the order) as small numbers.
 *
 * Thousands of nodes are in a few hundred states, so what is worked out for a state is worked out once, and is then read from an array by the
 * number of the state. States are found by a hash of what is free; what a request makes of a state is remembered as well.
 */
import { devicesFit } from '../../nodes/devices';
import { type NodeTable } from '../../nodes/node-table';
import { type PodClass } from '../../nodes/pod-class';

/** How a request uses devices: their number, and the thousandths of each. */
export interface DeviceShape {
  readonly devices: number;
  readonly milli: number;
}

export class DeviceStates {
  /** Free thousandths of all states, one after the other, least first: those of a state begin at `starts[state]`, and end where the next state begins. */
  values = new Int32Array(1024);
  starts = new Int32Array(256);
  private states = 0;
  /** One more than a state, by the hash of what is free; 0 where there is none. */
  private places = new Int32Array(1024);
  /** What requests make of states, by the number and the thousandths of the devices. */
  private readonly requests = new Map<number, AfterRequest>();
  /** By row: the version for which they hold, the state, and the situation, side by side since they are asked for together. */
  private readonly rows: Int32Array;
  /** What is free on the devices of the node that is looked at, least first. */
  private readonly sorted: Int32Array;

  private readonly table: NodeTable;
  private readonly models: number;
  /** The devices of each node are of one model. */
  private readonly alike: boolean;
  /** One more than the situation, by state and model. */
  private numbers = new Int32Array(1024);
  private count = 0;

  constructor({ table }: { readonly table: NodeTable }) {
    this.table = table;
    this.models = table.models.length + 1;
    this.sorted = new Int32Array(table.mostDevices());
    this.alike = table.allRows.every((row) => haveOneModel(table, row));
    this.rows = new Int32Array(3 * table.count).fill(-1);
  }

  /** State of the row's devices now. */
  of(row: number): number {
    return this.rows[this.upToDate(row) + 1];
  }

  /** A small number for the state of the row's devices and their model. */
  situationOf(row: number): number {
    return this.rows[this.upToDate(row) + 2];
  }

  /** Where the row is among the rows. */
  private upToDate(row: number): number {
    const at = 3 * row;
    if (this.rows[at] !== this.table.version[row]) {
      this.look(row, at);
    }
    return at;
  }

  private look(row: number, at: number): void {
    const { table, sorted, rows } = this;
    const from = table.deviceStart[row];
    const count = table.deviceStart[row + 1] - from;
    // Few devices, and mostly in order already.
    for (let i = 0; i < count; i++) {
      insert(sorted, i, Math.max(0, table.deviceFree[from + i]));
    }
    const state = this.intern(count);
    rows[at] = table.version[row];
    rows[at + 1] = state;
    rows[at + 2] = this.situation(state, this.modelOf(row));
  }

  /** The model of the row's first device; -1 where there is none. */
  modelOf(row: number): number {
    const { deviceStart, deviceModel } = this.table;
    return deviceStart[row] === deviceStart[row + 1] ? -1 : deviceModel[deviceStart[row]];
  }

  /** How many devices there are in a state. */
  sizeOf(state: number): number {
    return this.starts[state + 1] - this.starts[state];
  }

  /** The same for a state with a model. */
  situation(state: number, model: number): number {
    const key = state * this.models + model + 1;
    if (key >= this.numbers.length) {
      this.numbers = longer(this.numbers, new Int32Array(2 * key));
    }
    if (this.numbers[key] === 0) {
      this.numbers[key] = ++this.count;
    }
    return this.numbers[key] - 1;
  }

  /** Whether what is free on the devices of a row and their model say all of the devices that scores depend on, if none is overdrawn. */
  areAlike(): boolean {
    return this.alike && this.table.reports.fresh === 0;
  }

  /** Whether the devices of a row serve one more pod of the class, remembered by what is left of them. */
  fits(podClass: PodClass): DeviceFit {
    return new DeviceFit(this, this.table, podClass, this.areAlike() && podClass.accelerator?.kind === 'fraction');
  }

  /** What the request makes of states: the fullest devices that will do are taken. */
  after(shape: DeviceShape): AfterRequest {
    const key = shape.devices * MOST_MILLI + shape.milli;
    let request = this.requests.get(key);
    if (request === undefined) {
      request = new AfterRequest(this, shape);
      this.requests.set(key, request);
    }
    return request;
  }

  /** The state after a request; -1 where there are not enough devices. */
  takeNow(state: number, { devices, milli }: DeviceShape): number {
    const { sorted, values } = this;
    const start = this.starts[state];
    const count = this.sizeOf(state);
    let from = 0;
    while (from < count && values[start + from] < milli) {
      from++;
    }
    if (from === count || from + devices > count) {
      return -1;
    }
    for (let i = 0; i < count; i++) {
      const free = values[start + i];
      insert(sorted, i, i >= from && i < from + devices ? free - milli : free);
    }
    return this.intern(count);
  }

  /** The state with the first `count` of `sorted`. */
  private intern(count: number): number {
    const { sorted } = this;
    const at = this.placeOf(sorted, 0, count);
    if (this.places[at] > 0) {
      return this.places[at] - 1;
    }
    const state = this.states++;
    const start = this.starts[state];
    if (state + 1 >= this.starts.length) {
      this.starts = longer(this.starts, new Int32Array(2 * this.starts.length));
    }
    if (start + count > this.values.length) {
      this.values = longer(this.values, new Int32Array(2 * (start + count)));
    }
    for (let i = 0; i < count; i++) {
      this.values[start + i] = sorted[i];
    }
    this.starts[state + 1] = start + count;
    this.places[at] = state + 1;
    if (2 * this.states > this.places.length) {
      this.places = new Int32Array(2 * this.places.length);
      for (let other = 0; other < this.states; other++) {
        this.places[this.placeOf(this.values, this.starts[other], this.sizeOf(other))] = other + 1;
      }
    }
    return state;
  }

  /** Where a state is, or would be: one with `count` of the numbers from `start` on. */
  private placeOf(numbers: Int32Array, start: number, count: number): number {
    const { places } = this;
    const mask = places.length - 1;
    let hash = count;
    for (let i = 0; i < count; i++) {
      hash = Math.imul(hash ^ numbers[start + i], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    let at = hash & mask;
    while (places[at] > 0 && !this.isState(places[at] - 1, numbers, start, count)) {
      at = (at + 1) & mask;
    }
    return at;
  }

  private isState(state: number, numbers: Int32Array, start: number, count: number): boolean {
    const { values } = this;
    const own = this.starts[state];
    if (this.sizeOf(state) !== count) {
      return false;
    }
    for (let i = 0; i < count; i++) {
      if (values[own + i] !== numbers[start + i]) {
        return false;
      }
    }
    return true;
  }
}

/** Whether devices of rows serve one more pod of a class. */
export class DeviceFit {
  /** By situation: 0 where it is not known, 1 for no, 2 for yes. */
  private known = new Uint8Array(256);

  /** @param byState whether the state of the devices and their model say it */
  constructor(
    private readonly states: DeviceStates,
    private readonly table: NodeTable,
    private readonly podClass: PodClass,
    private readonly byState: boolean,
  ) {}

  of(row: number): boolean {
    const { table } = this;
    if (!this.byState || table.overdrawn[row] > 0) {
      return devicesFit(table, row, this.podClass);
    }
    const at = this.states.situationOf(row);
    if (at >= this.known.length) {
      this.known = longer(this.known, new Uint8Array(2 * at));
    }
    if (this.known[at] === 0) {
      this.known[at] = devicesFit(table, row, this.podClass) ? 2 : 1;
    }
    return this.known[at] === 2;
  }
}

/** Puts a value into its place among the first `count`, which are in order, mostly at the end. */
function insert(sorted: Int32Array, count: number, value: number): void {
  let at = count;
  for (; at > 0 && sorted[at - 1] > value; at--) {
    sorted[at] = sorted[at - 1];
  }
  sorted[at] = value;
}

/** The states after one request, each worked out once. */
export class AfterRequest {
  /** Two more than the state, by the state before; 1 where the request does not fit, 0 where that is not known yet. */
  private known = new Int32Array(256);

  constructor(
    private readonly states: DeviceStates,
    private readonly shape: DeviceShape,
  ) {}

  /** -1 where there are not enough devices. */
  of(state: number): number {
    if (state >= this.known.length) {
      this.known = longer(this.known, new Int32Array(2 * state));
    }
    let after = this.known[state];
    if (after === 0) {
      after = this.states.takeNow(state, this.shape) + 2;
      this.known[state] = after;
    }
    return after - 2;
  }
}

/** Copies the numbers to the front of an array that is longer. */
export function longer<T extends Int32Array | Float64Array | Uint8Array>(numbers: T, array: T): T {
  array.set(numbers);
  return array;
}

/** More thousandths than a request takes of one device; only makes keys unique. */
const MOST_MILLI = 2 ** 32;

function haveOneModel({ deviceStart, deviceModel }: NodeTable, row: number): boolean {
  for (let slot = deviceStart[row] + 1; slot < deviceStart[row + 1]; slot++) {
    if (deviceModel[slot] !== deviceModel[slot - 1]) {
      return false;
    }
  }
  return true;
}
