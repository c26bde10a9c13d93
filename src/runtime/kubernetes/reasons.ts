/**
 * Why gangs wait, kept from cycle to cycle. To find a reason takes longer than to decide, so it is looked for in pieces between cycles, and an
 * arriving gang waits for one piece at most.
 *
 * Gangs that are new or have changed come first. When all of them have a reason, those whose reason is the oldest follow, at a much slower pace:
 * what the cluster has free changes the words of reasons, and nothing waits for those. In both, namespaces take turns. A piece uses the books as the
 * last decision left them.
 */
import { type PendingGang } from '../../placement';
import { type PendingReasons } from '../../placement/reasons/reasons';
import { type Clock } from '../api/clock';
import { InTurn } from './in-turn';

/** A piece ends after this, milliseconds, or with the first gang that takes longer. */
const PIECE = 5;
/** Time between pieces to the time of a piece, while some gang has no reason, and while reasons are only old. */
const REST = 4;
const REST_OF_OLD = 400;
/** A reason is not looked for again sooner, milliseconds. */
const AGE = 1000;

interface Reason {
  readonly pending: PendingGang;
  readonly at: number;
  /** Number of the decision that it follows from. */
  readonly of: number;
}

export interface ReasonsOptions {
  /** Whose gang it is. */
  readonly tenantOf: (gang: string) => string;
  readonly clock: Clock;
  /** Called with a gang for which no reason could be found because of an error. */
  readonly onError: (gang: string, error: unknown) => void;
}

export class Reasons {
  /** The oldest of each tenant first. */
  private readonly known = new InTurn<Reason>();
  /** Gangs that wait and have none, or have changed since. */
  private readonly wanted = new InTurn<string>();
  /** Gangs with another reason than at the last call of `takeNews`. */
  private news = new Set<string>();
  private source: PendingReasons | undefined;
  private decisions = 0;
  private restsUntil = -Infinity;
  private listed: readonly PendingGang[] | undefined;

  constructor(private readonly options: ReasonsOptions) {}

  of(gang: string): PendingGang | undefined {
    return this.known.get(gang)?.pending;
  }

  get list(): readonly PendingGang[] {
    return (this.listed ??= [...this.known.values()].map(({ pending }) => pending));
  }

  /** Gangs with another reason than at the last call. */
  takeNews(): ReadonlySet<string> {
    const { news } = this;
    this.news = new Set();
    return news;
  }

  /** Nothing can be looked for until the next decision: the books change. */
  suspend(): void {
    this.source = undefined;
  }

  /**
   * A decision was made, and its books stay as they are until `suspend`.
   *
   * @param touched gangs that were looked at, and whether they are new or different; all that wait where nothing is known yet
   * @param placed gangs that start by it
   */
  decided(source: PendingReasons, touched: ReadonlyMap<string, boolean>, placed: Iterable<string>): void {
    this.source = source;
    this.decisions++;
    for (const gang of placed) {
      this.forget(gang);
    }
    for (const [gang, isDifferent] of touched) {
      if (source.waits(gang)) {
        // What was written to its pods is no reason to look again.
        if (isDifferent || !this.known.has(gang)) {
          this.wanted.set(gang, this.options.tenantOf(gang), gang);
        }
      } else {
        this.forget(gang);
      }
    }
  }

  /** Forgets everything: another replica decides, or the books are built again. */
  clear(): void {
    this.known.clear();
    this.wanted.clear();
    this.news.clear();
    this.listed = undefined;
    this.source = undefined;
  }

  /** Milliseconds until the next piece; Infinity where there is nothing to look for. */
  dueIn(): number {
    if (this.source === undefined) {
      return Infinity;
    }
    const now = this.options.clock.monotonic();
    if (this.wanted.size > 0) {
      return Math.max(0, this.restsUntil - now);
    }
    let due = Infinity;
    for (const { at, of } of this.known.firsts()) {
      due = of < this.decisions ? Math.min(due, at + AGE) : due;
    }
    return due === Infinity ? Infinity : Math.max(0, this.restsUntil - now, due - now);
  }

  /** Looks for reasons for a while. @returns whether any is new or different */
  look(): boolean {
    const { clock } = this.options;
    const started = clock.monotonic();
    const isOld = this.wanted.size === 0;
    let isNew = false;
    let now = started;
    for (let next = this.next(now, isOld); next !== undefined; next = this.next(now, isOld)) {
      isNew = this.find(next, now) || isNew;
      now = clock.monotonic();
      if (now - started >= PIECE) {
        break;
      }
    }
    this.restsUntil = now + (now - started) * (isOld ? REST_OF_OLD : REST);
    return isNew;
  }

  private next(now: number, isOld: boolean): string | undefined {
    if (!isOld) {
      const [wanted] = this.wanted.firsts();
      return wanted;
    }
    for (const { pending, at, of } of this.known.firsts()) {
      // It follows from another decision than the last one.
      if (of < this.decisions && now - at >= AGE) {
        return pending.gang;
      }
    }
    return undefined;
  }

  private find(gang: string, now: number): boolean {
    const before = this.known.get(gang);
    [this.wanted, this.known].forEach((list) => list.hadTurn(gang));
    this.forget(gang);
    let pending: PendingGang | undefined;
    try {
      pending = this.source!.of(gang);
    } catch (error) {
      this.options.onError(gang, error);
    }
    if (pending !== undefined) {
      this.known.set(gang, this.options.tenantOf(gang), { pending, at: now, of: this.decisions });
      this.listed = undefined;
    }
    const isNew = pending?.message !== before?.pending.message || pending?.kind !== before?.pending.kind;
    if (isNew) {
      this.news.add(gang);
    }
    return isNew;
  }

  private forget(gang: string): void {
    this.wanted.delete(gang);
    if (this.known.delete(gang)) {
      this.listed = undefined;
    }
  }
}
