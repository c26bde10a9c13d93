/**
 * The tries to make room that one decision has, and who gets them. Each is a search, so there are few of them, and thousands of gangs may wait for
 * which none helps.
 *
 * The first half goes by claims alone. The other half goes in turn: a gang that had a try, or is like one that had, waits until all
 * others had theirs, and no queue gets more than its part. What is then left goes by claims again. So each gang is tried after a number of
 * decisions, whatever waits in front of it or in other queues.
 */
import { addTo } from '../../facts/collections';
import { type GangRecord, type QueueRecord } from '../books/records';
import { haveSameRight } from '../books/waiting';

/** Gangs; those that are alike count as one: of one queue, with the same pods and the same right. */
export class Alike {
  /** Grows whenever they are forgotten. */
  era = 0;
  private readonly byKind = new Map<number, GangRecord[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Gangs that are like no other are left out. */
  add(gang: GangRecord): void {
    if (isLikeOthers(gang)) {
      addTo(this.byKind, gang.kind!, gang);
      this.count++;
    }
  }

  /** Thousands of gangs are asked about. */
  has(gang: GangRecord): boolean {
    const alike = isLikeOthers(gang) ? this.byKind.get(gang.kind!) : undefined;
    return alike !== undefined && alike.some((other) => haveSameRight(gang, other));
  }

  copyTo(other: Alike): void {
    this.byKind.forEach((gangs, kind) => other.byKind.set(kind, [...gangs]));
    other.count = this.count;
  }

  clear(): void {
    this.era++;
    this.count = 0;
    this.byKind.clear();
  }
}

function isLikeOthers({ kind, placed }: GangRecord): boolean {
  return kind !== undefined && placed === 0;
}

/** More than this, and twice as many as there are gangs that wait, are not remembered. */
const FEW = 256;

/** Gangs that had a try since the turns began; kept from decision to decision. */
export class Turns {
  private readonly alike = new Alike();
  private readonly names = new Set<string>();

  add(gang: GangRecord): void {
    this.names.add(gang.gang.name);
    if (!this.alike.has(gang)) {
      this.alike.add(gang);
    }
  }

  has(gang: GangRecord): boolean {
    return this.names.has(gang.gang.name) || this.alike.has(gang);
  }

  /** Forgets those that wait no more, now and then: under load, gangs come and go before all others had their turn. */
  keep(waiting: ReadonlySet<GangRecord>): void {
    if (this.size > FEW + 2 * waiting.size) {
      const had = [...waiting].filter((gang) => this.has(gang));
      this.clear();
      had.forEach((gang) => this.add(gang));
    }
  }

  /** The same gangs, which then change by themselves. */
  copy(): Turns {
    const made = new Turns();
    this.names.forEach((name) => made.names.add(name));
    this.alike.copyTo(made.alike);
    return made;
  }

  /** What is remembered. */
  get size(): number {
    return this.names.size + this.alike.size;
  }

  clear(): void {
    this.alike.clear();
    this.names.clear();
  }
}

/** Which gangs let others go first, from the strictest on. */
const STAGES = ['part-and-turn', 'turn', 'free'] as const;

export class Tries {
  private readonly ofQueue = new Map<QueueRecord | undefined, number>();
  private readonly half: number;
  private readonly part: number;
  private stage = 0;
  private anyHasLet = false;

  /**
   * @param left of this decision
   * @param isHalfway whether half of something else that bounds the decision is used up
   * @param queues that have gangs that wait
   */
  constructor(
    private readonly turns: Turns,
    private left: number,
    private readonly isHalfway: () => boolean,
    queues: number,
  ) {
    this.half = Math.ceil(left / 2);
    this.part = Math.max(1, Math.floor(this.half / Math.max(1, queues)));
  }

  get remaining(): number {
    return this.left;
  }

  take(gang: GangRecord): void {
    if (this.isInTurn) {
      this.ofQueue.set(gang.queue, (this.ofQueue.get(gang.queue) ?? 0) + 1);
    }
    this.left--;
    this.turns.add(gang);
  }

  /** Do others come first? */
  letsOthersFirst(gang: GangRecord): boolean {
    const stage = STAGES[this.stage];
    if (stage === 'free' || !this.isInTurn) {
      return false;
    }
    const hadItsPart = stage === 'part-and-turn' && (this.ofQueue.get(gang.queue) ?? 0) >= this.part;
    const letsOthersFirst = hadItsPart || this.turns.has(gang);
    this.anyHasLet ||= letsOthersFirst;
    return letsOthersFirst;
  }

  /**
   * All others had their try.
   *
   * @returns whether the gangs that let others go first are to be looked at again
   */
  next(): boolean {
    if (!this.anyHasLet) {
      this.turns.clear();
      return false;
    }
    this.stage++;
    this.anyHasLet = false;
    if (STAGES[this.stage] === 'free') {
      this.turns.clear();
    }
    return true;
  }

  private get isInTurn(): boolean {
    return this.left <= this.half || this.isHalfway();
  }
}
