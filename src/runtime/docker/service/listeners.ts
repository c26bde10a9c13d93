/**
 * Where the runner listens: unix sockets, whose permissions decide who may connect, and TLS, where each request has a token.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { type NetworkListener } from '../../../planning/runner-settings/settings';
import { RunnerError } from '../runner-error';
import { type Caller } from './caller';
import { refuse } from './http';
import { asksForPage, sendPage } from './page';
import { type Tokens } from './tokens';

export type Answer = (request: IncomingMessage, response: ServerResponse, caller: Caller) => Promise<void>;

/** Milliseconds for a whole request. */
const PATIENCE = 60_000;

export class Listeners {
  private readonly servers: Server[] = [];

  constructor(private readonly answer: Answer) {}

  /**
   * Listens on a socket. A socket without a listener is replaced.
   *
   * @param mode permissions of the socket: 0o600 for the owner, 0o660 also for the group of the folder
   */
  async socket(path: string, mode: number, caller: Caller): Promise<void> {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    if (existsSync(path)) {
      if (await answers(path)) {
        const fix = 'Stop it first, or set another "socket".';
        throw new RunnerError(`${path}: another runner listens here`, fix, 'conflict');
      }
      rmSync(path, { force: true });
    }
    const server = createServer((request, response) => void this.answer(request, response, caller));
    // No client may connect before the permissions are set.
    const mask = process.umask(0o177);
    try {
      await listening(server, (ready) => server.listen(path, ready));
    } catch (error) {
      throw new RunnerError(`${path}: ${(error as Error).message}`, 'Set "socket" to a path that this user can write.');
    } finally {
      process.umask(mask);
    }
    chmodSync(path, mode);
    this.keep(server);
  }

  /** @throws RunnerError if the certificate or key cannot be used, or the address cannot be listened on */
  async network({ address, port, certificate, key }: NetworkListener, tokens: Tokens): Promise<void> {
    const take = (request: IncomingMessage, response: ServerResponse): void => {
      const caller = tokens.caller(request.headers.authorization);
      if (asksForPage(request)) {
        sendPage(response);
      } else if (caller === undefined) {
        refuse(response, new RunnerError('a valid token is required', 'Set GANTRY_DOCKER_TOKEN.', 'unauthorized'));
      } else {
        void this.answer(request, response, caller);
      }
    };
    try {
      const options = { cert: readFileSync(certificate), key: readFileSync(key), minVersion: 'TLSv1.2' as const };
      const server = createTlsServer(options, take);
      await listening(server, (ready) => server.listen(port, address, ready));
      this.keep(server);
    } catch (error) {
      throw new RunnerError(
        `listen ${address}:${port}: ${(error as Error).message}`,
        'Correct "listen" of runner.yaml.',
        'invalid',
      );
    }
  }

  async close(): Promise<void> {
    await Promise.all(
      this.servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      ),
    );
  }

  private keep(server: Server): void {
    server.requestTimeout = PATIENCE;
    this.servers.push(server);
  }
}

function listening(server: Server, listen: (ready: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    listen(() => resolve());
  });
}

async function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
