/**
 * What one decision has come to so far: the session with its order, its searches, and everything that was decided.
 */
import { addAll } from '../../facts/collections';
import { type Binding, type Eviction, type Repartition, type Reservation } from '../model/decision';
import { askedFor, hasChoices, otherTurns } from '../queues/turns';
import { Parking } from './parking';
import { GangPlacer } from '../search/place-gang';
import { Queues } from '../queues/queues';
import { type GangRecord, type PodRecord, type Turn } from '../books/records';
import { type End } from '../books/row-books';
import { Remembered } from '../books/remembered';
import { type Selector, type Within } from '../search/select';
import { hasWishes } from '../search/wishes';
import { type Session } from '../books/session';
import { type Line, type Waiting } from '../books/waiting';

export interface Evicted {
  readonly pod: PodRecord;
  readonly row: number;
  /** Slots of its devices there. */
  readonly devices: readonly number[];
  readonly action: Eviction['action'];
  readonly beneficiary: GangRecord | undefined;
}

/** What `kept` keeps. */
interface Kept {
  movable?: readonly PodRecord[];
}

/** Is called with each gang whose pods the decision has evicted, moved, or placed while it made room. */
export interface GangObserver {
  changed(gang: GangRecord): void;
}

/** See `parking.ts`. */
export interface Parked {
  readonly lines: readonly Line[];
  readonly singles: readonly GangRecord[];
}

interface PlacedHere {
  readonly pods: ReadonlySet<PodRecord>;
  readonly known: readonly End[];
}

interface Totals {
  readonly devices: number;
  readonly columns: readonly number[];
}

/** Room that is promised to the gang at the head. */
export interface HeadReservation {
  readonly gang: GangRecord;
  readonly startAt: number;
  /** 1 for the rows where the gang will be. */
  readonly rows: Uint8Array;
}

/** Sets of victims of one decision: each is followed by a trial of the next cycle. */
const MOST_TRIALS = 128;

/**
 * Rows that are looked at for pods with constraints on one another, before no more sets of victims are tried: each such pod takes a look at all
 * rows, so a crowd of these gangs would make one decision last for minutes.
 */
const MOST_ROWS = 2 ** 24;
/** The part of them that is for one gang, so that others have their turn. */
const PART_OF_ROWS = 1 / 8;

/** Ways to move pods that are followed by a trial of the next cycle, and sets of pods that are looked at for them. */
const MOST_MOVE_TRIALS = 24;
const MOST_MOVE_SETS = 12_000;

/** Times that gangs are placed again without their preferences, so that another one fits. */
const MOST_WISH_TRIALS = 16;

const NO_TURNS: readonly Turn[] = [];
const EVERYWHERE: Within = {};
const NO_PODS: ReadonlySet<PodRecord> = new Set();

/** Choices of other pods that are tried, for gangs of several roles that need only some of their pods. */
const MOST_CHOICE_TRIALS = 256;

/** Sets of victims that are tried for being smaller than one that is known. */
const MOST_SET_TRIALS = 1024;

/** Sets of victims that are tried for gangs within the quota of their queue, where those that were found are refused. */
const MOST_ENTITLED_TRIALS = 1024;

export class Cycle {
  readonly queues: Queues;
  readonly placer: GangPlacer;
  /** Gangs that had not all of their pods when the decision began. */
  waiting: Waiting;
  /** What nothing can start. */
  readonly parking: Parking;
  /** Gangs that this decision leaves out when it starts gangs. */
  parked: Parked = { lines: [], singles: [] };
  readonly bound: PodRecord[] = [];
  readonly nominated: PodRecord[] = [];
  readonly evicted: Evicted[] = [];
  /** Pods that this decision has evicted or moved already. */
  readonly disturbed = new Set<PodRecord>();
  reservation: HeadReservation | undefined;
  readonly repartitions: Repartition[] = [];
  /** Gangs that start when nodes have another MIG configuration, with the names of the nodes. */
  readonly awaited = new Map<GangRecord, readonly string[]>();
  /** Gangs that do not start because they would be evicted when nodes have another MIG configuration, with the names of the nodes. */
  readonly heldBack = new Map<GangRecord, readonly string[]>();
  /** True once everything that is on its way out counts as gone: what is placed from then on waits for it. */
  releasesCount = false;
  /** Sets of victims that may still be tried in this decision, over all gangs. */
  trials = MOST_TRIALS;
  /** Sets of victims that may still be tried for being smaller, over all gangs. */
  readonly setTrials = { left: MOST_SET_TRIALS };
  /** Sets of victims that may still be tried because cheaper ones are refused, over all gangs. */
  readonly entitledTrials = { left: MOST_ENTITLED_TRIALS };
  /** Ways to move pods that may still be tried, over all gangs, and sets of pods that may be looked at. */
  moveTrials = MOST_MOVE_TRIALS;
  moveSets = MOST_MOVE_SETS;
  /** Rows that had been searched when it began to try sets of victims for a gang. */
  private rowsBefore = 0;
  /** Pods that this decision has moved. */
  moves = 0;
  /** Gangs for which it has tried to move whole gangs. */
  wholeMoves = 0;
  /** What was terminating when the decision began to make room, and where. */
  terminating: readonly { readonly pod: PodRecord; readonly row: number }[] = [];
  /** Pods that this decision starts, once it makes room; they may still be left waiting. */
  readonly started = new Set<PodRecord>();
  /** Whether pods that are placed while room is made may start at once. */
  startsPods = false;
  /** Whether a gang that takes what this decision starts also takes over the evictions for it; see `inherited.ts`. */
  inherits = false;
  /** Pods that this decision has started, and then not: their room was needed. */
  readonly withdrawn = new Set<PodRecord>();
  /** Rows on which classes may be, by their ids. */
  readonly useful = new Map<string, Uint8Array>();
  /** What is known of running gangs, and must hear of gangs that are disturbed. */
  readonly observers: GangObserver[] = [];
  private placed: PlacedHere | undefined;
  /** Pods that are bound or nominated, with a known duration or with preferences. */
  private placedWithEnd = 0;
  private placedWithWishes = 0;
  private keeps: Kept = {};
  private keptAt = -1;
  private changes = 0;
  private anyWishes: boolean | undefined;
  private totals: (Totals & { readonly at: string }) | undefined;
  /** See `without-wishes.ts`. */
  wishTrials = MOST_WISH_TRIALS;
  /** Choices of pods that may still be tried instead of the first. */
  private choiceTrials = MOST_CHOICE_TRIALS;
  /** Kinds of gangs that were seen not to fit, and those that do not fit beside the rows of a reservation. */
  private readonly misfits: Remembered<true>;
  private readonly misfitsBeside: Remembered<Uint8Array>;
  /** Pods that run on in a trial; see `runOn`. */
  private running: ReadonlySet<PodRecord> = NO_PODS;

  constructor(
    readonly session: Session,
    readonly selector: Selector,
    /** Pods that a decision starts while the next one, which is this, is tried out; see `foresee.ts`. */
    readonly begun: ReadonlySet<PodRecord> = NO_PODS,
    /** Those of them whose minimum running time is over by then. */
    readonly unprotected: ReadonlySet<PodRecord> = NO_PODS,
  ) {
    begun.forEach((pod) => this.count(pod, 1));
    this.queues = new Queues(session);
    this.waiting = session.waiting;
    this.parking = session.index(Parking);
    this.placer = new GangPlacer(session, selector);
    this.misfits = new Remembered(session.ledger.epochs);
    this.misfitsBeside = new Remembered(session.ledger.epochs);
  }

  /** What is worked out once, and again only after this decision has evicted or moved pods. */
  kept<Name extends keyof Kept>(name: Name, find: () => NonNullable<Kept[Name]>): NonNullable<Kept[Name]> {
    if (this.keptAt !== this.changes) {
      this.keptAt = this.changes;
      this.keeps = {};
    }
    return (this.keeps[name] ??= find());
  }

  /** What all nodes have free, by column, and thousandths of devices. Worked out again only after a change. */
  freeInAll(): Totals {
    const { table } = this.session;
    const at = `${table.era} ${table.changes.length}`;
    if (this.totals?.at !== at) {
      this.totals = { at, devices: freeIn(table.milliFree), columns: table.free.map(freeIn) };
    }
    return this.totals;
  }

  /** May sets of victims be tried for further gangs? */
  get mayTry(): boolean {
    return this.trials > 0 && this.session.rowsSearched < MOST_ROWS;
  }

  /** From here on sets of victims are tried for another gang. */
  beginTry(): void {
    this.rowsBefore = this.session.rowsSearched;
  }

  /** May further sets of victims be tried for the same gang? */
  get mayTryMore(): boolean {
    return this.mayTry && this.session.rowsSearched - this.rowsBefore < PART_OF_ROWS * MOST_ROWS;
  }

  /** Is half of what bounds that used up? */
  get isHalfway(): boolean {
    return this.trials <= MOST_TRIALS / 2 || this.session.rowsSearched >= MOST_ROWS / 2;
  }

  /** The decision has evicted, moved, or placed pods of these gangs while it made room. */
  disturbs(gangs: Iterable<GangRecord>): void {
    this.changes++;
    for (const gang of gangs) {
      this.observers.forEach((observer) => observer.changed(gang));
    }
  }

  /** Do the rules of its queues let the gang have these pods at all? */
  mayHave({ gang, asked }: Turn): boolean {
    const { queue } = gang;
    if (queue === undefined || queue.queue.state === 'closed' || this.queues.isOverCapability(queue, asked)) {
      return false;
    }
    return (
      gang.preemptible ||
      !this.session.policy.nonPreemptibleWithinQuota ||
      this.queues.overQuota(queue, asked) === undefined
    );
  }

  /** Do the ceilings of its queues leave room for pods that ran before? */
  mayReturn({ queue }: GangRecord, pods: readonly PodRecord[]): boolean {
    return queue === undefined || !this.queues.isOverCapability(queue, askedFor(this.session, pods));
  }

  /** What the gang may get instead of the turn, as long as the decision may try more. */
  otherChoices(turn: Turn): Iterable<Turn> {
    return hasChoices(turn) ? this.boundedChoices(turn) : NO_TURNS;
  }

  private *boundedChoices(turn: Turn): Generator<Turn> {
    for (const other of otherTurns(this.session, turn)) {
      if (this.choiceTrials <= 0) {
        return;
      }
      this.choiceTrials--;
      yield other;
    }
  }

  /** Tries something with as many choices as a decision may try, which are not those of this one. */
  withOwnChoices(attempt: () => void): void {
    const left = this.choiceTrials;
    this.choiceTrials = MOST_CHOICE_TRIALS;
    attempt();
    this.choiceTrials = left;
  }

  /** Places the pods of the turn, beside what is promised to the gang at the head. */
  place(turn: Turn): boolean {
    const { gang } = turn;
    const within = this.withinOf(turn);
    const kind = isFirstTurn(turn) ? gang.kind : undefined;
    if (kind === undefined) {
      return this.placer.place(gang.root, turn.pods, within);
    }
    // What does not fit on all nodes does not fit on some of them.
    const promised = within.without;
    if (this.misfits.get(kind) === true || (promised !== undefined && this.misfitsBeside.get(kind) === promised)) {
      return false;
    }
    if (!this.placer.room.lacks(turn, within) && this.placer.place(gang.root, turn.pods, within)) {
      return true;
    }
    if (promised === undefined) {
      this.misfits.set(kind, true);
    } else {
      this.misfitsBeside.set(kind, promised);
    }
    return false;
  }

  /** Could the pods of the turn be placed? Leaves the books as they are; counted where that is exact. */
  fits(turn: Turn): boolean {
    const { gang } = turn;
    if (isFirstTurn(turn) && gang.kind !== undefined && this.misfits.get(gang.kind) === true) {
      return false;
    }
    const counted = this.placer.room.holds(turn, this.withinOf(turn));
    if (counted !== undefined) {
      return counted;
    }
    const { ledger } = this.session;
    const mark = ledger.mark();
    const fits = this.place(turn);
    ledger.rollback(mark);
    return fits;
  }

  /**
   * Gangs that may have fewer pods than they want or need: those that had before, and those that lost pods in this decision. O(gangs) and
   * their order.
   *
   * @param isMeant gangs for which this is not true are left out
   * @param short gangs that had fewer before. @default - all of them
   */
  shortOfPods(
    isMeant: (gang: GangRecord) => boolean,
    short: ReadonlySet<GangRecord> = this.session.short,
  ): readonly GangRecord[] {
    const found = new Set<GangRecord>();
    for (const gang of short) {
      if (isMeant(gang)) {
        found.add(gang);
      }
    }
    for (const { pod } of this.evicted) {
      const { gang } = pod.role!;
      if (isMeant(gang)) {
        found.add(gang);
      }
    }
    return [...found].sort((a, b) => a.index - b.index);
  }

  /** Pods that are on their way out, and still hold their room. */
  releasing(): readonly PodRecord[] {
    return this.releasesCount ? [] : this.session.leaving.filter(({ row }) => row >= 0);
  }

  /**
   * Pods whose end is known, soonest first: those that run, and those that this decision has placed. What should have ended already ends
   * now.
   */
  *endings(): Generator<End> {
    const { now, ends } = this.session;
    const { pods, known } = this.placedHere();
    let next = 0;
    for (const end of ends) {
      const at = Math.max(now, end.at);
      for (; next < known.length && known[next].at < at; next++) {
        if (known[next].pod.row >= 0) {
          yield known[next];
        }
      }
      if (end.pod.row >= 0 && !pods.has(end.pod)) {
        yield at === end.at ? end : { pod: end.pod, at };
      }
    }
    for (; next < known.length; next++) {
      if (known[next].pod.row >= 0) {
        yield known[next];
      }
    }
  }

  /** Is the end of anything known that runs, or that this decision has placed? */
  hasEndings(): boolean {
    return this.session.ends.length > 0 || this.placedWithEnd > 0;
  }

  /** Has the decision placed any pod with preferences? */
  hasWishes(): boolean {
    return this.placedWithWishes > 0;
  }

  /** May gangs still be placed again without their preferences? See `without-wishes.ts`. */
  mayTryWithoutWishes(): boolean {
    this.anyWishes ??= this.session.classes.list.some(({ template }) => hasWishes(template));
    return this.anyWishes && this.wishTrials > 0;
  }

  /** What this decision has placed, and the known ends of it, soonest first. */
  private placedHere(): PlacedHere {
    if (this.placed === undefined) {
      const { now } = this.session;
      // What was nominated may be bound as well while the next cycle is tried out.
      const pods = new Set([...this.begun, ...this.bound, ...this.nominated]);
      const known: End[] = [];
      for (const pod of pods) {
        const seconds = pod.role!.gang.gang.expectedSeconds;
        if (seconds !== undefined && !pod.releasing) {
          known.push({ pod, at: now + Math.max(0, seconds) * 1000 });
        }
      }
      this.placed = { pods, known: known.sort((a, b) => a.at - b.at) };
    }
    return this.placed;
  }

  /** These pods start now. */
  bind(pods: readonly PodRecord[]): void {
    addAll(this.bound, pods);
    pods.forEach((pod) => this.count(pod, 1));
    this.placed = undefined;
  }

  /** These pods start once others have terminated. */
  nominate(pods: readonly PodRecord[]): void {
    addAll(this.nominated, pods);
    pods.forEach((pod) => this.count(pod, 1));
    this.placed = undefined;
  }

  /** These pods, placed while room was made, start now; some of them may have been about to start elsewhere. */
  start(pods: readonly PodRecord[]): void {
    const known = new Set(this.bound);
    this.bind(pods.filter((pod) => !known.has(pod)));
    pods.forEach((pod) => this.started.add(pod) && this.withdrawn.delete(pod));
  }

  /** These pods do not start in this decision after all, nor once others have terminated. */
  withdraw(pods: readonly PodRecord[]): void {
    for (const pod of pods) {
      this.withdrawn.add(pod);
      this.started.delete(pod);
      this.denominate(pod);
    }
  }

  /** These pods, which are where they were again, are neither evicted nor moved. */
  takeBack(pods: ReadonlySet<PodRecord>): void {
    const evicted = this.evicted.filter(({ pod }) => !pods.has(pod));
    this.evicted.length = 0;
    addAll(this.evicted, evicted);
    for (const pod of pods) {
      this.disturbed.delete(pod);
      this.denominate(pod);
    }
  }

  private denominate(pod: PodRecord): void {
    const at = this.nominated.indexOf(pod);
    if (at >= 0) {
      this.nominated.splice(at, 1);
      this.count(pod, -1);
      this.placed = undefined;
    }
  }

  /**
   * May a pod that the decision has placed still be left waiting? One that it starts may. One that waits for terminating pods may where
   * others of its gang start, and nothing was evicted for the gang, or the evictions are taken over: the next decision would evict those with
   * what is left of the gang.
   */
  mayWithdraw(pod: PodRecord): boolean {
    if (this.started.has(pod)) {
      return true;
    }
    const { gang } = pod.role!;
    return (
      gang.roles.some(({ pods }) => pods.some((other) => this.started.has(other))) &&
      (this.inherits || !this.evicted.some(({ beneficiary }) => beneficiary === gang))
    );
  }

  /** Forgets what was bound and nominated beyond the given numbers. */
  forget(bound: number, nominated: number): void {
    this.shorten(this.bound, bound);
    this.shorten(this.nominated, nominated);
    this.placed = undefined;
  }

  private shorten(pods: PodRecord[], length: number): void {
    while (pods.length > length) {
      this.count(pods.pop()!, -1);
    }
  }

  private count({ role, podClass }: PodRecord, by: 1 | -1): void {
    this.placedWithEnd += role!.gang.gang.expectedSeconds === undefined ? 0 : by;
    this.placedWithWishes += hasWishes(podClass.template) ? by : 0;
  }

  /** Must the gang leave alone what is promised to the gang at the head, because it may still run by then? */
  keepsOff({ gang }: GangRecord): boolean {
    const { reservation } = this;
    return (
      reservation !== undefined &&
      reservation.gang.gang !== gang &&
      this.session.now + (gang.expectedSeconds ?? Infinity) * 1000 > reservation.startAt
    );
  }

  /** Does work of this duration still run when the gang at the head is to start? */
  endsTooLate(seconds: number): boolean {
    return this.reservation !== undefined && this.session.now + seconds * 1000 > this.reservation.startAt;
  }

  /** The nodes that the gang may use. */
  besideReservation(gang: GangRecord): Within {
    return this.keepsOff(gang) ? { without: this.reservation!.rows } : EVERYWHERE;
  }

  /** The nodes that the pods of the turn may use: those that run on end when they would have ended. */
  private withinOf(turn: Turn): Within {
    const { reservation, running } = this;
    // No pods are made for gangs of a kind, none of which has run.
    const isInTime =
      reservation !== undefined &&
      running.size > 0 &&
      turn.gang.kind === undefined &&
      turn.pods.every((pod) => running.has(pod) && endOf(pod)! <= reservation.startAt);
    return isInTime ? EVERYWHERE : this.besideReservation(turn.gang);
  }

  /**
   * Tries something as if these pods had not been evicted where they get their places again: those with a known end that is still to come end
   * then, and not as late as if they started now. So what may run before a promised moment may do so until it ends.
   */
  runOn(pods: readonly PodRecord[], attempt: () => void): void {
    const { now } = this.session;
    this.running = new Set(pods.filter((pod) => pod.existed && (endOf(pod) ?? now) > now));
    attempt();
    this.running = NO_PODS;
  }

  binding(pod: PodRecord): Binding {
    const { table } = this.session;
    const start = table.deviceStart[pod.row];
    const binding = {
      pod: pod.name,
      gang: pod.role!.gang.gang.name,
      role: pod.role!.role.name,
      node: table.nodes[pod.row].name,
      devices: pod.devices.map((slot) => slot - start),
    };
    return pod.claimed.length > 0 ? { ...binding, claims: pod.claimed } : binding;
  }

  eviction({ pod, row, action, beneficiary }: Evicted): Eviction {
    const { nodes } = this.session.table;
    return {
      pod: pod.name,
      gang: pod.role!.gang.gang.name,
      node: nodes[row].name,
      action,
      ...(beneficiary === undefined ? {} : { beneficiary: beneficiary.gang.name }),
      ...(pod.row >= 0 ? { movesTo: nodes[pod.row].name } : {}),
    };
  }

  reservations(): readonly Reservation[] {
    if (this.reservation === undefined) {
      return [];
    }
    const { gang, startAt, rows } = this.reservation;
    return [
      {
        gang: gang.gang.name,
        startAt,
        nodes: this.session.table.nodes.filter((_, row) => rows[row] === 1).map(({ name }) => name),
      },
    ];
  }
}

/** When a pod that runs ends; undefined if that is not known. */
function endOf({ role, startedAt }: PodRecord): number | undefined {
  const seconds = role!.gang.gang.expectedSeconds;
  return seconds === undefined ? undefined : startedAt + seconds * 1000;
}

/** Pods with which a gang starts; those of one kind start alike. */
function isFirstTurn({ gang: { placed, needed }, count }: Turn): boolean {
  return placed === 0 && count === needed;
}

/** Rows that are overcommitted have nothing free. */
function freeIn(amounts: Float64Array | Int32Array): number {
  let sum = 0;
  for (let row = 0; row < amounts.length; row++) {
    sum += Math.max(0, amounts[row]);
  }
  return sum;
}
