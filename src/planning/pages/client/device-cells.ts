/**
 * What the picture draws of a node's devices: a cell for each physical device, divided into its parts where it has parts that pods
 * request one by one (MIG instances, partitions of an AMD GPU, time-sliced replicas).
 */
import {
  type ClusterView,
  type Occupant,
  occupantsOf,
  type ViewDeviceKind,
  type ViewNode,
  type ViewPod,
} from '../../cluster/view/view';

/** A part of a cell; a position and a size are fractions of the cell's. */
export interface Slot {
  /** Absent where it is free. */
  readonly pod?: ViewPod;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Cell {
  /** Columns that it takes: two where it has many parts. */
  readonly span: 1 | 2;
  readonly slots: readonly Slot[];
  readonly healthy: boolean;
}

/** Devices of one kind beside each other that make up one cell. */
interface Group {
  readonly kind: ViewDeviceKind;
  /** Indices in the node's devices. */
  readonly devices: readonly number[];
}

/** A slice of MIG is a seventh of its GPU. */
const MIG_SLICES = 7;
/** More replicas than this are not told apart. */
const MOST_REPLICAS = 12;
/** More parts than this take two columns. */
const MOST_IN_ONE = 4;

export function cellsOf(view: ClusterView, node: ViewNode): readonly Cell[] {
  const occupants = occupantsOf(view, node);
  return groupsOf(view, node).map(({ kind, devices }) => ({
    span: spanOf(kind),
    slots: slotsOf(
      kind,
      devices.map((device) => occupants[device]),
    ),
    healthy: kind.healthy !== false,
  }));
}

/** Columns of each cell: what the layout needs, without a look at the pods. */
export function spansOf(view: ClusterView, node: ViewNode): readonly (1 | 2)[] {
  return groupsOf(view, node).map(({ kind }) => spanOf(kind));
}

function groupsOf({ deviceKinds }: ClusterView, { devices }: ViewNode): readonly Group[] {
  const groups: Group[] = [];
  for (let first = 0; first < devices.length;) {
    const kind = deviceKinds[devices[first]];
    const most = kind.partition?.perDevice ?? 1;
    let end = first + 1;
    while (end < devices.length && end < first + most && devices[end] === devices[first]) {
      end++;
    }
    groups.push({ kind, devices: Array.from({ length: end - first }, (_, i) => first + i) });
    first = end;
  }
  return groups;
}

function spanOf({ mig, partition, replicas = 1 }: ViewDeviceKind): 1 | 2 {
  const parts = partition?.perDevice ?? (replicas <= MOST_REPLICAS ? replicas : 1);
  return mig !== undefined || parts > MOST_IN_ONE ? 2 : 1;
}

function slotsOf(kind: ViewDeviceKind, occupants: readonly (readonly Occupant[])[]): readonly Slot[] {
  if (kind.mig !== undefined) {
    return instancesOf(kind.mig, occupants[0]);
  }
  if (kind.partition !== undefined) {
    return inGrid(
      kind.partition.perDevice,
      occupants.map(([first]) => first?.pod),
    );
  }
  const { replicas = 1 } = kind;
  if (replicas > 1 && replicas <= MOST_REPLICAS) {
    const pods = occupants[0].flatMap(({ pod, share }) =>
      Array.from({ length: Math.max(1, Math.round((share * replicas) / 1000)) }, () => pod),
    );
    return inGrid(replicas, pods);
  }
  return stacked(occupants[0]);
}

/** Equal parts, in two rows where there are four or more. */
function inGrid(count: number, pods: readonly (ViewPod | undefined)[]): readonly Slot[] {
  const rows = count >= MOST_IN_ONE ? 2 : 1;
  const columns = Math.ceil(count / rows);
  return Array.from({ length: count }, (_, i) => ({
    pod: pods[i],
    x: (i % columns) / columns,
    y: Math.floor(i / columns) / rows,
    width: 1 / columns,
    height: 1 / rows,
  }));
}

/** MIG instances beside each other, the largest first, each as wide as its slices; slices that no instance has stay blank. */
function instancesOf(mig: NonNullable<ViewDeviceKind['mig']>, occupants: readonly Occupant[]): readonly Slot[] {
  const instances = Object.entries(mig)
    .flatMap(([profile, count]) => Array.from({ length: count }, () => profile))
    .sort((a, b) => slicesOf(b) - slicesOf(a));
  const all = Math.max(
    MIG_SLICES,
    instances.reduce((sum, profile) => sum + slicesOf(profile), 0),
  );
  const waiting = [...occupants];
  let x = 0;
  return instances.map((profile) => {
    const holder = waiting.findIndex(({ pod }) => pod.profile === profile);
    const [found] = holder < 0 ? [] : waiting.splice(holder, 1);
    const slot = { pod: found?.pod, x, y: 0, width: slicesOf(profile) / all, height: 1 };
    x += slot.width;
    return slot;
  });
}

function slicesOf(profile: string): number {
  return Number.parseInt(profile, 10) || 1;
}

/** Shares of any size, from below; what is left is free. */
function stacked(occupants: readonly Occupant[]): readonly Slot[] {
  const slots: Slot[] = [];
  let bottom = 1;
  for (const { pod, share } of occupants) {
    const height = Math.min(bottom, share / 1000);
    bottom -= height;
    slots.push({ pod, x: 0, y: bottom, width: 1, height });
  }
  return bottom > 0.001 ? [...slots, { x: 0, y: 0, width: 1, height: bottom }] : slots;
}
