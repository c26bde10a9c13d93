/**
 * A task: what was asked for, and what has become of it. Plain values, as the store keeps them.
 *
 * Nothing here knows the engine, a clock, or a file.
 */
import { type Failure, type FailureClass } from './failure';

/** Devices of each container of a task. */
export type DeviceRequest =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly count: number; readonly models?: readonly string[] }
  /** Memory on one device that other tasks use too. */
  | { readonly kind: 'memory'; readonly mebibytes: number; readonly models?: readonly string[] }
  | { readonly kind: 'mig'; readonly profile: string; readonly count: number; readonly models?: readonly string[] };

/** What the user asked for; never changes. */
export interface TaskSpec {
  /** @default - the id is the only name */
  readonly name?: string;
  readonly tenant: string;
  /** Name of a priority of the configuration. */
  readonly priority: string;
  readonly image: string;
  /** @default - the command of the image */
  readonly command: readonly string[];
  readonly entrypoint?: string;
  /** `NAME=value`. */
  readonly env: readonly string[];
  /** Binds as `docker run --volume` takes them, with absolute paths: `/data:/data:ro`. */
  readonly volumes: readonly string[];
  readonly workdir?: string;
  readonly user?: string;
  readonly network?: string;
  readonly devices: DeviceRequest;
  /** Whole numbers get CPUs of their own; others are a limit. @default - no limit */
  readonly cpus?: number;
  /** @default - no limit */
  readonly memoryBytes?: number;
  readonly shmBytes?: number;
  /** Containers that start together or not at all. */
  readonly replicas: number;
  /** How many times a failed task is tried again. */
  readonly retries: number;
  readonly retryOn: readonly FailureClass[];
  /** @default - no limit; such a task never starts on devices that are reserved for another */
  readonly timeLimitSeconds?: number;
  /** Ids of tasks or arrays that must succeed first. */
  readonly after: readonly string[];
  /** Whether it may be stopped for others; it is then queued again. */
  readonly preemptible: boolean;
  /** From SIGTERM to SIGKILL. */
  readonly graceSeconds: number;
  readonly readOnly: boolean;
}

/** What one container of an attempt holds. */
export interface Placement {
  /** Indices into the devices of the inventory; shared and divided ones appear like whole ones. */
  readonly devices: readonly number[];
  /** Stable names of the devices: UUIDs, or what the configuration says. */
  readonly deviceIds: readonly string[];
  /** MIG instances, in the order of `devices`. Empty where there are none. */
  readonly mig: readonly string[];
  /** CPUs that no other task uses. Empty where none were asked for. */
  readonly cpus: readonly number[];
  /** Memory nodes next to the devices. Empty where nothing is known or asked. */
  readonly memoryNodes: readonly number[];
}

/** A container of the current attempt. */
export interface Member extends Placement {
  readonly index: number;
  /**
   * - `planned`: its place is promised; no container has been started
   * - `created`: its container exists, and may have been started
   * - `running`, `exited`: as the engine says
   */
  readonly state: 'planned' | 'created' | 'running' | 'exited';
  readonly container?: string;
  readonly startedAt?: number;
  readonly exit?: {
    readonly at: number;
    readonly code?: number;
    readonly failure?: Failure;
    /** It ran when it was asked to stop. @default - as the times say */
    readonly wasStopped?: boolean;
  };
}

/** Why a running task is being stopped. */
export type StopReason = 'cancel' | 'preempt' | 'timeout' | 'failed' | 'device';

export type TaskState = 'queued' | 'starting' | 'running' | 'stopping' | 'succeeded' | 'failed' | 'canceled';

export interface Task {
  /** `17`, or `17-3` for an element of an array. */
  readonly id: string;
  /** Order of submission; also the order of tasks that are otherwise equal. */
  readonly sequence: number;
  /** The array that it is an element of. */
  readonly array?: { readonly id: string; readonly index: number };
  readonly spec: TaskSpec;
  readonly state: TaskState;
  /** Milliseconds since the epoch, like all times here. */
  readonly submittedAt: number;
  /** Attempts so far, the current one included. */
  readonly attempt: number;
  /** Failures that counted against `retries`. */
  readonly failures: number;
  /** Times it was stopped for others. */
  readonly preemptions: number;
  /** Containers of the current or last attempt. */
  readonly members: readonly Member[];
  /** When the current or last attempt was placed. */
  readonly placedAt?: number;
  /** When all containers of the current or last attempt ran. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Not before this time: it waits after a failure. */
  readonly notBefore?: number;
  readonly stop?: { readonly reason: StopReason; readonly at: number; readonly message?: string };
  /** The last failure. */
  readonly failure?: Failure;
  /** Devices on which it failed for the devices' sake, by stable name: it is not placed there again. */
  readonly avoid?: readonly string[];
}

/** It holds what it was promised. */
export function isActive({ state }: Pick<Task, 'state'>): boolean {
  return state === 'starting' || state === 'running' || state === 'stopping';
}

export function isEnded({ state }: Pick<Task, 'state'>): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'canceled';
}

/** A task that was just submitted. */
export function newTask(id: string, sequence: number, submittedAt: number, spec: TaskSpec): Task {
  return {
    id,
    sequence,
    spec,
    state: 'queued',
    submittedAt,
    attempt: 0,
    failures: 0,
    preemptions: 0,
    members: [],
  };
}

/** Name of a container: the engine refuses a second one of that name, so no attempt has two. */
export function containerName({ id, attempt }: Pick<Task, 'id' | 'attempt'>, member: number): string {
  return `gantry-${id}-${attempt}-${member}`;
}
