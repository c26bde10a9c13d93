/**
 * An in-process API server behind HTTP on loopback, and a kubeconfig that names it: for programs that connect by themselves.
 */
import { createServer, type Server } from 'node:http';
import { writeFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { type ApiError } from '../../src/runtime/api/api-error';
import { type InProcessApiServer } from './api-server/api-server';

export class HttpServer {
  private constructor(private readonly server: Server) {}

  static async of(api: InProcessApiServer): Promise<HttpServer> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://server');
      const reply = (status: number, value: unknown): void => {
        response.statusCode = status;
        response.end(JSON.stringify(value));
      };
      api.client
        .request(request.method ?? '', pathname, { query: Object.fromEntries(searchParams) })
        .then((answer) => reply(200, answer))
        .catch((error: ApiError) =>
          reply(error.status, { kind: 'Status', reason: error.reason, message: error.message }),
        );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HttpServer(server);
  }

  writeKubeconfig(file: string, context = 'prod'): void {
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    writeFileSync(
      file,
      JSON.stringify({
        'current-context': context,
        clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'u', user: { token: 'token' } }],
        contexts: [{ name: context, context: { cluster: 'c', user: 'u' } }],
      }),
    );
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
