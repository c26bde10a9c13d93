/**
 * What the Engine API answers, reduced to what the runner reads.
 */
export interface EngineInfo {
  readonly ServerVersion?: string;
  readonly NCPU?: number;
  readonly MemTotal?: number;
  readonly CgroupVersion?: string;
  readonly CgroupDriver?: string;
  readonly MemoryLimit?: boolean;
  readonly SwapLimit?: boolean;
  readonly CPUSet?: boolean;
  readonly PidsLimit?: boolean;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DefaultRuntime?: string;
  readonly CDISpecDirs?: readonly string[];
  readonly DiscoveredDevices?: readonly { readonly Source: string; readonly ID: string }[];
  readonly Name?: string;
  readonly SecurityOptions?: readonly string[] | null;
  readonly Warnings?: readonly string[] | null;
}

export interface ContainerSummary {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly State: string;
  readonly Labels: Readonly<Record<string, string>>;
}

export interface ContainerState {
  readonly Id: string;
  readonly Name: string;
  readonly Created?: string;
  readonly Config?: { readonly Labels?: Readonly<Record<string, string>> };
  readonly HostConfig?: {
    readonly DeviceRequests?:
      | readonly { readonly Driver?: string; readonly DeviceIDs?: readonly string[] | null; readonly Count?: number }[]
      | null;
    readonly Runtime?: string;
  };
  readonly State: {
    /** created, running, paused, restarting, removing, exited, dead */
    readonly Status: string;
    readonly OOMKilled: boolean;
    readonly ExitCode: number;
    readonly Error: string;
    readonly StartedAt: string;
    readonly FinishedAt: string;
  };
}

export interface EngineEvent {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly timeNano?: number;
}
