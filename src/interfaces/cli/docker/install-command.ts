/**
 * `gantry docker install`: writes the systemd unit of the runner.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemdUnit } from '../../../runtime/docker/install/systemd-unit';
import { type Terminal, UsageError } from '../terminal';
import { configurationOfFlags, reported } from './connection';

export interface InstallFlags {
  readonly config?: string;
  readonly output: string;
  readonly force?: boolean;
}

const COMMAND = join(__dirname, '../../../../bin/gantry');

export async function installCommand({ config, output, force }: InstallFlags, terminal: Terminal): Promise<number> {
  return reported(() => {
    // An invalid file would only be noticed when the unit starts.
    configurationOfFlags({ config }, terminal);
    const options = config === undefined ? {} : { config: resolve(terminal.cwd, config) };
    const unit = systemdUnit({ node: process.execPath, command: COMMAND, ...options });
    if (output === '-') {
      terminal.out(unit);
      return Promise.resolve(0);
    }
    const path = resolve(terminal.cwd, output);
    write(path, unit, force === true);
    terminal.out(
      `Wrote ${path}. Start the runner: sudo systemctl daemon-reload && sudo systemctl enable --now gantry-docker\n`,
    );
    return Promise.resolve(0);
  });
}

function write(path: string, unit: string, force: boolean): void {
  if (!force && existsSync(path) && readFileSync(path, 'utf8') !== unit) {
    throw new UsageError(`${path}: exists and is different; --force replaces it, --output - prints the unit`);
  }
  try {
    writeFileSync(path, unit);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; run it as root, or print the unit with --output -`);
  }
}
