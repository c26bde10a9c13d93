/**
 * The command as users have it, with the client of the API server that the package contains.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const PROGRAM = resolve(__dirname, '../../bin/gantry');

/** What makes each connection fail, as in a job of CI that reaches nothing. */
const WITHOUT_NETWORK = `--import=data:text/javascript,${encodeURIComponent(
  "import net from 'node:net'; net.Socket.prototype.connect = () => { throw new Error('there is no network'); };",
)}`;

/**
 * @param kubeconfig the only one that the command may find; empty for none, and no network either
 * @throws if the exit status is not 0, with what the command printed
 */
export function gantryIn(
  folder: string,
  kubeconfig: string,
  ...words: readonly string[]
): { readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    env: {
      ...process.env,
      HOME: folder,
      KUBECONFIG: kubeconfig,
      ...(kubeconfig === '' && { NODE_OPTIONS: WITHOUT_NETWORK }),
    },
    encoding: 'utf8',
  });
  if (status !== 0) {
    throw new Error(`gantry ${words.join(' ')}: status ${status}: ${stderr}${stdout}`);
  }
  return { out: stdout, err: stderr };
}
