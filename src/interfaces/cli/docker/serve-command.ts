/**
 * `gantry docker serve`: the runner in the foreground.
 */
import { resolve } from 'node:path';
import { serve } from '../../../runtime/docker/serve';
import { versionOf } from '../../checks/version';
import { type Terminal } from '../terminal';
import { configurationOfFlags, reported } from './connection';

export interface ServeFlags {
  readonly config?: string;
  readonly adopt?: boolean;
  readonly socket?: string;
}

export async function serveCommand(flags: ServeFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const read = configurationOfFlags(flags, terminal);
    const configuration = flags.socket === undefined ? read : { ...read, socket: resolve(terminal.cwd, flags.socket) };
    const log = (line: string): void => terminal.err(`${new Date().toISOString()} ${line}\n`);
    // Asked for before anything is started, so that no signal is missed.
    const ended = new Promise<string>((end) =>
      ['SIGINT', 'SIGTERM'].forEach((name) => process.once(name, () => end(name))),
    );
    const serving = await serve({
      configuration,
      env: terminal.env,
      version: versionOf(),
      adopt: flags.adopt === true,
      log,
    });
    const { devices, cpus } = serving.inventory;
    const found =
      devices.length === 0
        ? 'no devices (tasks without --gpus run)'
        : `${devices.length} device${devices.length === 1 ? '' : 's'}`;
    log(`runner on ${serving.engine}: ${found}, ${cpus.length} CPUs; socket ${configuration.socket}`);
    log(`${await ended}: the runner stops; containers keep running`);
    await serving.close();
    return 0;
  });
}
