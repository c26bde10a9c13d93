/**
 * Processes of a container as the kernel lists them, whatever the engine says. An engine that is killed between the start of a process and its record of
 * the start reports the container as created, while the process runs.
 *
 * With both cgroup drivers the cgroup of a process contains the whole id of its container: `/docker/ID` and `/system.slice/docker-ID.scope`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface HostProcesses {
  /** @returns `undefined` where the processes of the engine's host cannot be seen */
  readonly of: (container: string) => readonly number[] | undefined;
  /** Sends SIGKILL. A process that has ended, or that this user may not end, is left alone. */
  readonly kill: (pid: number) => void;
}

/** For an engine on another host. */
export const HIDDEN_PROCESSES: HostProcesses = { of: () => undefined, kill: () => undefined };

/** The processes are seen where the engine is: in a container without the host's PID namespace there is no dockerd. */
export function localProcesses(root = '/proc'): HostProcesses {
  return {
    of: (container) => {
      const all = readdirSync(root).filter((name) => /^\d+$/.test(name));
      if (!all.some((pid) => read(join(root, pid, 'comm')).trim() === 'dockerd')) {
        return undefined;
      }
      return all
        .filter((pid) => read(join(root, pid, 'cgroup')).includes(container) && isAlive(read(join(root, pid, 'stat'))))
        .map(Number);
    },
    kill: (pid) => {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It is reported again as long as it is there.
      }
    },
  };
}

/** A zombie holds nothing. The state follows the name, which may contain anything. */
function isAlive(stat: string): boolean {
  return !/^\d+ \([^]*\) [ZXx] /.test(stat) && stat !== '';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
