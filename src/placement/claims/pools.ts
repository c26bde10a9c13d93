/**
 * The pools of devices that a node can use: of each pool the newest generation, in the order in which devices are tried.
 */
import { addTo } from '../../facts/collections';
import { compareText } from '../model/names';
import { type Device, type DeviceSlice } from '../model/claims';

export interface DevicePool {
  readonly driver: string;
  readonly pool: string;
  /**
   * Why no device of it can be allocated now.
   * @default - its devices can be allocated
   */
  readonly unusable?: 'incomplete' | 'invalid';
  /** Some devices of its slices bind only when conditions hold. */
  readonly bindsLater: boolean;
  /** Devices that the node can use, in order. */
  readonly devices: readonly Device[];
  /** Devices of the same pool that other nodes can use: they consume the same counters. */
  readonly elsewhere: readonly Device[];
  readonly counters: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

/** The pools with devices for the node, by driver and name; pools whose devices bind later come last. */
export function poolsOf(slices: readonly DeviceSlice[], node: string): readonly DevicePool[] {
  const groups = new Map<string, DeviceSlice[]>();
  for (const slice of slices) {
    const key = `${slice.driver}\0${slice.pool}`;
    addTo(groups, key, slice);
  }
  const pools = [...groups.values()].flatMap((group) => poolOf(group, node) ?? []);
  return pools.sort(
    (a, b) =>
      Number(a.bindsLater) - Number(b.bindsLater) || compareText(a.driver, b.driver) || compareText(a.pool, b.pool),
  );
}

/** `undefined` where the node can use no device of the newest generation. */
function poolOf(group: readonly DeviceSlice[], node: string): DevicePool | undefined {
  const newest = Math.max(...group.map(({ generation }) => generation));
  const slices = group.filter(({ generation }) => generation === newest).sort((a, b) => compareText(a.name, b.name));
  const usable = slices.filter((slice) => isUsable(slice, node));
  const [first] = usable;
  if (first === undefined) {
    return undefined;
  }
  const { driver, pool, sliceCount } = first;
  const none = { driver, pool, bindsLater: false, devices: [], elsewhere: [], counters: new Map<string, never>() };
  if (slices.length !== sliceCount) {
    return { ...none, unusable: 'incomplete' };
  }
  const counters = countersOf(slices);
  const here = usable.filter((slice) => slice.counters.size === 0);
  const elsewhere = slices.filter((slice) => !usable.includes(slice)).flatMap(({ devices }) => devices);
  const all = here.flatMap(({ devices }) => devices);
  if (counters === undefined || !areNamedOnce(all) || !haveTheirCounters([...all, ...elsewhere], counters)) {
    return { ...none, unusable: 'invalid' };
  }
  return {
    driver,
    pool,
    bindsLater: all.some(({ bindsLater }) => bindsLater),
    devices: here.flatMap((slice) => devicesFor(slice, node)),
    elsewhere: [
      ...elsewhere,
      ...here.flatMap((slice) => slice.devices.filter((device) => device.nodes?.(node) === false)),
    ],
    counters,
  };
}

/** Counters are needed wherever the devices are. */
function isUsable({ nodes, devices, counters }: DeviceSlice, node: string): boolean {
  return counters.size > 0 || (nodes === 'per-device' ? devices.some((device) => device.nodes?.(node)) : nodes(node));
}

function devicesFor({ nodes, devices }: DeviceSlice, node: string): readonly Device[] {
  return nodes === 'per-device' ? devices.filter((device) => device.nodes?.(node)) : devices;
}

/** `undefined` where two counter sets have one name. */
function countersOf(slices: readonly DeviceSlice[]): ReadonlyMap<string, ReadonlyMap<string, bigint>> | undefined {
  const sets = slices.flatMap(({ counters }) => [...counters]);
  const byName = new Map(sets);
  return byName.size === sets.length ? byName : undefined;
}

function areNamedOnce(devices: readonly Device[]): boolean {
  return new Set(devices.map(({ name }) => name)).size === devices.length;
}

function haveTheirCounters(
  devices: readonly Device[],
  counters: ReadonlyMap<string, ReadonlyMap<string, bigint>>,
): boolean {
  return devices.every(({ consumes }) =>
    consumes.every((use) => {
      const set = counters.get(use.set);
      return set !== undefined && [...use.counters.keys()].every((name) => set.has(name));
    }),
  );
}
