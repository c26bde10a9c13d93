/**
 * The devices as they are now: their faults come and go, MIG layouts change, and devices fall off the bus. Tasks name devices by index, so a device keeps its place.
 */
import { type HostDevice } from './inventory';
import { type Discovery } from './discover';
import { xidFault, xidOf } from './xid-log';

const LOST = 'it is no longer listed; it may have fallen off the bus';

/**
 * @param known devices in the order in which tasks name them
 * @param found what was discovered now. Devices that are new are added at the end
 */
export function merged(known: readonly HostDevice[], found: readonly HostDevice[]): readonly HostDevice[] {
  const now = new Map(found.map((device) => [device.id, device]));
  const ids = new Set(known.map(({ id }) => id));
  return [
    ...known.map((device) => now.get(device.id) ?? { ...device, fault: LOST, isLost: true }),
    ...found.filter(({ id }) => !ids.has(id)),
  ];
}

/** Devices that `runner.yaml` states keep what it says; what is discovered says only how they are. */
export function withFaults(stated: readonly HostDevice[], found: readonly HostDevice[]): readonly HostDevice[] {
  const now = new Map(found.map((device) => [device.id, device]));
  return stated.map((device) => {
    const { fault, busId } = now.get(device.id) ?? {};
    return { ...device, ...(busId === undefined ? {} : { busId }), ...(fault === undefined ? {} : { fault }) };
  });
}

export interface DeviceWatchOptions {
  readonly discover: () => Promise<Discovery>;
  /** From `runner.yaml`. @default - what is discovered */
  readonly stated?: readonly HostDevice[];
  /** New records of the kernel log. */
  readonly records: () => readonly string[];
  /** A device must not be used before an administrator has acted. */
  readonly quarantine: (device: string, reason: string) => void;
  readonly changed: () => void;
  /** How the devices are used, after each look. */
  readonly used: (use: Discovery['use']) => void;
  readonly log: (line: string) => void;
}

export class DeviceWatch {
  private current: readonly HostDevice[];

  constructor(
    first: readonly HostDevice[],
    private readonly options: DeviceWatchOptions,
  ) {
    this.current = options.stated === undefined ? first : withFaults(options.stated, first);
  }

  get devices(): readonly HostDevice[] {
    return this.current;
  }

  /** Looks once. A vendor program that fails altogether changes nothing. */
  async look(): Promise<void> {
    const { discover, stated, changed, used, log } = this.options;
    const { devices, isDescribed, use } = await discover();
    used(use);
    if (isDescribed) {
      const next = stated === undefined ? merged(this.current, devices) : withFaults(stated, devices);
      const before = new Map(this.current.map(({ id, fault }) => [id, fault]));
      for (const { id, fault } of next) {
        if (before.get(id) !== fault) {
          log(fault === undefined ? `device ${id} is in service` : `device ${id} is out of service: ${fault}`);
        }
      }
      if (JSON.stringify(next) !== JSON.stringify(this.current)) {
        this.current = next;
        changed();
      }
    }
    this.takeXids();
  }

  private takeXids(): void {
    for (const record of this.options.records()) {
      const event = xidOf(record);
      const device = this.current.find(({ busId }) => busId !== undefined && busId === event?.busId);
      const reason = event === undefined ? undefined : xidFault(event.code);
      if (device !== undefined && reason !== undefined) {
        this.options.quarantine(device.id, reason);
      }
    }
  }
}
