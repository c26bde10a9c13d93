/**
 * What the host has: devices, CPUs, memory nodes. A plain value; the other files of this folder find it out.
 */

/** A MIG instance of a device. */
export interface MigInstance {
  /** Stable name: its UUID. */
  readonly id: string;
  /** `1g.10gb` */
  readonly profile: string;
  /** Fully qualified CDI name. @default - none: it is given to containers by its UUID */
  readonly cdi?: string;
}

export interface HostDevice {
  /** Stable name: the UUID where there is one, else the CDI name. */
  readonly id: string;
  /** Fully qualified CDI name. @default - none: the device is given to containers by the NVIDIA driver request */
  readonly cdi?: string;
  readonly model?: string;
  readonly memoryMiB?: number;
  /** As sysfs names it: `0000:3b:00.0`. */
  readonly busId?: string;
  readonly numa?: number;
  /** Devices of one island reach each other over NVLink or a similar link. */
  readonly island?: string;
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
