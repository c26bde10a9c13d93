/**
 * The command as users have it, with the client of the API server that the package contains.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const PROGRAM = resolve(__dirname, '../../bin/gantry');

/**
 * @param kubeconfig the only one that the command may find; empty for none
 * @throws if the exit status is not 0
 */
export function gantryIn(
  folder: string,
  kubeconfig: string,
  ...words: readonly string[]
): { readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    env: { ...process.env, HOME: folder, KUBECONFIG: kubeconfig },
    encoding: 'utf8',
  });
  if (status !== 0) {
    throw new Error(`gantry ${words.join(' ')}: status ${status}: ${stderr}`);
  }
  return { out: stdout, err: stderr };
}
