/**
 * What the runner says about tasks and devices, as JSON: stable, and the same for the command line and the page.
 */
import { isActive, type Task, type TaskSpec } from '../task/task';
import { type HostDevice } from '../devices/inventory';
import { type OutlookOfTask, type RunnerStatus } from '../runner/runner-types';
import { helpText, neverText, waitingText } from './waiting-text';

export interface TaskAnswer {
  readonly id: string;
  readonly name?: string;
  readonly array?: string;
  readonly tenant: string;
  readonly priority: string;
  readonly state: Task['state'];
  readonly image: string;
  readonly command: readonly string[];
  readonly request: TaskSpec['devices'];
  readonly replicas: number;
  readonly cpus?: number;
  readonly memoryBytes?: number;
  readonly submittedAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly notBefore?: string;
  readonly attempt: number;
  readonly failures: number;
  readonly preemptions: number;
  readonly exitCode?: number;
  readonly failure?: { readonly class: string; readonly message: string };
  readonly stopping?: string;
  readonly containers: readonly ContainerAnswer[];
}

export interface ContainerAnswer {
  readonly index: number;
  readonly state: string;
  readonly id?: string;
  readonly devices: readonly string[];
  readonly deviceIndices: readonly number[];
  readonly cpus: readonly number[];
  readonly memoryNodes: readonly number[];
  readonly exitCode?: number;
}

export function taskAnswer(task: Task): TaskAnswer {
  const { spec, members, failure, stop } = task;
  const exitCode =
    members.map(({ exit }) => exit?.code).find((code) => code !== undefined && code !== 0) ?? members[0]?.exit?.code;
  return {
    id: task.id,
    ...(spec.name === undefined ? {} : { name: spec.name }),
    ...(task.array === undefined ? {} : { array: task.array.id }),
    tenant: spec.tenant,
    priority: spec.priority,
    state: task.state,
    image: spec.image,
    command: spec.command,
    request: spec.devices,
    replicas: spec.replicas,
    ...(spec.cpus === undefined ? {} : { cpus: spec.cpus }),
    ...(spec.memoryBytes === undefined ? {} : { memoryBytes: spec.memoryBytes }),
    submittedAt: time(task.submittedAt),
    ...(task.startedAt === undefined ? {} : { startedAt: time(task.startedAt) }),
    ...(task.endedAt === undefined ? {} : { endedAt: time(task.endedAt) }),
    ...(task.notBefore === undefined ? {} : { notBefore: time(task.notBefore) }),
    attempt: task.attempt,
    failures: task.failures,
    preemptions: task.preemptions,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(failure === undefined ? {} : { failure: { class: failure.class, message: failure.message } }),
    ...(task.state !== 'stopping' || stop === undefined ? {} : { stopping: stop.message ?? stop.reason }),
    containers: members.map((member) => ({
      index: member.index,
      state: member.state,
      ...(member.container === undefined ? {} : { id: member.container }),
      devices: member.mig.length > 0 ? member.mig : member.deviceIds,
      deviceIndices: [...new Set(member.devices)],
      cpus: member.cpus,
      memoryNodes: member.memoryNodes,
      ...(member.exit?.code === undefined ? {} : { exitCode: member.exit.code }),
    })),
  };
}

export interface PlanAnswer {
  /** Devices of each container, if it would start now. */
  readonly starts?: readonly {
    readonly devices: readonly string[];
    readonly cpus: readonly number[];
    readonly memoryNodes: readonly number[];
  }[];
  /** Why it waits. */
  readonly waits?: string;
  /** Changes with which it would start, each sufficient by itself. */
  readonly wouldHelp: readonly string[];
  /** Tasks that would be stopped for it. */
  readonly stops: readonly string[];
  /** The earliest start that is known. */
  readonly startAt?: string;
}

export function planAnswer(answer: OutlookOfTask): PlanAnswer {
  if ('held' in answer) {
    return { waits: answer.held, wouldHelp: [], stops: [] };
  }
  const { outlook, spec } = answer;
  const { placements, waits, stops, startAt, first } = outlook;
  const never = placements === undefined ? neverText(spec, answer) : undefined;
  return {
    ...(placements === undefined
      ? {}
      : {
          starts: placements.map(({ deviceIds, mig, cpus, memoryNodes }) => ({
            devices: mig.length > 0 ? mig : deviceIds,
            cpus,
            memoryNodes,
          })),
        }),
    ...(placements === undefined
      ? { waits: never === undefined ? waitingText(waits, spec, first) : `cannot start on this host: ${never}` }
      : {}),
    wouldHelp:
      never === undefined ? (waits?.counterfactuals ?? []).flatMap((change) => helpText(change, spec) ?? []) : [],
    stops,
    ...(startAt === undefined ? {} : { startAt: time(startAt) }),
  };
}

export interface DeviceAnswer {
  readonly index: number;
  readonly id: string;
  readonly model?: string;
  readonly memoryMiB?: number;
  readonly numa?: number;
  readonly island?: string;
  readonly state: 'free' | 'used' | 'shared' | 'drained' | 'out of service' | 'used by others' | 'quarantined';
  readonly fault?: string;
  readonly tasks: readonly string[];
}

export function deviceAnswers(
  { inventory, drained, foreign, quarantined }: RunnerStatus,
  active: readonly Task[],
): readonly DeviceAnswer[] {
  return inventory.devices.map((device, index) => {
    const held = active.filter(
      (task) =>
        isActive(task) && task.members.some(({ state, devices }) => state !== 'exited' && devices.includes(index)),
    );
    const fault = device.fault ?? quarantined.get(device.id);
    return {
      index,
      id: device.id,
      ...(device.model === undefined ? {} : { model: device.model }),
      ...(device.memoryMiB === undefined ? {} : { memoryMiB: device.memoryMiB }),
      ...(device.numa === undefined ? {} : { numa: device.numa }),
      ...(device.island === undefined ? {} : { island: device.island }),
      state: stateOf(device, { drained, foreign, quarantined }, held),
      ...(fault === undefined ? {} : { fault }),
      tasks: held.map(({ id }) => id),
    };
  });
}

function stateOf(
  { id, fault }: HostDevice,
  { drained, foreign, quarantined }: Pick<RunnerStatus, 'drained' | 'foreign' | 'quarantined'>,
  held: readonly Task[],
): DeviceAnswer['state'] {
  if (fault !== undefined) {
    return 'out of service';
  }
  if (quarantined.has(id)) {
    return 'quarantined';
  }
  if (drained.includes(id)) {
    return 'drained';
  }
  if (held.length > 0) {
    return held.every(({ spec }) => spec.devices.kind === 'whole') ? 'used' : 'shared';
  }
  return foreign.includes(id) ? 'used by others' : 'free';
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
