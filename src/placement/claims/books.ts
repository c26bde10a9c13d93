/**
 * What claims hold of the devices that a node can use: before the search, and with what it has chosen so far.
 */
import { consumedOf } from './capacity';
import { type Device, type DeviceId, deviceKey, type HeldDevices } from '../model/claims';
import { type DevicePool } from './pools';

/** A device in its pool, with its key. */
export interface PoolDevice {
  readonly id: DeviceId;
  readonly key: string;
  readonly device: Device;
  readonly pool: DevicePool;
}

interface Share {
  holders: number;
  readonly amounts: Map<string, bigint>;
}

/** A device that was taken for a claim, and what is given back with it. */
export interface Taking {
  readonly entry: PoolDevice;
  readonly claim: number;
  readonly tookCounters: boolean;
  /** What it consumes of a shareable device. */
  readonly share?: ReadonlyMap<string, bigint>;
}

export class DeviceBooks {
  /** By device, the claims that took it whole. */
  private readonly taken = new Map<string, Set<number>>();
  private readonly shares = new Map<string, Share>();
  /** Counters that are left, by pool, counter set, and counter. */
  private readonly left = new Map<DevicePool, Map<string, Map<string, bigint>>>();

  constructor(private readonly held: HeldDevices) {}

  /** Takes a device for a claim; `undefined` where something else holds it, or too little of it is left. */
  take(
    entry: PoolDevice,
    claim: number,
    { adminAccess, capacity }: { readonly adminAccess: boolean; readonly capacity: ReadonlyMap<string, bigint> },
  ): Taking | undefined {
    const { device, key } = entry;
    if (!this.isFree(entry, claim, adminAccess)) {
      return undefined;
    }
    const consumed = consumedOf(device, capacity, (name) => this.sharedAmount(key, name));
    if (consumed === undefined) {
      return undefined;
    }
    // The first share of a device takes its counters; the others find them taken.
    const tookCounters = device.consumes.length > 0 && !(device.shareable && this.isShared(key));
    if (tookCounters && !this.takeCounters(entry)) {
      return undefined;
    }
    if (device.shareable) {
      this.addShare(key, consumed);
      return { entry, claim, tookCounters, share: consumed };
    }
    this.taken.set(key, (this.taken.get(key) ?? new Set()).add(claim));
    return { entry, claim, tookCounters };
  }

  give({ entry, claim, tookCounters, share }: Taking): void {
    if (share === undefined) {
      this.taken.get(entry.key)?.delete(claim);
    } else {
      this.removeShare(entry.key, share);
    }
    if (tookCounters) {
      this.moveCounters(entry, 1n);
    }
  }

  /** Whether the device, as it is held before the search, has the capacities. */
  hasRoom({ device, key }: PoolDevice, { capacity }: { readonly capacity: ReadonlyMap<string, bigint> }): boolean {
    return consumedOf(device, capacity, (name) => this.held.shares.get(key)?.get(name) ?? 0n) !== undefined;
  }

  /** Whether the search has taken the device, or a share of it. */
  isTouched({ key }: PoolDevice): boolean {
    return (this.taken.get(key)?.size ?? 0) > 0 || this.shares.has(key);
  }

  /** A claim with admin access uses what others hold, but no device twice. */
  private isFree({ key }: PoolDevice, claim: number, adminAccess: boolean): boolean {
    const takers = this.taken.get(key);
    return adminAccess ? !(takers?.has(claim) ?? false) : !this.held.whole.has(key) && (takers?.size ?? 0) === 0;
  }

  private isShared(key: string): boolean {
    return this.held.shares.has(key) || this.shares.has(key);
  }

  private sharedAmount(key: string, name: string): bigint {
    return (this.held.shares.get(key)?.get(name) ?? 0n) + (this.shares.get(key)?.amounts.get(name) ?? 0n);
  }

  private addShare(key: string, consumed: ReadonlyMap<string, bigint>): void {
    const share = this.shares.get(key) ?? { holders: 0, amounts: new Map<string, bigint>() };
    share.holders += 1;
    for (const [name, amount] of consumed) {
      share.amounts.set(name, (share.amounts.get(name) ?? 0n) + amount);
    }
    this.shares.set(key, share);
  }

  private removeShare(key: string, consumed: ReadonlyMap<string, bigint>): void {
    const share = this.shares.get(key);
    if (share === undefined || share.holders === 1) {
      this.shares.delete(key);
      return;
    }
    share.holders -= 1;
    for (const [name, amount] of consumed) {
      share.amounts.set(name, (share.amounts.get(name) ?? 0n) - amount);
    }
  }

  private takeCounters(entry: PoolDevice): boolean {
    this.moveCounters(entry, -1n);
    // Of all counters: in a pool that is overcommitted already, no device with counters can be allocated.
    const isEnough = [...this.leftIn(entry.pool).values()].every((counters) =>
      [...counters.values()].every((left) => left >= 0n),
    );
    if (!isEnough) {
      this.moveCounters(entry, 1n);
    }
    return isEnough;
  }

  private moveCounters({ pool, device }: PoolDevice, sign: 1n | -1n): void {
    move(this.leftIn(pool), device, sign);
  }

  private leftIn(pool: DevicePool): Map<string, Map<string, bigint>> {
    let sets = this.left.get(pool);
    if (sets === undefined) {
      sets = new Map([...pool.counters].map(([name, counters]) => [name, new Map(counters)]));
      for (const device of [...pool.devices, ...pool.elsewhere]) {
        const key = deviceKey({ driver: pool.driver, pool: pool.pool, device: device.name });
        if (this.held.whole.has(key) || this.held.shares.has(key)) {
          move(sets, device, -1n);
        }
      }
      this.left.set(pool, sets);
    }
    return sets;
  }
}

function move(sets: ReadonlyMap<string, Map<string, bigint>>, { consumes }: Device, sign: 1n | -1n): void {
  for (const { set, counters } of consumes) {
    const left = sets.get(set);
    for (const [name, amount] of counters) {
      left?.set(name, (left.get(name) ?? 0n) + sign * amount);
    }
  }
}
