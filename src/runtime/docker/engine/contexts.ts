/**
 * Docker contexts: named engines in the folder of the Docker command line, `~/.docker` or `DOCKER_CONFIG`.
 *
 * Source: docker/cli, cli/context/store: `contexts/meta/SHA256-OF-NAME/meta.json`, `contexts/tls/SHA256-OF-NAME/docker/*.pem`.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { RunnerError } from '../runner-error';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** @default true */
  readonly rejectUnauthorized?: boolean;
}

export interface Context {
  readonly host: string;
  /** @default - none */
  readonly tls?: TlsMaterial;
}

/** The context without a file: the local socket. */
const DEFAULT = 'default';

export function configurationFolder(env: Environment): string {
  const stated = env.DOCKER_CONFIG ?? '';
  return stated === '' ? join(env.HOME ?? homedir(), '.docker') : stated;
}

/**
 * The context of `DOCKER_CONTEXT`, or the current one of `docker context use`.
 *
 * @returns `undefined` if it is the default one
 * @throws RunnerError if it cannot be read
 */
export function contextOf(env: Environment): Context | undefined {
  const folder = configurationFolder(env);
  const stated = env.DOCKER_CONTEXT ?? '';
  const name = stated === '' ? currentContext(join(folder, 'config.json')) : stated;
  if (name === undefined || name === DEFAULT) {
    return undefined;
  }
  const id = createHash('sha256').update(name).digest('hex');
  const path = join(folder, 'contexts/meta', id, 'meta.json');
  const found = read(path);
  if (found === undefined) {
    throw new RunnerError(
      `Docker context ${JSON.stringify(name)}: not found`,
      'List them with: docker context ls',
      'invalid',
    );
  }
  const endpoint = parsed<{ Endpoints?: { docker?: { Host?: unknown; SkipTLSVerify?: unknown } } }>(path, found)
    .Endpoints?.docker;
  if (typeof endpoint?.Host !== 'string' || endpoint.Host === '') {
    throw new RunnerError(`${path}: Endpoints.docker.Host: required`, undefined, 'invalid');
  }
  const tls = {
    ...tlsMaterial((file) => read(join(folder, 'contexts/tls', id, 'docker', file))),
    ...(endpoint.SkipTLSVerify === true ? { rejectUnauthorized: false } : {}),
  };
  return { host: endpoint.Host, ...(Object.keys(tls).length === 0 ? {} : { tls }) };
}

/** @param read gives the contents of a file, or `undefined` if there is none */
export function tlsMaterial(read: (name: string) => Buffer | undefined): TlsMaterial {
  const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map(read);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

function currentContext(path: string): string | undefined {
  const found = read(path);
  const name = found === undefined ? undefined : parsed<{ currentContext?: unknown }>(path, found).currentContext;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function parsed<T extends object>(path: string, text: Buffer): T {
  try {
    const value: unknown = JSON.parse(text.toString('utf8'));
    if (typeof value === 'object' && value !== null) {
      return value as T;
    }
  } catch {
    // Said below.
  }
  throw new RunnerError(`${path}: must be a JSON object`, undefined, 'invalid');
}

/** @returns `undefined` if there is no such file */
function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw new RunnerError((error as Error).message, undefined, 'invalid');
  }
}
