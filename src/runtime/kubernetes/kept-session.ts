/**
 * The session of the placement core that the scheduler keeps from cycle to cycle, so that a cycle costs what has changed and not what there is.
 *
 * From time to time the books are compared with those of a session that is built from scratch, of a question that is worked out from scratch.
 * Where they differ, everything is built again before anything is decided.
 */
import { type Policy, type Snapshot } from '../../placement';
import { areEqual } from '../../placement/books/catch-up';
import { firstDifference } from '../../placement/cycle/compare-books';
import { Session } from '../../placement/books/session';
import { type Clock, SYSTEM_CLOCK } from '../api/clock';
import { type Feed } from './world/feed';
import { type Moment } from './world/snapshot';

/** At least this long from one comparison to the next, milliseconds. */
const COMPARE_EVERY = 30_000;
/** A comparison takes at most this part of the time: a hundredth. */
const COMPARE_PART = 100;
/** Without a quiet moment it waits this many times longer. */
const COMPARE_PATIENCE = 10;
/** More changes than this at once are not followed one by one. */
const MOST_DELTAS = 20_000;

export interface KeptSessionOptions {
  readonly feed: Pick<Feed, 'deltas' | 'snapshot' | 'reset'>;
  /** The same question, worked out from scratch. */
  readonly scratch: (moment: Moment) => Snapshot;
  /** Called with the first difference of books that should have been equal. */
  readonly onDivergence: (difference: string) => void;
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

export class KeptSession {
  private session: Session | undefined;
  private readonly clock: Clock;
  private compared = { at: -Infinity, took: 0 };

  constructor(private readonly options: KeptSessionOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /**
   * The session as of this moment.
   *
   * @param isQuiet nothing waits for the decision
   * @throws SnapshotError when the world contradicts itself; the session is then made again
   */
  of(moment: Moment, policy: Policy, isQuiet: boolean): Session {
    const session = this.brought(moment, policy);
    this.session = this.isComparisonDue(isQuiet) ? this.comparedWith(session, moment, policy) : session;
    return this.session;
  }

  /** Everything is built again for the next decision. */
  forget(): void {
    this.session = undefined;
    this.options.feed.reset();
  }

  private brought(moment: Moment, policy: Policy): Session {
    const { feed } = this.options;
    const { session } = this;
    this.session = undefined;
    const deltas = feed.deltas(moment);
    if (session === undefined || deltas.length > MOST_DELTAS) {
      if (session === undefined) {
        this.compared = { at: this.clock.monotonic(), took: 0 };
      }
      return new Session(feed.snapshot(moment), policy);
    }
    if (!areEqual(session.policy, policy)) {
      deltas.push({ kind: 'policy', policy });
    }
    session.apply(...deltas);
    return session;
  }

  private isComparisonDue(isQuiet: boolean): boolean {
    const { at, took } = this.compared;
    const pause = Math.max(COMPARE_EVERY, took * COMPARE_PART) * (isQuiet ? 1 : COMPARE_PATIENCE);
    return this.clock.monotonic() - at >= pause;
  }

  private comparedWith(session: Session, moment: Moment, policy: Policy): Session {
    const { scratch, onDivergence, feed } = this.options;
    const started = this.clock.monotonic();
    const snapshot = scratch(moment);
    const fresh = new Session(snapshot, policy);
    const difference = firstDifference(session, fresh);
    const ended = this.clock.monotonic();
    this.compared = { at: ended, took: ended - started };
    if (difference === undefined) {
      return session;
    }
    onDivergence(difference);
    feed.reset();
    feed.deltas(moment);
    return new Session(feed.snapshot(moment), policy);
  }
}
