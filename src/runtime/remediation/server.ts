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
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** @default text/plain */
  readonly type?: string;
}

const MOST_BYTES = 4 * 2 ** 20;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

export class RemediationServer {
  private readonly server: Server;

  constructor(private readonly options: ServerOptions) {
    this.server = createServer((request, response) => {
      this.answer(request).then(
        ({ status, text, type = 'text/plain; charset=utf-8' }) => {
          response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
          response.end(request.method === 'HEAD' ? undefined : text);
          if (status === 413) {
            request.destroy();
          }
        },
        () => response.writeHead(500, { 'content-type': 'text/plain' }).end('The request failed.'),
      );
    });
    this.server.requestTimeout = 10_000;
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
        return this.options.isHealthy()
          ? { status: 200, text: 'ok' }
          : { status: 503, text: 'no plan was made lately' };
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
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request) {
      bytes += (chunk as Buffer).length;
      if (bytes > MOST_BYTES) {
        return { status: 413, text: `The body must be at most ${MOST_BYTES} bytes.` };
      }
      chunks.push(chunk as Buffer);
    }
    const body = parsed(Buffer.concat(chunks).toString('utf8'));
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

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
