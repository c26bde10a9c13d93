/**
 * Gangs that wait, ordered once for all the allocations that one decision tries.
 *
 * Fresh gangs of one queue that ask for the same with the same right form a line: as long as less and less is free, what the first of them
 * does not get the others do not get either. Thousands of gangs are in some tens of lines.
 */
import { type GangOrderName, type Policy } from '../model/policy';
import { isShared } from '../nodes/devices';
import { type Term } from '../nodes/filters/pod-terms';
import { type GangRecord, type QueueRecord } from './records';

/** Gangs that ask for the same: the highest priority first, then by age. */
export interface Line {
  readonly gangs: readonly GangRecord[];
  /** The shortest duration that any of them states, seconds; Infinity where none does. */
  readonly shortest: number;
  /** Whether all of them have the same right and state the same duration. */
  readonly areAlike: boolean;
}

export type Lines = ReadonlyMap<QueueRecord, readonly Line[]>;

export interface Waiting {
  readonly lines: Lines;
  /** Gangs with pods that run or ran, whose pods have constraints on one another, or that may be overdue. */
  readonly singles: readonly GangRecord[];
}

const NO_TERMS: readonly Term[] = [];

/**
 * Gangs that wait, kept from decision to decision: one that comes or goes costs its own line alone. Those that sleep cost nothing: no state of the
 * nodes as they are has room for them, or they have to be near pods that do not exist.
 */
export class WaitingBooks {
  private readonly lines = new Map<QueueRecord, Map<number, Members>>();
  /** Those of them that are looked at. */
  private readonly awake = new Map<QueueRecord, Set<Members>>();
  private readonly singles = new Set<GangRecord>();
  /** Those that sleep, with terms that select pods near which they have to be. */
  private readonly sleepers = new Map<GangRecord, readonly Term[]>();
  private readonly byTerm = new Map<Term, Set<GangRecord>>();
  private readonly sleepingLines = new Set<Members>();
  /** Where each of them is. */
  private readonly places = new Map<GangRecord, Members | undefined>();

  constructor(private readonly policy: Policy) {}

  /** Its kind and its queue are known. */
  add(gang: GangRecord): void {
    if (gang.needed > gang.size) {
      // Whatever happens, it has no pods for its first turn.
      return;
    }
    const members =
      gang.queue === undefined || gang.kind === undefined || mayBeOverdue(this.policy, gang)
        ? undefined
        : this.lineOf(gang);
    this.places.set(gang, members);
    if (members === undefined) {
      this.singles.add(gang);
    } else {
      members.add(gang);
    }
  }

  remove(gang: GangRecord): void {
    this.singles.delete(gang);
    this.rouse(gang);
    const members = this.places.get(gang);
    this.places.delete(gang);
    if (members !== undefined) {
      members.remove(gang);
      if (members.size === 0) {
        this.lines.get(members.queue)!.delete(members.right);
        this.awake.get(members.queue)!.delete(members);
        this.sleepingLines.delete(members);
      }
    }
  }

  /** Does it wait in a line, awake or asleep? */
  isInLine(gang: GangRecord): boolean {
    return this.places.get(gang) !== undefined;
  }

  /**
   * The gang, and all that are in its line, are not looked at until `wake` is called.
   *
   * @param terms none of the gang's pods can be anywhere before each of these selects a pod. @default - that would not help
   */
  sleep(gang: GangRecord, terms = NO_TERMS): void {
    const members = this.places.get(gang);
    if (members !== undefined) {
      this.awake.get(members.queue)!.delete(members);
      this.sleepingLines.add(members);
    } else if (this.singles.delete(gang)) {
      this.sleepers.set(gang, terms);
      for (const term of terms) {
        const others = this.byTerm.get(term);
        this.byTerm.set(term, others?.add(gang) ?? new Set([gang]));
      }
    }
  }

  /** Nodes are other ones than before. */
  wake(): void {
    [...this.sleepers.keys()].forEach((gang) => this.rouse(gang) && this.singles.add(gang));
    this.sleepingLines.forEach((members) => this.awake.get(members.queue)!.add(members));
    this.sleepingLines.clear();
  }

  /** Those that sleep for these terms, and that all of their terms are true for. */
  sleepingFor(terms: Iterable<Term>, isTrue: (term: Term) => boolean): readonly GangRecord[] {
    const found = new Set<GangRecord>();
    for (const term of terms) {
      for (const gang of this.byTerm.get(term) ?? []) {
        if (this.sleepers.get(gang)!.every(isTrue)) {
          found.add(gang);
        }
      }
    }
    return [...found];
  }

  /** Those that sleep for terms each of which selects a pod by now. O(terms) where there are none. */
  get gained(): readonly GangRecord[] {
    return this.sleepingFor([...this.byTerm.keys()].filter(isMet), isMet);
  }

  /** Does any sleep for pods that it has to be near? */
  get haveTerms(): boolean {
    return this.byTerm.size > 0;
  }

  /** They are looked at again. */
  wakeGained(): void {
    this.gained.forEach((gang) => this.rouse(gang) && this.singles.add(gang));
  }

  private rouse(gang: GangRecord): boolean {
    const terms = this.sleepers.get(gang);
    for (const term of terms ?? NO_TERMS) {
      const others = this.byTerm.get(term)!;
      others.delete(gang);
      if (others.size === 0) {
        this.byTerm.delete(term);
      }
    }
    return this.sleepers.delete(gang);
  }

  /** Those that sleep, in no order. */
  get sleeping(): readonly GangRecord[] {
    return [...this.sleepers.keys(), ...[...this.sleepingLines].flatMap((members) => [...members.gangs])];
  }

  /** All that do not sleep; their indices have to be in the order of their names by now. */
  get waiting(): Waiting {
    const lines = new Map<QueueRecord, Line[]>();
    for (const [queue, ofQueue] of this.awake) {
      lines.set(
        queue,
        [...ofQueue].map((members) => members.line(this.policy.gangOrder)),
      );
    }
    return { lines, singles: [...this.singles].filter(({ placed, size }) => placed < size) };
  }

  private lineOf({ queue, kind, preemptible }: GangRecord): Members {
    let ofQueue = this.lines.get(queue!);
    if (ofQueue === undefined) {
      ofQueue = new Map();
      this.lines.set(queue!, ofQueue);
      this.awake.set(queue!, new Set());
    }
    const right = 2 * kind! + (preemptible ? 1 : 0);
    let members = ofQueue.get(right);
    if (members === undefined) {
      members = new Members(queue!, right);
      ofQueue.set(right, members);
      this.awake.get(queue!)!.add(members);
    }
    return members;
  }
}

function isMet({ total }: Term): boolean {
  return total > 0;
}

/** May it come before all others at some time? See `queues/overdue.ts`. */
function mayBeOverdue({ sharedDeviceWaitSeconds }: Policy, { priority, roles }: GangRecord): boolean {
  return (
    priority > 0 &&
    sharedDeviceWaitSeconds < Infinity &&
    roles.some(({ pods }) => pods.some(({ podClass }) => isShared(podClass)))
  );
}

/** Those of one line, in order once they are asked for. */
class Members {
  private readonly all = new Set<GangRecord>();
  private known: Line | undefined;
  private added: GangRecord[] = [];
  private hasLost = false;

  constructor(
    readonly queue: QueueRecord,
    readonly right: number,
  ) {}

  get gangs(): Iterable<GangRecord> {
    return this.all;
  }

  get size(): number {
    return this.all.size;
  }

  add(gang: GangRecord): void {
    this.all.add(gang);
    this.added.push(gang);
  }

  remove(gang: GangRecord): void {
    this.all.delete(gang);
    this.hasLost = true;
  }

  line(order: GangOrderName): Line {
    if (this.known === undefined || this.hasLost || this.added.length > 0) {
      this.known = this.made(order);
    }
    return this.known;
  }

  private made(order: GangOrderName): Line {
    const before = this.known?.gangs ?? [];
    const stayed = this.hasLost ? before.filter((gang) => this.all.has(gang)) : before;
    const added = this.hasLost ? this.added.filter((gang) => this.all.has(gang)) : this.added;
    this.added = [];
    this.hasLost = false;
    const compare = inLine(order);
    const gangs = merged(stayed, added.sort(compare), compare);
    const isLess = stayed.length < before.length;
    const { shortest = Infinity, areAlike = true } = isLess ? {} : (this.known ?? {});
    const others = isLess ? gangs : added;
    const one = stayed.length > 0 ? stayed[0] : gangs[0];
    return {
      gangs,
      shortest: others.reduce((least, { gang }) => Math.min(least, gang.expectedSeconds ?? Infinity), shortest),
      areAlike: areAlike && others.every((gang) => haveSameRight(gang, one)),
    };
  }
}

/** Two sorted lists as one. */
function merged<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  if (a.length === 0 || b.length === 0) {
    return a.length === 0 ? b : a;
  }
  if (compare(a[a.length - 1], b[0]) <= 0) {
    return a.concat(b);
  }
  const list: T[] = [];
  let next = 0;
  for (const one of a) {
    for (; next < b.length && compare(b[next], one) < 0; next++) {
      list.push(b[next]);
    }
    list.push(one);
  }
  for (; next < b.length; next++) {
    list.push(b[next]);
  }
  return list;
}

/** The line of one gang alone. */
export function lineOf(gang: GangRecord): Line {
  return { gangs: [gang], shortest: gang.gang.expectedSeconds ?? Infinity, areAlike: true };
}

/** May gangs that ask for the same evict the same, and for as long? */
export function haveSameRight(a: GangRecord, b: GangRecord): boolean {
  return (
    a.queue === b.queue &&
    a.priority === b.priority &&
    a.preemptible === b.preemptible &&
    (a.gang.preempts ?? true) === (b.gang.preempts ?? true) &&
    a.gang.expectedSeconds === b.gang.expectedSeconds
  );
}

function inLine(order: GangOrderName): (a: GangRecord, b: GangRecord) => number {
  return (a, b) => b.priority - a.priority || rankOf(a, order) - rankOf(b, order) || a.index - b.index;
}

/**
 * What gangs of one queue and priority are ordered by, smaller first: their arrival. Under `shortest-first` `AGING` times the expected
 * duration is added to it, so a gang is overtaken only by those that arrive within that time of it, and nothing starves.
 */
export function rankOf({ arrival, gang }: GangRecord, order: GangOrderName): number {
  return order === 'shortest-first' ? arrival + AGING * 1000 * (gang.expectedSeconds ?? UNKNOWN_SECONDS) : arrival;
}

/** Seconds of waiting that outweigh a second of duration. */
const AGING = 2;
/** What a gang of unknown duration is taken to run, seconds. */
const UNKNOWN_SECONDS = 86_400;
