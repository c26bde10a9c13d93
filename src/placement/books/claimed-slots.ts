/**
 * Devices of nodes that claims hold, in the table of nodes: so that one table says what is free, whichever way pods get devices.
 */
import { type AllocatedDevice, type ClaimablePart, deviceKey } from '../model/claims';
import { type NodeTable } from '../nodes/node-table';

interface Place {
  readonly row: number;
  readonly slot: number;
  readonly part: ClaimablePart;
}

export class ClaimedSlots {
  /** Called with each row whose devices claims hold more or less. */
  onRow: (row: number) => void = () => undefined;
  private readonly places = new Map<string, Place>();
  /** Thousandths that claims hold, by slot. */
  private readonly held = new Map<number, number>();

  constructor(private readonly table: NodeTable) {
    table.nodes.forEach(({ claimable }, row) =>
      claimable?.forEach((part, key) => {
        const [slot] = table.slotsOf(row, [part.device]);
        if (slot !== undefined) {
          this.places.set(key, { row, slot, part });
        }
      }),
    );
  }

  /** Devices that are held with admin access stay free for others. */
  change(devices: readonly AllocatedDevice[], by: 1 | -1): void {
    for (const device of devices) {
      const place = device.adminAccess ? undefined : this.places.get(deviceKey(device));
      if (place !== undefined) {
        this.take(place, by * partOf(place.part, device.share));
      }
    }
  }

  /** Takes again what claims hold on a row whose devices count as free. */
  restore(row: number): void {
    const { deviceStart, deviceFree } = this.table;
    if (this.held.size === 0) {
      return;
    }
    for (let slot = deviceStart[row]; slot < deviceStart[row + 1]; slot++) {
      deviceFree[slot] -= this.held.get(slot) ?? 0;
    }
    this.table.recountDevices(row);
  }

  private take({ row, slot }: Place, milli: number): void {
    this.held.set(slot, (this.held.get(slot) ?? 0) + milli);
    this.table.deviceFree[slot] -= milli;
    this.table.recountDevices(row);
    this.table.changed(row);
    this.onRow(row);
  }
}

/** The thousandths of its device that a claim holds; of a shared one as much as of the capacity that it takes most of. */
export function partOf({ milli, capacity }: ClaimablePart, share: AllocatedDevice['share']): number {
  if (share === undefined || capacity === undefined) {
    return milli;
  }
  let most = 0n;
  for (const [name, amount] of share) {
    const all = capacity.get(name) ?? 0n;
    const part = all > 0n ? (amount * BigInt(milli)) / all : 0n;
    most = part > most ? part : most;
  }
  return Math.min(milli, Number(most));
}
