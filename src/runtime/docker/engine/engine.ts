/**
 * What the runner asks of the Engine API (Docker Engine 20.10 and newer).
 *
 * Source: moby 29, api/docs/v1.41.yaml and later.
 */
import { type IncomingMessage } from 'node:http';
import { oneLine } from '../task/failure';
import { type EngineAddress } from './address';
import { type ContainerState, type ContainerSummary, type EngineEvent, type EngineInfo } from './answers';
import { connectionError, EngineError } from './engine-error';
import { LineReader } from './lines';
import { PATIENCE, Transport } from './transport';

/** An image may take as long as the network needs; without any progress for this long the pull counts as failed, milliseconds. */
const PULL_PATIENCE = 300_000;
/** From the time that the engine gives for the creation of a container to the event, at most, milliseconds. */
const CREATION = 1000;

export class Engine {
  private readonly transport: Transport;

  constructor(readonly address: EngineAddress) {
    this.transport = new Transport(address);
  }

  get name(): string {
    return this.transport.name;
  }

  async ping(): Promise<void> {
    await this.transport.text({ path: '/_ping', patience: 5000 });
  }

  info(): Promise<EngineInfo> {
    return this.transport.json<EngineInfo>({ path: '/info' });
  }

  /** Containers with a label `key` or `key=value`, or all, running or not. */
  containers(label?: string): Promise<readonly ContainerSummary[]> {
    const query: Record<string, string> = { all: '1' };
    if (label !== undefined) {
      query.filters = JSON.stringify({ label: [label] });
    }
    return this.transport.json({ path: '/containers/json', query });
  }

  /** `undefined` if there is none. */
  inspect(container: string): Promise<ContainerState | undefined> {
    return unlessMissing(
      this.transport.json<ContainerState>({ path: `/containers/${encodeURIComponent(container)}/json` }),
    );
  }

  /** @returns the id. @throws EngineError 404 without the image, 409 if the name is taken */
  async create(name: string, spec: unknown): Promise<string> {
    const { Id } = await this.transport.json<{ Id: string }>({
      method: 'POST',
      path: '/containers/create',
      query: { name },
      body: spec,
    });
    return Id;
  }

  /** Also succeeds if it runs already. */
  async start(container: string): Promise<void> {
    await this.transport.text({ method: 'POST', path: `/containers/${encodeURIComponent(container)}/start` });
  }

  /** SIGTERM or the signal of the image, then SIGKILL after the grace period; returns when it has ended. */
  async stop(container: string, graceSeconds: number): Promise<void> {
    const path = `/containers/${encodeURIComponent(container)}/stop`;
    const query = { t: String(graceSeconds) };
    await unlessMissing(this.transport.text({ method: 'POST', path, query, patience: graceSeconds * 1000 + PATIENCE }));
  }

  /** Removes it, with its anonymous volumes. Succeeds if there is none. */
  async remove(container: string, force = false): Promise<void> {
    const query = { v: '1', ...(force ? { force: '1' } : {}) };
    await unlessMissing(
      this.transport.text({ method: 'DELETE', path: `/containers/${encodeURIComponent(container)}`, query }),
    );
  }

  /** The image's id; `undefined` if it is not there. */
  async image(name: string): Promise<string | undefined> {
    const found = await unlessMissing(
      this.transport.json<{ Id: string }>({ path: `/images/${encodePath(name)}/json` }),
    );
    return found?.Id;
  }

  /** @throws EngineError with what the registry says */
  async pull(name: string): Promise<void> {
    const tagged = /@|:[^/]*$/.test(name) ? name : `${name}:latest`;
    const answer = await this.transport.open({
      method: 'POST',
      path: '/images/create',
      query: { fromImage: tagged },
      patience: PULL_PATIENCE,
    });
    const stop = destroyWhenSilent(answer, PULL_PATIENCE);
    let problem: string | undefined;
    try {
      for await (const line of new LineReader(answer)) {
        problem = (JSON.parse(line) as { error?: string }).error ?? problem;
      }
    } catch (error) {
      throw connectionError(this.name, error);
    } finally {
      stop();
    }
    if (problem !== undefined) {
      throw new EngineError(oneLine(problem), 404);
    }
  }

  /** Makes the volume unless it is there. @returns its labels */
  async volume(name: string, labels: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    await this.transport.text({ method: 'POST', path: '/volumes/create', body: { Name: name, Labels: labels } });
    // The answer has no labels if the volume was there when the engine started (seen with 29).
    const found = await this.transport.json<{ Labels: Readonly<Record<string, string>> | null }>({
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
    return this.transport.open({
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
    // In the time of the engine's clock: that of this host may differ, and both may have been set back.
    const created = Date.parse((await this.inspect(container))?.Created ?? '') || 0;
    const until = Math.max(Date.now(), created + CREATION);
    const query = { since: '0', until: (until / 1000).toFixed(3), filters };
    const answer = await this.transport.open({ path: '/events', query });
    let isOver = false;
    // Until a time that has not come, the engine would wait for further events.
    const timer = setTimeout(() => {
      isOver = true;
      answer.destroy();
    }, 2 * CREATION);
    try {
      return (await new LineReader(answer)[Symbol.asyncIterator]().next()).done !== true;
    } catch (error) {
      if (isOver) {
        return false;
      }
      throw connectionError(this.name, error);
    } finally {
      clearTimeout(timer);
      answer.destroy();
    }
  }

  /** What happens to containers from now on, until the connection ends. */
  async *events(since: number, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const filters = JSON.stringify({ type: ['container'], event: ['die', 'oom', 'destroy'] });
    const answer = await this.transport.open({
      path: '/events',
      query: { since: (since / 1000).toFixed(3), filters },
      signal,
    });
    try {
      for await (const line of new LineReader(answer)) {
        yield JSON.parse(line) as EngineEvent;
      }
    } catch (error) {
      throw connectionError(this.name, error);
    }
  }

  close(): void {
    this.transport.close();
  }
}

/** Names of images contain slashes, which separate parts of the path. */
function encodePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) {
      return undefined;
    }
    throw error;
  }
}

/** Ends a stream that brings nothing for a while. @returns a function that ends this */
function destroyWhenSilent(stream: IncomingMessage, milliseconds: number): () => void {
  const end = (): unknown =>
    stream.destroy(new EngineError(`no progress for ${milliseconds / 60_000} minutes`, undefined));
  let timer = setTimeout(end, milliseconds);
  stream.on('data', () => {
    clearTimeout(timer);
    timer = setTimeout(end, milliseconds);
  });
  return () => clearTimeout(timer);
}
