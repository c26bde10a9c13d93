/**
 * Carries out decisions: binds, hands over, evicts, repartitions, reports. Every failure is reported and leads to a new decision, not to a retry.
 */
import { setMaxListeners } from 'node:events';
import { type Binding, type Decision, type Eviction } from '../../placement';
import { type JsonObject } from '../../facts/api/schema';
import { type Configuration } from '../../planning/scheduler-settings/configuration';
import { type ApiClient } from '../api/client';
import { type AttemptOptions, placeOf } from './apply/attempts';
import { bind } from './apply/bind';
import { evict, type EvictOptions } from './apply/evict';
import { handedOver, handOver } from './apply/hand-over';
import { type ClaimWrite } from './apply/claim-writes';
import { GangClaims } from './apply/gang-claims';
import { type ClaimedPod as PodWithClaims } from './apply/planned-writes';
import { UnusedClaims } from './apply/unused-claims';
import { type PlacedPod, type PlacingOutcome, podRefOf } from './apply/pod-ref';
import { type Resolved, resolvePlace } from './apply/resolve';
import { Slots } from './apply/slots';
import { type Assumptions } from './assumptions';
import { type Clock, type ServerClock, SYSTEM_CLOCK, timeText } from '../api/clock';
import { evictionWords } from './eviction-words';
import { type Explainer } from './explain';
import { type Leader } from '../api/leader';
import { type Log } from '../api/log';
import { type Metrics } from './metrics';
import { type Outcome } from './outcome';
import { Repartitioner } from './repartitioner';
import { gangId } from './world/gang-members';
import { type PodEntry } from './world/pod-entry';
import { type World } from './world/world';

export interface ActorOptions {
  readonly client: Pick<ApiClient, 'request'>;
  readonly world: World;
  readonly assumptions: Assumptions;
  readonly leader: Pick<Leader, 'holds' | 'heldSince'>;
  readonly explainer: Explainer;
  readonly serverClock: ServerClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly config: () => Configuration;
  /** Path of ResourceClaims in all namespaces; `undefined` where they are not served. @default - not served */
  readonly claimsPath?: () => string | undefined;
  /** See `AttemptOptions.requestTimeout`. */
  readonly requestTimeout: number;
  /** Something came to another end than was assumed. */
  readonly onSurprise: () => void;
  /** Time alone changes something in the given number of milliseconds. */
  readonly onDue: (milliseconds: number) => void;
  /** The pod was evicted, and its controller may recreate it. */
  readonly onEvicted: (entry: PodEntry) => void;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** A pod with its place, and the devices of its claims. */
type ClaimedPlace = PodWithClaims & { readonly pod: PlacedPod };

/** How long a gang avoids a node on which kube-scheduler did not bind it, milliseconds. */
const AVOIDANCE = 600_000;
/** How long to wait before retrying a pod that the server refused to bind, milliseconds. */
const REFUSAL_PAUSE = 2000;

export class Actor {
  private readonly ended = new AbortController();
  private readonly slots: Slots;
  private readonly clock: Clock;
  private readonly repartitioner: Repartitioner;
  private readonly claims: GangClaims;
  private readonly unused: UnusedClaims;
  private readonly underWay = new Set<Promise<unknown>>();
  /** Pods that were handed over and are not bound yet: since when they are seen so, on the monotonic clock. */
  private readonly handOvers = new Map<string, number>();

  constructor(private readonly options: ActorOptions) {
    this.slots = new Slots(options.config().binding.inFlight);
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.repartitioner = new Repartitioner(options);
    const { world, serverClock, claimsPath = () => undefined } = options;
    this.claims = new GangClaims({
      world,
      slots: this.slots,
      path: claimsPath,
      now: () => timeText(serverClock.now()),
    });
    this.unused = new UnusedClaims({ ...options, claims: this.claims, clock: this.clock });
    // As many wait for it as there are requests to be tried again.
    setMaxListeners(0, this.ended.signal);
  }

  /**
   * Nothing where this replica no longer leads: a process may have been stopped in the middle of the cycle that decided.
   *
   * @returns milliseconds after which it is worth another look, where time alone changes something
   */
  carryOut(outcome: Outcome): number {
    const { decision, queueOf, at } = outcome;
    if (!this.options.leader.holds) {
      return Infinity;
    }
    this.slots.resize(this.options.config().binding.inFlight);
    for (const bindings of byGang(decision.bindings)) {
      this.start(bindings, queueOf(bindings[0].gang));
    }
    this.evictAll(decision);
    this.repartitionAll(decision, at);
    const { attempts } = this;
    return Math.min(
      this.watchHandOvers(),
      this.unused.look((work) => this.track(work), attempts),
    );
  }

  /** The time within which kube-scheduler has to bind a pod begins when the pod is seen to be handed over, and not with the next decision. */
  follow(before: PodEntry | undefined, after: PodEntry | undefined): void {
    if (before !== undefined && (before.uid !== after?.uid || !this.options.world.unbound.has(before.uid))) {
      this.handOvers.delete(before.uid);
    }
    if (after !== undefined && this.options.world.unbound.has(after.uid) && !this.handOvers.has(after.uid)) {
      this.handOvers.set(after.uid, this.clock.monotonic());
      this.options.onDue(this.handOverLimit);
    }
  }

  private get handOverLimit(): number {
    return this.options.config().handOver.timeoutSeconds * 1000;
  }

  /** What is under way comes to its end, or is abandoned after `patience` milliseconds. */
  async finish(patience: number): Promise<void> {
    const timer = new AbortController();
    const late = new Promise((resolve) => setTimeout(resolve, patience, timer).unref());
    await Promise.race([Promise.allSettled(this.underWay), late]);
    this.ended.abort();
    await Promise.race([Promise.allSettled(this.underWay), late]);
  }

  /** What is begun in one term of leadership ends with it: a later one of this replica starts from what the API server says. */
  private get attempts(): AttemptOptions {
    const { client, leader, config, requestTimeout } = this.options;
    const patience = config().binding.timeoutSeconds * 1000;
    const since = leader.heldSince;
    return {
      client,
      leads: () => leader.holds && leader.heldSince === since,
      signal: this.ended.signal,
      patience,
      requestTimeout,
      clock: this.clock,
    };
  }

  private get evictions(): EvictOptions {
    const { client, leads, signal, requestTimeout: timeout } = this.attempts;
    return { client, leads, signal, timeout };
  }

  private track(work: Promise<unknown>): void {
    this.underWay.add(work);
    void work
      .catch((error: unknown) => this.options.log.error({ err: error }, 'not carried out'))
      .finally(() => this.underWay.delete(work));
  }

  /** All pods of one gang that start by one decision. */
  private start(bindings: readonly Binding[], queue: string): void {
    const { world, log, metrics, serverClock, explainer } = this.options;
    const [{ gang }] = bindings;
    const placed = bindings.flatMap((binding) => {
      const entry = world.pods.get(binding.pod);
      return entry === undefined
        ? []
        : [
            {
              entry,
              pod: { ...podRefOf(entry.raw), node: binding.node, devices: binding.devices },
              claims: binding.claims ?? [],
            },
          ];
    });
    const arrival = Math.min(...placed.map(({ entry }) => entry.createdAt));
    log.info({ gang, queue, pods: placed.length, nodes: new Set(bindings.map(({ node }) => node)).size }, 'placing');
    const all = this.placeAll(gang, placed);
    this.track(
      all.then((outcomes) => {
        const failed = outcomes.filter(({ kind }) => kind !== 'done').length;
        if (failed === 0) {
          metrics.gangWaitSeconds.observe({ queue }, Math.max(0, serverClock.now() - arrival) / 1000);
          const words = `Gang ${gang}: ${placed.length} pods placed on ${new Set(bindings.map(({ node }) => node)).size} nodes.`;
          explainer.event(placed[0]?.pod, 'Normal', 'Scheduled', words);
          log.info({ gang, pods: placed.length }, 'placed');
        } else {
          log.warn({ gang, pods: placed.length, failed }, 'placed in part; the other pods are planned again');
          this.options.onSurprise();
        }
      }),
    );
  }

  /** Where pods have claims, none is placed before all of them have their devices. */
  private placeAll(gang: string, placed: readonly ClaimedPlace[]): Promise<readonly PlacingOutcome[]> {
    const writes = this.claims.assume(placed);
    placed.forEach(({ entry, pod }) => this.assume(entry, pod));
    return writes.length === 0 ? this.placeEach(placed) : this.placeWithClaims(gang, placed, writes);
  }

  /** @param reported pods that changed since they were decided about, by their uids */
  private placeEach(
    placed: readonly ClaimedPlace[],
    reported: ReadonlyMap<string, JsonObject> = new Map(),
  ): Promise<readonly PlacingOutcome[]> {
    return Promise.all(placed.map(({ entry, pod }) => this.place(entry, pod, reported.get(entry.uid))));
  }

  private async placeWithClaims(
    gang: string,
    placed: readonly ClaimedPlace[],
    writes: readonly ClaimWrite[],
  ): Promise<readonly PlacingOutcome[]> {
    const { assumptions, metrics, log } = this.options;
    const { attempts } = this;
    const outcome = await this.claims.allocate(writes, attempts);
    if (outcome.kind === 'done') {
      metrics.claimsAllocated.inc(writes.length);
      log.info({ gang, claims: writes.length }, 'claims allocated');
      return this.placeEach(placed, outcome.reported);
    }
    if (outcome.kind === 'abandoned') {
      return placed.map(() => outcome);
    }
    const { message, avoids = [], pause } = outcome;
    metrics.claimFailures.inc();
    log.warn({ gang, claims: writes.length, message }, 'the devices of the gang were released');
    const key = placed[0]?.entry.gang === undefined ? undefined : gangId(placed[0].entry.gang);
    avoids.forEach((node) => key !== undefined && assumptions.avoid(key, node, AVOIDANCE));
    return placed.map(({ entry, pod }) => {
      const refused: PlacingOutcome = { kind: 'refused', reason: 'ClaimsNotAllocated', message };
      this.misplaced(entry, pod, refused, wayOf(entry), pause);
      return refused;
    });
  }

  private assume(entry: PodEntry, pod: PlacedPod): void {
    const { assumptions, world } = this.options;
    assumptions.place(pod.uid, pod);
    if (entry.way === 'gated') {
      world.willHandOver(pod.uid, pod.node);
    }
  }

  private async place(entry: PodEntry, pod: PlacedPod, known = entry.raw): Promise<PlacingOutcome> {
    const { metrics } = this.options;
    const way = wayOf(entry);
    const { attempts } = this;
    const outcome = await this.slots.run(() =>
      entry.way === 'gated' ? handOver(pod, known, attempts) : bind(pod, known, attempts),
    );
    if (outcome.kind === 'done') {
      metrics.podsBound.inc({ way });
    } else {
      this.misplaced(entry, pod, outcome, way);
    }
    if (outcome.kind === 'unknown') {
      this.track(this.findOut(entry, pod, attempts));
    }
    return outcome;
  }

  /** What became of a request without an answer; until then the place counts as taken. */
  private async findOut(entry: PodEntry, pod: PlacedPod, attempts: AttemptOptions): Promise<void> {
    const { assumptions, log, serverClock, explainer, onSurprise } = this.options;
    const look = entry.way === 'gated' ? handedOver : placeOf;
    const outcome = await resolvePlace(pod, {
      ...attempts,
      look: (now) => look(now, pod.node),
      now: () => timeText(serverClock.now()),
    });
    log.info({ pod: entry.key, node: pod.node, ...outcome }, 'the outcome of unanswered requests is known');
    if (outcome.kind === 'undone') {
      assumptions.unplace(pod.uid, pod);
      // A pause, as after a refusal: a gang without this pod must not count as nearly complete forever.
      assumptions.refuse(pod.uid, REFUSAL_PAUSE, 'The API server did not answer the last attempt to place the pod.');
      explainer.event(pod, 'Warning', 'FailedBinding', `${pod.node}: the API server did not answer.`);
    } else {
      this.seenElsewhere(entry, outcome);
    }
    onSurprise();
  }

  /** A pod that another scheduler placed uses its capacity there, until the watch shows it. */
  private seenElsewhere(entry: PodEntry, outcome: PlacingOutcome | Resolved): void {
    const { assumptions, world } = this.options;
    const known = world.pods.get(entry.key);
    const isPlaced = outcome.kind === 'elsewhere' && outcome.node !== '';
    if (isPlaced && known?.uid === entry.uid && known.state === 'waiting') {
      assumptions.place(entry.uid, { node: outcome.node, devices: [] });
    }
  }

  private misplaced(
    entry: PodEntry,
    pod: PlacedPod,
    outcome: Exclude<PlacingOutcome, { kind: 'done' }>,
    way: string,
    pause = REFUSAL_PAUSE,
  ): void {
    const { assumptions, log, metrics, explainer } = this.options;
    const { namespace, name, uid, node } = pod;
    metrics.bindingFailures.inc({ way, reason: outcome.kind === 'refused' ? outcome.reason : outcome.kind });
    log.warn({ pod: `${namespace}/${name}`, node, way, ...outcome }, 'not placed');
    switch (outcome.kind) {
      case 'refused':
      case 'unanswered':
        assumptions.unplace(uid, pod);
        assumptions.refuse(uid, pause, outcome.message);
        explainer.event(pod, 'Warning', 'FailedBinding', `${node}: ${outcome.message}`);
        break;
      case 'gone':
      case 'elsewhere':
        // The watch reports the outcome; until then the capacity stays in use.
        this.seenElsewhere(entry, outcome);
        break;
      case 'unknown':
      case 'abandoned':
        break;
    }
  }

  private evictAll({ evictions }: Decision): void {
    const { world, assumptions } = this.options;
    for (const list of byGang(evictions)) {
      const entries = list.flatMap((eviction) => {
        const entry = world.pods.get(eviction.pod);
        return entry === undefined || assumptions.isLeaving(entry.uid) ? [] : [{ eviction, entry }];
      });
      entries.forEach(({ entry }) => assumptions.leave(entry.uid));
      this.track(this.evictGang(entries));
    }
  }

  /** One after the other, so that a budget that protects the gang stops the eviction after at most one of its pods. */
  private async evictGang(
    entries: readonly { readonly eviction: Eviction; readonly entry: PodEntry }[],
  ): Promise<void> {
    const { assumptions } = this.options;
    for (const [index, { eviction, entry }] of entries.entries()) {
      const isDone = await this.evictOne(entry, eviction);
      if (!isDone) {
        entries.slice(index).forEach((rest) => {
          assumptions.stay(rest.entry.uid);
          assumptions.protect(rest.entry.uid, this.options.config().eviction.retrySeconds * 1000);
        });
        this.options.onSurprise();
        return;
      }
    }
  }

  private async evictOne(entry: PodEntry, { action, beneficiary, gang, node, movesTo }: Eviction): Promise<boolean> {
    const { leader, log, metrics, explainer } = this.options;
    if (!leader.holds || this.ended.signal.aborted) {
      return false;
    }
    const { evictions } = this;
    const outcome = await this.slots.run(() => evict(entry, evictions));
    metrics.evictions.inc({ action, outcome: outcome.kind });
    const about = { pod: entry.key, gang, node, action, beneficiary, movesTo, ...outcome };
    if (outcome.kind === 'evicted' || outcome.kind === 'gone') {
      log.info(about, 'evicted');
      this.options.onEvicted(entry);
      explainer.event(entry, 'Normal', 'Evicted', evictionWords(action, beneficiary));
      return true;
    }
    log.warn(about, 'not evicted');
    return false;
  }

  private repartitionAll({ repartitions = [] }: Decision, at: number): void {
    this.repartitioner.report();
    const { evictions } = this;
    repartitions.forEach((one) => this.track(this.repartitioner.start(one, at, evictions, this.slots)));
  }

  /** Deletes pods that kube-scheduler does not bind in time, so that their controller recreates them and the gang is planned again. */
  private watchHandOvers(): number {
    const { handOverLimit: limit } = this;
    const now = this.clock.monotonic();
    let next = Infinity;
    for (const entry of this.options.world.unbound.values()) {
      let since = this.handOvers.get(entry.uid) ?? now;
      if (now - since >= limit) {
        this.track(this.takeBack(entry));
        since = now;
      }
      this.handOvers.set(entry.uid, since);
      next = Math.min(next, since + limit - now);
    }
    return next;
  }

  private async takeBack(entry: PodEntry): Promise<void> {
    const { leader, log, metrics, explainer } = this.options;
    if (!leader.holds) {
      return;
    }
    metrics.bindingFailures.inc({ way: 'hand-over', reason: 'not-bound-in-time' });
    if (entry.gang !== undefined && entry.node !== undefined) {
      this.options.assumptions.avoid(gangId(entry.gang), entry.node, AVOIDANCE);
    }
    const { evictions } = this;
    const outcome = await this.slots.run(() => evict(entry, evictions));
    if (outcome.kind === 'evicted') {
      this.options.onEvicted(entry);
    }
    const { timeoutSeconds } = this.options.config().handOver;
    log.warn(
      { pod: entry.key, node: entry.node, seconds: timeoutSeconds, ...outcome },
      'handed over but not bound in time; deleted to be planned again',
    );
    explainer.event(
      entry,
      'Warning',
      'HandOverTimedOut',
      `kube-scheduler did not bind the pod to ${entry.node} within ${timeoutSeconds} s.`,
    );
  }
}

function wayOf({ way }: PodEntry): string {
  return way === 'gated' ? 'hand-over' : 'direct';
}

function byGang<T extends { readonly gang: string }>(list: readonly T[]): T[][] {
  const gangs = new Map<string, T[]>();
  for (const one of list) {
    const own = gangs.get(one.gang);
    if (own === undefined) {
      gangs.set(one.gang, [one]);
    } else {
      own.push(one);
    }
  }
  return [...gangs.values()];
}
