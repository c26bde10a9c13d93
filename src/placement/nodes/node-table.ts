/**
 * Nodes and devices as columns: one typed array per resource, one slot per device, so that a scan touches little memory and an index is
 * all that anybody needs to know of a node. Rows are in the order of `compareNames`, which makes the row number the tie-break.
 */
import { listById } from '../../facts/collections';
import { type CapacityReport, type DeviceReport, parseCapacityReport, reportAsOf } from './capacity-report';
import { type CapacityReportCounts } from '../model/decision';
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Device, PODS, type Snapshot } from '../model/model';
import { canonicalText } from '../model/canonical-text';
import { compareNames } from '../model/names';

/** A whole device in thousandths. */
export const WHOLE = 1000;

export const CPU_COLUMN = 0;
export const MEMORY_COLUMN = 1;
export const PODS_COLUMN = 2;

export class NodeTable {
  readonly count: number;
  readonly nodes: ClusterNode[];
  readonly rows: ReadonlyMap<string, number>;

  readonly resources: readonly string[];
  readonly columns: ReadonlyMap<string, number>;
  /** By column, then row. */
  readonly allocatable: readonly Float64Array[];
  readonly free: readonly Float64Array[];

  /** Devices of row n are the slots from `deviceStart[n]` to `deviceStart[n + 1]`. */
  readonly deviceStart: Int32Array;
  readonly devices: Device[];
  /** Thousandths that are free; 0 for a device that is divided by MIG or broken. */
  readonly deviceFree: Int32Array;
  readonly deviceCapacity: Int32Array;
  readonly deviceModel: Int32Array;
  readonly deviceMemory: Float64Array;
  readonly deviceReport: (DeviceReport | undefined)[];
  /** Row of each slot. */
  readonly deviceRow: Int32Array;
  readonly models: readonly string[];
  /** Free instances: slot times the number of profiles plus profile. */
  readonly migFree: Int32Array;
  readonly migCapacity: Int32Array;
  readonly profiles: readonly string[];

  /** Devices of the row with all of their thousandths free. */
  readonly wholeFree: Int32Array;
  /** Thousandths free on the row, over all devices. */
  readonly milliFree: Int32Array;
  /** Thousandths that pods hold of the row's devices beyond what these have; the other devices give up as much. */
  readonly overdrawn: Int32Array;
  /** Rows on which they hold any such. */
  overdrawnRows = 0;
  readonly deviceResource: readonly string[];
  readonly allRows: Int32Array;
  /** A fraction goes to the emptiest device that takes it, and not to the fullest. */
  spreadsFractions = false;

  /** Another number whenever something on the row changes; the one before it when exactly that is undone. */
  readonly version: Int32Array;
  private readonly latest: Int32Array;
  /** Rows in the order in which they changed, since the era began. */
  readonly changes: number[] = [];
  era = 0;

  /** Some device says which NVLink island or NUMA node it is of. */
  readonly linked: boolean;
  /** Nodes that another value was put in the place of. */
  replaced = 0;
  /** Their rows, the last of them at the end; those before the first of them are not known any more. */
  readonly replacements: number[] = [];

  /** By number of devices, then the first of them. */
  private readonly neighborsOf = listById<(readonly number[] | undefined)[]>();

  private freeBefore: Int32Array | undefined;
  private readonly most = listById<number>();
  private devicesOfOne: number | undefined;
  private offers: { readonly amounts: Float64Array; readonly most: number; readonly replaced: number } | undefined;
  private readonly deviceResources: ReadonlySet<string>;

  /** By row, with the text that was read. */
  private readonly parsed: ({ readonly text: string; readonly report: CapacityReport | undefined } | undefined)[] = [];
  reports: CapacityReportCounts = { fresh: 0, stale: 0, malformed: 0 };
  /** Some node has a taint that only prefers to keep pods away. */
  readonly softTaints: boolean;

  constructor(snapshot: Snapshot, reportSeconds: number, extraResources: Iterable<string>) {
    this.nodes = [...snapshot.nodes].sort((a, b) => compareNames(a.name, b.name));
    this.count = this.nodes.length;
    this.rows = new Map(this.nodes.map((node, row) => [node.name, row]));
    this.allRows = Int32Array.from(this.nodes.keys());
    this.deviceResource = this.nodes.map((node) => node.deviceResource ?? DEFAULT_DEVICE_RESOURCE);

    this.deviceResources = new Set(this.deviceResource);
    this.resources = resourceNames(this.nodes, this.deviceResources, extraResources);
    this.columns = new Map(this.resources.map((name, column) => [name, column]));
    const allocatable: Float64Array[] = [];
    const free: Float64Array[] = [];
    for (const name of this.resources) {
      const all = numbersOf(this.nodes, (node) => node.allocatable[name] ?? 0, Float64Array);
      allocatable.push(all);
      free.push(numbersOf(this.nodes, (node, row) => all[row] - (node.used?.[name] ?? 0), Float64Array));
    }
    this.allocatable = allocatable;
    this.free = free;

    const perNode = this.nodes.map((node, row) => devicesOf(node, this.deviceResource[row]));
    this.devices = perNode.flat();
    this.linked = this.devices.some(({ island, numa }) => island !== undefined || numa !== undefined);
    this.deviceStart = new Int32Array(this.count + 1);
    perNode.forEach((list, row) => (this.deviceStart[row + 1] = this.deviceStart[row] + list.length));
    this.deviceRow = new Int32Array(this.devices.length);
    perNode.forEach((_, row) => this.deviceRow.fill(row, this.deviceStart[row], this.deviceStart[row + 1]));
    this.deviceCapacity = numbersOf(this.devices, capacityOf, Int32Array);
    this.deviceFree = this.deviceCapacity.slice();
    this.models = namesOf(this.devices, ({ model }, add) => model !== undefined && add(model));
    this.deviceModel = numbersOf(
      this.devices,
      ({ model }) => (model === undefined ? -1 : this.models.indexOf(model)),
      Int32Array,
    );
    this.deviceMemory = numbersOf(this.devices, ({ memoryMiB }) => memoryMiB ?? 0, Float64Array);

    this.profiles = namesOf(this.devices, ({ mig }, add) => mig !== undefined && Object.keys(mig).forEach(add));
    this.migCapacity = new Int32Array(this.devices.length * this.profiles.length);
    if (this.profiles.length > 0) {
      this.devices.forEach((_, slot) => this.countInstances(slot));
    }
    this.migFree = this.migCapacity.slice();
    this.deviceReport = new Array<DeviceReport | undefined>(this.devices.length).fill(undefined);

    this.softTaints = this.nodes.some(({ taints = [] }) => taints.some(({ effect }) => effect === 'PreferNoSchedule'));
    this.wholeFree = new Int32Array(this.count);
    this.milliFree = new Int32Array(this.count);
    this.overdrawn = new Int32Array(this.count);
    this.version = new Int32Array(this.count);
    this.latest = new Int32Array(this.count);
    for (let row = 0; row < this.count; row++) {
      this.takeUsedDevices(row);
      this.recountDevices(row);
    }
    this.readReports(snapshot.now, reportSeconds);
  }

  /** Whether the change of the node affects neither other rows nor the shape of the table. Undefined: the node was deleted. */
  canReplace(name: string, node: ClusterNode | undefined): boolean {
    const row = this.rows.get(name);
    if (row === undefined || node === undefined) {
      return false;
    }
    return (
      this.nodes[row] === node ||
      (shapeOf(this.nodes[row], this.deviceResource[row]) === shapeOf(node, this.deviceResource[row]) &&
        Object.keys(node.allocatable).every((key) => this.columns.has(key) || this.deviceResources.has(key)))
    );
  }

  /** Puts another value in the place of a node; see `canReplace`. What is free on the row is known after `reset`. */
  replace(row: number, node: ClusterNode): void {
    this.nodes[row] = node;
    this.resources.forEach((name, column) => (this.allocatable[column][row] = node.allocatable[name] ?? 0));
    this.most.length = 0;
    this.replaced++;
    if (this.replacements.length > NOTES) {
      this.replacements.length = 0;
    }
    this.replacements.push(row);
    devicesOf(node, this.deviceResource[row]).forEach((device, index) => {
      const slot = this.deviceStart[row] + index;
      this.devices[slot] = device;
      this.deviceCapacity[slot] = capacityOf(device);
      this.countInstances(slot);
    });
  }

  /** Everything on the row is free but what pods outside the snapshot use. */
  reset(row: number): void {
    const { used } = this.nodes[row];
    this.resources.forEach(
      (name, column) => (this.free[column][row] = this.allocatable[column][row] - (used?.[name] ?? 0)),
    );
    const [from, to] = [this.deviceStart[row], this.deviceStart[row + 1]];
    this.deviceFree.set(this.deviceCapacity.subarray(from, to), from);
    const profiles = this.profiles.length;
    this.migFree.set(this.migCapacity.subarray(from * profiles, to * profiles), from * profiles);
    this.takeUsedDevices(row);
    this.recountDevices(row);
    this.changed(row);
  }

  /** Whether pods get devices of the row by the resource. */
  gives(row: number, deviceResource: string): boolean {
    return this.deviceResource[row] === deviceResource && this.nodes[row].claimable === undefined;
  }

  /** The slots of devices of the row; none where one of the indices is not of this node, since it would be another node's. */
  slotsOf(row: number, devices: readonly number[]): readonly number[] {
    const start = this.deviceStart[row];
    const count = this.deviceStart[row + 1] - start;
    const slots: number[] = [];
    for (const device of devices) {
      if (!Number.isInteger(device) || device < 0 || device >= count) {
        return [];
      }
      slots.push(start + device);
    }
    return slots;
  }

  /** The slots of that many devices from one on, a list that is made once. */
  neighbors(slot: number, count: number): readonly number[] {
    let lists = this.neighborsOf[count];
    if (lists === undefined) {
      lists = new Array<readonly number[] | undefined>(this.devices.length).fill(undefined);
      this.neighborsOf[count] = lists;
    }
    let list = lists[slot];
    if (list === undefined) {
      const made: number[] = [];
      for (let i = 0; i < count; i++) {
        made.push(slot + i);
      }
      list = made;
      lists[slot] = list;
    }
    return list;
  }

  private countInstances(slot: number): void {
    const { mig, healthy } = this.devices[slot];
    this.profiles.forEach(
      (profile, index) =>
        (this.migCapacity[slot * this.profiles.length + index] = healthy === false ? 0 : (mig?.[profile] ?? 0)),
    );
  }

  /** Sum of a column over all nodes that can take pods at all. */
  total(column: number): number {
    let sum = 0;
    for (let row = 0; row < this.count; row++) {
      sum += this.allocatable[column][row];
    }
    return sum;
  }

  /** The most that one node has of a column. */
  largest(column: number): number {
    return (this.most[column] ??= this.allocatable[column].reduce((most, amount) => Math.max(most, amount), 0));
  }

  /** The most devices that one node has. */
  mostDevices(): number {
    if (this.devicesOfOne === undefined) {
      const { deviceStart, count } = this;
      this.devicesOfOne = 0;
      for (let row = 0; row < count; row++) {
        this.devicesOfOne = Math.max(this.devicesOfOne, deviceStart[row + 1] - deviceStart[row]);
      }
    }
    return this.devicesOfOne;
  }

  /** What each row has of its device resource. */
  offered(): Float64Array {
    return this.offersNow().amounts;
  }

  /** The most that one row has of its device resource. */
  mostOffered(): number {
    return this.offersNow().most;
  }

  private offersNow(): NonNullable<NodeTable['offers']> {
    if (this.offers?.replaced !== this.replaced) {
      const amounts = Float64Array.from(
        this.nodes,
        ({ allocatable }, row) => allocatable[this.deviceResource[row]] ?? 0,
      );
      const most = amounts.reduce((largest, amount) => Math.max(largest, amount), 0);
      this.offers = { amounts, most, replaced: this.replaced };
    }
    return this.offers;
  }

  /** Notes that something on the row is different. */
  changed(row: number): void {
    this.version[row] = ++this.latest[row];
    if (this.changes.length > NOTES) {
      this.changes.length = 0;
      this.era++;
    }
    this.changes.push(row);
  }

  /** The row is as it was with that version: what is known of that holds again. To be called after `changed`. */
  becomes(row: number, version: number): void {
    this.version[row] = version;
  }

  /** Thousandths of a device are taken, or given back where they are below 0. */
  take(row: number, slot: number, milli: number): void {
    const { deviceFree } = this;
    const before = deviceFree[slot];
    const after = before - milli;
    deviceFree[slot] = after;
    if (before < 0 || after < 0 || this.overdrawn[row] > 0) {
      this.recountDevices(row);
      return;
    }
    this.milliFree[row] -= milli;
    this.wholeFree[row] += Number(after === WHOLE) - Number(before === WHOLE);
  }

  recountDevices(row: number): void {
    let whole = 0;
    let milli = 0;
    let beyond = 0;
    for (let slot = this.deviceStart[row]; slot < this.deviceStart[row + 1]; slot++) {
      const free = this.deviceFree[slot];
      if (free > 0) {
        milli += free;
        whole += free === WHOLE ? 1 : 0;
      } else if (free < 0 && this.deviceCapacity[slot] > 0) {
        beyond -= free;
      }
    }
    this.overdrawnRows += Number(beyond > 0) - Number(this.overdrawn[row] > 0);
    this.overdrawn[row] = beyond;
    this.milliFree[row] = Math.max(0, milli - beyond);
    this.wholeFree[row] = beyond === 0 ? whole : Math.min(whole, Math.floor(this.milliFree[row] / WHOLE));
  }

  /** Devices that are in use outside the snapshot: the last ones, because their indices are unknown. */
  private takeUsedDevices(row: number): void {
    let used = this.nodes[row].used?.[this.deviceResource[row]] ?? 0;
    for (let slot = this.deviceStart[row + 1] - 1; slot >= this.deviceStart[row] && used > 0; slot--) {
      if (this.deviceFree[slot] === WHOLE) {
        this.deviceFree[slot] = 0;
        used--;
      }
    }
  }

  /** Begins, or ends, a decision: until it ends, `isLeft` compares with what is free now. */
  setDeciding(isDeciding: boolean): void {
    this.freeBefore = isDeciding && this.reports.fresh > 0 ? this.deviceFree.slice() : undefined;
  }

  /** Did the decision take a pod off the device? A report then is about what that pod used. */
  isLeft(slot: number): boolean {
    return this.freeBefore !== undefined && this.deviceFree[slot] > this.freeBefore[slot];
  }

  /** Reads the capacity reports as of a moment. @returns the rows whose values changed */
  readReports(now: number, seconds: number): readonly number[] {
    const { fresh, stale, malformed } = this.reports;
    if (fresh + stale + malformed === 0 && this.nodes.every(({ capacityReport }) => capacityReport === undefined)) {
      return [];
    }
    const changed: number[] = [];
    const counts = { fresh: 0, stale: 0, malformed: 0 };
    this.nodes.forEach(({ capacityReport }, row) => {
      const report = capacityReport === undefined ? undefined : this.reportOf(row, capacityReport);
      const read = capacityReport === undefined ? undefined : reportAsOf(report, now, seconds);
      if (read !== undefined) {
        counts[read.state]++;
      }
      let differs = false;
      for (let slot = this.deviceStart[row]; slot < this.deviceStart[row + 1]; slot++) {
        const device = read?.state === 'fresh' ? read.report.devices.get(slot - this.deviceStart[row]) : undefined;
        differs ||= device !== this.deviceReport[slot];
        this.deviceReport[slot] = device;
      }
      if (differs) {
        changed.push(row);
        this.changed(row);
      }
    });
    this.reports = counts;
    return changed;
  }

  private reportOf(row: number, text: string): CapacityReport | undefined {
    let parsed = this.parsed[row];
    if (parsed?.text !== text) {
      parsed = { text, report: parseCapacityReport(text) };
      this.parsed[row] = parsed;
    }
    return parsed.report;
  }
}

/** The numbers of a list, which may have tens of thousands of elements: `from` of typed arrays takes several times as long. */
function numbersOf<T, A extends Int32Array | Float64Array>(
  list: readonly T[],
  numberOf: (element: T, index: number) => number,
  type: new (length: number) => A,
): A {
  const numbers = new type(list.length);
  for (let i = 0; i < list.length; i++) {
    numbers[i] = numberOf(list[i], i);
  }
  return numbers;
}

/** All names in a list of devices, in order. */
function namesOf(
  devices: readonly Device[],
  addNames: (device: Device, add: (name: string) => void) => unknown,
): string[] {
  const names = new Set<string>();
  const add = (name: string): unknown => names.add(name);
  devices.forEach((device) => addNames(device, add));
  return [...names].sort(compareNames);
}

function capacityOf({ healthy, mig }: Device): number {
  return healthy === false || mig !== undefined ? 0 : WHOLE;
}

/** Text that is equal for values of a node that have the same devices, labels and taints. */
function shapeOf(node: ClusterNode, deviceResource: string): string {
  const { labels, domains, taints, devices, allocatable, claimable } = node;
  return canonicalText([
    labels,
    domains,
    taints,
    node.deviceResource ?? DEFAULT_DEVICE_RESOURCE,
    devices?.map((device) => ({ ...device, healthy: undefined })) ?? allocatable[deviceResource] ?? 0,
    claimable === undefined ? 0 : [...claimable],
  ]);
}

function resourceNames(nodes: readonly ClusterNode[], devices: ReadonlySet<string>, extra: Iterable<string>): string[] {
  const names = new Set<string>();
  for (const node of nodes) {
    for (const name in node.allocatable) {
      names.add(name);
    }
  }
  for (const name of extra) {
    names.add(name);
  }
  const fixed = ['cpu', 'memory', PODS];
  return [...fixed, ...[...names].filter((name) => !fixed.includes(name) && !devices.has(name)).sort(compareNames)];
}

/** While the node gets another MIG configuration, its devices are as good as broken. */
function devicesOf(node: ClusterNode, resource: string): readonly Device[] {
  const devices = node.devices ?? Array.from({ length: node.allocatable[resource] ?? 0 }, () => PLAIN);
  return node.migChange === undefined ? devices : devices.map((device) => ({ ...device, healthy: false }));
}

/** What the cluster has of a resource or of the device resource; MIG instances count as devices too. */
export function clusterTotal(table: NodeTable, name: string): number {
  const column = table.columns.get(name);
  if (column !== undefined) {
    return table.total(column);
  }
  let sum = 0;
  for (let row = 0; row < table.count; row++) {
    if (table.deviceResource[row] === name) {
      sum += table.deviceStart[row + 1] - table.deviceStart[row];
      for (const [resource, amount] of Object.entries(table.nodes[row].allocatable)) {
        const slices = /^nvidia\.com\/mig-(\d+)g\./.exec(resource);
        sum += slices === null ? 0 : Number(slices[1]) * amount;
      }
    }
  }
  return sum;
}

/** Maximum number of recorded changes; a reader that is further behind reads every row. */
const NOTES = 65_536;

const PLAIN: Device = {};
