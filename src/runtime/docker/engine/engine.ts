/**
 * What the runner needs of the Engine API (Docker Engine 20.10 and newer), over HTTP.
 *
 * Source: moby 29, api/docs/v1.41.yaml and later. Version 1.41 of the API is what engine 20.10 has, and 29 still answers 1.44 and later: the version that both
 * sides know is asked for once.
 */
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Agent } from 'node:http';
import { oneLine } from '../task/failure';
import { addressText, type EngineAddress } from './address';
import { LineReader } from './lines';

/** The engine answered with an error, or not at all. */
export class EngineError extends Error {
  override readonly name = 'EngineError';

  constructor(
    message: string,
    /** HTTP status; `undefined` where there was no answer, so that nothing is known of what was asked. */
    readonly status: number | undefined,
  ) {
    super(message);
  }

  get isAnswer(): boolean {
    return this.status !== undefined;
  }
}

export interface EngineInfo {
  readonly ServerVersion?: string;
  readonly NCPU?: number;
  readonly MemTotal?: number;
  readonly CgroupVersion?: string;
  readonly CgroupDriver?: string;
  readonly MemoryLimit?: boolean;
  readonly SwapLimit?: boolean;
  readonly CPUSet?: boolean;
  readonly PidsLimit?: boolean;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DefaultRuntime?: string;
  readonly CDISpecDirs?: readonly string[];
  readonly DiscoveredDevices?: readonly { readonly Source: string; readonly ID: string }[];
  readonly Name?: string;
  readonly Warnings?: readonly string[] | null;
}

export interface ContainerSummary {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly State: string;
  readonly Labels: Readonly<Record<string, string>>;
}

export interface ContainerState {
  readonly Id: string;
  readonly Name: string;
  readonly Config?: { readonly Labels?: Readonly<Record<string, string>> };
  readonly HostConfig?: {
    readonly DeviceRequests?:
      | readonly { readonly Driver?: string; readonly DeviceIDs?: readonly string[] | null; readonly Count?: number }[]
      | null;
    readonly Runtime?: string;
  };
  readonly State: {
    /** created, running, paused, restarting, removing, exited, dead */
    readonly Status: string;
    readonly OOMKilled: boolean;
    readonly ExitCode: number;
    readonly Error: string;
    readonly StartedAt: string;
    readonly FinishedAt: string;
  };
}

export interface EngineEvent {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes?: Readonly<Record<string, string>> };
  readonly timeNano?: number;
}

interface Ask {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Milliseconds until an answer begins. @default - 15 seconds for questions, 60 for changes */
  readonly patience?: number;
  readonly signal?: AbortSignal;
}

const NEWEST = [1, 51] as const;
const OLDEST = '1.41';
const PATIENCE = 60_000;
const ANSWER = 15_000;
/** An image may take as long as the network needs; without any progress for this long the pull counts as failed, milliseconds. */
const PULL_PATIENCE = 300_000;
const LONGEST_ANSWER = 64 * 1024 * 1024;

export class Engine {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 32 });
  private version: Promise<string> | undefined;

  constructor(readonly address: EngineAddress) {}

  get name(): string {
    return addressText(this.address);
  }

  async ping(): Promise<void> {
    await this.text({ path: '/_ping', patience: 5000 });
  }

  info(): Promise<EngineInfo> {
    return this.json<EngineInfo>({ path: '/info' });
  }

  /** Containers with a label `key` or `key=value`, or all, running or not. */
  containers(label?: string): Promise<readonly ContainerSummary[]> {
    const query: Record<string, string> = { all: '1' };
    if (label !== undefined) {
      query.filters = JSON.stringify({ label: [label] });
    }
    return this.json({ path: '/containers/json', query });
  }

  /** `undefined` if there is none. */
  inspect(container: string): Promise<ContainerState | undefined> {
    return this.unlessMissing(this.json<ContainerState>({ path: `/containers/${encodeURIComponent(container)}/json` }));
  }

  /** @returns the id. @throws EngineError 404 without the image, 409 if the name is taken */
  async create(name: string, spec: unknown): Promise<string> {
    const { Id } = await this.json<{ Id: string }>({
      method: 'POST',
      path: '/containers/create',
      query: { name },
      body: spec,
    });
    return Id;
  }

  /** Also succeeds if it runs already. */
  async start(container: string): Promise<void> {
    await this.text({ method: 'POST', path: `/containers/${encodeURIComponent(container)}/start` });
  }

  /** SIGTERM or the signal of the image, then SIGKILL after the grace period; returns when it has ended. */
  async stop(container: string, graceSeconds: number): Promise<void> {
    const path = `/containers/${encodeURIComponent(container)}/stop`;
    const query = { t: String(graceSeconds) };
    await this.unlessMissing(this.text({ method: 'POST', path, query, patience: graceSeconds * 1000 + PATIENCE }));
  }

  /** Removes it, with its anonymous volumes. Succeeds if there is none. */
  async remove(container: string, force = false): Promise<void> {
    const query = { v: '1', ...(force ? { force: '1' } : {}) };
    await this.unlessMissing(
      this.text({ method: 'DELETE', path: `/containers/${encodeURIComponent(container)}`, query }),
    );
  }

  /** The image's id; `undefined` if it is not there. */
  async image(name: string): Promise<string | undefined> {
    const found = await this.unlessMissing(this.json<{ Id: string }>({ path: `/images/${encodePath(name)}/json` }));
    return found?.Id;
  }

  /** @throws EngineError with what the registry says */
  async pull(name: string): Promise<void> {
    const tagged = /@|:[^/]*$/.test(name) ? name : `${name}:latest`;
    const answer = await this.open({
      method: 'POST',
      path: '/images/create',
      query: { fromImage: tagged },
      patience: PULL_PATIENCE,
    });
    answer.setTimeout(PULL_PATIENCE, () => answer.destroy(new EngineError('no progress for 5 minutes', undefined)));
    let problem: string | undefined;
    for await (const line of new LineReader(answer)) {
      problem = (JSON.parse(line) as { error?: string }).error ?? problem;
    }
    if (problem !== undefined) {
      throw new EngineError(oneLine(problem), 404);
    }
  }

  /** Makes the volume unless it is there. @returns its labels */
  async volume(name: string, labels: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    await this.text({ method: 'POST', path: '/volumes/create', body: { Name: name, Labels: labels } });
    // The answer has no labels if the volume was there when the engine started (seen with 29).
    const found = await this.json<{ Labels: Readonly<Record<string, string>> | null }>({
      path: `/volumes/${encodeURIComponent(name)}`,
    });
    return found.Labels ?? {};
  }

  /** The output of a container: frames of both streams, see `frames.ts`. */
  logs(
    container: string,
    options: { readonly follow: boolean; readonly tail?: number; readonly signal?: AbortSignal },
  ): Promise<IncomingMessage> {
    const tail = options.tail === undefined ? 'all' : String(options.tail);
    const query = { stdout: '1', stderr: '1', timestamps: '1', follow: options.follow ? '1' : '0', tail };
    // Older engines answer with the first line of output.
    const patience = options.follow ? 2 ** 31 - 1 : PATIENCE;
    return this.open({
      path: `/containers/${encodeURIComponent(container)}/logs`,
      query,
      patience,
      signal: options.signal,
    });
  }

  /**
   * Whether the engine that made the container still runs: it keeps the last 256 events in memory, and the creation is among them. `false` also where more
   * has happened since.
   */
  async remembersCreation(container: string): Promise<boolean> {
    const filters = JSON.stringify({ type: ['container'], event: ['create'], container: [container] });
    const query = { since: '0', until: (Date.now() / 1000).toFixed(3), filters };
    return (await this.text({ path: '/events', query })).trim() !== '';
  }

  /** What happens to containers from now on, until the connection ends. */
  async *events(since: number, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const filters = JSON.stringify({ type: ['container'], event: ['die', 'oom', 'destroy'] });
    const answer = await this.open({ path: '/events', query: { since: (since / 1000).toFixed(3), filters }, signal });
    try {
      for await (const line of new LineReader(answer)) {
        yield JSON.parse(line) as EngineEvent;
      }
    } catch (error) {
      throw new EngineError(`${this.name}: ${connectionWords(error as NodeJS.ErrnoException)}`, undefined);
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private async json<T>(ask: Ask): Promise<T> {
    return JSON.parse(await this.text(ask)) as T;
  }

  private async text(ask: Ask): Promise<string> {
    return readText(await this.open(ask));
  }

  private async unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof EngineError && error.status === 404) {
        return undefined;
      }
      throw error;
    }
  }

  private async open(ask: Ask): Promise<IncomingMessage> {
    const prefix = ask.path === '/_ping' || ask.path === '/version' ? '' : `/v${await this.agreed()}`;
    const answer = await this.send({ ...ask, path: prefix + ask.path });
    const status = answer.statusCode ?? 0;
    if (status < 400) {
      return answer;
    }
    throw new EngineError(messageOf(await readText(answer), status), status);
  }

  /** The newest version of the API that both sides know. */
  private agreed(): Promise<string> {
    this.version ??= this.json<{ ApiVersion?: string }>({ path: '/version', patience: 10_000 }).then(
      ({ ApiVersion = OLDEST }) => {
        const [major, minor] = ApiVersion.split('.').map(Number);
        return major === NEWEST[0] && minor < NEWEST[1] ? ApiVersion : NEWEST.join('.');
      },
    );
    this.version.catch(() => (this.version = undefined));
    return this.version;
  }

  private send({ method = 'GET', path, query = {}, body, patience, signal }: Ask): Promise<IncomingMessage> {
    const { address } = this;
    const most = patience ?? (method === 'GET' ? ANSWER : PATIENCE);
    const search = new URLSearchParams(query).toString();
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      Host: 'docker',
      ...(payload === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': payload.length }),
    };
    const options = { method, path: search === '' ? path : `${path}?${search}`, headers, signal };
    return new Promise((resolve, reject) => {
      let sent: ClientRequest;
      const take = (answer: IncomingMessage): void => {
        sent.setTimeout(0);
        resolve(answer);
      };
      if (address.kind === 'unix') {
        sent = httpRequest({ ...options, socketPath: address.socketPath, agent: this.agent }, take);
      } else if (address.tls === undefined) {
        sent = httpRequest({ ...options, host: address.host, port: address.port, agent: this.agent }, take);
      } else {
        sent = httpsRequest({ ...options, host: address.host, port: address.port, ...address.tls }, take);
      }
      sent.setTimeout(most, () => sent.destroy(new Error(`no answer within ${most / 1000} s`)));
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(new EngineError(`${this.name}: ${connectionWords(error)}`, undefined)),
      );
      sent.end(payload);
    });
  }
}

const CONNECTION_WORDS: ReadonlyMap<string | undefined, string> = new Map([
  ['ENOENT', 'no such socket; is the Docker engine running?'],
  ['ECONNREFUSED', 'connection refused; is the Docker engine running?'],
  ['EACCES', 'permission denied; the runner needs access to the socket (group docker)'],
]);

function connectionWords({ code, message }: NodeJS.ErrnoException): string {
  return CONNECTION_WORDS.get(code) ?? message;
}

function messageOf(text: string, status: number): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return oneLine(typeof message === 'string' ? message : text);
  } catch {
    return oneLine(text) || `HTTP status ${status}`;
  }
}

/** Names of images contain slashes, which separate parts of the path. */
function encodePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer) {
      size += (chunk as Buffer).length;
      if (size > LONGEST_ANSWER) {
        throw new EngineError(`an answer of more than ${LONGEST_ANSWER} bytes`, undefined);
      }
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw error instanceof EngineError ? error : new EngineError((error as Error).message, undefined);
  }
  return Buffer.concat(chunks).toString('utf8');
}
