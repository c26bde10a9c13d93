/**
 * Where the engine listens, as the Docker command line finds it: an address, `DOCKER_HOST`, or a Docker context.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunnerError } from '../runner-error';
import { configurationFolder, contextOf, type Environment, type TlsMaterial, tlsMaterial } from './contexts';

export interface SshAddress {
  readonly kind: 'ssh';
  readonly host: string;
  /** @default - as the SSH configuration says */
  readonly user?: string;
  /** @default - as the SSH configuration says */
  readonly port?: number;
  /** Socket of the engine on that host. @default - the one that the Docker command line uses there */
  readonly socketPath?: string;
}

export type EngineAddress =
  | { readonly kind: 'unix'; readonly socketPath: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      /** @default - plain HTTP */
      readonly tls?: TlsMaterial;
    }
  | SshAddress;

const DEFAULT_HOST = 'unix:///var/run/docker.sock';

/**
 * @param host `unix:///path`, `tcp://host:port`, or `ssh://user@host:port`. @default - DOCKER_HOST, the Docker context, or the local socket
 * @throws RunnerError if it is none of them, or the context cannot be read
 */
export function engineAddress(host: string | undefined, env: Environment): EngineAddress {
  const stated = host ?? (env.DOCKER_HOST === '' ? undefined : env.DOCKER_HOST);
  if (stated !== undefined) {
    return addressOf(stated, tlsOf(env));
  }
  const context = contextOf(env);
  return context === undefined ? addressOf(DEFAULT_HOST, undefined) : addressOf(context.host, context.tls);
}

function addressOf(text: string, tls: TlsMaterial | undefined): EngineAddress {
  if (text.startsWith('unix://') && text.length > 'unix://'.length) {
    return { kind: 'unix', socketPath: text.slice('unix://'.length) };
  }
  const tcp = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[^:/[\]]+)(?::(\d{1,5}))?\/?$/.exec(text);
  if (tcp !== null) {
    const port = Number(tcp[2] ?? (tls === undefined ? 2375 : 2376));
    return { kind: 'tcp', host: bare(tcp[1]), port, ...(tls === undefined ? {} : { tls }) };
  }
  const ssh =
    /^ssh:\/\/(?:([^@:/\s-][^@:/\s]*)@)?(\[[0-9a-fA-F:]+\]|[^@:/[\]\s-][^@:/[\]\s]*)(?::(\d{1,5}))?(\/\S*)?$/.exec(
      text,
    );
  if (ssh !== null) {
    const [, user, host, port, path = '/'] = ssh;
    return {
      kind: 'ssh',
      host: bare(host),
      ...(user === undefined ? {} : { user }),
      ...(port === undefined ? {} : { port: Number(port) }),
      ...(path === '/' ? {} : { socketPath: path }),
    };
  }
  throw new RunnerError(
    `engine address ${JSON.stringify(text)}: must be unix:///path/to/docker.sock, tcp://host:port, or ssh://user@host`,
    undefined,
    'invalid',
  );
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

/** With `DOCKER_TLS_VERIFY`, as the Docker command line: the files of `DOCKER_CERT_PATH`, or those of its own folder that exist. */
function tlsOf(env: Environment): TlsMaterial | undefined {
  if (env.DOCKER_TLS_VERIFY === undefined || env.DOCKER_TLS_VERIFY === '') {
    return undefined;
  }
  const stated = env.DOCKER_CERT_PATH === '' ? undefined : env.DOCKER_CERT_PATH;
  const read = (name: string): Buffer | undefined => {
    try {
      return readFileSync(join(stated ?? configurationFolder(env), name));
    } catch (error) {
      if (stated === undefined) {
        return undefined;
      }
      throw new RunnerError(
        `DOCKER_CERT_PATH: ${(error as Error).message}`,
        'It must contain ca.pem, cert.pem, and key.pem.',
        'invalid',
      );
    }
  };
  return tlsMaterial(read);
}

/** For messages. */
export function addressText(address: EngineAddress): string {
  const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
  switch (address.kind) {
    case 'unix':
      return `unix://${address.socketPath}`;
    case 'tcp':
      return `tcp://${bracketed(address.host)}:${address.port}`;
    case 'ssh': {
      const { user, host, port, socketPath = '' } = address;
      return `ssh://${user === undefined ? '' : `${user}@`}${bracketed(host)}${port === undefined ? '' : `:${port}`}${socketPath}`;
    }
  }
}
