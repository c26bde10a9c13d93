/**
 * Health, metrics, the page, and the webhook of Alertmanager over HTTP.
 *
 * The page and its JSON name nodes and gangs, so they are served over loopback alone, where `kubectl port-forward` comes from.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type JsonValue } from '../../facts/api/schema';
import { isAuthorized } from './alerts';
import { statusPage } from './page';
import { type Status } from './status';

export interface ServerOptions {
  readonly address: string;
  readonly port: number;
  readonly isHealthy: () => boolean;
  readonly whyNotReady: () => string | undefined;
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly status: () => Status;
  /** The token that Alertmanager must send. Absent: alerts are not received. */
  readonly alertToken?: () => Promise<string>;
  /**
   * Resolves when the alerts are kept.
   * @returns whether the body is a notification
   */
  readonly onAlerts: (body: JsonValue) => Promise<boolean>;
  /** For the whole of a request, milliseconds. @default 10,000 */
  readonly requestTimeout?: number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** @default text/plain */
  readonly type?: string;
}

/** 10,000 alerts of Alertmanager have about 10 MB. */
const MOST_BYTES = 16 * 2 ** 20;
/** Of all bodies that are being received. */
const MOST_BYTES_AT_ONCE = 32 * 2 ** 20;
/** Objects, lists, and commas of a body: a value takes many times its length in memory. */
const MOST_VALUES = 1_000_000;
const [BRACE, BRACKET, COMMA] = [...'{[,'].map((mark) => mark.charCodeAt(0));
const REQUEST_TIMEOUT = 10_000;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

export class RemediationServer {
  private readonly server: Server;
  /** Bytes of bodies that are being received. */
  private receiving = 0;

  constructor(private readonly options: ServerOptions) {
    const { requestTimeout = REQUEST_TIMEOUT } = options;
    this.server = createServer(
      { requestTimeout, connectionsCheckingInterval: requestTimeout / 10 },
      (request, response) => {
        this.answer(request).then(
          ({ status, text, type = 'text/plain; charset=utf-8' }) => {
            // What is left of a body that is not wanted is not received.
            const ends = request.complete ? {} : { connection: 'close' };
            response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...ends });
            response.end(request.method === 'HEAD' ? undefined : text);
          },
          () => response.writeHead(500, { 'content-type': 'text/plain' }).end('The request failed.'),
        );
      },
    );
    this.server.maxConnections = 100;
  }

  /** @throws where the port is taken */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(this.options.port, this.options.address, resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    const [path, query] = (request.url ?? '/').split('?');
    if (path === '/alerts') {
      return this.alerts(request);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return { status: 405, text: 'Only GET is supported.' };
    }
    switch (path) {
      case '/metrics':
        return { status: 200, ...(await this.options.metrics()) };
      case '/healthz':
        return this.options.isHealthy() ? { status: 200, text: 'ok' } : { status: 503, text: 'no recent plan' };
      case '/readyz': {
        const why = this.options.whyNotReady();
        return why === undefined ? { status: 200, text: 'ok' } : { status: 503, text: why };
      }
      case '/':
      case '/status':
        return this.show(path, request.socket.remoteAddress, query !== 'refresh=off');
      default:
        return { status: 404, text: 'Not found. The paths are /, /status, /healthz, /readyz, /metrics, and /alerts.' };
    }
  }

  private show(path: '/' | '/status', address: string | undefined, refreshes: boolean): Answer {
    if (!LOOPBACK.test(address ?? '')) {
      return { status: 403, text: 'The page is served over loopback only. Use kubectl port-forward.' };
    }
    const status = this.options.status();
    return path === '/'
      ? { status: 200, type: 'text/html; charset=utf-8', text: statusPage(status, refreshes) }
      : { status: 200, type: 'application/json', text: JSON.stringify(status) };
  }

  private async receive(request: IncomingMessage): Promise<Buffer | Answer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      // Else the connection would end before the answer.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        bytes += (chunk as Buffer).length;
        this.receiving += (chunk as Buffer).length;
        if (bytes > MOST_BYTES) {
          return { status: 413, text: `The body must be at most ${MOST_BYTES} bytes.` };
        }
        if (this.receiving > MOST_BYTES_AT_ONCE) {
          return { status: 503, text: 'Too many alerts are being received. Send them again.' };
        }
        chunks.push(chunk as Buffer);
      }
      return Buffer.concat(chunks);
    } finally {
      this.receiving -= bytes;
    }
  }

  private async alerts(request: IncomingMessage): Promise<Answer> {
    const { alertToken, onAlerts } = this.options;
    if (alertToken === undefined) {
      return { status: 404, text: 'Alerts are not received. Start the program with --alert-token-file.' };
    }
    if (!isAuthorized(request.headers.authorization, await alertToken())) {
      return { status: 401, text: 'The bearer token is missing or wrong.' };
    }
    if (request.method !== 'POST') {
      return { status: 405, text: 'Only POST is supported.' };
    }
    const received = await this.receive(request);
    if (!Buffer.isBuffer(received)) {
      return received;
    }
    if (marksIn(received) > MOST_VALUES) {
      return { status: 413, text: `The body must have at most ${MOST_VALUES} values.` };
    }
    const body = parsed(received.toString('utf8'));
    try {
      return body !== undefined && (await onAlerts(body))
        ? { status: 200, text: 'ok' }
        : { status: 400, text: 'The body must be a notification of Alertmanager: {"alerts": […]}.' };
    } catch {
      // Alertmanager sends it again after an answer of this kind.
      return { status: 503, text: 'The alerts could not be kept. Send them again.' };
    }
  }
}

function marksIn(body: Buffer): number {
  let count = 0;
  for (const byte of body) {
    count += byte === BRACE || byte === BRACKET || byte === COMMA ? 1 : 0;
  }
  return count;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
