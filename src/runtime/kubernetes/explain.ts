/**
 * Reports why pods wait and what was done to them: conditions, events, PodGroup status.
 *
 * Writes that a controller waits for are sent at once. Those that only inform are counted out, since ten thousand waiting pods must not cost the API server what placing them would: each fact is reported once,
 * and again only after a change or a long time, the latest report about an object replaces the one before, the number of writes per
 * second is limited, and namespaces take turns.
 */
import { createHash } from 'node:crypto';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asObject } from '../../manifests/read';
import { messageOf } from '../api/api-error';
import { pause } from '../api/backoff';
import { type ApiClient } from '../api/client';
import { type PodRef, podPath } from './apply/pod-ref';
import { InTurn } from './in-turn';
import { type Clock, microTimeText, SYSTEM_CLOCK, type ServerClock, timeText } from '../api/clock';

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

type Job = () => Promise<void>;
interface Write {
  readonly key: string;
  readonly job: Job;
}
type Urgency = 'event' | 'group' | 'condition';

interface Said {
  readonly text: string;
  readonly reason: string;
  readonly at: number;
}

interface KnownEvent {
  readonly path: string;
  count: number;
  at: number;
}

/** Another reason is not written sooner, milliseconds. */
const LEAST_PAUSE = 5000;
/** The same reason in other words, such as other counts of nodes, is not written sooner, milliseconds. */
const WORDS_PAUSE = 60_000;
/** Gating writes at once. */
const GATING_AT_ONCE = 16;
const NOTE_LIMIT = 1024;

export class Explainer {
  /** Writes that others wait for. */
  private readonly gating = new Map<string, Job>();
  /** Writes that inform, what is about a whole gang first. */
  private readonly informing: Readonly<Record<Urgency, InTurn<Write>>> = {
    event: new InTurn(),
    group: new InTurn(),
    condition: new InTurn(),
  };
  private readonly said = new Map<string, Said>();
  private readonly events = new Map<string, KnownEvent>();
  private readonly ended = new AbortController();
  private readonly clock: Clock;
  private wake: () => void = () => undefined;
  private wakeGating: () => void = () => undefined;

  constructor(private readonly options: ExplainerOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Gangs that are not among these wait no more. */
  forgetOthers(names: ReadonlySet<string>): void {
    for (const gang of this.said.keys()) {
      if (!names.has(gang)) {
        this.said.delete(gang);
      }
    }
  }

  /** One gang waits. */
  waits(waiting: Waiting): void {
    const now = this.clock.monotonic();
    const { repeatSeconds } = this.options.limits();
    const text = `${waiting.message} (${waiting.reason})`;
    const before = this.said.get(waiting.gang);
    const age = now - (before?.at ?? -Infinity);
    const pause = before?.reason === waiting.reason ? WORDS_PAUSE : LEAST_PAUSE;
    if (before === undefined || (before.text !== text && age >= pause) || age >= repeatSeconds * 1000) {
      this.said.set(waiting.gang, { text, reason: waiting.reason, at: now });
      this.event(waiting.pods[0], 'Warning', 'FailedScheduling', text);
    }
    const told = this.said.get(waiting.gang)!.text;
    waiting.pods.forEach((pod) => this.condition(pod, told));
  }

  /** Something happened to a pod, or to the gang whose first pod it is. */
  event(pod: PodRef | undefined, type: 'Normal' | 'Warning', reason: string, note: string): void {
    if (pod !== undefined) {
      const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: pod.namespace, name: pod.name, uid: pod.uid };
      this.eventOf(regarding, type, reason, note);
    }
  }

  /** Something happened to an object; events of those without a namespace are in `default`. */
  eventOf(regarding: Regarding, type: 'Normal' | 'Warning', reason: string, note: string): void {
    const key = regarding.uid ?? `${regarding.kind} ${regarding.namespace ?? ''}/${regarding.name}`;
    this.later('event', `${key} ${reason}`, regarding.namespace, () =>
      this.writeEvent(regarding, key, type, reason, note),
    );
  }

  /**
   * Status of a PodGroup; the caller says only what is new.
   *
   * @param gates a controller waits for it: it is sent at once, and does not count toward the limit of what informs
   */
  podGroup(path: string, body: JsonValue, contentType: string, gates: boolean): void {
    const write = async (): Promise<void> => {
      await this.options.client.request('PATCH', path, { body, contentType });
    };
    if (gates) {
      this.gating.set(path, write);
      this.wakeGating();
    } else {
      this.later('group', path, /\/namespaces\/([^/]+)\//.exec(path)?.[1], write);
    }
  }

  /** Nothing is left to say. */
  get isIdle(): boolean {
    return this.gating.size === 0 && Object.values(this.informing).every(({ size }) => size === 0);
  }

  async run(): Promise<void> {
    await Promise.all([this.runGating(), this.runInforming()]);
  }

  private async runGating(): Promise<void> {
    while (!this.ended.signal.aborted) {
      const next = [...this.gating].slice(0, GATING_AT_ONCE);
      if (next.length === 0) {
        await new Promise<void>((resolve) => (this.wakeGating = resolve));
        continue;
      }
      next.forEach(([path]) => this.gating.delete(path));
      await Promise.all(next.map(([path, job]) => this.send(path, job)));
    }
  }

  private async send(what: string, job: Job): Promise<void> {
    if (this.options.leads()) {
      await job().catch((error: unknown) => this.options.onError(what, messageOf(error)));
    }
  }

  private async runInforming(): Promise<void> {
    const { signal } = this.ended;
    const { event, group, condition } = this.informing;
    while (!signal.aborted) {
      const list = [event, group, condition].find(({ size }) => size > 0);
      const [next] = list?.firsts() ?? [];
      if (list === undefined || next === undefined) {
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      const { key, job } = next;
      list.hadTurn(key);
      list.delete(key);
      void this.send(key, job);
      await pause(1000 / this.options.limits().writesPerSecond, signal);
    }
  }

  stop(): void {
    this.ended.abort();
    this.gating.clear();
    Object.values(this.informing).forEach((list) => list.clear());
    this.wake();
    this.wakeGating();
  }

  /** Namespaces take turns. */
  private later(urgency: Urgency, key: string, namespace: string | undefined, job: Job): void {
    this.informing[urgency].set(key, namespace ?? '', { key, job });
    this.wake();
  }

  private condition(pod: PodRef & { readonly raw: JsonObject }, message: string): void {
    const known = asArray(asObject(pod.raw.status).conditions)
      .map(asObject)
      .find(({ type }) => type === 'PodScheduled');
    if (known?.status === 'False' && known.message === message) {
      this.informing.condition.delete(pod.uid);
      return;
    }
    this.later('condition', pod.uid, pod.namespace, async () => {
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
      this.events.delete(digest);
      this.events.set(digest, known);
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

  /** The API server forgets events after an hour. Those that were sent first come first. */
  private forgetOldEvents(): void {
    const now = this.clock.monotonic();
    for (const [digest, { at }] of this.events) {
      if (this.events.size <= 5000 && now - at <= 3_000_000) {
        return;
      }
      this.events.delete(digest);
    }
  }

  private now(): string {
    return timeText(this.options.serverClock.now());
  }

  private microTime(): string {
    return microTimeText(this.options.serverClock.now());
  }
}
