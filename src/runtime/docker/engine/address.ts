/**
 * Where the engine listens: `DOCKER_HOST` as the Docker command line reads it.
 *
 * `dockerode` is not used: it brings gRPC, protobuf, and an SSH client, and what the runner needs of the Engine API is a dozen requests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunnerError } from '../runner-error';

export type EngineAddress =
  | { readonly kind: 'unix'; readonly socketPath: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      /** @default - plain HTTP */
      readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
    };

const DEFAULT_HOST = 'unix:///var/run/docker.sock';

/**
 * @param host `unix:///path` or `tcp://host:port`. @default - DOCKER_HOST, or the local socket
 * @throws RunnerError if it is neither
 */
export function engineAddress(
  host: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): EngineAddress {
  const text = host ?? (env.DOCKER_HOST !== undefined && env.DOCKER_HOST !== '' ? env.DOCKER_HOST : DEFAULT_HOST);
  if (text.startsWith('unix://') && text.length > 'unix://'.length) {
    return { kind: 'unix', socketPath: text.slice('unix://'.length) };
  }
  const tcp = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[^:/[\]]+)(?::(\d{1,5}))?\/?$/.exec(text);
  if (tcp === null) {
    throw new RunnerError(
      `engine address ${JSON.stringify(text)}: must be unix:///path/to/docker.sock or tcp://host:port`,
      'For an engine that is reached by SSH, forward its socket: ssh -nNT -L /run/user/1000/docker.sock:/var/run/docker.sock HOST',
      'invalid',
    );
  }
  const verify = env.DOCKER_TLS_VERIFY !== undefined && env.DOCKER_TLS_VERIFY !== '';
  const folder = env.DOCKER_CERT_PATH;
  return {
    kind: 'tcp',
    host: tcp[1].replace(/^\[|\]$/g, ''),
    port: Number(tcp[2] ?? (verify ? 2376 : 2375)),
    ...(verify ? { tls: folder === undefined || folder === '' ? {} : certificates(folder) } : {}),
  };
}

function certificates(folder: string): { ca: Buffer; cert: Buffer; key: Buffer } {
  const read = (name: string): Buffer => {
    try {
      return readFileSync(join(folder, name));
    } catch (error) {
      throw new RunnerError(
        `DOCKER_CERT_PATH: ${(error as Error).message}`,
        'It must contain ca.pem, cert.pem, and key.pem.',
        'invalid',
      );
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}

/** For messages. */
export function addressText(address: EngineAddress): string {
  return address.kind === 'unix'
    ? `unix://${address.socketPath}`
    : `tcp://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
}
