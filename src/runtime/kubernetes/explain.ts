/**
 * Tells the owners of pods why they wait, and what was done to them: conditions, events, PodGroup status.
 *
 * Writes are counted out, since ten thousand waiting pods must not cost the API server what placing them would: one thing is said once,
 * again only when it has changed or much time has passed, the latest word about a thing replaces the one before, and only so many
 * writes leave in a second.
 */
import { createHash } from 'node:crypto';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asObject } from '../../manifests/read';
import { messageOf } from './api/api-error';
import { pause } from './api/backoff';
import { type ApiClient } from './api/client';
import { type PodRef, podPath } from './apply/pod-ref';
import { type Clock, SYSTEM_CLOCK, type ServerClock } from './clock';

/** A gang that waits, in words. */
export interface Waiting {
  readonly gang: string;
  /** `no-fit`, `settling`, … */
  readonly reason: string;
  readonly message: string;
  /** Those that have no place. */
  readonly pods: readonly (PodRef & { readonly raw: JsonObject })[];
}

/** The object of an event. */
export interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

export interface ExplainerOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly leads: () => boolean;
  readonly serverClock: ServerClock;
  /** Name of this replica. */
  readonly identity: string;
  readonly limits: () => { readonly repeatSeconds: number; readonly writesPerSecond: number };
  readonly onError: (what: string, message: string) => void;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

interface Said {
  readonly text: string;
  readonly at: number;
}

interface KnownEvent {
  readonly path: string;
  count: number;
  at: number;
}

/** A reason that changes with every cycle is not told more often, milliseconds. */
const LEAST_PAUSE = 5000;
const NOTE_LIMIT = 1024;

export class Explainer {
  private readonly jobs = new Map<string, () => Promise<void>>();
  private readonly said = new Map<string, Said>();
  private readonly events = new Map<string, KnownEvent>();
  private readonly ended = new AbortController();
  private readonly clock: Clock;
  private wake: () => void = () => undefined;

  constructor(private readonly options: ExplainerOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** All gangs that wait; what is not among them waits no more. */
  waiting(list: readonly Waiting[]): void {
    const now = this.clock.monotonic();
    const { repeatSeconds } = this.options.limits();
    const names = new Set(list.map(({ gang }) => gang));
    for (const gang of this.said.keys()) {
      if (!names.has(gang)) {
        this.said.delete(gang);
      }
    }
    for (const waiting of list) {
      const text = `${waiting.message} (${waiting.reason})`;
      const before = this.said.get(waiting.gang);
      const age = now - (before?.at ?? -Infinity);
      if (before === undefined || (before.text !== text && age >= LEAST_PAUSE) || age >= repeatSeconds * 1000) {
        this.said.set(waiting.gang, { text, at: now });
        this.event(waiting.pods[0], 'Warning', 'FailedScheduling', text);
      }
      const told = this.said.get(waiting.gang)!.text;
      waiting.pods.forEach((pod) => this.condition(pod, told));
    }
  }

  /** Something happened to a pod, or to the gang of which it is the first. */
  event(pod: PodRef | undefined, type: 'Normal' | 'Warning', reason: string, note: string): void {
    if (pod !== undefined) {
      const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid };
      this.eventOf(regarding, type, reason, note);
    }
  }

  /** Something happened to an object; events of those without a namespace are in `default`. */
  eventOf(regarding: Regarding, type: 'Normal' | 'Warning', reason: string, note: string): void {
    const key = regarding.uid ?? `${regarding.kind} ${regarding.namespace ?? ''}/${regarding.name}`;
    this.later(`event ${key} ${reason}`, () => this.writeEvent(regarding, key, type, reason, note));
  }

  /** Status of a PodGroup; the caller says only what is new. */
  podGroup(path: string, body: JsonValue, contentType: string): void {
    this.later(`group ${path}`, async () => {
      await this.options.client.request('PATCH', path, { body, contentType });
    });
  }

  /** Nothing is left to say. */
  get isIdle(): boolean {
    return this.jobs.size === 0;
  }

  async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      const [next] = this.jobs;
      if (next === undefined) {
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      const [key, job] = next;
      this.jobs.delete(key);
      if (this.options.leads()) {
        job().catch((error: unknown) => this.options.onError(key, messageOf(error)));
      }
      await pause(1000 / this.options.limits().writesPerSecond, signal);
    }
  }

  stop(): void {
    this.ended.abort();
    this.jobs.clear();
    this.wake();
  }

  private later(key: string, job: () => Promise<void>): void {
    this.jobs.set(key, job);
    this.wake();
  }

  private condition(pod: PodRef & { readonly raw: JsonObject }, message: string): void {
    const known = asArray(asObject(pod.raw.status).conditions)
      .map(asObject)
      .find(({ type }) => type === 'PodScheduled');
    const key = `condition ${pod.uid}`;
    if (known?.status === 'False' && known.message === message) {
      this.jobs.delete(key);
      return;
    }
    this.later(key, async () => {
      const since = known?.status === 'False' ? known.lastTransitionTime : this.now();
      const condition = {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message,
        lastTransitionTime: since,
      };
      await this.options.client.request('PATCH', `${podPath(pod)}/status`, {
        body: { metadata: { uid: pod.uid }, status: { conditions: [condition] } },
        contentType: 'application/strategic-merge-patch+json',
      });
    });
  }

  private async writeEvent(
    regarding: Regarding,
    key: string,
    type: string,
    reason: string,
    text: string,
  ): Promise<void> {
    const { client, identity } = this.options;
    const note = text.length > NOTE_LIMIT ? `${text.slice(0, NOTE_LIMIT - 1)}…` : text;
    const digest = createHash('sha256')
      .update(JSON.stringify([key, reason, note]))
      .digest('hex')
      .slice(0, 16);
    const known = this.events.get(digest);
    if (known !== undefined) {
      known.count++;
      known.at = this.clock.monotonic();
      const series = { count: known.count, lastObservedTime: this.microTime() };
      await client.request('PATCH', known.path, { body: { series }, contentType: 'application/merge-patch+json' });
      return;
    }
    const { namespace = 'default' } = regarding;
    const name = `${regarding.name.slice(0, 200)}.${digest}${Math.round(this.options.serverClock.now()).toString(16)}`;
    const collection = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    await client.request('POST', collection, {
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { namespace, name },
        eventTime: this.microTime(),
        reportingController: 'gantry.dev/scheduler',
        reportingInstance: identity,
        action: 'Scheduling',
        reason,
        regarding: { ...regarding },
        note,
        type,
      },
    });
    this.forgetOldEvents();
    this.events.set(digest, { path: `${collection}/${name}`, count: 1, at: this.clock.monotonic() });
  }

  /** The API server forgets events after an hour. */
  private forgetOldEvents(): void {
    for (const [digest, { at }] of this.events) {
      if (this.events.size > 5000 || this.clock.monotonic() - at > 3_000_000) {
        this.events.delete(digest);
      }
    }
  }

  private now(): string {
    return new Date(this.options.serverClock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  private microTime(): string {
    return new Date(this.options.serverClock.now()).toISOString().replace('Z', '000Z');
  }
}
