/**
 * The devices that claims hold on all nodes, while claims are allocated and released. What is held does not depend on the order of that.
 */
import { type AllocatedDevice, deviceKey, type HeldDevices } from '../model/claims';

export class Holdings implements HeldDevices {
  readonly whole = new Set<string>();
  readonly shares = new Map<string, Map<string, bigint>>();
  /** Claims that hold each device whole, and those that share it; more than one whole where the snapshot says so. */
  private readonly owners = new Map<string, number>();
  private readonly sharers = new Map<string, number>();

  /** Devices of a claim; those with admin access stay free for others. */
  change(devices: readonly AllocatedDevice[], by: 1 | -1): void {
    for (const device of devices) {
      if (!device.adminAccess) {
        this.changeOne(deviceKey(device), device.share, by);
      }
    }
  }

  private changeOne(key: string, share: ReadonlyMap<string, bigint> | undefined, by: 1 | -1): void {
    if (share === undefined) {
      if (count(this.owners, key, by) > 0) {
        this.whole.add(key);
      } else {
        this.whole.delete(key);
      }
      return;
    }
    if (count(this.sharers, key, by) === 0) {
      this.shares.delete(key);
      return;
    }
    const amounts = this.shares.get(key) ?? new Map<string, bigint>();
    for (const [name, amount] of share) {
      amounts.set(name, (amounts.get(name) ?? 0n) + BigInt(by) * amount);
    }
    this.shares.set(key, amounts);
  }
}

/** @returns how many there are now */
function count(holders: Map<string, number>, key: string, by: 1 | -1): number {
  const left = (holders.get(key) ?? 0) + by;
  if (left > 0) {
    holders.set(key, left);
  } else {
    holders.delete(key);
  }
  return left;
}
