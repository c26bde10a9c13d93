/**
 * The program's face: health, metrics, what it sees and decides, and a stream of that. Read only.
 *
 * Health and metrics need no token: Prometheus would have to send its token over plain HTTP. They name queues, and
 * no pods.
 *
 * No path here is granted by a role that clusters come with: `system:discovery` lets every account `get` whatever is below `/api` and `/apis`.
 *
 * | path | what |
 * |---|---|
 * | `/healthz` | 200 while the program makes progress |
 * | `/readyz` | 200 once everything has been read |
 * | `/metrics` | Prometheus' text format |
 * | `/gantry/v1/view` | the cluster as the last cycle saw it; `null` where this replica does not decide |
 * | `/gantry/v1/pending` | every pending gang, with its reason and the changes with which it fits |
 * | `/gantry/v1/pending/NAMESPACE/GANG` | one of them |
 * | `/gantry/v1/decisions` | the latest decisions |
 * | `/gantry/v1/stream` | server-sent events, one `LiveView` each |
 * | `/` | the page |
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Connections } from './connections';
import { type Authorizer, type Refusal } from './authorizer';
import { type Said, Stream } from './stream';

/** What there is to show. */
export interface Face {
  isHealthy(): boolean;
  isReady(): boolean;
  /** Why it is not ready, for the answer to a probe. */
  whyNotReady(): string;
  metrics(): Promise<{ readonly type: string; readonly text: string }>;
  view(): object | null;
  /** Why there is no view, where there is none. */
  waitingFor(): string;
  pending(): readonly { readonly gang: string }[];
  decisions(): readonly unknown[];
  /** HTML of the page; absent where there is none. */
  page?(): string;
}

export interface HttpOptions {
  readonly address: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly face: Face;
  readonly authorizer: Authorizer;
  /** Whether clients on loopback need no token. @default true */
  readonly trustsLoopback?: boolean;
}

const PUBLISH_PAUSE = 1000;

/** The right that the page at `/` takes: roles that a cluster comes with may grant `/` itself. */
const PAGE_URL = '/gantry/v1/page';

/** How long a client may take to send its request, milliseconds. */
const PATIENCE = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 2000 };

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export class HttpFace {
  private readonly server: Server;
  private readonly stream = new Stream();
  private publishing: NodeJS.Timeout | undefined;

  constructor(private readonly options: HttpOptions) {
    this.server = createServer(PATIENCE, (request, response) => {
      this.serve(request, response).catch((error: unknown) => {
        send(response, {
          status: 500,
          type: 'text/plain',
          text: error instanceof Error ? error.message : String(error),
        });
      });
    });
    const connections = new Connections();
    this.server.on('connection', (socket) => connections.take(socket));
  }

  /** @throws where the port is taken */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(this.options.port, this.options.address, resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  /** Notifies all watchers, at most once a second. */
  publish(): void {
    if (this.stream.size > 0 && this.publishing === undefined) {
      this.publishing = setTimeout(() => {
        this.publishing = undefined;
        this.stream.send(this.said());
      }, PUBLISH_PAUSE).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.publishing);
    this.stream.close();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pathname = pathOf(request.url ?? '/');
    if (pathname === undefined) {
      send(response, { status: 400, type: 'text/plain', text: 'The path is not a valid URL.' });
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      send(response, { status: 405, type: 'text/plain', text: 'Only GET is supported: the page is read-only.' });
      return;
    }
    const { face } = this.options;
    if (pathname === '/healthz') {
      send(response, state(face.isHealthy(), 'no progress'));
      return;
    }
    if (pathname === '/readyz') {
      send(response, state(face.isReady(), face.whyNotReady()));
      return;
    }
    if (pathname === '/metrics') {
      const { type, text } = await face.metrics();
      send(response, { status: 200, type, text });
      return;
    }
    const refusal = await this.refusal(request, pathname);
    if (refusal !== undefined) {
      send(response, { status: refusal.status, type: 'text/plain', text: refusal.message });
      return;
    }
    if (pathname === '/gantry/v1/stream') {
      this.stream.add(response, this.said());
      return;
    }
    send(response, this.answer(pathname));
  }

  /**
   * A client on loopback is inside the pod or was authorized by the API server (`kubectl port-forward`). A browser that was lured to a
   * host name that resolves to loopback was not; its Host header shows that name.
   */
  private refusal(request: IncomingMessage, path: string): Promise<Refusal | undefined> | Refusal | undefined {
    const { trustsLoopback = true } = this.options;
    if (!trustsLoopback || !isLoopback(request.socket.localAddress ?? '')) {
      const asked = path === '/' ? PAGE_URL : path;
      return this.options.authorizer.refusal(request.headers.authorization, asked, request.socket.remoteAddress ?? '');
    }
    const host = request.headers.host ?? 'localhost';
    const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
    return isLoopback(name) ? undefined : { status: 403, message: `The host ${name} is not served. Use localhost.` };
  }

  private said(): Said {
    const { face } = this.options;
    const view = face.view();
    return view === null ? { waiting: face.waitingFor() } : { view };
  }

  private answer(path: string): Answer {
    const { face } = this.options;
    switch (path) {
      case '/gantry/v1/view':
        return json(face.view());
      case '/gantry/v1/pending':
        return json(face.pending());
      case '/gantry/v1/decisions':
        return json(face.decisions());
      case '/':
        if (face.page !== undefined) {
          return { status: 200, type: 'text/html; charset=utf-8', text: face.page() };
        }
    }
    const gang = /^\/gantry\/v1\/pending\/(.+)$/.exec(path)?.[1];
    const found = gang === undefined ? undefined : face.pending().find((one) => one.gang === decoded(gang));
    return found === undefined
      ? { status: 404, type: 'text/plain', text: gang === undefined ? 'Page not found.' : 'Pending gang not found.' }
      : json(found);
  }
}

/** Without what only makes one path look like another; `undefined` where it is none. */
function pathOf(url: string): string | undefined {
  return URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost').pathname : undefined;
}

/** A text that is not well encoded names nothing. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function isLoopback(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|::ffff:127\.\d+\.\d+\.\d+)$/.test(address);
}

function state(good: boolean, why: string): Answer {
  return { status: good ? 200 : 503, type: 'text/plain', text: good ? 'ok' : why };
}

function json(value: unknown): Answer {
  return { status: 200, type: 'application/json', text: JSON.stringify(value) };
}

function send(response: ServerResponse, { status, type, text }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  });
  response.end(text);
}
