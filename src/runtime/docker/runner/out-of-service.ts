/**
 * Devices on which nothing starts: those that an administrator drained, and those on which a process may run that the ledger does not know of.
 */
import { type TaskStore } from '../store/store';

const DRAINED = 'drained';
const QUARANTINED = 'quarantined';

export class OutOfService {
  private drainedDevices: ReadonlySet<string>;
  private kept: ReadonlyMap<string, string>;
  /** Devices of tasks that do not end before their processes, by container. The tasks hold them in the ledger too. */
  private readonly held = new Map<string, { readonly devices: readonly string[]; readonly reason: string }>();

  constructor(private readonly store: TaskStore) {
    this.drainedDevices = new Set(JSON.parse(store.meta(DRAINED) ?? '[]') as string[]);
    this.kept = new Map(Object.entries(JSON.parse(store.meta(QUARANTINED) ?? '{}') as Record<string, string>));
  }

  get drained(): ReadonlySet<string> {
    return this.drainedDevices;
  }

  /** Reasons by the stable name of the device. */
  get quarantined(): ReadonlyMap<string, string> {
    const live = [...this.held.values()].flatMap(({ devices, reason }) =>
      devices.map((device) => [device, reason] as const),
    );
    return new Map([...this.kept, ...live]);
  }

  get all(): ReadonlySet<string> {
    return new Set([...this.drainedDevices, ...this.quarantined.keys()]);
  }

  /** Durable, like all changes here except `hold`. */
  drain(device: string): void {
    this.putDrained(new Set([...this.drainedDevices, device]));
  }

  /** Ends a drain and a quarantine. */
  resume(device: string): void {
    if (this.kept.has(device)) {
      this.putKept(new Map([...this.kept].filter(([id]) => id !== device)));
    }
    this.putDrained(new Set([...this.drainedDevices].filter((id) => id !== device)));
  }

  /** Until an administrator resumes the devices. */
  quarantine(devices: readonly string[], reason: string): void {
    if (devices.length > 0) {
      this.putKept(new Map([...this.kept, ...devices.map((device) => [device, reason] as const)]));
    }
  }

  /** Until the processes of the container have ended. @returns whether the reason is new */
  hold(container: string, devices: readonly string[], reason: string): boolean {
    const isNew = this.held.get(container)?.reason !== reason;
    this.held.set(container, { devices, reason });
    return isNew;
  }

  release(container: string): void {
    this.held.delete(container);
  }

  private putDrained(drained: ReadonlySet<string>): void {
    this.store.putMeta(DRAINED, JSON.stringify([...drained].sort()));
    this.drainedDevices = drained;
  }

  private putKept(kept: ReadonlyMap<string, string>): void {
    this.store.putMeta(QUARANTINED, JSON.stringify(Object.fromEntries(kept)));
    this.kept = kept;
  }
}
