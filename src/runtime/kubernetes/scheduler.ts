/**
 * The cycle: look, decide, carry out. Started by what happens, a short time after it, so that a burst is one question.
 *
 * What is carried out takes time and does not hold up the next cycle: it is counted as done until the watch shows it or it fails.
 * Before a replica decides for the first time, it lists pods and nodes again, so that it knows everything that its predecessor did.
 */
import { type Decision, SnapshotError } from '../../placement';
import { decideIn } from '../../placement/engine';
import { type Session } from '../../placement/session';
import { type Configuration } from '../../planning/scheduler-settings/configuration';
import { messageOf } from './api/api-error';
import { pause } from './api/backoff';
import { type Actor } from './actor';
import { type Assumptions } from './assumptions';
import { type Clock, type ServerClock, SYSTEM_CLOCK } from './clock';
import { type Leader } from './leader';
import { type Log } from './log';
import { type Metrics } from './metrics';
import { type Outcome } from './outcome';
import { culpritIn } from './isolate';
import { KeptSession } from './kept-session';
import { type Watched } from './watched';
import { type Question, question } from './world/snapshot';
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

interface Decided {
  readonly session: Session;
  readonly decision: Decision;
}

export class Scheduler {
  private readonly ended = new AbortController();
  private readonly clock: Clock;
  private changedAt: number | undefined;
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
  /** When the loop last came round, on the monotonic clock. */
  private beat: number;
  outcome: Outcome | undefined;

  constructor(private readonly options: SchedulerOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
    this.kept = new KeptSession((difference) => {
      options.metrics.sessionDivergences.inc();
      options.log.error({ difference }, 'the books differed from those built from scratch, which take their place');
    });
    this.beat = this.clock.monotonic();
  }

  /** Something happened that a decision may depend on. */
  changed(): void {
    this.changedAt = this.clock.monotonic();
    this.firstChangeAt ??= this.changedAt;
    this.wake();
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
          : Math.min(this.changedAt + debounceMilliseconds, (this.firstChangeAt ?? 0) + mostMilliseconds);
      const rested = this.lastCycle.ended + Math.min(2000, this.lastCycle.took * REST);
      const due = Math.max(rested, Math.min(quiet, period, this.lookAgainAt));
      if (due <= now) {
        return;
      }
      const waiting = new AbortController();
      this.wake = () => waiting.abort();
      await pause(Math.min(due - now, 1000), waiting.signal);
      this.beat = this.clock.monotonic();
      if (this.options.leader.holds !== this.leads) {
        return;
      }
    }
  }

  /** One cycle: the leader decides. */
  private async turn(): Promise<void> {
    const { leader, watched, log, assumptions } = this.options;
    if (!leader.holds || !watched.isSynced) {
      if (this.leads) {
        log.warn('no longer leading: what was under way is left to the next leader');
        assumptions.clear();
      }
      this.term = undefined;
      this.changedAt = this.firstChangeAt = undefined;
      await pause(50, this.ended.signal);
      return;
    }
    if (this.term !== leader.heldSince && !(await this.begin(leader.heldSince))) {
      return;
    }
    this.changedAt = this.firstChangeAt = undefined;
    this.lookAgainAt = Infinity;
    const started = this.clock.monotonic();
    try {
      this.cycle();
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
    if (this.reading?.term !== term) {
      this.reading = { term, done: watched.refresh(term, 'pods', 'nodes').then(() => true as const) };
    }
    const isKnown = await Promise.race([this.reading.done, pause(READING, this.ended.signal)]);
    if (isKnown !== true || !leader.holds || leader.heldSince !== term || this.ended.signal.aborted) {
      return false;
    }
    this.term = term;
    log.info({ pods: world.pods.size, nodes: world.nodes.length }, 'leading: pods and nodes listed again');
    return true;
  }

  private get leads(): boolean {
    return this.term !== undefined;
  }

  /** Without the gangs, nodes and queues that make the decision fail. */
  private decide(first: Question, ask: () => Question, at: number): Question & Decided {
    const { world, config, log } = this.options;
    let asked = first;
    for (let tries = 0; ; tries++) {
      try {
        const session = this.kept.of(asked.snapshot, config().policy);
        return { ...asked, session, decision: decideIn(session) };
      } catch (error) {
        this.kept.forget();
        const culprit = tries < MOST_ASIDE ? culpritIn(asked.snapshot, config().policy) : undefined;
        if (culprit === undefined) {
          throw error;
        }
        const reason = messageOf(error);
        log.error({ ...culprit, err: error }, 'the decision failed for one object, which is set aside');
        if (culprit.kind === 'gang') {
          world.gangNamed(culprit.name)?.setAside(reason, at);
        } else {
          world.aside.put({ ...culprit, reason });
        }
        asked = ask();
      }
    }
  }

  /** Cycles that failed as a whole, one after the other; none of them bound or evicted anything. */
  get failuresInARow(): number {
    return this.failures;
  }

  private cycle(): void {
    const { world, assumptions, serverClock, metrics, actor, log } = this.options;
    const at = serverClock.now();
    const asked = metrics.cycleSeconds.startTimer({ phase: 'snapshot' });
    const ask = (): Question => question(world, assumptions, { now: at, settleMilliseconds: SETTLE });
    const first = ask();
    asked();
    const decided = metrics.cycleSeconds.startTimer({ phase: 'decide' });
    const { snapshot, held, session, decision } = this.decide(first, ask, at);
    decided();
    const done = metrics.cycleSeconds.startTimer({ phase: 'apply' });
    const outcome = { at, snapshot, session, decision, held };
    const again = Math.min(...held.map((one) => one.again ?? Infinity), actor.carryOut(outcome));
    this.lookAgainAt = this.clock.monotonic() + again;
    this.outcome = outcome;
    try {
      this.options.onOutcome(outcome);
    } catch (error) {
      // What is decided is under way; only what is said about it is not.
      log.error({ err: error }, 'the outcome was not reported');
    }
    world.sweep();
    done();
  }
}
