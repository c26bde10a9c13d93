/**
 * The cycle: look, decide, carry out. Started by what happens, a short time after it, so that a burst is one question.
 *
 * What is carried out takes time and does not hold up the next cycle: it is counted as done until the watch shows it or it fails.
 * Before a replica decides for the first time, it lists pods and nodes again, so that it knows everything that its predecessor did.
 */
import { setImmediate } from 'node:timers/promises';
import { type Decision, SnapshotError } from '../../placement';
import { type Action } from '../../placement/model/policy';
import { decideAndExplainLater } from '../../placement/engine';
import { type Session } from '../../placement/books/session';
import { type Configuration } from '../../planning/scheduler-settings/configuration';
import { messageOf } from '../api/api-error';
import { pause } from '../api/backoff';
import { type Actor } from './actor';
import { type Assumptions } from './assumptions';
import { type Clock, type ServerClock, SYSTEM_CLOCK } from '../api/clock';
import { type Leader } from '../api/leader';
import { type Log } from '../api/log';
import { type Metrics } from './metrics';
import { type Outcome } from './outcome';
import { Reasons } from './reasons';
import { culpritIn } from './isolate';
import { KeptSession } from './kept-session';
import { type Watched } from '../api/watched';
import { Feed } from './world/feed';
import { gangId } from './world/gang-members';
import { type Moment, question } from './world/snapshot';
import { type World } from './world/world';

export interface SchedulerOptions {
  readonly watched: Watched;
  readonly world: World;
  readonly assumptions: Assumptions;
  readonly leader: Pick<Leader, 'holds' | 'heldSince'>;
  readonly actor: Actor;
  readonly serverClock: ServerClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly config: () => Configuration;
  readonly onOutcome: (outcome: Outcome) => void;
  /** Called when gangs have other reasons to wait than before. */
  readonly onReasons: () => void;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** A gang without a minimum is complete when no pod has been added for this time, milliseconds. */
const SETTLE = 1000;
/** The most objects that one cycle sets aside before it counts as failed. */
const MOST_ASIDE = 16;
/** Failed cycles in a row after which the program is not ready. */
export const FAILURES_UNTIL_UNREADY = 5;
/** After this long without a list the loop shows that it is alive, milliseconds. */
const READING = 10_000;
/** Time of cycles to time between them: a large cluster must not leave the machine nothing else to do. */
const REST = 2;
/** Time of decisions that may move pods, which search for long where many gangs wait, to the time of those that do not. */
const CONSOLIDATION_REST = 50;
/** Without a quiet moment they wait this many times longer. */
const CONSOLIDATION_PATIENCE = 3;
const WOKEN = 'something changed';
/** What arrives within this time of a gang that is complete is decided with it, milliseconds. */
const TOGETHER = 1;

interface Decided {
  readonly session: Session;
  readonly decision: Decision;
}

export class Scheduler {
  private readonly ended = new AbortController();
  private readonly clock: Clock;
  private readonly feed: Feed;
  private changedAt: number | undefined;
  /** Since when some gang has its stated minimum. */
  private readyAt: number | undefined;
  private readonly reasons: Reasons;
  private firstChangeAt: number | undefined;
  private wake: () => void = () => undefined;
  private lookAgainAt = Infinity;
  /** The term of leadership in which it decides, by its beginning. */
  private term: number | undefined;
  /** Reads pods and nodes again for a new term. */
  private reading: { readonly term: number; readonly done: Promise<true> } | undefined;
  private failures = 0;
  private readonly kept: KeptSession;
  private lastCycle = { ended: 0, took: 0 };
  /** The last decision that could move pods. */
  private consolidated = { ended: -Infinity, took: 0 };
  /** When one is due that was left out since; Infinity where none was. */
  private consolidatesAt = Infinity;
  /** When the loop last came round, on the monotonic clock. */
  private beat: number;
  outcome: Outcome | undefined;

  constructor(private readonly options: SchedulerOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
    const { world, assumptions } = options;
    this.feed = new Feed(world, assumptions);
    this.kept = new KeptSession({
      feed: this.feed,
      scratch: (moment) => question(world, assumptions, moment).snapshot,
      onDivergence: (difference) => {
        options.metrics.sessionDivergences.inc();
        options.log.error({ difference }, 'the incremental state differed from a rebuilt one, which replaces it');
      },
      clock: this.clock,
    });
    this.reasons = new Reasons({
      tenantOf: (gang) => world.gangNamed(gang)?.identity.namespace ?? '',
      clock: this.clock,
      onError: (gang, error) => this.unexplained(gang, error),
    });
    this.beat = this.clock.monotonic();
  }

  /**
   * Something happened that a decision may depend on.
   *
   * @param ready some gang has the minimum that it states: the cycle does not wait for more of its pods
   */
  changed(ready = false): void {
    this.changedAt = this.clock.monotonic();
    this.firstChangeAt ??= this.changedAt;
    if (ready) {
      this.readyAt ??= this.changedAt;
    }
    this.wake();
  }

  /** Time alone changes something in the given number of milliseconds, or sooner. */
  lookAgainIn(milliseconds: number): void {
    this.lookAgainAt = Math.min(this.lookAgainAt, this.clock.monotonic() + milliseconds);
    this.wake();
  }

  /** Ids of gangs that changed since the last call, for what is reported of them. */
  takeTouched(): ReadonlySet<string> {
    return this.feed.takeTouched();
  }

  /** Names of gangs that wait for another reason than at the last call. */
  takeExplained(): ReadonlySet<string> {
    return this.reasons.takeNews();
  }

  /** The loop goes round. */
  get isAlive(): boolean {
    return this.clock.monotonic() - this.beat < 3 * this.options.config().cycle.periodSeconds * 1000 + 30_000;
  }

  async run(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      this.beat = this.clock.monotonic();
      await this.untilDue();
      if (!signal.aborted) {
        await this.turn();
      }
    }
  }

  stop(): void {
    this.ended.abort();
    this.wake();
  }

  private async untilDue(): Promise<void> {
    const { debounceMilliseconds, mostMilliseconds, periodSeconds } = this.options.config().cycle;
    const { signal } = this.ended;
    const period = this.clock.monotonic() + periodSeconds * 1000;
    while (!signal.aborted) {
      const now = this.clock.monotonic();
      const quiet =
        this.changedAt === undefined
          ? Infinity
          : Math.min(
              this.changedAt + debounceMilliseconds,
              (this.firstChangeAt ?? 0) + mostMilliseconds,
              (this.readyAt ?? Infinity) + TOGETHER,
            );
      const rested = this.lastCycle.ended + Math.min(2000, this.lastCycle.took * REST);
      const due = Math.max(rested, Math.min(quiet, period, this.lookAgainAt));
      if (due <= now) {
        return;
      }
      // What waits for a cycle has it first: until then there is nothing to look for.
      const looksIn = this.leads && this.changedAt === undefined ? this.reasons.dueIn() : Infinity;
      if (looksIn <= 0) {
        // What the last cycle began, and what arrived meanwhile, comes first.
        await setImmediate();
        if (this.changedAt === undefined && this.leads && !signal.aborted) {
          this.explain();
        }
        continue;
      }
      const waiting = new AbortController();
      // A reason of its own: to make an error with each change costs more than to note the change.
      this.wake = () => waiting.abort(WOKEN);
      await pause(Math.min(due - now, looksIn, 1000), waiting.signal);
      this.beat = this.clock.monotonic();
      if (this.options.leader.holds !== this.leads) {
        return;
      }
    }
  }

  /** One cycle: the leader decides. */
  private async turn(): Promise<void> {
    const { leader, watched, log, assumptions, world } = this.options;
    if (!leader.holds || !watched.isSynced) {
      if (this.leads) {
        log.warn('no longer leading; unfinished work is left to the next leader');
        assumptions.clear();
      }
      this.reasons.clear();
      this.term = undefined;
      this.changedAt = this.firstChangeAt = undefined;
      // A replica that does not decide looks at everything when it does: until then changes are not kept.
      world.touches.everything();
      world.sweep();
      await pause(50, this.ended.signal);
      return;
    }
    if (this.term !== leader.heldSince && !(await this.begin(leader.heldSince))) {
      return;
    }
    const isQuiet = this.changedAt === undefined;
    this.changedAt = this.firstChangeAt = undefined;
    this.readyAt = undefined;
    this.lookAgainAt = Infinity;
    const started = this.clock.monotonic();
    try {
      this.cycle(isQuiet);
      this.failures = 0;
    } catch (error) {
      this.failures++;
      this.options.metrics.cycleFailures.inc();
      log.error(
        { ...(error instanceof SnapshotError ? { reason: messageOf(error) } : { err: error }), inARow: this.failures },
        'the cycle failed',
      );
    }
    this.options.metrics.cycleFailuresInARow.set(this.failures);
    this.lastCycle = { ended: this.clock.monotonic(), took: this.clock.monotonic() - started };
  }

  /** @returns whether all is known that was true when the term began; where it is not, the next time round goes on waiting */
  private async begin(term: number): Promise<boolean> {
    const { leader, watched, log, assumptions, world } = this.options;
    this.term = undefined;
    assumptions.clear();
    this.reasons.clear();
    if (this.reading?.term !== term) {
      // A collection that is not served would be looked for again some time later only.
      const claims = watched.pathOf('resourceClaims') === undefined ? [] : (['resourceClaims'] as const);
      this.reading = { term, done: watched.refresh(term, 'pods', 'nodes', ...claims).then(() => true as const) };
    }
    const isKnown = await Promise.race([this.reading.done, pause(READING, this.ended.signal)]);
    if (isKnown !== true || !leader.holds || leader.heldSince !== term || this.ended.signal.aborted) {
      return false;
    }
    this.term = term;
    log.info({ pods: world.pods.size, nodes: world.nodes.length }, 'leading: pods and nodes listed again');
    return true;
  }

  /** It knows what its predecessor did, and decides. */
  get leads(): boolean {
    return this.term !== undefined;
  }

  /** Without the gangs, nodes and queues that make the decision fail. */
  private decide(moment: Moment, isQuiet: boolean): Decided {
    const { world, config, log, assumptions } = this.options;
    for (let tries = 0; ; tries++) {
      try {
        return this.decideOnce(moment, isQuiet);
      } catch (error) {
        this.kept.forget();
        const { policy } = config();
        const culprit =
          tries < MOST_ASIDE ? culpritIn(question(world, assumptions, moment).snapshot, policy) : undefined;
        if (culprit === undefined) {
          throw error;
        }
        const reason = messageOf(error);
        log.error({ ...culprit, err: error }, 'the decision failed for one object, which is set aside');
        if (culprit.kind === 'gang') {
          world.gangNamed(culprit.name)?.setAside(reason, moment.now);
        } else {
          world.aside.put({ ...culprit, reason });
        }
      }
    }
  }

  private decideOnce(moment: Moment, isQuiet: boolean): Decided {
    const { config, metrics } = this.options;
    const asked = metrics.cycleSeconds.startTimer({ phase: 'snapshot' });
    const session = this.kept.of(moment, config().policy, isQuiet);
    asked();
    const timed = metrics.cycleSeconds.startTimer({ phase: 'decide' });
    const started = this.clock.monotonic();
    const { decision, reasons } = decideAndExplainLater(session, this.actionsOf(session, isQuiet));
    timed();
    if (this.consolidatesAt === Infinity) {
      const ended = this.clock.monotonic();
      this.consolidated = { ended, took: ended - started };
    }
    const placed = new Set(decision.bindings.map(({ gang }) => gang));
    this.reasons.decided(reasons, this.feed.takeNames(), placed);
    return { session, decision };
  }

  /** What a decision may do: to move pods takes a bounded part of the time, and not that of gangs that have just arrived. */
  private actionsOf({ policy: { actions }, short }: Session, isQuiet: boolean): readonly Action[] {
    const { ended, took } = this.consolidated;
    const rest = took * CONSOLIDATION_REST;
    const due = ended + rest * (isQuiet ? 1 : CONSOLIDATION_PATIENCE);
    if (this.clock.monotonic() >= due || !actions.includes('consolidate') || short.size === 0) {
      this.consolidatesAt = Infinity;
      return actions;
    }
    this.consolidatesAt = ended + rest;
    return actions.filter((action) => action !== 'consolidate');
  }

  /** Looks for reasons for a while, and hands them on where they are new. */
  private explain(): void {
    const timed = this.options.metrics.cycleSeconds.startTimer({ phase: 'explain' });
    const isNew = this.reasons.look();
    timed();
    if (isNew) {
      this.guarded(this.options.onReasons);
    }
  }

  /** An error in finding the reason of one gang costs that gang alone. */
  private unexplained(gang: string, error: unknown): void {
    const { world, serverClock, log } = this.options;
    log.error({ kind: 'gang', name: gang, err: error }, 'no reason was found for one object, which is set aside');
    const members = world.gangNamed(gang);
    if (members !== undefined) {
      members.setAside(messageOf(error), serverClock.now());
      world.touches.gang(gangId(members.identity));
      this.changed();
    }
  }

  /** Cycles that failed as a whole, one after the other; none of them bound or evicted anything. */
  get failuresInARow(): number {
    return this.failures;
  }

  private cycle(isQuiet: boolean): void {
    const { serverClock, metrics, actor } = this.options;
    const at = serverClock.now();
    this.reasons.suspend();
    const { session, decision } = this.decide({ now: at, settleMilliseconds: SETTLE }, isQuiet);
    const done = metrics.cycleSeconds.startTimer({ phase: 'apply' });
    const { held, waiting } = this.feed;
    const { reasons } = this;
    const outcome = {
      at,
      session,
      decision,
      reasons,
      held,
      waiting,
      queueOf: (gang: string) => this.feed.queueOf(gang),
    };
    const again = Math.min(this.feed.nextIn(at), actor.carryOut(outcome));
    this.lookAgainAt = Math.min(this.clock.monotonic() + again, this.consolidatesAt);
    this.outcome = outcome;
    this.guarded(() => this.options.onOutcome(outcome));
    done();
  }

  private guarded(report: () => void): void {
    try {
      report();
    } catch (error) {
      // What is decided is under way; only what is said about it is not.
      this.options.log.error({ err: error }, 'the outcome was not reported');
    }
  }
}
