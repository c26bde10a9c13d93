/**
 * Programs that these tests run for real, where the machine has them.
 */
import { spawnSync } from 'node:child_process';

function has(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).error === undefined;
}

export const hasBusybox = has('busybox', 'true');
export const hasShellcheck = has('shellcheck', '--version');
export const hasKubectl = has('kubectl', 'version', '--client');
export const hasHelm = has('helm', 'version');
