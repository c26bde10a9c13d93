/**
 * A client for the API server with just what the suites ask: JSON in, status and JSON out, thousands of times.
 */
import { Agent, request as httpsRequest } from 'node:https';
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';

export interface Endpoint {
  /** `https://127.0.0.1:40123` */
  readonly url: string;
  readonly token: string;
  /** PEM of the certificate that the server shows. */
  readonly certificate: string;
}

export interface Reply {
  readonly status: number;
  /** The reply's JSON; `{ message }` where it is none. */
  readonly body: JsonObject;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

export interface RequestOptions {
  /** A text is sent as it is, anything else as its JSON. */
  readonly body?: JsonValue;
  /** @default 'application/json' */
  readonly contentType?: string;
  /** Milliseconds until the request counts as failed. @default 60000 */
  readonly timeout?: number;
  /** Further headers, such as those of impersonation. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export class ApiClient {
  private readonly agent: Agent;

  constructor(readonly endpoint: Endpoint) {
    this.agent = new Agent({
      keepAlive: true,
      maxSockets: 16,
      ca: endpoint.certificate,
      checkServerIdentity: () => undefined,
    });
  }

  /**
   * @throws where no reply comes: the connection broke, or the time is up
   */
  request(
    method: string,
    path: string,
    { body, contentType, timeout, headers: more }: RequestOptions = {},
  ): Promise<Reply> {
    const payload =
      body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const headers: Record<string, string | number | string[]> = {
      authorization: `Bearer ${this.endpoint.token}`,
      accept: 'application/json',
      ...more,
    };
    if (payload !== undefined) {
      headers['content-type'] = contentType ?? 'application/json';
      headers['content-length'] = payload.length;
    }
    return new Promise((resolve, reject) => {
      const call = httpsRequest(
        `${this.endpoint.url}${path}`,
        { method, headers, agent: this.agent, timeout: timeout ?? 60_000 },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const warning = response.headers.warning;
            resolve({
              status: response.statusCode ?? 0,
              body: parse(Buffer.concat(chunks).toString('utf8')),
              warnings: warningTexts(warning),
            });
          });
        },
      );
      call.on('timeout', () => call.destroy(new Error(`${method} ${path}: no reply within ${timeout ?? 60_000} ms`)));
      call.on('error', reject);
      call.end(payload);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

function parse(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value;
    }
  } catch {
    // Plain text: some errors and the health endpoints.
  }
  return { message: text };
}

function warningTexts(header: string | string[] | undefined): readonly string[] {
  const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
  return [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => match[1].replace(/\\(.)/g, '$1'));
}
