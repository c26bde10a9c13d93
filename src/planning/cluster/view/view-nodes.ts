/**
 * Nodes, their devices and who holds them, for the view.
 */
import { type ClusterNode, type Device } from '../../../placement';
import { untoleratedTaint } from '../../../placement/nodes/filters/selectors';
import { milliOn } from '../../../placement/nodes/devices';
import { deviceKey } from '../../../placement/model/claims';
import { WHOLE } from '../../../placement/nodes/node-table';
import { partOf } from '../../../placement/books/claimed-slots';
import { type PodRecord } from '../../../placement/books/records';
import { type Session } from '../../../placement/books/session';
import { partitionOf } from '../nodes/partitions';
import { type ViewDeviceKind, type ViewNode, type ViewPod } from './view';
import { type Places, type ViewInput } from './view-input';

export interface NodeViews {
  readonly resources: readonly string[];
  readonly deviceKinds: readonly ViewDeviceKind[];
  /** By index of `ViewNode.pool`. */
  readonly poolNames: readonly string[];
  readonly nodes: readonly ViewNode[];
  /** Row of the node table of each node. */
  readonly rows: readonly number[];
}

export function nodeViews(
  input: ViewInput,
  { rows, paths }: Places,
  gangIndex: ReadonlyMap<string, number>,
): NodeViews {
  const { session, poolOf } = input;
  const { table } = session;
  const resources = shownResources(session);
  const kinds = new Interned<ViewDeviceKind>();
  const pools = new Interned<string>();
  const pods = podsByRow(input, gangIndex);
  const nodes = rows.map((row): ViewNode => {
    const node = table.nodes[row];
    const taints = (node.taints ?? []).filter((taint) => untoleratedTaint([taint], []) !== undefined);
    const amounts = resources.map((name) => amountsOn(session, row, name));
    const health = input.healthOf?.(node.name);
    const devices: number[] = [];
    for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
      devices.push(kinds.indexOf(kindOf(table.deviceResource[row], table.devices[slot], node.labels)));
    }
    return {
      name: node.name,
      pool: pools.indexOf(poolOf(node)),
      path: paths[row],
      ...(node.ready === false && { ready: false as const }),
      ...(node.unschedulable === true && { cordoned: true as const }),
      ...(taints.length > 0 && {
        taints: taints.map(({ key, value, effect }) => `${key}${value === undefined ? '' : `=${value}`}:${effect}`),
      }),
      ...(health !== undefined && { health }),
      allocatable: amounts.map(([allocatable]) => allocatable),
      used: amounts.map(([, used]) => used),
      devices,
      pods: pods.get(row) ?? [],
    };
  });
  return { resources, deviceKinds: kinds.values, poolNames: pools.values, nodes, rows };
}

/** The device resources of nodes are not columns of the table; they come last. */
function shownResources({ table }: Session): readonly string[] {
  const asked = table.resources.filter((_, column) => table.allocatable[column].some((amount) => amount > 0));
  return [
    ...asked,
    ...new Set(table.deviceResource.filter((_, row) => table.deviceStart[row + 1] > table.deviceStart[row])),
  ];
}

/** Allocatable, and used after the decision. */
function amountsOn({ table }: Session, row: number, resource: string): readonly [number, number] {
  const column = table.columns.get(resource);
  if (column !== undefined) {
    return [table.allocatable[column][row], table.allocatable[column][row] - table.free[column][row]];
  }
  if (table.deviceResource[row] !== resource) {
    return [0, 0];
  }
  let milli = 0;
  const first = table.deviceStart[row];
  const end = table.deviceStart[row + 1];
  for (let slot = first; slot < end; slot++) {
    milli += deviceUsed(table, slot);
  }
  return [end - first, milli / WHOLE];
}

/** Thousandths of a device that are taken; of a divided one its instances' part. */
export function deviceUsed(table: Session['table'], slot: number): number {
  const { mig } = table.devices[slot];
  if (mig === undefined) {
    return table.deviceCapacity[slot] - table.deviceFree[slot];
  }
  let all = 0;
  let free = 0;
  for (let profile = 0; profile < table.profiles.length; profile++) {
    const slices = Number.parseInt(table.profiles[profile], 10) || 1;
    all += table.migCapacity[slot * table.profiles.length + profile] * slices;
    free += table.migFree[slot * table.profiles.length + profile] * slices;
  }
  return all === 0 ? 0 : Math.round((WHOLE * (all - free)) / all);
}

function kindOf(
  resource: string,
  { model, memoryMiB, numa, island, mig, replicas, healthy }: Device,
  labels: ClusterNode['labels'] = {},
): ViewDeviceKind {
  const partition = partitionOf(resource, model, labels);
  return {
    resource,
    ...(model !== undefined && { model }),
    ...(memoryMiB !== undefined && { memoryMiB }),
    ...(numa !== undefined && { numa }),
    ...(island !== undefined && { island }),
    ...(mig !== undefined && { mig }),
    ...(partition !== undefined && {
      partition: { mode: `${partition.compute}/${partition.memory}`, perDevice: partition.devices },
    }),
    ...(replicas !== undefined && replicas > 1 && { replicas }),
    ...(healthy === false && { healthy: false as const }),
  };
}

function podsByRow(
  { session, decision }: ViewInput,
  gangIndex: ReadonlyMap<string, number>,
): ReadonlyMap<number, readonly ViewPod[]> {
  const planned = new Set(decision.bindings.map(({ pod }) => pod));
  const nominated = new Set(decision.nominations.map(({ pod }) => pod));
  const byRow = new Map<number, ViewPod[]>();
  for (const pod of session.pods) {
    const held = pod.row < 0 ? undefined : heldBy(session, pod);
    if (held === undefined) {
      continue;
    }
    const state = planned.has(pod.name)
      ? 'planned'
      : nominated.has(pod.name)
        ? 'nominated'
        : pod.releasing
          ? 'leaving'
          : undefined;
    const view: ViewPod = { ...podName(pod, gangIndex), ...held, ...(state !== undefined && { state }) };
    const list = byRow.get(pod.row);
    if (list === undefined) {
      byRow.set(pod.row, [view]);
    } else {
      list.push(view);
    }
  }
  return byRow;
}

function podName(pod: PodRecord, gangIndex: ReadonlyMap<string, number>): Pick<ViewPod, 'name' | 'gang' | 'role'> {
  const gang = pod.role === undefined ? undefined : gangIndex.get(pod.role.gang.gang.name);
  return { name: pod.name, ...(gang !== undefined && { gang, role: pod.role!.role.name }) };
}

/** The devices that the pod has on its node; `undefined` where it has none. */
function heldBy({ table }: Session, pod: PodRecord): Pick<ViewPod, 'devices' | 'share' | 'profile'> | undefined {
  if (pod.devices.length === 0) {
    return heldByClaims(table, pod);
  }
  const accelerator = pod.podClass.accelerator!;
  const share = accelerator.kind === 'mig' ? undefined : milliOn(table, pod.devices[0], accelerator);
  const start = table.deviceStart[pod.row];
  return {
    devices: pod.devices.map((slot) => slot - start),
    ...(share !== undefined && share < WHOLE && { share }),
    ...(accelerator.kind === 'mig' && { profile: accelerator.profile }),
  };
}

function heldByClaims(
  table: Session['table'],
  { row, claimed }: PodRecord,
): Pick<ViewPod, 'devices' | 'share'> | undefined {
  const { claimable } = table.nodes[row];
  const parts = claimed.flatMap(({ devices }) =>
    devices.flatMap((device) => {
      const part = device.adminAccess ? undefined : claimable?.get(deviceKey(device));
      return part === undefined ? [] : [{ index: part.device, milli: partOf(part, device.share) }];
    }),
  );
  const share = Math.min(...parts.map(({ milli }) => milli));
  return parts.length === 0
    ? undefined
    : { devices: parts.map(({ index }) => index).sort((a, b) => a - b), ...(share < WHOLE && { share }) };
}

/** Distinct values by their text, in the order of first appearance. */
class Interned<T> {
  readonly values: T[] = [];
  private readonly indices = new Map<string, number>();

  indexOf(value: T): number {
    const key = JSON.stringify(value);
    let index = this.indices.get(key);
    if (index === undefined) {
      index = this.values.length;
      this.indices.set(key, index);
      this.values.push(value);
    }
    return index;
  }
}
