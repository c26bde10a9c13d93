/**
 * Requests to the API server over kept connections: JSON in, JSON out, with a time-out, and streams of lines for watches.
 */
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Socket } from 'node:net';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { ApiError, messageOf, NOT_SENT } from './api-error';
import { type Admission, type AdmissionSource } from './credentials';

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: JsonValue;
  /** @default 'application/json' */
  readonly contentType?: string;
  /** Milliseconds until the request counts as unanswered. @default 30000 */
  readonly timeout?: number;
  /** Milliseconds without anything from the server after which the connection counts as dead. @default - as `timeout` */
  readonly silence?: number;
  /** Aborts the request, and its stream. @default - never */
  readonly signal?: AbortSignal;
  /**
   * Asked once the connection is open, right before the request is written to it: when false, the request is not sent. A request may wait
   * for a connection for a long time, and longer if the process is stopped meanwhile.
   * @default - the request is sent
   */
  readonly permit?: () => boolean;
}

/** Called when a request ends: for metrics. Status 0: no answer. */
export type RequestListener = (method: string, path: string, status: number, seconds: number) => void;

export interface ApiClientOptions {
  readonly admission: AdmissionSource;
  /** Requests at once, beside watches. @default 64 */
  readonly connections?: number;
  /** @default 'gantry-scheduler' */
  readonly userAgent?: string;
  readonly onRequest?: RequestListener;
  /** Called with the `Date` header of each answer and the duration of the request in milliseconds. */
  readonly onDate?: (date: string, took: number) => void;
}

interface Answer {
  readonly response: IncomingMessage;
  /** To be called with all that comes. */
  readonly onData: () => void;
}

/** Tokens are renewed well before they end; a file is read again as often as this, milliseconds. */
const ADMISSION_AGE = 60_000;
const TIMEOUT = 30_000;

export class ApiClient {
  private admission: Promise<Admission> | undefined;
  private admissionSince = 0;
  private agents:
    | {
        readonly requests: HttpAgent;
        readonly streams: HttpAgent;
        readonly url: string;
        readonly connection: Admission['connection'];
        /** The same as text. */
        readonly text: string;
      }
    | undefined;

  constructor(private readonly options: ApiClientOptions) {}

  get<T = JsonObject>(path: string, request?: ApiRequest): Promise<T> {
    return this.request<T>('GET', path, request);
  }

  /**
   * @throws ApiError where the server refuses, or does not answer in time
   */
  async request<T = JsonObject>(method: string, path: string, request: ApiRequest = {}): Promise<T> {
    const started = performance.now();
    let status = 0;
    try {
      const { response, onData } = await this.send(method, path, request, false);
      status = response.statusCode ?? 0;
      const text = await textOf(response, onData);
      this.options.onDate?.(response.headers.date ?? '', performance.now() - started);
      const body = parse(text);
      if (status >= 300) {
        if (status === 401) {
          this.admission = undefined;
        }
        throw ApiError.fromStatus(status, body, response.headers['retry-after']);
      }
      return body as T;
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError(`${method} ${path}: ${messageOf(error)}`, 0, 'NoAnswer');
    } finally {
      this.options.onRequest?.(method, path, status, (performance.now() - started) / 1000);
    }
  }

  /**
   * Opens a watch, within `timeout`. The caller reads the response, and destroys it.
   * @throws ApiError where the server refuses, or does not answer in time
   */
  async stream(path: string, request: Pick<ApiRequest, 'query' | 'signal' | 'timeout'>): Promise<IncomingMessage> {
    const started = performance.now();
    let status = 0;
    try {
      const { response, onData } = await this.send('GET', path, request, true);
      status = response.statusCode ?? 0;
      if (status !== 200) {
        throw ApiError.fromStatus(status, parse(await textOf(response, onData)), response.headers['retry-after']);
      }
      return response;
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError(`watch ${path}: ${messageOf(error)}`, 0, 'NoAnswer');
    } finally {
      this.options.onRequest?.('WATCH', path, status, (performance.now() - started) / 1000);
    }
  }

  close(): void {
    this.agents?.requests.destroy();
    this.agents?.streams.destroy();
  }

  private async send(method: string, path: string, request: ApiRequest, isStream: boolean): Promise<Answer> {
    const { query, body, contentType, timeout = TIMEOUT, silence = timeout, signal, permit } = request;
    const { url, headers, connection, proxy } = await this.currentAdmission();
    const agents = this.agentsFor(url, connection);
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const options: RequestOptions = {
      method,
      ...(signal !== undefined && { signal }),
      agent: proxy ?? (isStream ? agents.streams : agents.requests),
      headers: {
        accept: 'application/json',
        'user-agent': this.options.userAgent ?? 'gantry-scheduler',
        ...headers,
        ...(payload === undefined
          ? {}
          : { 'content-type': contentType ?? 'application/json', 'content-length': payload.length }),
      },
    };
    const target = `${url}${path}${queryText(query)}`;
    return new Promise((resolve, reject) => {
      const call = url.startsWith('http:')
        ? httpRequest(target, options)
        : httpsRequest(target, proxy === undefined ? options : { ...options, ...connection });
      // Limits the whole request, not only idle time, so that an answer that trickles in is aborted too.
      const timer = setTimeout(() => call.destroy(new Error(`no response within ${timeout} ms`)), timeout);
      let answer: IncomingMessage | undefined;
      const dead = (): void =>
        void (answer ?? call).destroy(new Error(`no data for ${silence} ms; the connection is dead`));
      const silent = silence < timeout ? setTimeout(dead, silence) : undefined;
      const clear = (): void => [timer, silent].forEach((each) => clearTimeout(each));
      call.on('response', (response) => {
        answer = response;
        // A stream has no end in time, but a refusal does.
        if (isStream && response.statusCode === 200) {
          clear();
        } else {
          response.on('close', clear);
        }
        // The reader calls it: a listener here would let the first data come before the reader listens.
        resolve({ response, onData: () => void silent?.refresh() });
      });
      call.on('error', (error) => {
        clear();
        reject(error);
      });
      whenOpen(call, () => {
        if (permit === undefined || permit()) {
          call.end(payload);
        } else {
          call.destroy(new ApiError(`${method} ${path} was not sent: it is no longer permitted`, NOT_SENT, 'NotSent'));
        }
      });
    });
  }

  private async currentAdmission(): Promise<Admission> {
    if (this.admission === undefined || performance.now() - this.admissionSince > ADMISSION_AGE) {
      const asked = this.options.admission();
      this.admission = asked;
      this.admissionSince = performance.now();
      asked.catch(() => (this.admission = undefined));
    }
    return this.admission;
  }

  private agentsFor(
    url: string,
    connection: Admission['connection'],
  ): { readonly requests: HttpAgent; readonly streams: HttpAgent } {
    // It is the same object for a minute: certificates are not compared with each request.
    if (this.agents?.url === url && this.agents.connection === connection) {
      return this.agents;
    }
    const text = JSON.stringify([url, connection]);
    if (this.agents?.text === text) {
      this.agents = { ...this.agents, connection };
    } else {
      this.close();
      const kept = { keepAlive: true, keepAliveMsecs: 15_000, scheduling: 'lifo' as const };
      const make = (maxSockets: number): HttpAgent =>
        ofOneServer(
          url.startsWith('http:')
            ? new HttpAgent({ ...kept, maxSockets })
            : new HttpsAgent({ ...kept, ...connection, maxSockets }),
        );
      const [requests, streams] = [make(this.options.connections ?? 64), make(Infinity)];
      this.agents = { text, url, connection, requests, streams };
    }
    return this.agents;
  }
}

/** All its connections are alike: no name of host, certificates, and keys is put together for each request. */
function ofOneServer(agent: HttpAgent): HttpAgent {
  agent.getName = () => 'api-server';
  return agent;
}

/** Calls `then` once the request has a connection that is open, and encrypted where it is to be. Nothing is written before `end`. */
function whenOpen(call: ClientRequest, then: () => void): void {
  call.on('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    if (socket.secureConnecting === true) {
      socket.once('secureConnect', then);
    } else if (socket.connecting) {
      socket.once('connect', then);
    } else {
      then();
    }
  });
}

function queryText(query: ApiRequest['query']): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function textOf(response: IncomingMessage, onData: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      onData();
    });
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.on('error', reject);
    // A connection that breaks in the middle ends in `close` without `end`.
    response.on('close', () => reject(new Error('the response ended early')));
  });
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
