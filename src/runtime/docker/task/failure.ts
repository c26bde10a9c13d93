/**
 * Why an attempt of a task failed, and whether and when it is tried again.
 *
 * Pure: the caller brings the random number and the time.
 */

/**
 * - `program`: the command exited with a status other than 0
 * - `oom`: the kernel ended it at its memory limit
 * - `timeout`: the time limit passed
 * - `device`: a device failed or could not be given to the container
 * - `image`: the image is not there and could not be pulled
 * - `engine`: the engine could not create or start the container, or ended it when it stopped itself
 * - `lost`: the container was removed while it ran, so nothing is known about its end
 */
export const FAILURE_CLASSES = ['program', 'oom', 'timeout', 'device', 'image', 'engine', 'lost'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Names for several classes at once, as `--retry-on` takes them. */
export const FAILURE_GROUPS: ReadonlyMap<string, readonly FailureClass[]> = new Map<string, readonly FailureClass[]>([
  ['infra', ['device', 'image', 'engine', 'lost']],
  ['any', FAILURE_CLASSES],
]);

/** What `--retries` retries if `--retry-on` is not given: not what would only fail in the same way again. */
export const DEFAULT_RETRY_ON: readonly FailureClass[] = ['program', 'device', 'image', 'engine', 'lost'];

export interface Failure {
  /** `dependency`: a task that it waits for did not succeed; never tried again. */
  readonly class: FailureClass | 'dependency';
  /** One line for people. */
  readonly message: string;
  /** The exit code of the container. Absent where it never ran, or nothing is known of its end. */
  readonly exitCode?: number;
}

/** First and longest bound of the wait before another attempt, seconds. */
export const BACKOFF = { first: 5, most: 600 } as const;

/**
 * Seconds before the next attempt: evenly distributed between 0 and a bound that doubles with each failure ("full jitter"), so that tasks which
 * failed together do not come back together.
 *
 * @param failures failures so far, at least 1
 * @param random from 0 up to, but not including, 1
 */
export function backoffSeconds(failures: number, random: number): number {
  const bound = Math.min(BACKOFF.most, BACKOFF.first * 2 ** Math.min(failures - 1, 30));
  return bound * random;
}

/** How a container ended, as the engine reports it. */
export interface Exit {
  readonly code: number;
  readonly oomKilled: boolean;
  /** What the engine says about a container that it could not run. */
  readonly error?: string;
  /** Whether the engine stopped or was not reachable when the container ended. */
  readonly engineStopped?: boolean;
}

const DEVICE_ERROR =
  /CDI device injection failed|could not select device driver|nvidia-container-cli|NVML|unresolvable CDI/i;
/** Exit codes of a container that something else ended: SIGKILL, SIGTERM, and the code that the engine writes when it does not know. */
const ENDED_FROM_OUTSIDE: ReadonlySet<number> = new Set([137, 143, 255]);

/** Why the container failed; `undefined` where it did not. */
export function failureOf(exit: Exit): Failure | undefined {
  const { code, oomKilled, error = '', engineStopped = false } = exit;
  if (oomKilled) {
    return { class: 'oom', message: 'ran out of memory', exitCode: code };
  }
  if (code === 0 && error === '') {
    return undefined;
  }
  if (error !== '') {
    return { ...startFailure(error), exitCode: code };
  }
  if (engineStopped && ENDED_FROM_OUTSIDE.has(code)) {
    return { class: 'engine', message: `ended with the engine (exit code ${code})`, exitCode: code };
  }
  return { class: 'program', message: `exited with code ${code}${signalWords(code)}`, exitCode: code };
}

/** RLIMIT_MEMLOCK, which `lockMemory` raises. */
const LOCKED_MEMORY = /error setting rlimits? .*rlimit type 8\b/i;
const LOCKED_MEMORY_FIX = 'Set "lockMemory: false" in runner.yaml: this engine may not raise limits.';

/** The class of what the engine says when it cannot create or start a container. A command that does not exist is the program's fault. */
export function startFailure(error: string): Failure & { readonly class: FailureClass } {
  const message = oneLine(error);
  if (
    /executable file not found|no such file or directory|permission denied/i.test(error) &&
    /exec|runc create/i.test(error)
  ) {
    return { class: 'program', message };
  }
  if (LOCKED_MEMORY.test(error)) {
    return { class: 'engine', message: `${message}. ${LOCKED_MEMORY_FIX}` };
  }
  return { class: DEVICE_ERROR.test(error) ? 'device' : 'engine', message };
}

function signalWords(code: number): string {
  return code === 137
    ? ' (SIGKILL)'
    : code === 143
      ? ' (SIGTERM)'
      : code === 139
        ? ' (SIGSEGV)'
        : code === 134
          ? ' (SIGABRT)'
          : '';
}

const LONGEST = 400;

export function oneLine(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
