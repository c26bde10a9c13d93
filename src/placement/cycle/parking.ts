/**
 * Gangs that nothing of what a decision does can start, so that it need not look at them: thousands of them must not cost others their time.
 *
 * Each class of a gang's pods is counted by itself, on the books as they are and with everything gone that is on its way out. While a
 * decision starts gangs, less and less is free: what does not fit by this count at its beginning does not fit at any time of it. What was
 * found is kept from decision to decision, and looked at again once a row has changed that has room for a pod of the class. A
 * session built from scratch finds the same, since the count is that of the books and not of their history.
 *
 * O(rows that changed + kinds of gangs) for each look; O(rows that changed) for each kind that one of them has room for.
 */
import { addTo, listById } from '../../facts/collections';
import { type GangRecord, type PodRecord } from '../books/records';
import { type Session } from '../books/session';
import { EmptyRooms } from '../nodes/empty-node';
import { type Term } from '../nodes/filters/pod-terms';
import { type PodClass } from '../nodes/pod-class';
import { turnOf } from '../queues/turns';
import { OpenRows } from '../search/open-rows';
import { RoomBound } from '../search/room-bound';
import { RoomIndex } from '../search/room-index';
import { classesIn, classesOfTurn } from '../search/units';

type Need = readonly [PodClass, number];
type Needs = readonly Need[];

/** What is known of gangs of one kind. */
interface Known {
  /** What it starts with. Undefined where that depends on what is free. */
  readonly needs: Needs | undefined;
  /** Classes of all its pods. */
  readonly classes: readonly PodClass[];
  /** The class that there was no room for, and the look in which that was found or confirmed. */
  short: PodClass | undefined;
  look: number;
  /** Whether constraints between pods leave no node to what it starts with, as of that look. */
  closed: boolean;
  /** The same as `short` for a cluster on which nothing runs, and the number of replaced nodes with which that was found. */
  neverFits: readonly PodClass[] | undefined;
  replaced: number;
}

/** Rows, with the most that one of them has of each column and of devices. */
class Rows {
  readonly list: number[] = [];
  private readonly most: Float64Array;
  private devices = 0;

  constructor(private readonly columns: readonly Float64Array[]) {
    this.most = new Float64Array(columns.length);
  }

  add(row: number, devices: number): void {
    const { columns, most } = this;
    this.list.push(row);
    this.devices = Math.max(this.devices, devices);
    for (let column = 0; column < columns.length; column++) {
      most[column] = Math.max(most[column], columns[column][row]);
    }
  }

  /** Might one of them have room for a pod? `false` is certain. */
  mayHold({ columns, amounts, accelerator, deviceCount }: PodClass): boolean {
    for (let i = 0; i < columns.length; i++) {
      if (this.most[columns[i]] < amounts[i]) {
        return false;
      }
    }
    return accelerator?.kind !== 'whole' || this.devices >= deviceCount;
  }
}

/** The rows of pods that are on their way out as they are without them, and the room that there is then. */
interface Freed {
  readonly look: number;
  readonly rows: Rows;
  readonly bound: RoomBound;
}

export class Parking {
  private readonly kinds = listById<Known>();
  /** Of gangs that are like no other. */
  private readonly ownOf = new WeakMap<GangRecord, Known>();
  private readonly index: RoomIndex;
  private readonly open: OpenRows;
  private look = 0;
  private position = 0;
  private era = -1;
  /** Rows that changed between the last two looks. */
  private changed: Rows;
  private readonly stamps: Int32Array;
  private bound: { readonly look: number; readonly now: RoomBound } | undefined;
  private freed: Freed | undefined;

  constructor(private readonly session: Session) {
    this.index = session.index(RoomIndex);
    this.open = session.index(OpenRows);
    this.changed = new Rows([]);
    this.stamps = new Int32Array(session.table.count);
  }

  /** Takes in what changed since the last look. To be called before questions about the books as they are now. */
  lookAgain(): void {
    const { table } = this.session;
    this.look++;
    this.changed = new Rows(table.free);
    const isAll = this.era !== table.era;
    const count = isAll ? table.count : table.changes.length - this.position;
    for (let i = 0; i < count; i++) {
      const row = isAll ? i : table.changes[this.position + i];
      if (this.stamps[row] !== this.look) {
        this.stamps[row] = this.look;
        this.changed.add(row, table.wholeFree[row]);
      }
    }
    this.era = table.era;
    this.position = table.changes.length;
  }

  /**
   * Might there be room for what the gang starts with, were all of `releasing` gone? `false` is certain, until others are placed that it must
   * be near or spread with. Only for gangs without pods.
   */
  mayFit(gang: GangRecord, releasing: readonly PodRecord[]): boolean {
    const known = this.knownOf(gang);
    if (known === undefined) {
      return true;
    }
    // Most of a crowd: nothing is counted for it.
    if (!this.everFits(known)) {
      return false;
    }
    this.bringUp(known);
    if (known.short === undefined && !known.closed) {
      return true;
    }
    return releasing.length > 0 && this.mayFitWithout(known, releasing);
  }

  /** Looks at what the books say now, once in each look. */
  private bringUp(known: Known): void {
    if (known.look === this.look) {
      return;
    }
    const { short, needs } = known;
    const isStill = short !== undefined && known.look === this.look - 1 && !this.changed.mayHold(short);
    known.look = this.look;
    if (!isStill) {
      const bound = this.boundNow();
      known.short = needs?.find((need) => !this.hasRoom(need, bound))?.[0];
    }
    known.closed = known.short === undefined && this.isClosed(known);
  }

  private boundNow(): RoomBound {
    if (this.bound?.look !== this.look) {
      this.bound = { look: this.look, now: new RoomBound(this.session.table) };
    }
    return this.bound.now;
  }

  /** For most classes of a crowd the sums are enough to say no. */
  private hasRoom([podClass, count]: Need, bound: RoomBound): boolean {
    return bound.of(podClass) >= count && this.index.upTo(podClass, count) >= count;
  }

  /**
   * Is there a class among those that the gang starts with for which no node is open, and which gains nothing from those of the gang that are
   * placed before it? Where it is not known what it starts with: are they all like that?
   */
  private isClosed({ needs, classes }: Known): boolean {
    const { others } = this.session;
    if (needs === undefined) {
      return classes.every((podClass) => this.index.total(podClass) === 0 || !this.isOpen(podClass));
    }
    return others.active && needs.some(([podClass]) => !this.isOpen(podClass) && !this.isHelped(podClass, classes));
  }

  private isOpen(podClass: PodClass): boolean {
    return !this.session.others.concerns(podClass) || this.open.any(podClass);
  }

  /** May other pods of its own gang be why one of the class fits? */
  private isHelped(podClass: PodClass, classes: readonly PodClass[]): boolean {
    const { others } = this.session;
    const terms = others.gainsBy(podClass);
    return (
      terms.length > 0 &&
      classes.some((other) => other !== podClass && terms.some((term) => others.selecting(other).has(term)))
    );
  }

  /**
   * Has the gang to be near pods, and is none of these on any node? No end, move, or eviction of others helps then. O(terms).
   */
  isForlorn(gang: GangRecord): boolean {
    const known = this.session.others.active ? this.knownOf(gang) : undefined;
    return known !== undefined && this.areForlorn(known);
  }

  private areForlorn({ needs, classes }: Known): boolean {
    const { others } = this.session;
    return needs === undefined
      ? classes.every((podClass) => others.isForlorn(podClass))
      : needs.some(([podClass]) => others.isForlorn(podClass) && !this.isHelped(podClass, classes));
  }

  /** May pods that are placed be why it fits after all? Asked after `mayFit`. */
  mayGain(gang: GangRecord): boolean {
    const known = this.knownOf(gang);
    return (
      known !== undefined &&
      known.neverFits === undefined &&
      known.short === undefined &&
      known.classes.some((podClass) => this.session.others.gainsBy(podClass).length > 0)
    );
  }

  /**
   * Those of the gangs, and of those that sleep, that may fit once pods of others are placed. All of them have nothing, and no room with what is on the
   * nodes now.
   *
   * @param live gangs that may be placed without the help of these; thousands of them, and mostly not asked for
   */
  helped(closed: readonly GangRecord[], live: () => Iterable<GangRecord>): ReadonlySet<GangRecord> {
    const { others, sleepers } = this.session;
    const found = new Set<GangRecord>();
    const waiting = new Map<Term, GangRecord[]>();
    for (const gang of closed) {
      const terms = new Set(classesIn(gang).flatMap((podClass) => others.gainsBy(podClass)));
      terms.forEach((term) => addTo(waiting, term, gang));
    }
    const seen = new Set<PodClass>();
    /** Terms that select a pod, or may by the end of the decision. */
    const met = new Set<Term>();
    const next: GangRecord[] = [];
    const add = (gang: GangRecord): void => {
      if (!found.has(gang)) {
        found.add(gang);
        next.push(gang);
      }
    };
    const meet = (term: Term): void => {
      if (!met.has(term)) {
        met.add(term);
        waiting.get(term)?.forEach(add);
        sleepers.sleepingFor([term], (other) => other.total > 0 || met.has(other)).forEach(add);
      }
    };
    const place = (gang: GangRecord): void => {
      for (const podClass of classesIn(gang)) {
        if (!seen.has(podClass)) {
          seen.add(podClass);
          others.selecting(podClass).forEach(meet);
        }
      }
    };
    for (const gang of waiting.size === 0 && !sleepers.haveTerms ? [] : live()) {
      place(gang);
    }
    for (let gang = next.pop(); gang !== undefined; gang = next.pop()) {
      place(gang);
    }
    return found;
  }

  /**
   * Terms by which the gang has to be near pods of others, if any of them selects no pod: then it can be nowhere, whatever is free. Undefined where
   * that cannot be said.
   */
  lackedBy(gang: GangRecord): readonly Term[] | undefined {
    const { others } = this.session;
    const { needs, classes } = (others.active ? this.knownOf(gang) : undefined) ?? {};
    if (needs === undefined || classes === undefined) {
      return undefined;
    }
    const terms = new Set(
      needs.flatMap(([podClass]) => (this.isHelped(podClass, classes) ? [] : others.nearOthers(podClass))),
    );
    return [...terms].some(({ total }) => total === 0) ? [...terms] : undefined;
  }

  /** Might there be room for it in a cluster on which nothing runs? `false` is certain, whatever is evicted. */
  mayEverFit(gang: GangRecord): boolean {
    const known = this.knownOf(gang);
    return known === undefined || this.everFits(known);
  }

  private everFits(known: Known): boolean {
    const { replaced } = this.session.table;
    if (known.replaced !== replaced) {
      const isStill =
        known.neverFits?.every((podClass) => !this.mayHoldReplaced(podClass, replaced - known.replaced)) ?? false;
      known.replaced = replaced;
      if (!isStill) {
        known.neverFits = this.neverFits(known);
      }
    }
    return known.neverFits === undefined;
  }

  private neverFits({ needs, classes }: Known): readonly PodClass[] | undefined {
    const rooms = this.session.index(EmptyRooms);
    if (needs === undefined) {
      return classes.every((podClass) => rooms.isNone(podClass)) ? classes : undefined;
    }
    const short = needs.find(([podClass, count]) => !rooms.holds(podClass, count));
    return short === undefined ? undefined : [short[0]];
  }

  /** Might one of the nodes that were replaced last have room for a pod, were nothing on it? `false` is certain. */
  private mayHoldReplaced(podClass: PodClass, count: number): boolean {
    const { table } = this.session;
    const { replacements, allocatable, deviceStart } = table;
    if (count > replacements.length) {
      return true;
    }
    for (let i = replacements.length - count; i < replacements.length; i++) {
      const row = replacements[i];
      const rows = new Rows(allocatable);
      rows.add(row, deviceStart[row + 1] - deviceStart[row]);
      if (rows.mayHold(podClass)) {
        return true;
      }
    }
    return false;
  }

  private freedBy(releasing: readonly PodRecord[]): Freed {
    if (this.freed?.look !== this.look) {
      const { table } = this.session;
      const rows = new Rows(table.free);
      const changed = new Set(releasing.map(({ row }) => row));
      this.freed = this.without(releasing, () => {
        changed.forEach((row) => rows.add(row, table.wholeFree[row]));
        return { look: this.look, rows, bound: new RoomBound(table) };
      });
    }
    return this.freed;
  }

  /** Where constraints between pods are in the way, it is not worth finding out. */
  private mayFitWithout(known: Known, releasing: readonly PodRecord[]): boolean {
    const { needs, classes, short } = known;
    const { others } = this.session;
    if (needs === undefined || short === undefined) {
      return (
        !this.areForlorn(known) &&
        classes.some((podClass) => others.concerns(podClass) || this.freedBy(releasing).rows.mayHold(podClass))
      );
    }
    const { rows, bound } = this.freedBy(releasing);
    return (
      rows.mayHold(short) &&
      needs.every(([podClass, count]) => bound.of(podClass) >= count) &&
      this.without(releasing, () => needs.every((need) => this.hasRoom(need, bound)))
    );
  }

  private without<T>(pods: readonly PodRecord[], look: () => T): T {
    const { ledger } = this.session;
    const mark = ledger.mark();
    pods.forEach((pod) => ledger.remove(pod));
    const seen = look();
    ledger.rollback(mark);
    return seen;
  }

  private knownOf(gang: GangRecord): Known | undefined {
    if (gang.placed > 0) {
      return undefined;
    }
    let known = gang.kind === undefined ? this.ownOf.get(gang) : this.kinds[gang.kind];
    if (known === undefined) {
      const turn = gang.start === 'same-pods' ? turnOf(this.session, gang) : undefined;
      if (turn === undefined && gang.start !== 'pods-that-fit') {
        return undefined;
      }
      known = {
        needs: turn === undefined ? undefined : [...classesOfTurn(turn)],
        classes: turn === undefined ? classesIn(gang) : [...classesOfTurn(turn).keys()],
        short: undefined,
        look: -1,
        closed: false,
        neverFits: undefined,
        replaced: -1,
      };
      if (gang.kind === undefined) {
        this.ownOf.set(gang, known);
      } else {
        this.kinds[gang.kind] = known;
      }
    }
    return known;
  }
}
