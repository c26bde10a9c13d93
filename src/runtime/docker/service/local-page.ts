/**
 * The page for a user of a socket: a server on the loopback address that passes requests on to the runner, with what the user may do there.
 *
 * Other users of the host can reach a loopback address, and so can pages of other sites in the user's browser. So each request needs a token that this server
 * made; the browser gets it for a code that is valid once, from a link whose fragment is never sent. Requests for another host name (DNS rebinding) and from
 * pages of other origins are refused.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { isObject } from '../../../manifests/read';
import { RunnerError } from '../runner-error';
import { type RunnerClient } from './client';
import { bodyOf, refuse, send } from './http';
import { asksForPage } from './page';

const LOCAL_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);
const PATIENCE = 60_000;

export class LocalPage {
  private readonly token = randomBytes(32).toString('base64url');
  private code = newCode();
  private readonly server: Server;

  /** @param opened is called with the next link when one was used */
  constructor(
    private readonly client: Pick<RunnerClient, 'pass'>,
    private readonly opened: (link: string) => void,
  ) {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.requestTimeout = PATIENCE;
  }

  /** @param port 0 for a free one @throws RunnerError if it cannot be listened on */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', ({ message }) =>
        reject(
          new RunnerError(`127.0.0.1:${port}: ${message}`, 'Choose another --port, or leave it out for a free one.'),
        ),
      );
      this.server.listen(port, '127.0.0.1', resolve);
    });
  }

  /** Opens the page, once. */
  get link(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/#code=${this.code}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      checkOrigin(request);
      if (request.method === 'POST' && request.url === '/page/token') {
        await this.exchange(request, response);
      } else if (asksForPage(request) || same(request.headers.authorization ?? '', `Bearer ${this.token}`)) {
        await this.client.pass(request, response);
      } else {
        throw new RunnerError('a valid token is required', 'Open a link of "gantry docker page".', 'unauthorized');
      }
    } catch (error) {
      refuse(response, error);
    }
  }

  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const code = isObject(body) && Object.hasOwn(body, 'code') ? body.code : undefined;
    if (typeof code !== 'string' || !same(code, this.code)) {
      throw new RunnerError('this link is not valid, or was used before', undefined, 'forbidden');
    }
    this.code = newCode();
    send(response, 200, { token: this.token });
    this.opened(this.link);
  }
}

function newCode(): string {
  return randomBytes(32).toString('base64url');
}

function same(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** @throws RunnerError */
function checkOrigin({ headers: { host = '', origin } }: IncomingMessage): void {
  if (!LOCAL_NAMES.has(host.replace(/:\d+$/, ''))) {
    throw new RunnerError('only the loopback address is served', undefined, 'forbidden');
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new RunnerError('requests from pages of other sites are rejected', undefined, 'forbidden');
  }
}
