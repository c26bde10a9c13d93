/**
 * The runner's service: JSON over HTTP on unix sockets. Who may connect is decided by the permissions of the socket and its folder; on the socket of a
 * tenant a request is that tenant's, whatever it says.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { type Readable } from 'node:stream';
import { type JsonValue } from '../../../facts/api/schema';
import { EngineError } from '../engine/engine';
import { type Runner } from '../runner/runner';
import { RunnerError, type RunnerErrorCode } from '../runner-error';
import { type EngineCalls } from '../runner/runner-types';
import { type TaskStore } from '../store/store';
import { isEnded, type Task } from '../task/task';
import { deviceAnswers, planAnswer, taskAnswer } from './answers';
import { submissionOf } from './submission';

const STATUS: Readonly<Record<RunnerErrorCode, number>> = {
  invalid: 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'disk-full': 507,
  unavailable: 503,
};
const LONGEST_BODY = 4 * 1024 * 1024;
const MOST_TASKS = 10_000;
const FRAMES = { 'Content-Type': 'application/vnd.docker.multiplexed-stream' };
/** Milliseconds after which a request to wait is answered, so that the client sees that the runner is there. */
const LONGEST_WAIT = 30_000;

export interface ServiceOptions {
  readonly runner: Runner;
  readonly store: TaskStore;
  readonly engine: Pick<EngineCalls, 'logs'>;
  readonly version: string;
}

/** Who asks: an administrator, or one tenant. */
export type Caller = { readonly tenant?: string };

interface Asked {
  readonly caller: Caller;
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Handler = (asked: Asked, name: string) => unknown;

export class Service {
  private readonly servers: Server[] = [];
  private readonly routes: readonly { readonly method: string; readonly path: RegExp; readonly handler: Handler }[] = [
    { method: 'GET', path: /^\/v1\/status$/, handler: ({ caller }) => this.status(caller) },
    { method: 'GET', path: /^\/v1\/devices$/, handler: () => this.devices() },
    {
      method: 'POST',
      path: /^\/v1\/devices\/([^/]+)\/(?:drain|resume)$/,
      handler: (asked, name) => this.drain(asked, name),
    },
    { method: 'GET', path: /^\/v1\/tasks$/, handler: (asked) => this.list(asked) },
    { method: 'POST', path: /^\/v1\/tasks$/, handler: (asked) => this.submit(asked) },
    { method: 'POST', path: /^\/v1\/plan$/, handler: (asked) => this.plan(asked) },
    {
      method: 'GET',
      path: /^\/v1\/tasks\/([^/]+)$/,
      handler: (asked, name) => this.named(asked, name).map(taskAnswer),
    },
    { method: 'GET', path: /^\/v1\/tasks\/([^/]+)\/plan$/, handler: (asked, name) => this.planOf(asked, name) },
    { method: 'GET', path: /^\/v1\/tasks\/([^/]+)\/wait$/, handler: (asked, name) => this.wait(asked, name) },
    { method: 'GET', path: /^\/v1\/tasks\/([^/]+)\/logs$/, handler: (asked, name) => this.logs(asked, name) },
    { method: 'POST', path: /^\/v1\/tasks\/([^/]+)\/cancel$/, handler: (asked, name) => this.cancel(asked, name) },
  ];

  constructor(private readonly options: ServiceOptions) {}

  /**
   * Listens on a socket. A socket without a listener is replaced.
   *
   * @param mode permissions of the socket: 0o600 for the owner, 0o660 also for the group of the folder
   */
  async listen(path: string, mode: number, caller: Caller = {}): Promise<void> {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    if (existsSync(path)) {
      if (await answers(path)) {
        throw new RunnerError(
          `${path}: another runner listens here`,
          'Stop it first, or set another "socket".',
          'conflict',
        );
      }
      rmSync(path, { force: true });
    }
    const server = createServer((request, response) => void this.answer(request, response, caller));
    server.requestTimeout = 60_000;
    // No client may connect before the permissions are set.
    const mask = process.umask(0o177);
    try {
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
    } catch (error) {
      throw new RunnerError(`${path}: ${(error as Error).message}`, 'Set "socket" to a path that this user can write.');
    } finally {
      process.umask(mask);
    }
    chmodSync(path, mode);
    this.servers.push(server);
  }

  async close(): Promise<void> {
    await Promise.all(
      this.servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      ),
    );
  }

  private async answer(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://runner');
      const route = this.routes.find(({ method, path }) => method === request.method && path.test(url.pathname));
      if (route === undefined) {
        throw new RunnerError(`${request.method} ${url.pathname}: not found`, undefined, 'not-found');
      }
      const name = decoded(route.path.exec(url.pathname)?.[1] ?? '');
      const result = await route.handler({ caller, url, request, response }, name);
      if (!response.headersSent && result !== undefined) {
        send(response, 200, result);
      }
    } catch (error) {
      refuse(response, error);
    }
  }

  private status({ tenant }: Caller): unknown {
    const { engine, isConnected, open, problem, inventory } = this.options.runner.status();
    return {
      version: this.options.version,
      engine,
      isConnected,
      open,
      ...(problem === undefined ? {} : { problem }),
      host: {
        name: inventory.name,
        cpus: inventory.cpus.length,
        memoryBytes: inventory.memoryBytes,
        devices: inventory.devices.length,
      },
      ...(tenant === undefined ? {} : { tenant }),
    };
  }

  private devices(): unknown {
    const { runner } = this.options;
    return deviceAnswers(runner.status(), runner.ledger.active);
  }

  private drain({ caller, url }: Asked, name: string): unknown {
    administrator(caller);
    const { devices } = this.options.runner.status().inventory;
    const device = /^\d+$/.test(name) ? devices[Number(name)]?.id : name;
    this.options.runner.drain(device ?? name, url.pathname.endsWith('/drain'));
    return this.devices();
  }

  private list({ caller, url }: Asked): unknown {
    const limit = Number(url.searchParams.get('limit') ?? 100);
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST_TASKS) {
      throw new RunnerError(`limit: must be a whole number from 1 to ${MOST_TASKS}`, undefined, 'invalid');
    }
    const tenant = caller.tenant ?? url.searchParams.get('tenant') ?? undefined;
    const states = url.searchParams.get('states')?.split(',').slice(0, 16);
    this.options.runner.ledger.flush();
    return this.options.store
      .list({ limit, ...(tenant === undefined ? {} : { tenant }), ...(states === undefined ? {} : { states }) })
      .map(taskAnswer);
  }

  private async submit({ caller, request }: Asked): Promise<unknown> {
    const submission = allowed(submissionOf(await body(request)), caller);
    return this.options.runner.submit(submission).map(taskAnswer);
  }

  private async plan({ caller, request }: Asked): Promise<unknown> {
    return planAnswer(this.options.runner.plan(allowed(submissionOf(await body(request)), caller)));
  }

  private planOf(asked: Asked, name: string): unknown {
    const [task] = this.named(asked, name);
    if (task.state !== 'queued') {
      throw new RunnerError(`task ${task.id} does not wait: it is ${task.state}`, undefined, 'conflict');
    }
    return planAnswer(this.options.runner.outlook(task));
  }

  private cancel(asked: Asked, name: string): unknown {
    const ids = this.named(asked, name).map(({ id }) => id);
    return this.options.runner.cancel(ids).map(taskAnswer);
  }

  /** Answers when all of the tasks have ended, and after a while in any case. */
  private async wait(asked: Asked, name: string): Promise<unknown> {
    const ids = new Set(this.named(asked, name).map(({ id }) => id));
    const { ledger } = this.options.runner;
    const isDone = (): boolean => [...ids].every((id) => ledger.get(id) === undefined);
    if (!isDone()) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          unwatch();
          resolve();
        };
        const timer = setTimeout(end, LONGEST_WAIT);
        const unwatch = ledger.watch((task) => {
          if (ids.has(task.id) && isEnded(task) && isDone()) {
            end();
          }
        });
        asked.request.once('close', end);
      });
    }
    return this.named(asked, name).map(taskAnswer);
  }

  /**
   * The output of one container in the frames of the engine. With `follow=1` until it ends; `after=N` waits for an attempt after the Nth, or for the end
   * of the task.
   */
  private async logs(asked: Asked, name: string): Promise<void> {
    const { response, url } = asked;
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    const follow = url.searchParams.get('follow') === '1';
    const member = Number(url.searchParams.get('replica') ?? 0);
    let [task] = this.named(asked, name);
    if (follow) {
      const after = Number(url.searchParams.get('after') ?? 0);
      task = await this.begun(
        task.id,
        (one) => one.attempt > after && one.members[member]?.state === 'running',
        ended.signal,
      );
      if (task.attempt <= after) {
        response.writeHead(200, FRAMES).end();
        return;
      }
    }
    const attempt = Number(url.searchParams.get('attempt') ?? task.attempt);
    const container = attempt === task.attempt ? task.members[member]?.container : undefined;
    const source = await this.outputOf(task, { attempt, member, container, follow, signal: ended.signal });
    response.writeHead(200, { ...FRAMES, 'Gantry-Attempt': String(attempt) });
    if (source === undefined) {
      response.end();
      return;
    }
    source.once('error', () => response.destroy());
    source.pipe(response);
  }

  private async outputOf(
    task: Task,
    from: { attempt: number; member: number; container: string | undefined; follow: boolean; signal: AbortSignal },
  ): Promise<Readable | undefined> {
    const { output } = this.options.runner;
    const { attempt, member, container, follow, signal } = from;
    const kept = output.open(task.id, attempt, member);
    if (kept !== undefined || container === undefined) {
      return kept;
    }
    try {
      return await this.options.engine.logs(container, { follow, signal });
    } catch (error) {
      // It may have been kept and removed in between.
      const now = output.open(task.id, attempt, member);
      if (now === undefined && !(error instanceof EngineError && error.status === 404)) {
        throw error;
      }
      return now;
    }
  }

  /** The task once it is as wanted, or has ended, or the client has closed the connection. */
  private async begun(id: string, isWanted: (task: Task) => boolean, signal: AbortSignal): Promise<Task> {
    const { ledger } = this.options.runner;
    const now = ledger.find(id)!;
    if (isWanted(now) || isEnded(now) || signal.aborted) {
      return now;
    }
    return new Promise((resolve) => {
      const end = (task: Task): void => {
        unwatch();
        resolve(task);
      };
      const unwatch = ledger.watch((task) => {
        if (task.id === id && (isWanted(task) || isEnded(task))) {
          end(task);
        }
      });
      signal.addEventListener('abort', () => end(ledger.find(id) ?? now), { once: true });
    });
  }

  private named({ caller }: Pick<Asked, 'caller'>, name: string): readonly Task[] {
    const tasks = this.options.runner
      .named(name)
      .filter(({ spec }) => caller.tenant === undefined || spec.tenant === caller.tenant);
    if (tasks.length === 0) {
      throw new RunnerError(`task ${JSON.stringify(name.slice(0, 100))}: not found`, undefined, 'not-found');
    }
    return tasks;
  }
}

function administrator({ tenant }: Caller): void {
  if (tenant !== undefined) {
    throw new RunnerError('only administrators may do this', undefined, 'forbidden');
  }
}

/** A tenant submits as itself, and gets nothing of the host but its devices. */
function allowed(submission: ReturnType<typeof submissionOf>, { tenant }: Caller): ReturnType<typeof submissionOf> {
  if (tenant === undefined) {
    return submission;
  }
  const { spec } = submission;
  const bind = spec.volumes.find((volume) => volume.startsWith('/'));
  if (bind !== undefined) {
    throw new RunnerError(
      `volumes: ${bind}: folders of the host are for administrators`,
      'Use a named volume.',
      'forbidden',
    );
  }
  if (spec.network !== undefined && spec.network !== 'none' && spec.network !== 'bridge') {
    throw new RunnerError(`network: ${spec.network}: only none and bridge are allowed`, undefined, 'forbidden');
  }
  return { ...submission, spec: { ...spec, tenant } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function body(request: IncomingMessage): Promise<JsonValue> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > LONGEST_BODY) {
      throw new RunnerError(`the request is larger than ${LONGEST_BODY} bytes`, undefined, 'invalid');
    }
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonValue;
  } catch {
    throw new RunnerError('the request is not JSON', undefined, 'invalid');
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof RunnerError) {
    send(response, STATUS[error.code], { error: error.line, code: error.code });
  } else if (error instanceof EngineError) {
    send(response, 502, { error: error.message, code: 'unavailable' });
  } else {
    send(response, 500, { error: `internal error: ${(error as Error).message}`, code: 'unavailable' });
  }
}

async function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
