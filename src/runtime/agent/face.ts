/**
 * Health and metrics over HTTP. Metrics name pods of this node, and nothing here changes anything.
 */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface FaceOptions {
  readonly address: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Whether observations still end. */
  readonly isHealthy: () => boolean;
  /** Whether the node was observed at least once. */
  readonly isReady: () => boolean;
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
}

export class Face {
  private readonly server: Server;

  constructor(private readonly options: FaceOptions) {
    this.server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?')[0];
      const answer = (status: number, type: string, text: string): void => {
        response.writeHead(status, { 'content-type': type }).end(request.method === 'HEAD' ? undefined : text);
      };
      const state = (isFine: boolean): void => answer(isFine ? 200 : 503, 'text/plain', isFine ? 'ok' : 'not ok');
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        answer(405, 'text/plain', 'Only GET is supported.');
      } else if (path === '/healthz') {
        state(options.isHealthy());
      } else if (path === '/readyz') {
        state(options.isReady());
      } else if (path === '/metrics') {
        options.metrics().then(
          ({ type, text }) => answer(200, type, text),
          (error: unknown) => answer(500, 'text/plain', String(error)),
        );
      } else {
        answer(404, 'text/plain', 'Not found. The paths are /healthz, /readyz, and /metrics.');
      }
    });
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
}
