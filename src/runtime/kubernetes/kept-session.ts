/**
 * The session of the placement core that the scheduler keeps from cycle to cycle, so that a cycle costs what has changed and not what there is.
 *
 * From time to time the books are compared with those of a session built from scratch. Where they differ the new session takes the place
 * of the old one, before anything is decided.
 */
import { type Policy, type Snapshot } from '../../placement';
import { firstDifference } from '../../placement/compare-books';
import { Session } from '../../placement/session';

/** Cycles from one comparison to the next. */
const COMPARE_EVERY = 100;

export class KeptSession {
  private session: Session | undefined;
  private cycles = 0;

  /** @param onDivergence called with the first difference of books that should have been equal */
  constructor(
    private readonly onDivergence: (difference: string) => void,
    private readonly compareEvery = COMPARE_EVERY,
  ) {}

  /** The session as of this snapshot. @throws SnapshotError when the snapshot contradicts itself; the session is then made again. */
  of(snapshot: Snapshot, policy: Policy): Session {
    const { session } = this;
    this.session = undefined;
    if (session === undefined) {
      this.session = new Session(snapshot, policy);
      return this.session;
    }
    session.catchUp(snapshot, policy);
    this.cycles++;
    this.session = this.cycles % this.compareEvery === 0 ? this.compared(session, snapshot, policy) : session;
    return this.session;
  }

  /** The next session is built from scratch. */
  forget(): void {
    this.session = undefined;
  }

  private compared(session: Session, snapshot: Snapshot, policy: Policy): Session {
    const scratch = new Session(snapshot, policy);
    const difference = firstDifference(session, scratch);
    if (difference === undefined) {
      return session;
    }
    this.onDivergence(difference);
    return scratch;
  }
}
