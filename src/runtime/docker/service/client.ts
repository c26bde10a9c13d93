/**
 * What the command line asks the runner, over its socket.
 */
import { type IncomingMessage, request as httpRequest, type RequestOptions, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type RunnerView } from '../../../planning/pages/runner-view';
import { RunnerError, type RunnerErrorCode } from '../runner-error';
import { type TaskSpec } from '../task/task';
import { type DeviceAnswer, type PlanAnswer, type TaskAnswer } from './answers';

export interface StatusAnswer {
  readonly version: string;
  readonly engine: string;
  readonly isConnected: boolean;
  readonly open: number;
  readonly problem?: string;
  readonly host: {
    readonly name: string;
    readonly cpus: number;
    readonly memoryBytes: number;
    readonly devices: number;
  };
}

const LONGEST = 64 * 1024 * 1024;

export class RunnerClient {
  /**
   * @param endpoint path of a socket, or `https://HOST:PORT`
   * @param token for `https`
   */
  constructor(
    private readonly endpoint: string,
    private readonly token?: string,
  ) {}

  status(): Promise<StatusAnswer> {
    return this.json('GET', '/v1/status');
  }

  devices(): Promise<readonly DeviceAnswer[]> {
    return this.json('GET', '/v1/devices');
  }

  /** In the text format of Prometheus, for administrators. */
  async metrics(): Promise<string> {
    return textOf(await this.ask('GET', '/metrics'));
  }

  /** What the page shows. */
  view(): Promise<RunnerView> {
    return this.json('GET', '/v1/view');
  }

  drain(device: string, drained: boolean): Promise<readonly DeviceAnswer[]> {
    return this.json('POST', `/v1/devices/${encodeURIComponent(device)}/${drained ? 'drain' : 'resume'}`);
  }

  list(query: Readonly<Record<string, string>>): Promise<readonly TaskAnswer[]> {
    return this.json('GET', `/v1/tasks?${new URLSearchParams(query).toString()}`);
  }

  submit(task: unknown): Promise<readonly TaskAnswer[]> {
    return this.json('POST', '/v1/tasks', task);
  }

  planned(task: unknown): Promise<PlanAnswer> {
    return this.json('POST', '/v1/plan', task);
  }

  show(task: string): Promise<readonly TaskAnswer[]> {
    return this.json('GET', `/v1/tasks/${encodeURIComponent(task)}`);
  }

  /** What was asked for, and by which resources a cluster counts its devices; of an array, by its first element. */
  spec(task: string): Promise<{ readonly id: string; readonly spec: TaskSpec; readonly resources: readonly string[] }> {
    return this.json('GET', `/v1/tasks/${encodeURIComponent(task)}/spec`);
  }

  plan(task: string): Promise<PlanAnswer> {
    return this.json('GET', `/v1/tasks/${encodeURIComponent(task)}/plan`);
  }

  cancel(task: string): Promise<readonly TaskAnswer[]> {
    return this.json('POST', `/v1/tasks/${encodeURIComponent(task)}/cancel`);
  }

  /** Returns when they have ended, or after a while. */
  wait(task: string): Promise<readonly TaskAnswer[]> {
    return this.json('GET', `/v1/tasks/${encodeURIComponent(task)}/wait`);
  }

  logs(task: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<IncomingMessage> {
    return this.ask(
      'GET',
      `/v1/tasks/${encodeURIComponent(task)}/logs?${new URLSearchParams(query).toString()}`,
      undefined,
      signal,
    );
  }

  /** Passes a request on, and the answer back, both as they come. @throws RunnerError if the runner does not answer */
  async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    const { 'content-type': type, 'content-length': length } = request.headers;
    const headers = {
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(length === undefined ? {} : { 'Content-Length': length }),
    };
    const options = { method: request.method, path: request.url, headers, signal: ended.signal };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = this.send(options, resolve);
      sent.on('error', (error: NodeJS.ErrnoException) => reject(this.unreachable(error)));
      request.pipe(sent);
    });
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.once('error', () => response.destroy());
    answer.pipe(response);
  }

  private async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.parsed(await textOf(await this.ask(method, path, body))) as T;
  }

  /** @throws RunnerError if something else than a runner listens there */
  private parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw new RunnerError(`${this.endpoint}: the server that listens here is not a runner`);
    }
  }

  private refusal(text: string): RunnerError {
    const { error, code } = (this.parsed(text) ?? {}) as { error?: unknown; code?: RunnerErrorCode };
    return typeof error === 'string'
      ? new RunnerError(error, undefined, code)
      : new RunnerError(`${this.endpoint}: the server that listens here is not a runner`);
  }

  private async ask(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<IncomingMessage> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers =
      payload === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': payload.length };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = this.send({ method, path, headers, signal }, resolve);
      sent.on('error', (error: NodeJS.ErrnoException) => reject(this.unreachable(error)));
      sent.end(payload);
    });
    if ((answer.statusCode ?? 0) >= 400) {
      throw this.refusal(await textOf(answer));
    }
    return answer;
  }

  private send(options: RequestOptions, take: (answer: IncomingMessage) => void): ReturnType<typeof httpRequest> {
    if (!this.endpoint.startsWith('https://')) {
      return httpRequest({ ...options, socketPath: this.endpoint }, take);
    }
    const authorization = this.token === undefined ? {} : { Authorization: `Bearer ${this.token}` };
    const headers = { ...(options.headers as Record<string, string>), ...authorization };
    const { hostname, port } = new URL(this.endpoint);
    return httpsRequest({ ...options, headers, hostname, port: port === '' ? 443 : Number(port) }, take);
  }

  private unreachable({ code, message }: NodeJS.ErrnoException): RunnerError {
    if (code === 'ENOENT' || code === 'ECONNREFUSED') {
      return new RunnerError(`${this.endpoint}: no runner listens here`, 'Start one with "gantry docker serve".');
    }
    return code === 'EACCES'
      ? new RunnerError(
          `${this.endpoint}: permission denied`,
          'Ask an administrator for access to the socket.',
          'forbidden',
        )
      : new RunnerError(`${this.endpoint}: ${message}`);
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += (chunk as Buffer).length;
    if (size > LONGEST) {
      throw new RunnerError('the response of the runner is too large', 'Ask for fewer tasks with --limit.');
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
