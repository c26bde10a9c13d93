/**
 * What an observation of a container means, as pure functions: for the member of a task that it belongs to, and for a container that no task knows.
 */
import { type ContainerState } from '../engine/answers';
import { type Failure, failureOf, startFailure } from '../task/failure';
import { isActive, type Task } from '../task/task';

/**
 * The engine gives up a start when the runner that asked for it ends. Nothing has run then: from the creation of the process on it does not look at the
 * request any more (moby 29, daemon/start.go), so the container can be started again.
 */
const START_CANCELED = /context cancell?ed/i;

/**
 * An engine that was killed while it started a container may call it running afterwards, without the time of a start: it found the process and does not follow
 * it (seen with 29).
 */
const NEVER = /^0001-/;

export interface End {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly code?: number;
  /** Absent where it ended well, or never ran because its task is being stopped. */
  readonly failure?: Failure;
}

export type Observation =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'running'; readonly at: number }
  | ({ readonly kind: 'ended' } & End);

export interface Circumstances {
  readonly now: number;
  /** Whether the task is being stopped. */
  readonly stopping: boolean;
  /** The engine was away between these times. @default - it was not */
  readonly outage?: { readonly from: number; readonly to: number };
  /** The exit code that an event reported. @default - none */
  readonly said?: number;
}

/** @param found `undefined` if the container is not there any more */
export function observed(found: Pick<ContainerState, 'State'> | undefined, circumstances: Circumstances): Observation {
  const { now, said } = circumstances;
  if (found === undefined) {
    const code = said === undefined ? {} : { exitCode: said };
    return { kind: 'ended', at: now, failure: { class: 'lost', message: 'its container was removed', ...code } };
  }
  const { Status, StartedAt } = found.State;
  switch (Status) {
    case 'created':
      return neverRan(found.State.Error, circumstances);
    case 'running':
    case 'paused':
    case 'restarting':
      return NEVER.test(StartedAt)
        ? neverRan(found.State.Error, circumstances)
        : { kind: 'running', at: Date.parse(StartedAt) || now };
    case 'exited':
    case 'dead':
      return endOf(found.State, circumstances);
    default:
      // It is being removed: what becomes of it is seen later.
      return { kind: 'nothing' };
  }
}

/** The engine knows that it runs, and will see its end. */
export function isFollowed(found: Pick<ContainerState, 'State'> | undefined): boolean {
  return found?.State.Status === 'running' && !NEVER.test(found.State.StartedAt);
}

function neverRan(problem: string, { now, stopping }: Circumstances): Observation {
  if (stopping) {
    return { kind: 'ended', at: now };
  }
  return problem === '' || START_CANCELED.test(problem)
    ? { kind: 'nothing' }
    : { kind: 'ended', at: now, failure: startFailure(problem) };
}

function endOf(state: ContainerState['State'], { now, outage }: Circumstances): Observation {
  const { ExitCode: code, OOMKilled: oomKilled, Error: error, FinishedAt } = state;
  const at = Date.parse(FinishedAt) || now;
  const engineStopped = outage !== undefined && at >= outage.from && at <= outage.to;
  const failure = failureOf({ code, oomKilled, error, engineStopped });
  return { kind: 'ended', at, code, ...(failure === undefined ? {} : { failure }) };
}

/**
 * What to do with a container that carries the runner's labels.
 *
 * - `leave`: it is what the ledger says
 * - `clean`: its attempt has ended: keep its output, and remove it
 * - `remove`: it was never started, and no attempt will start it
 * - `remove-and-enter`: the same, and the store does not know its task
 * - `enter`: the store is older than the container: it was restored, or made again
 * - `stop`: it belongs to an attempt that is over
 */
export type Disposal = 'leave' | 'clean' | 'remove' | 'remove-and-enter' | 'enter' | 'stop';

export interface Labeled {
  readonly container: string;
  readonly attempt: number;
  readonly member: number;
  /** As the engine lists it: created, running, exited, … */
  readonly state: string;
}

/** @param task the task of its labels, as the store has it */
export function disposalOf({ container, attempt, member, state }: Labeled, task: Task | undefined): Disposal {
  const hasEnded = state === 'exited' || state === 'dead';
  const known = task?.members[member];
  if (task !== undefined && known?.container === container) {
    return !isActive(task) && (hasEnded || state === 'created') ? 'clean' : 'leave';
  }
  if (state === 'created') {
    return task === undefined ? 'remove-and-enter' : 'remove';
  }
  if (task === undefined || isOlder(task, attempt, known?.state)) {
    return 'enter';
  }
  return hasEnded ? 'clean' : 'stop';
}

/** Has the task not come as far as its container? */
function isOlder(task: Task, attempt: number, member: string | undefined): boolean {
  return isActive(task)
    ? task.attempt === attempt && member === 'planned'
    : task.state === 'queued' && attempt > task.attempt;
}
