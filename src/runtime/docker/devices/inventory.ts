/**
 * What the host has: devices, CPUs, memory nodes. A plain value; the other files of this folder find it out.
 */
import { type StatedDevice, type StatedInstance } from '../../../planning/runner-settings/settings';

/** A MIG instance of a device. */
export interface MigInstance extends StatedInstance {
  /** Fully qualified CDI name. @default - none: it is given to containers by its UUID */
  readonly cdi?: string;
}

export interface HostDevice extends StatedDevice {
  /** As sysfs names it: `0000:3b:00.0`. */
  readonly busId?: string;
  /** @default - it is not divided */
  readonly mig?: readonly MigInstance[];
  /** Why it is out of service. @default - it is in service */
  readonly fault?: string;
  /** The host does not list it any more, so what ran on it cannot go on. @default false */
  readonly isLost?: boolean;
}

export interface Inventory {
  /** The host's name, for people. */
  readonly name: string;
  readonly devices: readonly HostDevice[];
  /** CPUs that tasks may use, by memory node. */
  readonly cpus: readonly { readonly id: number; readonly numa: number }[];
  /** Bytes that tasks may use. */
  readonly memoryBytes: number;
}
