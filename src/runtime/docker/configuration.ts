/**
 * `runner.yaml` of this host: its defaults for the user that starts the runner, and the file.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject } from '../../facts/api/schema';
import { isObject } from '../../manifests/read';
import { parseValue } from '../../manifests/yaml';
import { faultText, readSettings } from '../../planning/runner-settings/read-settings';
import { type RunnerConfiguration, SYSTEM_CONFIGURATION } from '../../planning/runner-settings/settings';
import { RunnerError } from './runner-error';

/** Where things are without a configuration: system folders for root, folders of the user otherwise. */
export function defaultConfiguration(
  env: Readonly<Record<string, string | undefined>>,
  isRoot: boolean,
): RunnerConfiguration {
  if (isRoot) {
    return SYSTEM_CONFIGURATION;
  }
  const state = join(env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local/state'), 'gantry-docker');
  return { ...SYSTEM_CONFIGURATION, state, socket: join(env.XDG_RUNTIME_DIR ?? state, 'gantry-docker.sock') };
}

/** @throws RunnerError with the file, the field, and what was expected */
export function readConfiguration(path: string, defaults: RunnerConfiguration): RunnerConfiguration {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw invalid(path, (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message);
  }
  const parsed = parseValue(text, path);
  if ('problem' in parsed) {
    throw invalid(path, parsed.problem.message);
  }
  const value = parsed.value ?? {};
  if (!isObject(value)) {
    throw invalid(path, 'must be an object');
  }
  return configurationOf(value, path, defaults);
}

/** @throws RunnerError with the first mistake, and the number of the others */
export function configurationOf(value: JsonObject, path: string, defaults: RunnerConfiguration): RunnerConfiguration {
  const { configuration, faults } = readSettings(value, path, defaults);
  const [first, ...others] = faults;
  if (first !== undefined) {
    const fix = others.length === 0 ? undefined : `\`gantry check ${path}\` lists all ${faults.length} mistakes`;
    throw invalid(path, faultText(first), fix);
  }
  return configuration;
}

function invalid(path: string, problem: string, fix?: string): RunnerError {
  return new RunnerError(`${path}: ${problem}`, fix, 'invalid');
}
