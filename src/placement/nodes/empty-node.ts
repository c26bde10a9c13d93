/**
 * What a node takes were nothing on it: how many pods of a class a new node like it would have room for.
 */
import { milliOn } from '../nodes/devices';
import { type Amounts } from '../model/model';
import { type NodeTable, WHOLE } from '../nodes/node-table';
import { type PodClass } from '../nodes/pod-class';

/** Whole devices, or places for one device's part of a request, that are free for the class on the row. */
export function usableDevices(table: NodeTable, row: number, podClass: PodClass): number {
  return unitsOf(table, row, podClass, table.deviceFree, Infinity);
}

const known = new WeakMap<PodClass, { readonly room: Int32Array; readonly replaced: number }>();

/** Pods of the class that each row would take were it empty; worked out once for a class and the nodes as they are. */
export function emptyRoom(table: NodeTable, podClass: PodClass): Int32Array {
  const before = known.get(podClass);
  if (before?.replaced === table.replaced) {
    return before.room;
  }
  const room = Int32Array.from(table.nodes, (_, row) => emptyCapacity(table, row, podClass));
  known.set(podClass, { room, replaced: table.replaced });
  return room;
}

interface Nodes {
  readonly table: NodeTable;
  /** Not 0 for rows that never take a pod of the class. */
  staticRow(podClass: PodClass): Uint8Array;
}

interface Counted {
  readonly replaced: number;
  /** Of all rows, or as many at least. */
  readonly pods: number;
  readonly isAll: boolean;
}

/** What the cluster would take were nothing on it; worked out once for a class and the nodes as they are, and no row is kept. */
export class EmptyRooms {
  private readonly pods = new Map<PodClass, Counted>();
  private readonly forlorn = new Map<PodClass, { readonly replaced: number; readonly never: boolean }>();

  constructor(private readonly nodes: Nodes) {}

  /** Whether that number of pods of the class. The first question ends at the row with which it does; O(rows). */
  holds(podClass: PodClass, count: number): boolean {
    const { replaced } = this.nodes.table;
    const known = this.pods.get(podClass);
    const before = known?.replaced === replaced ? known : undefined;
    if (before !== undefined && (before.isAll || before.pods >= count)) {
      return before.pods >= count;
    }
    const most = before === undefined ? count : Infinity;
    let pods = 0;
    const isAll = !this.each(podClass, (room) => (pods += room) >= most);
    this.pods.set(podClass, { replaced, pods, isAll });
    return pods >= count;
  }

  /** Whether no node takes a pod of the class, whatever is on it. It ends at the first that does. */
  isNone(podClass: PodClass): boolean {
    const { table } = this.nodes;
    const before = this.forlorn.get(podClass);
    if (before?.replaced === table.replaced) {
      return before.never;
    }
    const never = !this.each(podClass, (room) => room > 0);
    this.forlorn.set(podClass, { replaced: table.replaced, never });
    return never;
  }

  /** Calls with the room of each row that is not ruled out, until a call is answered with `true`: whether one was. */
  private each(podClass: PodClass, isEnough: (room: number) => boolean): boolean {
    const { table } = this.nodes;
    if (asksForMoreThanAny(table, podClass)) {
      return false;
    }
    const ruledOut = this.nodes.staticRow(podClass);
    for (let row = 0; row < table.count; row++) {
      if (ruledOut[row] === 0 && isEnough(emptyCapacity(table, row, podClass))) {
        return true;
      }
    }
    return false;
  }
}

/** Without a look at each node: most classes of a crowd that no node has room for. */
function asksForMoreThanAny(table: NodeTable, { columns, amounts, accelerator, deviceCount }: PodClass): boolean {
  for (let i = 0; i < columns.length; i++) {
    if (table.largest(columns[i]) < amounts[i]) {
      return true;
    }
  }
  return accelerator?.kind === 'whole' && table.mostDevices() < deviceCount;
}

/** Pods of the class that an empty node takes; what pods outside the snapshot use is taken on it as well. */
function emptyCapacity(table: NodeTable, row: number, podClass: PodClass): number {
  const { used = NOTHING } = table.nodes[row];
  const { columns, amounts } = podClass;
  let pods = MOST_PODS;
  for (let i = 0; i < columns.length; i++) {
    const free = table.allocatable[columns[i]][row] - (used[table.resources[columns[i]]] ?? 0);
    pods = Math.min(pods, Math.floor(free / amounts[i]));
  }
  const { accelerator, deviceCount } = podClass;
  if (accelerator === undefined || pods <= 0) {
    return Math.max(0, pods);
  }
  if (accelerator.kind === 'mig') {
    return Math.min(pods, Math.floor(instances(table, row, podClass) / deviceCount));
  }
  if (table.deviceStart[row] === table.deviceStart[row + 1]) {
    return 0;
  }
  const spare = used[table.deviceResource[row]] ?? 0;
  // Several devices of one pod are different ones: no device serves more pods than there are.
  for (; pods > 0; pods--) {
    const units = unitsOf(table, row, podClass, table.deviceCapacity, pods);
    if (units - spare * Math.min(pods, perDevice(table, row, podClass)) >= pods * deviceCount) {
      return pods;
    }
    pods = Math.min(pods, Math.floor(units / deviceCount) + 1);
  }
  return 0;
}

const MOST_PODS = 1_000_000;
const NOTHING: Amounts = {};

function perDevice(table: NodeTable, row: number, { accelerator }: PodClass): number {
  return Math.floor(WHOLE / milliOn(table, table.deviceStart[row], accelerator!));
}

function unitsOf(table: NodeTable, row: number, podClass: PodClass, free: Int32Array, most: number): number {
  let units = 0;
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    if (podClass.models === undefined || podClass.models.has(table.deviceModel[slot])) {
      units += Math.min(most, Math.floor(free[slot] / milliOn(table, slot, podClass.accelerator!)));
    }
  }
  return units;
}

function instances(table: NodeTable, row: number, { profile }: PodClass): number {
  let sum = 0;
  for (let slot = table.deviceStart[row]; profile >= 0 && slot < table.deviceStart[row + 1]; slot++) {
    sum += table.migCapacity[slot * table.profiles.length + profile];
  }
  return sum;
}
