/**
 * Keeps a copy of one collection of the API server: lists it, then watches it from there.
 *
 * The informer of the Kubernetes client for JavaScript (1.4) is not used: it never asks for bookmarks, so that a quiet collection ages
 * out of the server's window; it ends for good on any error but 410; it comes back at once, without a pause, when a server closes each
 * watch; it drops what it cannot parse and goes on from behind it; it does not notice a connection that is dead but not closed; and it
 * reads a list of any size in one piece.
 *
 * Here: lists come in pages; a watch resumes from the last version it has seen, bookmarks included; 410 means to list again; any other
 * end means to resume after a pause that grows; silence for longer than a watch lasts means that the connection is dead, of a list as well; a line that
 * cannot be read means to resume from before it. Nothing is ever taken for deleted because a watch broke.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asArray, asObject, asString } from '../../manifests/read';
import { ApiError, isNotFound, messageOf } from './api-error';
import { Backoff, pause } from './backoff';
import { type ApiClient } from './client';
import { Lines } from './lines';

/** An object of a kind that the reader knows. */
export interface KubernetesObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

export interface ReflectorHandler<T> {
  /** All existing objects. A known object that is not among them has been deleted. */
  replaced(items: readonly T[]): void;
  /** New, or different. */
  changed(item: T): void;
  removed(item: T): void;
}

export type ReflectorNote =
  | { readonly kind: 'listed'; readonly items: number; readonly again: boolean }
  | { readonly kind: 'not-served' }
  | { readonly kind: 'failed'; readonly during: 'list' | 'watch'; readonly error: string; readonly retryIn: number }
  | { readonly kind: 'expired' };

export interface ReflectorOptions<T> {
  readonly client: Pick<ApiClient, 'request' | 'stream'>;
  /** Path of the collection; `undefined` where the server does not serve it (yet). */
  readonly path: () => Promise<string | undefined>;
  readonly handler: ReflectorHandler<T>;
  readonly onNote?: (note: ReflectorNote) => void;
  /** Narrows the collection. @default - all of it */
  readonly fieldSelector?: string;
  /** Milliseconds of silence after which a connection counts as dead, that of a list as well: longer than a watch lasts. @default 29000 */
  readonly silence?: number;
  /** Milliseconds until a collection that is not served is looked for again. @default 30000 */
  readonly absence?: number;
  /** Objects of one page of a list. @default 500 */
  readonly page?: number;
}

/** Longer than a watch lasts, milliseconds. */
const SILENCE = 29_000;

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: JsonObject;
}

export class Reflector<T extends KubernetesObject> {
  private version: string | undefined;
  private listed = false;
  private wasServed = false;
  /** When the last list was asked for, on the monotonic clock. */
  private listedSince = -Infinity;
  private abortWatch: (() => void) | undefined;
  private readonly waiting: (() => void)[] = [];
  private readonly ended = new AbortController();
  private readonly backoff = new Backoff({ first: 250, most: 15_000 });

  constructor(private readonly options: ReflectorOptions<T>) {}

  /** True once everything has been read, or is known not to be served. */
  get isSynced(): boolean {
    return this.listed;
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      const during = this.version === undefined ? 'list' : 'watch';
      try {
        const path = await this.options.path();
        if (path === undefined) {
          await this.notServed();
        } else if (this.version === undefined) {
          await this.list(path);
        } else {
          await this.watch(path, this.version);
        }
      } catch (error) {
        await this.failed(during, error);
      }
    }
  }

  stop(): void {
    this.ended.abort();
    this.waiting.splice(0).forEach((resolve) => resolve());
  }

  /**
   * For callers that need the state at a moment of the monotonic clock or later: lists everything again unless a list has started since,
   * and resolves when the list is complete.
   */
  refresh(since = performance.now()): Promise<void> {
    if (this.listed && this.listedSince > since) {
      return Promise.resolve();
    }
    this.version = undefined;
    this.abortWatch?.();
    return new Promise((resolve) => (this.ended.signal.aborted ? resolve() : this.waiting.push(resolve)));
  }

  private async notServed(): Promise<void> {
    this.version = undefined;
    if (!this.listed || this.wasServed) {
      this.options.handler.replaced([]);
      this.options.onNote?.({ kind: 'not-served' });
    }
    this.wasServed = false;
    this.listed = true;
    this.waiting.splice(0).forEach((resolve) => resolve());
    await pause(this.options.absence ?? 30_000, this.ended.signal);
  }

  private async failed(during: 'list' | 'watch', error: unknown): Promise<void> {
    if (this.ended.signal.aborted) {
      return;
    }
    if (error instanceof ApiError && error.status === 410) {
      this.version = undefined;
      this.options.onNote?.({ kind: 'expired' });
      return;
    }
    if (isNotFound(error)) {
      await this.notServed();
      return;
    }
    const retryIn = Math.max(this.backoff.next(), error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0);
    this.options.onNote?.({ kind: 'failed', during, error: messageOf(error), retryIn });
    await pause(retryIn, this.ended.signal);
  }

  private async list(path: string): Promise<void> {
    const { client, handler, onNote, page = 500, silence = SILENCE, fieldSelector } = this.options;
    const items: T[] = [];
    const asked = this.waiting.length;
    const started = performance.now();
    let next: string | undefined;
    let version: string | undefined;
    do {
      const query = { limit: page, continue: next, fieldSelector };
      const reply: JsonObject = await client.request('GET', path, {
        query,
        timeout: 60_000,
        silence,
        signal: this.ended.signal,
      });
      const metadata = asObject(reply.metadata);
      items.push(...asArray(reply.items).map((item) => item as unknown as T));
      next = asString(metadata.continue) || undefined;
      version = asString(metadata.resourceVersion);
    } while (next !== undefined && !this.ended.signal.aborted);
    if (this.ended.signal.aborted || version === undefined) {
      return;
    }
    handler.replaced(items);
    onNote?.({ kind: 'listed', items: items.length, again: this.listed });
    this.listed = true;
    this.listedSince = started;
    this.wasServed = true;
    // A caller that asked while the list was in progress gets the next one.
    this.waiting.splice(0, asked).forEach((resolve) => resolve());
    this.version = this.waiting.length > 0 ? undefined : version;
  }

  private async watch(path: string, version: string): Promise<void> {
    const { client, silence = SILENCE, fieldSelector } = this.options;
    // Short, so that a connection that froze is noticed soon: the server sends a bookmark and ends the watch, or it is dead. A watch that
    // is resumed costs one request. Not all watches of all replicas come back at one moment.
    const timeoutSeconds = 20 + Math.floor(Math.random() * 6);
    const query = { watch: 1, allowWatchBookmarks: true, resourceVersion: version, timeoutSeconds, fieldSelector };
    const response = await client.stream(path, { query, signal: this.ended.signal });
    const opened = performance.now();
    if (this.version === undefined || this.ended.signal.aborted) {
      response.destroy();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => void response.destroy();
      this.abortWatch = stop;
      this.ended.signal.addEventListener('abort', stop);
      const silent = setTimeout(
        () => response.destroy(new Error(`no data for ${silence} ms; the connection is dead`)),
        silence,
      );
      const lines = new Lines((line) => this.take(line));
      response.on('data', (chunk: Buffer) => {
        silent.refresh();
        try {
          lines.push(chunk);
        } catch (error) {
          response.destroy(error instanceof Error ? error : new Error(String(error)));
        }
      });
      response.on('error', reject);
      response.on('close', () => {
        clearTimeout(silent);
        this.ended.signal.removeEventListener('abort', stop);
        this.abortWatch = undefined;
        resolve();
      });
    });
    if (performance.now() - opened < 1000) {
      // A server that closes every watch at once is not asked again at once.
      await pause(this.backoff.next(), this.ended.signal);
    } else {
      this.backoff.reset();
    }
  }

  /** @throws where the line is none, or the server ends the watch with an error */
  private take(line: string): void {
    const { type, object } = JSON.parse(line) as WatchEvent;
    const { handler } = this.options;
    switch (type) {
      case 'ERROR':
        throw ApiError.fromStatus(Number(object.code ?? 500), object, undefined);
      case 'ADDED':
      case 'MODIFIED':
        handler.changed(object as unknown as T);
        break;
      case 'DELETED':
        handler.removed(object as unknown as T);
        break;
      case 'BOOKMARK':
        break;
    }
    // A watch that is being left for a fresh list must not set it back.
    if (this.version !== undefined) {
      this.version = asString(asObject(object.metadata).resourceVersion) ?? this.version;
    }
  }
}
