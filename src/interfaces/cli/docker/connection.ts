/**
 * How the commands find the runner, and how its errors become one line.
 */
import { resolve } from 'node:path';
import { RunnerClient } from '../../../runtime/docker/service/client';
import { type RunnerConfiguration } from '../../../planning/runner-settings/settings';
import { defaultConfiguration, readConfiguration } from '../../../runtime/docker/configuration';
import { EngineError } from '../../../runtime/docker/engine/engine-error';
import { RunnerError } from '../../../runtime/docker/runner-error';
import { type Terminal, UsageError } from '../terminal';

export interface SocketFlags {
  readonly socket?: string;
}

function defaultsOf({ env }: Pick<Terminal, 'env'>): RunnerConfiguration {
  return defaultConfiguration(env, process.getuid?.() === 0);
}

/** `runner.yaml` if it is given, else what the host suggests. @throws RunnerError */
export function configurationOfFlags(
  { config }: { readonly config?: string },
  terminal: Pick<Terminal, 'env' | 'cwd'>,
): RunnerConfiguration {
  const defaults = defaultsOf(terminal);
  return config === undefined ? defaults : readConfiguration(resolve(terminal.cwd, config), defaults);
}

export function socketOf({ socket }: SocketFlags, terminal: Pick<Terminal, 'env'>): string {
  return socket ?? terminal.env.GANTRY_DOCKER_SOCKET ?? defaultsOf(terminal).socket;
}

export function clientOf(flags: SocketFlags, terminal: Pick<Terminal, 'env'>): RunnerClient {
  return new RunnerClient(socketOf(flags, terminal), terminal.env.GANTRY_DOCKER_TOKEN);
}

/** What the runner or the engine refuses is the caller's to mend: one line, status 2. */
export async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RunnerError) {
      throw new UsageError(error.line);
    }
    if (error instanceof EngineError) {
      throw new UsageError(error.message);
    }
    throw error;
  }
}
