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
import { type GangRecord, type PodRecord } from '../books/records';
import { type Session } from '../books/session';
import { type PodClass } from '../nodes/pod-class';
import { turnOf } from '../queues/turns';
import { RoomIndex } from '../search/room-index';
import { classesOfTurn } from '../search/units';

type Needs = readonly (readonly [PodClass, number])[];

/** What is known of gangs of one kind. */
interface Known {
  readonly needs: Needs;
  /** The class that there was no room for, and the look in which that was found or confirmed. */
  short: PodClass | undefined;
  look: number;
  /** The same for a cluster on which nothing runs, and the number of replaced nodes with which that was found. */
  neverFits: PodClass | undefined;
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

export class Parking {
  private readonly kinds: (Known | undefined)[] = [];
  private readonly index: RoomIndex;
  private look = 0;
  private position = 0;
  private era = -1;
  /** Rows that changed between the last two looks. */
  private changed: Rows;
  private readonly stamps: Int32Array;
  private freed: { readonly look: number; readonly rows: Rows } | undefined;

  constructor(private readonly session: Session) {
    this.index = session.index(RoomIndex);
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
   * Might there be room for what the gang starts with, were all of `releasing` gone? `false` is certain. Only for gangs without pods whose
   * first turn does not depend on what is free.
   */
  mayFit(gang: GangRecord, releasing: readonly PodRecord[]): boolean {
    const known = this.knownOf(gang);
    if (known === undefined) {
      return true;
    }
    if (known.look !== this.look) {
      const { short } = known;
      const isStill = short !== undefined && known.look === this.look - 1 && !this.changed.mayHold(short);
      known.look = this.look;
      if (!isStill) {
        known.short = known.needs.find(([podClass, count]) => this.index.total(podClass) < count)?.[0];
      }
    }
    return (
      known.short === undefined ||
      (releasing.length > 0 &&
        this.freedBy(releasing).mayHold(known.short) &&
        this.mayFitWithout(known.needs, releasing))
    );
  }

  /** Might there be room for it in a cluster on which nothing runs? `false` is certain, whatever is evicted. */
  mayEverFit(gang: GangRecord): boolean {
    const known = this.knownOf(gang);
    if (known === undefined) {
      return true;
    }
    const { replaced } = this.session.table;
    if (known.replaced !== replaced) {
      const isStill =
        known.neverFits !== undefined && !this.mayHoldReplaced(known.neverFits, replaced - known.replaced);
      known.replaced = replaced;
      if (!isStill) {
        known.neverFits = known.needs.find(([podClass, count]) => this.session.emptyRoom(podClass) < count)?.[0];
      }
    }
    return known.neverFits === undefined;
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

  /** The rows of the pods as they are without them. */
  private freedBy(releasing: readonly PodRecord[]): Rows {
    if (this.freed?.look !== this.look) {
      const { table } = this.session;
      const rows = new Rows(table.free);
      const changed = new Set(releasing.map(({ row }) => row));
      this.without(releasing, () => changed.forEach((row) => rows.add(row, table.wholeFree[row])));
      this.freed = { look: this.look, rows };
    }
    return this.freed.rows;
  }

  private mayFitWithout(needs: Needs, releasing: readonly PodRecord[]): boolean {
    return this.without(releasing, () => needs.every(([podClass, count]) => this.index.total(podClass) >= count));
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
    if (!gang.settled || gang.placed > 0) {
      return undefined;
    }
    let known = gang.kind === undefined ? undefined : this.kinds[gang.kind];
    if (known === undefined) {
      const turn = turnOf(this.session, gang);
      if (turn === undefined) {
        return undefined;
      }
      known = {
        needs: [...classesOfTurn(turn)],
        short: undefined,
        look: -1,
        neverFits: undefined,
        replaced: -1,
      };
      if (gang.kind !== undefined) {
        this.kinds[gang.kind] = known;
      }
    }
    return known;
  }
}
