/**
 * The devices that claims hold on all nodes, while claims are allocated and released.
 */
import { type AllocatedDevice, deviceKey, type HeldDevices } from '../model/claims';

export class Holdings implements HeldDevices {
  readonly whole = new Set<string>();
  readonly shares = new Map<string, Map<string, bigint>>();
  /** Claims that hold each device; more than one where the snapshot says so. */
  private readonly holders = new Map<string, number>();

  /** Devices of a claim; those with admin access stay free for others. */
  change(devices: readonly AllocatedDevice[], by: 1 | -1): void {
    for (const device of devices) {
      if (!device.adminAccess) {
        this.changeOne(deviceKey(device), device.share, by);
      }
    }
  }

  private changeOne(key: string, share: ReadonlyMap<string, bigint> | undefined, by: 1 | -1): void {
    const holders = (this.holders.get(key) ?? 0) + by;
    if (holders > 0) {
      this.holders.set(key, holders);
    } else {
      this.holders.delete(key);
      this.whole.delete(key);
      this.shares.delete(key);
      return;
    }
    if (share === undefined) {
      this.whole.add(key);
      return;
    }
    const amounts = this.shares.get(key) ?? new Map<string, bigint>();
    for (const [name, amount] of share) {
      amounts.set(name, (amounts.get(name) ?? 0n) + BigInt(by) * amount);
    }
    this.shares.set(key, amounts);
  }
}
