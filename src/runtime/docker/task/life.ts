/**
 * The life of a task as a pure function: a task and what happened in, the task afterwards out.
 *
 *     queued ──place──► starting ──started──► running ──exited──► succeeded, failed, or queued again
 *       │                  │                     │
 *       └──cancel──► canceled └──stop──► stopping ◄──stop┘   then as the reason for the stop says
 *
 * An event that cannot happen in a state changes nothing: reports of the engine come late and twice.
 */
import { backoffSeconds, type Failure } from './failure';
import { isActive, isEnded, type Member, type Placement, type StopReason, type Task } from './task';

export type TaskEvent =
  /** The placement core gave it a place. */
  | { readonly kind: 'place'; readonly at: number; readonly placements: readonly Placement[] }
  /** The container exists; from now on it may have been started. */
  | { readonly kind: 'created'; readonly member: number; readonly container: string }
  | { readonly kind: 'started'; readonly member: number; readonly at: number }
  /** `failure`: absent where it exited with 0. */
  | {
      readonly kind: 'exited';
      readonly member: number;
      readonly at: number;
      readonly code?: number;
      readonly failure?: Failure;
      readonly wasStopped?: boolean;
      readonly random: number;
    }
  /** Nothing of this attempt was ever started: its place is given back, and the attempt does not count. */
  | { readonly kind: 'withdraw'; readonly at: number }
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly at: number; readonly message?: string }
  /** It can never start: a task that it waits for failed. */
  | { readonly kind: 'give-up'; readonly at: number; readonly failure: Failure }
  | { readonly kind: 'cancel'; readonly at: number };

export function next(task: Task, event: TaskEvent): Task {
  switch (event.kind) {
    case 'place':
      return task.state === 'queued' ? placed(task, event.placements, event.at) : task;
    case 'created':
      return withMember(task, event.member, (member) =>
        member.state === 'planned' ? { ...member, state: 'created', container: event.container } : member,
      );
    case 'started':
      return started(task, event.member, event.at);
    case 'exited':
      return exited(task, event);
    case 'withdraw':
      return withdrawn(task, event.at);
    case 'stop':
      return stopping(task, event);
    case 'give-up':
      return task.state === 'queued' ? { ...task, state: 'failed', endedAt: event.at, failure: event.failure } : task;
    case 'cancel':
      return canceled(task, event.at);
  }
}

function placed(task: Task, placements: readonly Placement[], at: number): Task {
  return {
    ...withoutAttempt(task),
    state: 'starting',
    attempt: task.attempt + 1,
    placedAt: at,
    members: placements.map((placement, index) => ({ ...placement, index, state: 'planned' })),
  };
}

/** The task without what belongs to one attempt only. */
function withoutAttempt(task: Task): Task {
  const { placedAt, startedAt, notBefore, stop, ...rest } = task;
  void [placedAt, startedAt, notBefore, stop];
  return rest;
}

function withMember(task: Task, index: number, change: (member: Member) => Member): Task {
  if (!isActive(task)) {
    return task;
  }
  const members = task.members.map((member) => (member.index === index ? change(member) : member));
  return members.every((member, place) => member === task.members[place]) ? task : { ...task, members };
}

function started(task: Task, index: number, at: number): Task {
  const after = withMember(task, index, (member) =>
    member.state === 'created' ? { ...member, state: 'running', startedAt: at } : member,
  );
  const runs = after.members.every(({ state }) => state === 'running' || state === 'exited');
  return after.state === 'starting' && runs ? { ...after, state: 'running', startedAt: at } : after;
}

function exited(task: Task, event: Extract<TaskEvent, { kind: 'exited' }>): Task {
  const { at, code, failure, random, wasStopped } = event;
  const after = withMember(task, event.member, (member) =>
    member.state === 'exited'
      ? member
      : {
          ...member,
          state: 'exited',
          exit: {
            at,
            ...(code === undefined ? {} : { code }),
            ...(failure === undefined ? {} : { failure }),
            ...(wasStopped === true ? { wasStopped } : {}),
          },
        },
  );
  if (after === task) {
    return task;
  }
  if (after.members.every(({ state }) => state === 'exited')) {
    return concluded(after, at, random);
  }
  // One container of a gang failed: the others would wait for it forever.
  return failure !== undefined && after.stop === undefined
    ? { ...after, state: 'stopping', stop: { reason: 'failed', at } }
    : after;
}

/** All containers have ended. */
function concluded(task: Task, at: number, random: number): Task {
  const { stop } = task;
  if (stop?.reason === 'cancel') {
    return { ...task, state: 'canceled', endedAt: at };
  }
  if (stop?.reason === 'preempt' && !endedBefore(task, stop.at)) {
    return { ...task, state: 'queued', preemptions: task.preemptions + 1 };
  }
  const failure = attemptFailure(task);
  return failure === undefined ? { ...task, state: 'succeeded', endedAt: at } : failed(task, failure, at, random);
}

/**
 * It was done before it was asked to stop. An exit code of 0 after that says only that it stopped in good order. The times are those of two clocks, which may be
 * set back, so that a container that was seen running decides first.
 */
function endedBefore({ members }: Task, at: number): boolean {
  return members.every(({ exit }) => exit !== undefined && exit.wasStopped !== true && exit.at < at);
}

/** The reason of the stop, or the first failure by time. */
function attemptFailure(task: Task): Failure | undefined {
  const { members, stop, spec } = task;
  if (stop?.reason === 'timeout' && !endedBefore(task, stop.at)) {
    return { class: 'timeout', message: stop.message ?? `exceeded its time limit of ${spec.timeLimitSeconds} s` };
  }
  if (stop?.reason === 'device' && !endedBefore(task, stop.at)) {
    return { class: 'device', message: stop.message ?? 'a device of the task is out of service' };
  }
  return members
    .flatMap(({ exit }) => (exit?.failure === undefined ? [] : [{ at: exit.at, failure: exit.failure }]))
    .sort((a, b) => a.at - b.at)[0]?.failure;
}

function failed(task: Task, failure: Failure, at: number, random: number): Task {
  const failures = task.failures + 1;
  const avoid = failure.class === 'device' ? heldDevices(task) : [];
  const known = {
    ...task,
    failures,
    failure,
    ...(avoid.length === 0 ? {} : { avoid: [...new Set([...(task.avoid ?? []), ...avoid])] }),
  };
  const again = failures <= task.spec.retries && task.spec.retryOn.some((one) => one === failure.class);
  return again
    ? { ...known, state: 'queued', notBefore: at + Math.round(backoffSeconds(failures, random) * 1000) }
    : { ...known, state: 'failed', endedAt: at };
}

/** The devices of the containers that failed for the devices' sake; where none says so, of all. */
function heldDevices({ members }: Task): readonly string[] {
  const named = members.filter(({ exit }) => exit?.failure?.class === 'device');
  return (named.length === 0 ? members : named).flatMap(({ deviceIds }) => deviceIds);
}

function withdrawn(task: Task, at: number): Task {
  const untouched = task.members.every(({ state }) => state === 'planned');
  if ((task.state !== 'starting' && task.state !== 'stopping') || !untouched) {
    return task;
  }
  return task.stop?.reason === 'cancel'
    ? { ...task, state: 'canceled', endedAt: at, members: [] }
    : { ...withoutAttempt(task), state: 'queued', attempt: task.attempt - 1, members: [] };
}

function stopping(task: Task, { reason, at, message }: Extract<TaskEvent, { kind: 'stop' }>): Task {
  if (task.state === 'stopping' && reason === 'cancel' && task.stop?.reason !== 'cancel') {
    // Whatever it was stopped for, its owner does not want it any more.
    return { ...task, stop: { ...task.stop, reason, at: task.stop?.at ?? at } };
  }
  if (task.state !== 'starting' && task.state !== 'running') {
    return task;
  }
  return { ...task, state: 'stopping', stop: { reason, at, ...(message === undefined ? {} : { message }) } };
}

function canceled(task: Task, at: number): Task {
  if (isEnded(task)) {
    return task;
  }
  return task.state === 'queued'
    ? { ...task, state: 'canceled', endedAt: at }
    : stopping(task, { kind: 'stop', reason: 'cancel', at });
}
