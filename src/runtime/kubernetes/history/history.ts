/**
 * Records the history of gangs while this replica decides. It is never on the way of a decision: it looks once a second at the gangs that
 * changed, and writes at most once in each interval.
 */
import { type Configuration } from '../../../planning/scheduler-settings/configuration';
import { ApiError, messageOf } from '../../api/api-error';
import { pause } from '../../api/backoff';
import { type ApiClient } from '../../api/client';
import { type Clock, type ServerClock, SYSTEM_CLOCK } from '../clock';
import { type Log } from '../log';
import { type PodEntry } from '../world/pod-entry';
import { type World } from '../world/world';
import { Recorder } from './recorder';
import { Ring } from './ring';

export interface HistoryOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly world: Pick<World, 'gangs' | 'contextOf'>;
  readonly config: () => Configuration;
  readonly serverClock: ServerClock;
  readonly log: Log;
  readonly namespace: string;
  /** Name of the scheduler. */
  readonly scheduler: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** The term of leadership in which this replica decides; absent while it does not. */
  readonly term: () => number | undefined;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** Milliseconds between two looks. */
const LOOK = 1000;
const CONFLICT = 409;

export class History {
  private readonly ended = new AbortController();
  private readonly clock: Clock;
  private readonly recorder: Recorder;
  private turning: Promise<void> | undefined;
  private writing: Promise<void> | undefined;
  private ring: Ring | undefined;
  private term: number | undefined;
  private nextWrite = 0;
  private lastError = '';

  constructor(private readonly options: HistoryOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.recorder = new Recorder(options.world);
  }

  /** The pod was added, changed, or deleted. */
  touch(entry: PodEntry): void {
    this.recorder.touch(entry);
  }

  /** The scheduler evicted the pod. */
  evicted(entry: PodEntry): void {
    this.recorder.evicted(entry);
  }

  async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      this.turning ??= this.turn().finally(() => (this.turning = undefined));
      await pause(LOOK, signal);
    }
  }

  /** Writes what was not written yet. */
  async stop(): Promise<void> {
    this.ended.abort();
    await this.turning;
    await this.writing;
    this.nextWrite = 0;
    await this.turn();
    await this.writing;
  }

  /** One look, and the start of a write if it is due: the next look does not wait for it. */
  private async turn(): Promise<void> {
    const term = this.options.term();
    const { configMaps } = this.options.config().history;
    if (term === undefined || configMaps === 0) {
      this.end();
      return;
    }
    try {
      if (this.term !== term && !(await this.begin(term, configMaps))) {
        return;
      }
      this.recorder.look(this.now);
      this.writing ??= this.write().finally(() => (this.writing = undefined));
    } catch (error) {
      this.failed(error);
    }
  }

  private get now(): number {
    return Math.floor(this.options.serverClock.now() / 1000);
  }

  private get isDue(): boolean {
    return this.clock.monotonic() >= this.nextWrite;
  }

  /** The next try is an interval later, whatever becomes of this one. */
  private attempt(): void {
    this.nextWrite = this.clock.monotonic() + this.options.config().history.intervalSeconds * 1000;
  }

  private async begin(term: number, configMaps: number): Promise<boolean> {
    if (this.term !== undefined) {
      this.end();
    }
    if (!this.isDue) {
      return false;
    }
    this.attempt();
    const { client, namespace, scheduler, timeout, log } = this.options;
    const ring = new Ring({
      client,
      namespace,
      scheduler,
      configMaps,
      timeout,
      permit: () => this.options.term() === term,
      onUnreadable: (index, message) => log.warn({ index, message }, 'a segment of the history is unreadable'),
    });
    const written = await ring.load();
    this.ring = ring;
    this.term = term;
    this.recorder.resume(written);
    return true;
  }

  private end(): void {
    this.term = undefined;
    this.ring = undefined;
    this.nextWrite = 0;
    this.recorder.pause();
  }

  private async write(): Promise<void> {
    const { ring, term } = this;
    const events = this.isDue && ring !== undefined ? this.recorder.take(this.now) : [];
    if (ring === undefined || events.length === 0) {
      return;
    }
    this.attempt();
    let written = 0;
    try {
      written = await ring.write(events, this.now);
      this.lastError = '';
    } catch (error) {
      this.failed(error);
      if (error instanceof ApiError && error.status === CONFLICT && this.term === term) {
        // Another replica or a user wrote to it: the ConfigMaps are read again, and the gangs that exist are compared with them.
        this.term = undefined;
      }
    }
    if (this.term === term && this.ring === ring) {
      this.recorder.giveBack(events.slice(written));
    }
  }

  private failed(error: unknown): void {
    const message = messageOf(error);
    if (message !== this.lastError) {
      this.options.log.warn({ message }, 'the history was not written');
    }
    this.lastError = message;
  }
}
