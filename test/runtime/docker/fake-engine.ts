/**
 * An engine in memory: containers that end when a test says so, or after a time. For what needs many tasks, or a clock that a real engine cannot have.
 */
import { Readable } from 'node:stream';
import {
  type ContainerState,
  type ContainerSummary,
  type EngineEvent,
} from '../../../src/runtime/docker/engine/answers';
import { EngineError } from '../../../src/runtime/docker/engine/engine-error';
import { type EngineCalls } from '../../../src/runtime/docker/runner/runner-types';

interface FakeContainer {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly created: number;
  status: 'created' | 'running' | 'exited';
  started: number;
  finished: number;
  code: number;
}

const MOST_STARTED = 1000;
const NEVER = '0001-01-01T00:00:00Z';

export interface FakeEngineOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that a container runs. @default - until `end` */
  readonly runs?: number;
  /** Called before a container is stopped. */
  readonly beforeStop?: () => void;
  /** The answer that says how a container is comes after this. @default - at once */
  readonly afterInspect?: (id: string) => Promise<void>;
  /** The answer to a start comes after this. @default - at once */
  readonly afterStart?: (name: string) => Promise<void>;
}

export class FakeEngine implements EngineCalls {
  readonly name = 'fake';
  /** Names of the last containers that were started, in order. */
  readonly started: string[] = [];
  private readonly all = new Map<string, FakeContainer>();
  private readonly labels = new Map<string, Readonly<Record<string, string>>>();
  private readonly listeners = new Set<(event: EngineEvent) => void>();
  private count = 0;

  constructor(private readonly options: FakeEngineOptions) {}

  get running(): readonly string[] {
    return [...this.all.values()].filter(({ status }) => status === 'running').map(({ name }) => name);
  }

  /** The container exits. */
  end(name: string, code = 0): void {
    const container = this.named(name);
    if (container?.status === 'running') {
      Object.assign(container, { status: 'exited', finished: this.options.now(), code });
      const Attributes = { ...container.labels, exitCode: String(code) };
      const event = {
        Type: 'container',
        Action: 'die',
        Actor: { ID: container.id, Attributes },
        timeNano: this.options.now() * 1e6,
      };
      this.listeners.forEach((listener) => listener(event));
    }
  }

  ping(): Promise<void> {
    return Promise.resolve();
  }

  containers(label?: string): Promise<readonly ContainerSummary[]> {
    const [key = '', value] = label?.split('=') ?? [];
    const found = [...this.all.values()].filter(({ labels }) => label === undefined || labels[key] === value);
    return Promise.resolve(
      found.map(({ id, name, status, labels }) => ({ Id: id, Names: [`/${name}`], State: status, Labels: labels })),
    );
  }

  async inspect(name: string): Promise<ContainerState | undefined> {
    const found = this.named(name);
    const state = found === undefined ? undefined : stateOf(found);
    await this.options.afterInspect?.(name);
    return state;
  }

  create(name: string, spec: unknown): Promise<string> {
    if (this.named(name) !== undefined) {
      return Promise.reject(new EngineError(`Conflict. The container name "/${name}" is already in use`, 409));
    }
    const id = (++this.count).toString(16).padStart(64, '0');
    const { Labels } = spec as { Labels: Record<string, string> };
    const times = { created: this.options.now(), started: 0, finished: 0 };
    this.all.set(id, { id, name, labels: Labels, status: 'created', code: 0, ...times });
    return Promise.resolve(id);
  }

  start(name: string): Promise<void> {
    const container = this.named(name);
    if (container?.status !== 'created') {
      return Promise.reject(new EngineError(`no such container that can be started: ${name}`, 404));
    }
    Object.assign(container, { status: 'running', started: this.options.now() });
    this.started.push(container.name);
    this.started.splice(0, this.started.length - MOST_STARTED);
    if (this.options.runs !== undefined) {
      setTimeout(() => this.end(container.id), this.options.runs);
    }
    return this.options.afterStart?.(container.name) ?? Promise.resolve();
  }

  stop(name: string): Promise<void> {
    this.options.beforeStop?.();
    this.end(name, 143);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.all.delete(this.named(name)?.id ?? '');
    return Promise.resolve();
  }

  image(name: string): Promise<string | undefined> {
    return Promise.resolve(name);
  }

  pull(): Promise<void> {
    return Promise.resolve();
  }

  volume(name: string, labels: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
    const kept = this.labels.get(name) ?? labels;
    this.labels.set(name, kept);
    return Promise.resolve(kept);
  }

  logs(): ReturnType<EngineCalls['logs']> {
    return Promise.resolve(Readable.from([])) as unknown as ReturnType<EngineCalls['logs']>;
  }

  remembersCreation(name: string): Promise<boolean> {
    return Promise.resolve(this.named(name) !== undefined);
  }

  async *events(_since: number, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const waiting: EngineEvent[] = [];
    let wake = (): void => undefined;
    const listener = (event: EngineEvent): void => {
      waiting.push(event);
      wake();
    };
    this.listeners.add(listener);
    signal.addEventListener('abort', () => wake());
    while (!signal.aborted) {
      yield* waiting.splice(0);
      if (waiting.length === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  }

  private named(name: string): FakeContainer | undefined {
    return this.all.get(name) ?? [...this.all.values()].find((container) => container.name === name);
  }
}

function stateOf({ id, name, labels, status, started, finished, code }: FakeContainer): ContainerState {
  const time = (at: number): string => (at === 0 ? NEVER : new Date(at).toISOString());
  const times = { StartedAt: time(started), FinishedAt: time(finished) };
  return {
    Id: id,
    Name: `/${name}`,
    Config: { Labels: labels },
    State: { Status: status, OOMKilled: false, ExitCode: code, Error: '', ...times },
  };
}
