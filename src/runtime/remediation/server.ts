/**
 * Health, metrics, and the webhook of Alertmanager over HTTP.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type JsonValue } from '../../facts/api/schema';
import { isAuthorized } from './alerts';

export interface ServerOptions {
  readonly address: string;
  readonly port: number;
  readonly isHealthy: () => boolean;
  readonly metrics: () => Promise<string>;
  /** Absent: alerts are not received. */
  readonly alertToken?: string;
  /** @returns whether the body is a notification */
  readonly onAlerts: (body: JsonValue) => boolean;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const MOST_BYTES = 4 * 2 ** 20;

export class RemediationServer {
  private readonly server: Server;

  constructor(private readonly options: ServerOptions) {
    this.server = createServer((request, response) => {
      this.answer(request).then(
        ({ status, text }) => response.writeHead(status, { 'content-type': 'text/plain' }).end(text),
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
    const path = (request.url ?? '/').split('?')[0];
    if (path === '/alerts') {
      return this.alerts(request);
    }
    if (request.method !== 'GET') {
      return { status: 405, text: 'Only GET is supported.' };
    }
    if (path === '/metrics') {
      return { status: 200, text: await this.options.metrics() };
    }
    if (path === '/healthz' || path === '/readyz') {
      return this.options.isHealthy() ? { status: 200, text: 'ok' } : { status: 503, text: 'not ok' };
    }
    return { status: 404, text: 'Not found. The paths are /healthz, /readyz, /metrics, and /alerts.' };
  }

  private async alerts(request: IncomingMessage): Promise<Answer> {
    const { alertToken, onAlerts } = this.options;
    if (alertToken === undefined) {
      return { status: 404, text: 'Alerts are not received. Start the program with --alert-token-file.' };
    }
    if (!isAuthorized(request.headers.authorization, alertToken)) {
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
    return body !== undefined && onAlerts(body)
      ? { status: 200, text: 'ok' }
      : { status: 400, text: 'The body must be a notification of Alertmanager: {"alerts": […]}.' };
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
