/**
 * Nodes and devices as columns: one typed array per resource, one slot per device, so that a scan touches little memory and an index is
 * all that anybody needs to know of a node. Rows are in the order of `compareNames`, which makes the row number the tie-break.
 */
import { type DeviceReport, readCapacityReport } from './capacity-report';
import { type CapacityReportCounts } from './decision';
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Device, PODS, type Snapshot } from './model';
import { compareNames } from './names';

/** A whole device in thousandths. */
export const WHOLE = 1000;

export const CPU_COLUMN = 0;
export const MEMORY_COLUMN = 1;
export const PODS_COLUMN = 2;

export class NodeTable {
  readonly count: number;
  readonly nodes: readonly ClusterNode[];
  readonly rows: ReadonlyMap<string, number>;

  readonly resources: readonly string[];
  readonly columns: ReadonlyMap<string, number>;
  /** By column, then row. */
  readonly allocatable: readonly Float64Array[];
  readonly free: readonly Float64Array[];

  /** Devices of row n are the slots from `deviceStart[n]` to `deviceStart[n + 1]`. */
  readonly deviceStart: Int32Array;
  readonly devices: readonly Device[];
  /** Thousandths that are free; 0 for a device that is divided by MIG or broken. */
  readonly deviceFree: Int32Array;
  readonly deviceCapacity: Int32Array;
  readonly deviceModel: Int32Array;
  readonly deviceMemory: Float64Array;
  readonly deviceReport: readonly (DeviceReport | undefined)[];
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
  readonly deviceResource: readonly string[];

  /** Grows whenever something on the row changes. */
  readonly version: Int32Array;
  /** Rows in the order in which they changed, since the era began. */
  readonly changes: number[] = [];
  era = 0;

  private readonly most: (number | undefined)[] = [];

  readonly reports: CapacityReportCounts;
  /** Some node has a taint that only prefers to keep pods away. */
  readonly softTaints: boolean;

  constructor(snapshot: Snapshot, reportSeconds: number, extraResources: Iterable<string>) {
    this.nodes = [...snapshot.nodes].sort((a, b) => compareNames(a.name, b.name));
    this.count = this.nodes.length;
    this.rows = new Map(this.nodes.map((node, row) => [node.name, row]));
    this.deviceResource = this.nodes.map((node) => node.deviceResource ?? DEFAULT_DEVICE_RESOURCE);

    this.resources = resourceNames(this.nodes, this.deviceResource, extraResources);
    this.columns = new Map(this.resources.map((name, column) => [name, column]));
    this.allocatable = this.resources.map((name) =>
      Float64Array.from(this.nodes, (node) => node.allocatable[name] ?? 0),
    );
    this.free = this.resources.map((name, column) =>
      Float64Array.from(this.nodes, (node, row) => this.allocatable[column][row] - (node.used?.[name] ?? 0)),
    );

    const perNode = this.nodes.map((node, row) => devicesOf(node, this.deviceResource[row]));
    this.devices = perNode.flat();
    this.deviceStart = new Int32Array(this.count + 1);
    perNode.forEach((list, row) => (this.deviceStart[row + 1] = this.deviceStart[row] + list.length));
    this.deviceCapacity = Int32Array.from(this.devices, (device) =>
      device.healthy === false || device.mig !== undefined ? 0 : WHOLE,
    );
    this.deviceFree = this.deviceCapacity.slice();
    this.models = [...new Set(this.devices.flatMap(({ model }) => (model === undefined ? [] : [model])))].sort(
      compareNames,
    );
    this.deviceModel = Int32Array.from(this.devices, ({ model }) =>
      model === undefined ? -1 : this.models.indexOf(model),
    );
    this.deviceMemory = Float64Array.from(this.devices, ({ memoryMiB }) => memoryMiB ?? 0);

    this.profiles = [...new Set(this.devices.flatMap(({ mig }) => Object.keys(mig ?? {})))].sort(compareNames);
    this.migCapacity = new Int32Array(this.devices.length * this.profiles.length);
    this.devices.forEach(({ mig, healthy }, slot) =>
      this.profiles.forEach(
        (profile, index) =>
          (this.migCapacity[slot * this.profiles.length + index] = healthy === false ? 0 : (mig?.[profile] ?? 0)),
      ),
    );
    this.migFree = this.migCapacity.slice();

    const reports = this.readReports(snapshot.now, reportSeconds);
    this.deviceReport = reports.devices;
    this.reports = reports.counts;

    this.softTaints = this.nodes.some(({ taints = [] }) => taints.some(({ effect }) => effect === 'PreferNoSchedule'));
    this.wholeFree = new Int32Array(this.count);
    this.milliFree = new Int32Array(this.count);
    this.overdrawn = new Int32Array(this.count);
    this.version = new Int32Array(this.count);
    for (let row = 0; row < this.count; row++) {
      this.takeUsedDevices(row);
      this.recountDevices(row);
    }
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

  /** Notes that something on the row is different. */
  changed(row: number): void {
    this.version[row]++;
    if (this.changes.length > NOTES) {
      this.changes.length = 0;
      this.era++;
    }
    this.changes.push(row);
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

  private readReports(
    now: number,
    seconds: number,
  ): { devices: (DeviceReport | undefined)[]; counts: CapacityReportCounts } {
    const devices = new Array<DeviceReport | undefined>(this.devices.length).fill(undefined);
    const counts = { fresh: 0, stale: 0, malformed: 0 };
    this.nodes.forEach((node, row) => {
      if (node.capacityReport === undefined) {
        return;
      }
      const read = readCapacityReport(node.capacityReport, now, seconds);
      counts[read.state]++;
      if (read.state === 'fresh') {
        for (let slot = this.deviceStart[row]; slot < this.deviceStart[row + 1]; slot++) {
          devices[slot] = read.report.devices.get(slot - this.deviceStart[row]);
        }
      }
    });
    return { devices, counts };
  }
}

function resourceNames(
  nodes: readonly ClusterNode[],
  deviceResource: readonly string[],
  extra: Iterable<string>,
): string[] {
  const devices = new Set(deviceResource);
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

function devicesOf(node: ClusterNode, resource: string): readonly Device[] {
  return node.devices ?? Array.from({ length: node.allocatable[resource] ?? 0 }, () => PLAIN);
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
