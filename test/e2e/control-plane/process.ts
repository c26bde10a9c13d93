/**
 * Processes that outlive the function, and sometimes the program, that started them.
 *
 * A pid alone does not name a process, since the system hands pids out again: it is kept together with the start time.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { forget, remember } from './started';

export interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
  /** When it started, in the system's own words; only good for comparing. */
  readonly started: string;
  readonly log: string;
  /** With what it can be started again; absent of a process that was not started here. */
  readonly command?: { readonly program: string; readonly args: readonly string[]; readonly cwd: string };
}

/** Starts a program in the background; both its outputs go to the log file. */
export function startProcess(
  name: string,
  program: string,
  args: readonly string[],
  log: string,
  cwd: string,
): ProcessRecord {
  const out = openSync(log, 'a');
  const child = spawn(program, args, { cwd, detached: true, stdio: ['ignore', out, out] });
  closeSync(out);
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined) {
    throw new Error(`${program} could not be started.`);
  }
  const record = { name, pid: child.pid, started: startTime(child.pid) ?? '', log, command: { program, args, cwd } };
  remember(keyOf(record), () => stopProcess(record));
  return record;
}

/** Ends the process at once, as a crash would, and waits until it is gone. */
export async function killProcess(record: ProcessRecord): Promise<void> {
  forget(keyOf(record));
  signal(record, 'SIGKILL');
  while (isRunning(record)) {
    await sleep(10);
  }
}

/** This process, as a record: who owns what it started. */
export function ownRecord(): ProcessRecord {
  return { name: 'owner', pid: process.pid, started: startTime(process.pid) ?? '', log: '' };
}

export function isRunning({ pid, started }: ProcessRecord): boolean {
  return startTime(pid) === started;
}

/** Asks the process to end, and ends it after `patience` milliseconds. Does nothing to another process that has its pid now. */
export async function stopProcess(record: ProcessRecord, patience = 5000): Promise<void> {
  forget(keyOf(record));
  if (!isRunning(record)) {
    return;
  }
  signal(record, 'SIGTERM');
  for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(20)) {
    if (!isRunning(record)) {
      return;
    }
  }
  await killProcess(record);
}

function keyOf({ pid, started }: ProcessRecord): string {
  return `process ${pid} ${started}`;
}

function signal(record: ProcessRecord, name: NodeJS.Signals): void {
  try {
    process.kill(record.pid, name);
  } catch {
    // It ended between the question and the signal.
  }
}

/** `undefined` where there is no such process, or only what is left of one that ended. */
function startTime(pid: number): string | undefined {
  if (process.platform !== 'linux') {
    const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return ps.stdout?.trim() || undefined;
  }
  try {
    // The second field is the program's name in parentheses and may hold anything; after it, state is field 3 and start time field 22.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** The last lines of a log, for error messages. */
export function tail(log: string, lines = 15): string {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '(no log)';
  }
}
