/**
 * Programs that these tests run for real, where the machine has them.
 */
import { spawnSync } from 'node:child_process';

function has(program: string, ...args: readonly string[]): boolean {
  const found = spawnSync(program, args).error === undefined;
  if (!found) {
    console.log(`no ${program} on this machine: what needs it is skipped`);
  }
  return found;
}

export const hasBusybox = has('busybox', 'true');
export const hasShellcheck = has('shellcheck', '--version');
