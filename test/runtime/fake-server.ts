/**
 * An API server of a few lines: answers what a test puts into it, over real connections.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type JsonValue } from '../../src/facts/api/schema';
import { ApiClient } from '../../src/runtime/api/client';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

export type Handler = (asked: Asked, response: ServerResponse) => void | Promise<void>;

export interface FakeServer {
  readonly client: ApiClient;
  readonly asked: readonly Asked[];
  /** Plain address, for what is no client. */
  readonly url: string;
  /** How many connections there are. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export async function fakeServer(
  handler: Handler,
  options: { readonly connections?: number } = {},
): Promise<FakeServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const one = {
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      body: Buffer.concat(chunks).toString('utf8'),
      headers: request.headers,
    };
    asked.push(one);
    await handler(one, response);
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new ApiClient({ ...options, admission: () => Promise.resolve({ url, connection: {}, headers: {} }) });
  return {
    client,
    asked,
    url,
    connections: () =>
      new Promise((done, fail) =>
        server.getConnections((error, count) => (error === null ? done(count) : fail(error))),
      ),
    close: async () => {
      client.close();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

export function reply(
  response: ServerResponse,
  status: number,
  body: JsonValue,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, code: number, reason: string, message = reason): void {
  reply(response, code, { kind: 'Status', status: 'Failure', code, reason, message });
}

/** Lets everything happen that is under way, until it is so. */
export async function until(isSo: () => boolean, limit = 30_000): Promise<void> {
  for (const deadline = Date.now() + limit; !isSo();) {
    if (Date.now() > deadline) {
      throw new Error('it did not come true');
    }
    await new Promise((done) => setTimeout(done, 2));
  }
}
