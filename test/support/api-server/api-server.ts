/**
 * An API server in the process of a test: lists in pages, watches with versions and bookmarks, bindings, evictions, patches, reviews; and
 * every way in which requests go wrong. It has no clock of its own: under fake timers a test decides when anything happens.
 */
import { type IncomingMessage } from 'node:http';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { ApiError, messageOf } from '../../../src/runtime/api/api-error';
import { type ApiClient, type ApiRequest } from '../../../src/runtime/api/client';
import { type Fault, type Trouble } from './faults';
import { parsePath, type ResourcePath } from './paths';
import { Reviews } from './reviews';
import { keyOf, Store, type StoreEvent } from './store';
import { WatchStream } from './watch-stream';
import { writeTo } from './writes';

interface Watch {
  readonly stream: WatchStream;
  readonly url: string;
  readonly path: ResourcePath;
  silent: boolean;
  /** When the latest event arrives: a connection keeps the order. */
  arrival: number;
}

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
  /** How long the client waits for the answer, milliseconds. */
  readonly timeout: number;
  /** 0: no answer. */
  status: number;
}

/** API server and clients send a bookmark this often, milliseconds. */
const BOOKMARKS = 60_000;
const OPTIONAL = /^\/apis\/([^/]+\/[^/]+)$/;

export class InProcessApiServer {
  readonly store = new Store();
  readonly reviews = new Reviews();
  readonly log: LoggedRequest[] = [];
  trouble: Trouble = () => undefined;
  /** Milliseconds after which clients give up at the latest, so that a test need not wait as long as they would. */
  patience = Infinity;
  /** Milliseconds of one way of a request. */
  latency: () => number = () => 1;
  /** Milliseconds until a change reaches a watch. */
  watchLatency: () => number = () => 1;
  /** Milliseconds from the eviction of a bound pod to its end. */
  grace = 1000;
  /** Why a pod may not be evicted now; `undefined` where it may. */
  budget: (pod: JsonObject) => string | undefined = () => undefined;
  /** What the server keeps of an object that is written: fields of feature gates that are off are dropped. */
  kept: (plural: string, object: JsonObject) => JsonObject = (_, object) => object;
  /** Answers to paths that are no resources: discovery, OpenAPI, metrics. */
  readonly documents = new Map<string, JsonObject>();
  private readonly served = new Map<string, readonly string[]>();
  private readonly watches = new Set<Watch>();
  private readonly snapshots = new Map<string, { items: readonly JsonObject[]; version: number }>();
  private up = true;
  /** Grows with each crash: what began in an earlier life gets no answer. */
  private life = 0;

  constructor() {
    this.store.listeners.push((event) => this.publish(event));
  }

  /** What the scheduler connects with. */
  get client(): Pick<ApiClient, 'request' | 'stream'> {
    return {
      request: <T>(method: string, path: string, request?: ApiRequest) =>
        this.request(method, path, request ?? {}) as Promise<T>,
      stream: (path: string, request?: ApiRequest) => this.stream(path, request ?? {}),
    };
  }

  /** Serves kinds of a group that is not built in. */
  serve(groupVersion: string, ...plurals: readonly string[]): void {
    this.served.set(groupVersion, plurals);
  }

  /** What is asked for while it is down is refused; what is under way gets no answer. */
  kill(): void {
    this.up = false;
    this.life++;
    [...this.watches].forEach(({ stream }) => stream.destroy(new Error('the connection was reset')));
  }

  restart(): void {
    this.up = true;
  }

  cutWatches(): void {
    [...this.watches].forEach(({ stream }) => stream.destroy());
  }

  /** Watches of these paths that are open freeze: nothing more comes over them, and they do not end. */
  silence(matching: RegExp): void {
    this.watches.forEach((watch) => (watch.silent ||= matching.test(watch.url)));
  }

  get openWatches(): number {
    return this.watches.size;
  }

  /** Requests that changed something, as `METHOD path`. */
  writes(matching = /./): readonly string[] {
    return this.log
      .filter(({ method, path }) => method !== 'GET' && method !== 'WATCH' && matching.test(path))
      .map(({ method, path }) => `${method} ${path}`);
  }

  private async request(method: string, path: string, request: ApiRequest): Promise<JsonObject> {
    const { timeout = 30_000, silence = timeout, signal } = request;
    const entry = { method, path, body: asObject(request.body), timeout, status: 0 };
    this.log.push(entry);
    const patience = Math.min(timeout, silence, this.patience);
    let timer: NodeJS.Timeout | undefined;
    let giveUp: () => void = () => undefined;
    const givenUp = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(noAnswer(`no response within ${patience} ms`)), patience);
      giveUp = () => reject(noAnswer('given up'));
      signal?.addEventListener('abort', giveUp);
    });
    try {
      const answer = await Promise.race([this.answer(method, path, request), givenUp]);
      entry.status = 200;
      return answer;
    } catch (error) {
      entry.status = error instanceof ApiError ? error.status : 500;
      throw error instanceof ApiError ? error : new ApiError(messageOf(error), 500, 'InternalError');
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private async answer(method: string, path: string, request: ApiRequest): Promise<JsonObject> {
    const { life } = this;
    const fault = this.trouble({ method, path });
    if (!this.up) {
      await sleep(this.latency());
      throw noAnswer('connect ECONNREFUSED');
    }
    if (fault === 'dropped') {
      return never();
    }
    await sleep(this.latency() + (typeof fault === 'object' ? fault.late : 0));
    // A request on its way when the server died is carried out in no life.
    this.check(life);
    if (typeof fault === 'number') {
      throw refusal(fault);
    }
    const answer = structuredClone(this.carryOut(method, path, request));
    if (fault === 'unanswered') {
      return never();
    }
    if (fault === 'lost') {
      throw noAnswer('socket hang up');
    }
    await sleep(this.latency());
    this.check(life);
    return answer;
  }

  private check(life: number): void {
    if (this.life !== life) {
      throw noAnswer('read ECONNRESET');
    }
  }

  /** @throws ApiError */
  carryOut(
    method: string,
    path: string,
    { query = {}, body, contentType = 'application/json' }: ApiRequest,
  ): JsonObject {
    const review = this.reviews.answer(path, asObject(body));
    if (review !== undefined) {
      return review;
    }
    const document = this.documents.get(path);
    if (document !== undefined) {
      return document;
    }
    const group = OPTIONAL.exec(path)?.[1];
    if (group !== undefined) {
      const plurals = this.served.get(group);
      if (plurals === undefined) {
        throw refusal(404);
      }
      return { kind: 'APIResourceList', resources: plurals.map((name) => ({ name })) };
    }
    const parsed = parsePath(path);
    if (parsed === undefined) {
      throw refusal(404);
    }
    if (method !== 'GET') {
      return writeTo(this, parsed, method, body ?? null, contentType);
    }
    if (parsed.name === undefined) {
      return this.list(parsed, query);
    }
    const found = this.store.get(parsed.groupVersion, parsed.plural, this.keyIn(parsed));
    if (found === undefined) {
      throw refusal(404);
    }
    return found;
  }

  keyIn({ namespace, name = '' }: ResourcePath): string {
    return namespace === undefined ? name : `${namespace}/${name}`;
  }

  private list(path: ResourcePath, query: NonNullable<ApiRequest['query']>): JsonObject {
    const [token, from] = String(query.continue ?? '').split(':');
    const kept = this.snapshots.get(token);
    const { items, version } = kept ?? {
      items: [...this.store.collection(path.groupVersion, path.plural).values()].filter(
        ({ metadata }) => path.namespace === undefined || asObject(metadata).namespace === path.namespace,
      ),
      version: this.store.version,
    };
    const start = kept === undefined ? 0 : Number(from);
    const limit = Number(query.limit ?? Infinity);
    const more = start + limit < items.length;
    const name = kept === undefined ? `list-${this.snapshots.size}` : token;
    if (more) {
      this.snapshots.set(name, { items, version });
    }
    return {
      kind: 'List',
      metadata: { resourceVersion: String(version), ...(more && { continue: `${name}:${start + limit}` }) },
      items: items.slice(start, start + limit),
    };
  }

  private async stream(path: string, { query = {}, signal, timeout = 30_000 }: ApiRequest): Promise<IncomingMessage> {
    const { life } = this;
    const entry = { method: 'WATCH', path, body: {}, timeout, status: 0 };
    this.log.push(entry);
    const fault = this.trouble({ method: 'WATCH', path });
    await sleep(this.latency());
    if (!this.up || this.life !== life) {
      throw noAnswer('connect ECONNREFUSED');
    }
    if (typeof fault === 'number' || fault === 'gone') {
      throw refusal(fault === 'gone' ? 410 : fault);
    }
    const parsed = parsePath(path)!;
    const from = Number(query.resourceVersion ?? 0);
    if (from < this.store.compactedAt) {
      throw refusal(410);
    }
    entry.status = 200;
    // A watch that ends in time says before how far it is.
    const lasts = Number(query.timeoutSeconds ?? 1800) * 1000;
    const end = (): void => void watch.stream.destroy();
    const timers = [
      setInterval(() => this.bookmark(watch), BOOKMARKS),
      setTimeout(() => this.bookmark(watch), lasts - 2000),
      setTimeout(() => watch.silent || end(), lasts),
    ];
    const watch: Watch = {
      stream: new WatchStream(() => {
        this.watches.delete(watch);
        timers.forEach((timer) => clearTimeout(timer));
        signal?.removeEventListener('abort', end);
      }),
      url: path,
      path: parsed,
      silent: fault === 'silent',
      arrival: 0,
    };
    this.watches.add(watch);
    signal?.addEventListener('abort', end);
    this.store.events.filter(({ version }) => version > from).forEach((event) => this.deliver(watch, event));
    return watch.stream as unknown as IncomingMessage;
  }

  private bookmark(watch: Watch): void {
    if (!watch.silent) {
      const metadata = { resourceVersion: String(this.store.version) };
      watch.stream.send({ type: 'BOOKMARK', object: { metadata } });
    }
  }

  private publish(event: StoreEvent): void {
    this.watches.forEach((watch) => this.deliver(watch, event));
  }

  private deliver(watch: Watch, { type, object, groupVersion, plural }: StoreEvent): void {
    const { path, stream } = watch;
    if (!watch.silent && path.groupVersion === groupVersion && path.plural === plural) {
      watch.arrival = Math.max(watch.arrival, Date.now() + this.watchLatency());
      const send = (): void => void (watch.silent || stream.send({ type, object: structuredClone(object) }));
      setTimeout(send, watch.arrival - Date.now());
    }
  }

  /** For tests: makes an object, or replaces the one of its name. */
  put(groupVersion: string, plural: string, object: JsonObject): JsonObject {
    const known = this.store.get(groupVersion, plural, keyOf(object));
    if (known === undefined) {
      return this.store.create(groupVersion, plural, object);
    }
    const { uid, creationTimestamp } = asObject(known.metadata);
    const metadata = { uid, creationTimestamp, ...asObject(object.metadata) };
    return this.store.update(groupVersion, plural, { ...object, metadata });
  }

  pods(): readonly JsonObject[] {
    return [...this.store.collection('v1', 'pods').values()];
  }

  /** Node by pod, of pods that have one and are not on their way out. */
  places(): Readonly<Record<string, string>> {
    const placed = this.pods().filter(
      ({ metadata, spec }) =>
        asString(asObject(spec).nodeName) !== undefined && asObject(metadata).deletionTimestamp === undefined,
    );
    return Object.fromEntries(placed.map((pod) => [keyOf(pod), asString(asObject(pod.spec).nodeName)!]));
  }

  /** Texts of all events, oldest first. */
  notes(): readonly string[] {
    return [...this.store.collection('events.k8s.io/v1', 'events').values()].map(
      ({ reason, note }) => `${asString(reason)}: ${asString(note)}`,
    );
  }

  condition(pod: string): string | undefined {
    const conditions = asArray(asObject(this.store.get('v1', 'pods', pod)?.status).conditions).map(asObject);
    return asString(conditions.find(({ type }) => type === 'PodScheduled')?.message);
  }
}

function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function noAnswer(message: string): ApiError {
  return new ApiError(message, 0, 'NoAnswer');
}

const REASONS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

export function refusal(status: number, message = REASONS[status] ?? `status ${status}`): ApiError {
  return new ApiError(message, status, REASONS[status] ?? '');
}

export type { Fault };
