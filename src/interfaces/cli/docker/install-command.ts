/**
 * `gantry docker install`: writes the systemd unit of the runner, or its Compose file.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { composeFile } from '../../../runtime/docker/compose-file';
import { systemdUnit, UNIT_PATH } from '../../../planning/runner-settings/systemd-unit';
import { versionOf } from '../../checks/version';
import { type Terminal, UsageError } from '../terminal';
import { configurationOfFlags, reported } from './connection';

export interface InstallFlags {
  readonly config?: string;
  /** @default - the folder of systemd, or compose.yaml */
  readonly output?: string;
  readonly compose?: boolean;
  readonly force?: boolean;
}

const COMMAND = join(__dirname, '../../../../bin/gantry');

const START_UNIT = 'sudo systemctl daemon-reload && sudo systemctl enable --now gantry-docker';

export async function installCommand(flags: InstallFlags, terminal: Terminal): Promise<number> {
  const { config, force, compose = false, output = compose ? 'compose.yaml' : UNIT_PATH } = flags;
  return reported(() => {
    // An invalid file would only be noticed when the runner starts.
    const configuration = configurationOfFlags({ config }, terminal);
    const options = config === undefined ? {} : { config: resolve(terminal.cwd, config) };
    const unit = compose
      ? composeFile({ configuration, packages: packages(), ...options })
      : systemdUnit({ node: process.execPath, command: COMMAND, ...options });
    if (output === '-') {
      terminal.out(unit);
      return Promise.resolve(0);
    }
    const path = resolve(terminal.cwd, output);
    write(path, unit, force === true);
    terminal.out(
      `Wrote ${path}. Start the runner: ${compose ? `docker compose -f ${path} up --detach` : START_UNIT}\n`,
    );
    return Promise.resolve(0);
  });
}

/** This package, and its peer that keeps the tasks, as it states it. */
function packages(): readonly string[] {
  const { peerDependencies } = JSON.parse(readFileSync(join(__dirname, '../../../../package.json'), 'utf8')) as {
    peerDependencies: { libsql: string };
  };
  return [`cdk8s-gantry@${versionOf()}`, `libsql@${peerDependencies.libsql.replace(/^\^/, '')}`];
}

function write(path: string, unit: string, force: boolean): void {
  if (!force && existsSync(path) && readFileSync(path, 'utf8') !== unit) {
    throw new UsageError(`${path}: exists and is different; --force replaces it, --output - prints the new one`);
  }
  try {
    writeFileSync(path, unit);
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; run it as root, or print it with --output -`);
  }
}
