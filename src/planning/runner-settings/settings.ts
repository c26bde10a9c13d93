/**
 * What `runner.yaml` sets: what the Docker runner may use, who its tenants are, and where it keeps things.
 */

/** Where the runner listens besides its sockets: TLS, with a token in each request. */
export interface NetworkListener {
  readonly address: string;
  readonly port: number;
  /** PEM files. */
  readonly certificate: string;
  readonly key: string;
  /** File with a line `NAME TOKEN` for each caller. */
  readonly tokens: string;
}

/** What a tenant may count on, and use at most. */
export interface Tenant {
  readonly name: string;
  /** Part of what is left that it gets among its peers. */
  readonly weight: number;
  readonly quota?: TenantAmounts;
  readonly limit?: TenantAmounts;
}

export interface TenantAmounts {
  readonly gpus?: number;
  readonly cpus?: number;
  readonly memoryBytes?: number;
}

/** A MIG instance of a device. */
export interface StatedInstance {
  /** Stable name: its UUID. */
  readonly id: string;
  /** `1g.10gb` */
  readonly profile: string;
}

/** A device as the configuration states it. */
export interface StatedDevice {
  /** Stable name: the UUID where there is one, else the CDI name. */
  readonly id: string;
  /** Fully qualified CDI name. @default - none: the device is given to containers by the NVIDIA driver request */
  readonly cdi?: string;
  readonly model?: string;
  readonly memoryMiB?: number;
  readonly numa?: number;
  /** Devices of one island reach each other over NVLink or a similar link. */
  readonly island?: string;
  /** @default - it is not divided */
  readonly mig?: readonly StatedInstance[];
}

export interface RunnerConfiguration {
  /** Folder of the tasks and their logs. */
  readonly state: string;
  /** Socket of administrators, who may act for every tenant. */
  readonly socket: string;
  /** Folder with one socket for each tenant. @default - none */
  readonly tenantSockets?: string;
  /** @default - it listens on sockets only */
  readonly listen?: NetworkListener;
  /** @default - DOCKER_HOST, or the local socket */
  readonly engine?: string;
  readonly tenants: readonly Tenant[];
  readonly priorities: ReadonlyMap<string, number>;
  /** @default - what is discovered */
  readonly devices?: readonly StatedDevice[];
  /** What is kept from tasks. */
  readonly reserved: { readonly cpus: number; readonly memoryBytes: number };
  /** Days that ended tasks and their logs are kept. */
  readonly keepDays: number;
  /** Containers with devices may lock as much memory as they like, as pinned memory needs it. An engine without CAP_SYS_RESOURCE cannot allow it. */
  readonly lockMemory: boolean;
  /** Seconds from one look at the health of the devices to the next. */
  readonly devicePollSeconds: number;
}

/** Names of tenants, tasks, and priorities; they become names of files, queues, and labels. */
export const NAME = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/;

/** What holds for a runner of the system, which root starts. */
export const SYSTEM_CONFIGURATION: RunnerConfiguration = {
  state: '/var/lib/gantry-docker',
  socket: '/run/gantry-docker/runner.sock',
  tenants: [{ name: 'default', weight: 1 }],
  priorities: new Map([
    ['low', -100],
    ['normal', 0],
    ['high', 100],
  ]),
  reserved: { cpus: 0, memoryBytes: 0 },
  keepDays: 30,
  lockMemory: true,
  devicePollSeconds: 15,
};
