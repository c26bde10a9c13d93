/**
 * The runner's service: what callers may ask, and the answers. Where it listens, and who a caller is, is decided by `listeners.ts`.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Readable } from 'node:stream';
import { type RunnerView } from '../../../planning/pages/runner-view';
import { type RunnerConfiguration } from '../../../planning/runner-settings/settings';
import { MINUTES, type UseHistory } from '../devices/use-history';
import { EngineError } from '../engine/engine-error';
import { resourcesOf } from '../export/resources';
import { type Clock } from '../runner/clock';
import { type Runner } from '../runner/runner';
import { RunnerError } from '../runner-error';
import { type EngineCalls } from '../runner/runner-types';
import { type TaskStore } from '../store/store';
import { isEnded, type Task } from '../task/task';
import { deviceAnswers, planAnswer, taskAnswer } from './answers';
import { type Caller } from './caller';
import { bodyOf, refuse, send, sendText } from './http';
import { viewOf } from './live-view';
import { Metrics, METRICS_TYPE } from './metrics';
import { sendPage } from './page';
import { submissionOf } from './submission';
import { lastFrames } from './last-frames';
import { ViewStreams } from './view-streams';

const MOST_TASKS = 10_000;
const LONGEST_TAIL = 10_000;
const FRAMES = { 'Content-Type': 'application/vnd.docker.multiplexed-stream' };
/** Milliseconds after which a request to wait is answered, so that the client sees that the runner is there. */
const LONGEST_WAIT = 30_000;

export interface ServiceOptions {
  readonly runner: Runner;
  readonly store: TaskStore;
  readonly engine: Pick<EngineCalls, 'logs'>;
  readonly version: string;
  readonly history: UseHistory;
  readonly configuration: Pick<RunnerConfiguration, 'tenants' | 'priorities'>;
  readonly clock: Clock;
}

interface Asked {
  readonly caller: Caller;
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Handler = (asked: Asked, name: string) => unknown;

export class Service {
  /** Answers a request of a caller. */
  readonly answer = (request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> =>
    this.answered(request, response, caller);

  private readonly metrics: Metrics;
  private readonly streams: ViewStreams;
  private readonly routes: readonly { readonly method: string; readonly path: RegExp; readonly handler: Handler }[] = [
    { method: 'GET', path: /^\/v1\/status$/, handler: ({ caller }) => this.status(caller) },
    { method: 'GET', path: /^\/$/, handler: ({ response }) => sendPage(response) },
    { method: 'GET', path: /^\/v1\/view$/, handler: (asked) => this.view(asked) },
    { method: 'GET', path: /^\/v1\/history$/, handler: ({ url }) => this.historyOf(url) },
    { method: 'GET', path: /^\/metrics$/, handler: (asked) => this.metricsText(asked) },
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
    { method: 'GET', path: /^\/v1\/tasks\/([^/]+)\/spec$/, handler: (asked, name) => this.specOf(asked, name) },
    { method: 'GET', path: /^\/v1\/tasks\/([^/]+)\/plan$/, handler: (asked, name) => this.planOf(asked, name) },
    { method: 'GET', path: /^\/v1\/tasks\/([^/]+)\/wait$/, handler: (asked, name) => this.wait(asked, name) },
    { method: 'GET', path: /^\/v1\/tasks\/([^/]+)\/logs$/, handler: (asked, name) => this.logs(asked, name) },
    { method: 'POST', path: /^\/v1\/tasks\/([^/]+)\/cancel$/, handler: (asked, name) => this.cancel(asked, name) },
  ];

  constructor(private readonly options: ServiceOptions) {
    const { runner, history, clock } = options;
    this.metrics = new Metrics(runner.ledger, history);
    this.streams = new ViewStreams({
      view: (caller) => this.viewOf(caller),
      monotonic: () => clock.monotonic(),
    });
    runner.ledger.watch(() => this.streams.changed());
  }

  private async answered(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void> {
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

  /** With `follow=1` as a stream of lines. */
  private view({ caller, url, response }: Asked): unknown {
    if (url.searchParams.get('follow') !== '1') {
      return this.viewOf(caller);
    }
    this.streams.follow(caller, response);
    return undefined;
  }

  private viewOf(caller: Caller): RunnerView {
    const { runner, store, history, configuration, clock } = this.options;
    return viewOf({ runner, store, history, ...configuration }, caller, clock.now());
  }

  private historyOf(url: URL): unknown {
    const minutes = wholeOf(url, 'minutes', [1, MINUTES]) ?? MINUTES;
    return this.options.history.since(this.options.clock.now(), minutes);
  }

  private metricsText({ caller, response }: Asked): void {
    administrator(caller);
    sendText(response, 200, this.metrics.text(this.options.runner.status()), METRICS_TYPE);
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
    this.streams.changed();
    return this.devices();
  }

  private list({ caller, url }: Asked): unknown {
    const limit = wholeOf(url, 'limit', [1, MOST_TASKS]) ?? 100;
    const tenant = caller.tenant ?? url.searchParams.get('tenant') ?? undefined;
    const states = url.searchParams.get('states')?.split(',').slice(0, 16);
    this.options.runner.ledger.flush();
    return this.options.store
      .list({ limit, ...(tenant === undefined ? {} : { tenant }), ...(states === undefined ? {} : { states }) })
      .map(taskAnswer);
  }

  private async submit({ caller, request }: Asked): Promise<unknown> {
    const submission = allowed(submissionOf(await bodyOf(request)), caller);
    return this.options.runner.submit(submission).map(taskAnswer);
  }

  private async plan({ caller, request }: Asked): Promise<unknown> {
    return planAnswer(this.options.runner.plan(allowed(submissionOf(await bodyOf(request)), caller)));
  }

  private specOf(asked: Asked, name: string): unknown {
    const [task] = this.named(asked, name);
    return { id: task.id, spec: task.spec, resources: resourcesOf(task, this.options.runner.status().inventory) };
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
   * of the task; `tail=N` begins with the last N lines, of at most 1 MiB.
   */
  private async logs(asked: Asked, name: string): Promise<void> {
    const { response, url } = asked;
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    const follow = url.searchParams.get('follow') === '1';
    let [task] = this.named(asked, name);
    const member = wholeOf(url, 'replica', [0, task.spec.replicas - 1]) ?? 0;
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
    const attempt = wholeOf(url, 'attempt', [1, Math.max(1, task.attempt)]) ?? task.attempt;
    const container = attempt === task.attempt ? task.members[member]?.container : undefined;
    const tail = wholeOf(url, 'tail', [1, LONGEST_TAIL]);
    const source = await this.outputOf(task, { attempt, member, container, follow, tail, signal: ended.signal });
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
    from: {
      attempt: number;
      member: number;
      container: string | undefined;
      follow: boolean;
      tail: number | undefined;
      signal: AbortSignal;
    },
  ): Promise<Readable | undefined> {
    const { output } = this.options.runner;
    const { attempt, member, container, follow, tail, signal } = from;
    const open = (): Readable | undefined => {
      const whole = output.open(task.id, attempt, member);
      return whole === undefined || tail === undefined ? whole : lastFrames(whole, tail);
    };
    const kept = open();
    if (kept !== undefined || container === undefined) {
      return kept;
    }
    try {
      return await this.options.engine.logs(container, { follow, signal, ...(tail === undefined ? {} : { tail }) });
    } catch (error) {
      // It may have been kept and removed in between.
      const now = open();
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

/** A whole number of the query; `undefined` where there is none. @throws RunnerError with the bounds */
function wholeOf({ searchParams }: URL, name: string, [least, most]: readonly [number, number]): number | undefined {
  const text = searchParams.get(name);
  if (text === null) {
    return undefined;
  }
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    const bounds = least === most ? `${least}` : `a whole number from ${least} to ${most}`;
    throw new RunnerError(`${name}: must be ${bounds}`, undefined, 'invalid');
  }
  return value;
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
      `volumes: ${bind}: only administrators may mount folders of the host`,
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
