/**
 * Leader election: of several replicas, the one that holds a Lease decides.
 *
 * The holder renews it; others take it over once they have seen it unchanged for its whole duration, by their own monotonic clock, so
 * that no two clocks have to agree. The holder counts itself as one only for `renewWithin` after it *began* the last renewal that was
 * granted, which ends earlier than anybody can take over. Everything that changes the cluster asks `holds` right before it is sent: a
 * process that was stopped and goes on later finds out before it does any harm, whichever of its timers fires first.
 *
 * Both clocks are asked, since the monotonic one stops while a virtual machine sleeps and the other one may be set back.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type Lease } from '../../facts/api/types/coordination.k8s.io/v1';
import { isNotFound, messageOf } from './api-error';
import { pause } from './backoff';
import { type ApiClient } from './client';
import { type Clock, microTimeText, SYSTEM_CLOCK } from './clock';

export interface LeaderOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly namespace: string;
  readonly name: string;
  /** Who this is: different for every process. */
  readonly identity: string;
  /** Seconds after which others take over. */
  readonly leaseSeconds: number;
  /** Seconds for which the holder trusts a renewal; less than `leaseSeconds`. */
  readonly renewWithinSeconds: number;
  /** Seconds between two tries. */
  readonly retrySeconds: number;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
  readonly onChange?: (holds: boolean, why: string) => void;
}

interface Seen {
  readonly text: string;
  /** On the monotonic clock. */
  readonly since: number;
}

export class Leader {
  private readonly ended = new AbortController();
  private readonly clock: Clock;
  private granted: { readonly monotonic: number; readonly wall: number } | undefined;
  private seen: Seen | undefined;
  private said = false;
  private heldBy = '';
  private gainedAt = Infinity;
  private lastError = '';

  constructor(private readonly options: LeaderOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Who held the lease when it was last read; empty if the lease had no holder. */
  get holder(): string {
    return this.heldBy;
  }

  /** Since when this process has held the lease without interruption, on the monotonic clock: reads from now on show all earlier writes. */
  get heldSince(): number {
    return this.gainedAt;
  }

  /** May this process change the cluster, now? */
  get holds(): boolean {
    if (this.granted === undefined) {
      return false;
    }
    const limit = this.options.renewWithinSeconds * 1000;
    return this.clock.monotonic() - this.granted.monotonic < limit && this.clock.wall() - this.granted.wall < limit;
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      try {
        await this.tryOnce();
      } catch (error) {
        this.lastError = messageOf(error);
      }
      this.tell();
      await pause(this.options.retrySeconds * 1000, signal);
    }
  }

  /** Stops renewing; with `release` the lease is given back, so that another replica need not wait for its end. */
  async stop(release: boolean): Promise<void> {
    const held = this.holds;
    this.ended.abort();
    this.granted = undefined;
    this.tell();
    if (held && release) {
      const lease = await this.read();
      if (lease?.spec?.holderIdentity === this.options.identity) {
        await this.write(lease, {
          ...lease.spec,
          holderIdentity: '',
          leaseDurationSeconds: 1,
          renewTime: this.microTime(),
        });
      }
    }
  }

  private async tryOnce(): Promise<void> {
    const started = { monotonic: this.clock.monotonic(), wall: this.clock.wall() };
    const lease = await this.read();
    if (lease === undefined) {
      await this.write(undefined, this.spec(0, this.microTime()));
      this.grant(started);
      return;
    }
    const { spec = {} } = lease;
    const { holderIdentity = '', leaseTransitions = 0, leaseDurationSeconds = this.options.leaseSeconds } = spec;
    this.heldBy = holderIdentity;
    if (holderIdentity === this.options.identity) {
      await this.write(lease, this.spec(leaseTransitions, spec.acquireTime ?? this.microTime()));
      this.grant(started);
      return;
    }
    this.granted = undefined;
    const text = `${lease.metadata?.resourceVersion}`;
    if (this.seen?.text !== text) {
      this.seen = { text, since: this.clock.monotonic() };
    }
    if (holderIdentity === '' || this.clock.monotonic() - this.seen.since > leaseDurationSeconds * 1000) {
      await this.write(lease, this.spec(leaseTransitions + 1, this.microTime()));
      this.grant(started);
    }
  }

  private grant(started: { readonly monotonic: number; readonly wall: number }): void {
    if (!this.ended.signal.aborted) {
      if (!this.holds) {
        this.gainedAt = this.clock.monotonic();
      }
      this.granted = started;
      this.lastError = '';
    }
  }

  private tell(): void {
    if (this.holds !== this.said) {
      this.said = this.holds;
      const why = this.said
        ? 'the lease was acquired'
        : this.lastError === ''
          ? 'the lease was lost or released'
          : this.lastError;
      this.options.onChange?.(this.said, why);
    }
  }

  private spec(leaseTransitions: number, acquireTime: string): NonNullable<Lease['spec']> {
    const { identity, leaseSeconds } = this.options;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseSeconds,
      acquireTime,
      renewTime: this.microTime(),
      leaseTransitions,
    };
  }

  private get collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.options.namespace}/leases`;
  }

  private get patience(): number {
    return Math.min(this.options.renewWithinSeconds, this.options.retrySeconds * 2) * 1000;
  }

  private async read(): Promise<Lease | undefined> {
    try {
      return await this.options.client.request<Lease>('GET', `${this.collection}/${this.options.name}`, {
        timeout: this.patience,
      });
    } catch (error) {
      if (isNotFound(error)) {
        return undefined;
      }
      throw error;
    }
  }

  /** The version that was read goes with it, so that of two who take over at once one is refused. */
  private async write(known: Lease | undefined, spec: NonNullable<Lease['spec']>): Promise<void> {
    const { client, namespace, name } = this.options;
    const metadata = {
      name,
      namespace,
      ...(known === undefined ? {} : { resourceVersion: known.metadata?.resourceVersion ?? '' }),
    };
    const body: JsonObject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { ...spec } };
    if (known === undefined) {
      await client.request('POST', this.collection, { body, timeout: this.patience });
    } else {
      await client.request('PUT', `${this.collection}/${name}`, { body, timeout: this.patience });
    }
  }

  private microTime(): string {
    return microTimeText(this.clock.wall());
  }
}

/** Leadership without a lease, for a single replica. */
export const ALONE: Pick<Leader, 'holds' | 'heldSince' | 'holder' | 'run' | 'stop'> = {
  holds: true,
  heldSince: 0,
  holder: '',
  run: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};
