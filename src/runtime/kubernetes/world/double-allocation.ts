/**
 * Devices that two claims hold although only one can: two schedulers chose them at the same time.
 */
import { addTo } from '../../../facts/collections';
import {
  type AllocatedDevice,
  type Device,
  deviceKey,
  type DeviceId,
  type DeviceSlice,
} from '../../../placement/model/claims';
import { poolKey } from './by-pool';

export interface DoubleAllocation extends DeviceId {
  /** What people call the other claim. */
  readonly other: string;
}

/** Claims by key, as the watch shows them: at least those in the pools that are checked. */
export interface ShownClaims {
  readonly claims: ReadonlyMap<string, { readonly title: string; readonly devices: readonly AllocatedDevice[] }>;
  readonly slices: readonly DeviceSlice[];
}

interface Holder {
  readonly title: string;
  readonly isOurs: boolean;
  readonly device: AllocatedDevice;
}

/**
 * The first device of these claims that is not theirs alone: held by another claim too, shared out beyond its capacity, or of a pool whose
 * counters are overdrawn. O(claims + devices of their pools).
 *
 * @param ours keys of the claims
 */
export function doubleAllocation(
  { claims, slices }: ShownClaims,
  ours: ReadonlySet<string>,
): DoubleAllocation | undefined {
  const holders = new Map<string, Holder[]>();
  const pools = new Set<string>();
  for (const [key, { title, devices }] of claims) {
    for (const device of devices) {
      if (!device.adminAccess) {
        const isOurs = ours.has(key);
        addTo(holders, deviceKey(device), { title, isOurs, device });
        if (isOurs) {
          pools.add(poolKey(device));
        }
      }
    }
  }
  const current = currentSlices(slices, pools);
  const published = publishedIn(current);
  for (const [key, list] of holders) {
    const own = list.find(({ isOurs }) => isOurs);
    const other = list.find((one) => one !== own);
    if (own !== undefined && other !== undefined && !isRoomFor(list, published.get(key))) {
      return { ...idOf(own.device), other: other.isOurs ? own.title : other.title };
    }
  }
  return overdrawn(current, holders, published);
}

function isRoomFor(list: readonly Holder[], device: Device | undefined): boolean {
  if (device === undefined || list.some((one) => one.device.share === undefined)) {
    return false;
  }
  return [...device.capacity].every(
    ([name, { value }]) => list.reduce((sum, one) => sum + (one.device.share?.get(name) ?? 0n), 0n) <= value,
  );
}

/** Slices of the newest generation of these pools. */
function currentSlices(slices: readonly DeviceSlice[], pools: ReadonlySet<string>): readonly DeviceSlice[] {
  const newest = new Map<string, number>();
  const own = slices.filter((slice) => pools.has(poolKey(slice)));
  own.forEach((slice) =>
    newest.set(poolKey(slice), Math.max(newest.get(poolKey(slice)) ?? slice.generation, slice.generation)),
  );
  return own.filter((slice) => newest.get(poolKey(slice)) === slice.generation);
}

function publishedIn(slices: readonly DeviceSlice[]): ReadonlyMap<string, Device> {
  return new Map(
    slices.flatMap(({ driver, pool, devices }) =>
      devices.map((device) => [deviceKey({ driver, pool, device: device.name }), device] as const),
    ),
  );
}

/** A pool of whose counters more is taken than there is, with another claim in it. */
function overdrawn(
  slices: readonly DeviceSlice[],
  holders: ReadonlyMap<string, readonly Holder[]>,
  published: ReadonlyMap<string, Device>,
): DoubleAllocation | undefined {
  const taken = new Map<string, bigint>();
  const inPool = new Map<string, Holder[]>();
  for (const [key, list] of holders) {
    for (const { set, counters } of published.get(key)?.consumes ?? []) {
      for (const [name, amount] of counters) {
        const counter = `${poolKey(list[0].device)}\0${set}\0${name}`;
        taken.set(counter, (taken.get(counter) ?? 0n) + amount);
        list.forEach((holder) => addTo(inPool, counter, holder));
      }
    }
  }
  for (const slice of slices) {
    for (const [set, counters] of slice.counters) {
      for (const [name, amount] of counters) {
        const counter = `${poolKey(slice)}\0${set}\0${name}`;
        const list = inPool.get(counter) ?? [];
        const own = list.find(({ isOurs }) => isOurs);
        const other = list.find(({ isOurs }) => !isOurs);
        if ((taken.get(counter) ?? 0n) > amount && own !== undefined && other !== undefined) {
          return { ...idOf(own.device), other: other.title };
        }
      }
    }
  }
  return undefined;
}

function idOf({ driver, pool, device }: DeviceId): DeviceId {
  return { driver, pool, device };
}
