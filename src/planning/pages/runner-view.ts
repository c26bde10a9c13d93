/**
 * What the page of a Docker runner shows, as plain JSON. All names, commands, and reasons are text of foreign origin: the page never reads them as markup.
 */

export interface RunnerView {
  /** Grows when a member changes its meaning; new members do not count. */
  readonly version: 1;
  /** Milliseconds since the epoch, by the clock of the host. */
  readonly at: number;
  readonly host: {
    readonly name: string;
    readonly cpus: number;
    readonly memoryBytes: number;
    readonly engine: string;
    readonly isConnected: boolean;
    /** What the runner cannot do now. */
    readonly problem?: string;
  };
  /** Who looks. @default - an administrator */
  readonly tenant?: string;
  /** Tenants that the viewer may see and submit as. */
  readonly tenants: readonly RunnerViewTenant[];
  /** Names, highest first. */
  readonly priorities: readonly string[];
  readonly devices: readonly RunnerViewDevice[];
  /** Running tasks first, then the waiting ones in their order, then the latest that ended. Long lists are cut. */
  readonly tasks: readonly RunnerViewTask[];
  /** Open tasks of the viewer, also those that are not listed. */
  readonly counts: { readonly active: number; readonly queued: number };
}

export interface RunnerViewTenant {
  readonly name: string;
  readonly active: number;
  readonly queued: number;
  /** Whole devices that its tasks hold. */
  readonly devices: number;
  readonly quota?: number;
  readonly limit?: number;
}

export interface RunnerViewDevice {
  readonly index: number;
  readonly id: string;
  readonly model?: string;
  readonly memoryMiB?: number;
  readonly numa?: number;
  readonly island?: string;
  readonly state: string;
  readonly fault?: string;
  /** Ids of the tasks that hold it, also of other tenants. */
  readonly tasks: readonly string[];
  /** As last measured. */
  readonly use?: RunnerViewUse;
}

export interface RunnerViewUse {
  /** Part of the time in which it worked, 0 to 1. */
  readonly busy?: number;
  readonly memoryMiB?: number;
}

export interface RunnerViewTask {
  readonly id: string;
  readonly name?: string;
  readonly tenant: string;
  readonly priority: string;
  readonly state: string;
  readonly image: string;
  /** In one line, cut. */
  readonly command: string;
  /** What it asks for, in words. */
  readonly request: string;
  /** Indices of its devices. */
  readonly devices: readonly number[];
  readonly replicas: number;
  readonly attempt: number;
  readonly submittedAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly exitCode?: number;
  /** Why it ended, is being stopped, or waits. */
  readonly reason?: string;
  /** Changes with which it would start. */
  readonly wouldHelp?: readonly string[];
  /** The earliest start that is known. */
  readonly startAt?: number;
}

/** How the devices were used, in steps of equal length. */
export interface RunnerHistory {
  /** End of the last step, milliseconds since the epoch. */
  readonly until: number;
  readonly stepSeconds: number;
  readonly devices: readonly RunnerHistoryOfDevice[];
}

/** Oldest first; `null` where nothing was measured. */
export interface RunnerHistoryOfDevice {
  readonly id: string;
  /** Mean of the part of the time in which it worked, 0 to 1. */
  readonly busy: readonly (number | null)[];
  /** Highest use of its memory. */
  readonly memoryMiB: readonly (number | null)[];
  /** Part of the step in which tasks held it, 0 to 1. */
  readonly held: readonly (number | null)[];
}
