/**
 * How many pods nodes have room for, by counting: without placing any.
 */
import { type PodRecord, type Turn } from '../books/records';
import { Remembered } from '../books/remembered';
import { type Session } from '../books/session';
import { type PodClass } from '../nodes/pod-class';
import { RoomIndex } from './room-index';
import { type Within } from './select';
import { classesOf, requires } from './units';
import { rowsOf } from './within';

/** From this number of pods on, making them costs more than another look at the room. */
const MANY = 64;

export class Room {
  private readonly index: RoomIndex;
  /** Most pods of a class that the cluster has room for. */
  private readonly most: Remembered<number>;

  constructor(private readonly session: Session) {
    this.index = session.index(RoomIndex);
    this.most = new Remembered(session.ledger.epochs);
  }

  /**
   * Whether the pods fit, by counting. Exact for pods of one class without constraints on one another and without a required domain;
   * undefined if the pods have to be placed to find out.
   */
  holds({ gang: { root }, podClass, count }: Turn, within: Within): boolean | undefined {
    return podClass === undefined || this.session.others.concerns(podClass) || !isCountable(podClass) || requires(root)
      ? undefined
      : this.capacity(podClass, within, count) >= count;
  }

  /** Is there room for the pods of each kind, were they alone? If not, there is no need to try. */
  mayHold(pods: readonly PodRecord[], within: Within): boolean {
    return [...classesOf(pods)].every(([podClass, count]) => podClass.dynamic || this.hasRoom(podClass, within, count));
  }

  /** Is there certainly no room for the pods of the turn? Asked before pods are made for it; of few pods, `mayHold` is enough. */
  lacks({ podClass, count }: Turn, within: Within): boolean {
    return (
      count >= MANY &&
      podClass !== undefined &&
      !podClass.dynamic &&
      !this.session.others.concerns(podClass) &&
      !this.hasRoom(podClass, within, count)
    );
  }

  /** Is there certainly no room for that many pods of these classes, whichever of them they are? */
  isLess(classes: readonly PodClass[], count: number): boolean {
    return classes.reduce((sum, podClass) => sum + this.index.total(podClass), 0) < count;
  }

  /** As long as nothing is released, room that was counted is a bound of what there is. */
  private hasRoom(podClass: PodClass, within: Within, count: number): boolean {
    if ((this.most.get(podClass.id) ?? Infinity) < count) {
      return false;
    }
    const room = this.capacity(podClass, within, count);
    if (room < count && within.rows === undefined && within.without === undefined) {
      this.most.set(podClass.id, room);
    }
    return room >= count;
  }

  /** How many pods of the class one node takes; only for classes that `holds` counts. */
  onRow(podClass: PodClass, row: number): number {
    return this.index.ofRow(podClass, row);
  }

  /** The same by row, until the books change. */
  onRows(podClass: PodClass): Int32Array {
    return this.index.ofRows(podClass);
  }

  /** How many pods of the class the rows take, at most about `limit`. */
  capacity(podClass: PodClass, { rows, without, domain }: Within, limit: number): number {
    const { table, ledger, others } = this.session;
    const isConcerned = others.concerns(podClass);
    if (!isConcerned && without === undefined) {
      if (rows === undefined) {
        return this.index.upTo(podClass, limit);
      }
      if (domain !== undefined) {
        return this.index.ofDomain(podClass, domain.tree, domain.domain);
      }
    }
    if (!isConcerned && rows === undefined) {
      return rowsOf(without!).reduce((sum, row) => sum - this.index.ofRow(podClass, row), this.index.total(podClass));
    }
    let sum = 0;
    const count = rows?.length ?? table.count;
    for (let i = 0; i < count && sum < limit; i++) {
      const row = rows === undefined ? i : rows[i];
      if (without?.[row] === 1) {
        continue;
      }
      if (!isConcerned) {
        sum += this.index.ofRow(podClass, row);
      } else if (this.session.allowed(podClass, row)) {
        sum += ledger.capacity(podClass, row, 1_000_000);
      }
    }
    return sum;
  }
}

/** Is what nodes have room for the sum of what their devices have room for, whichever of them are taken first? */
function isCountable({ accelerator, deviceCount, claims }: PodClass): boolean {
  return claims.length === 0 && (accelerator === undefined || accelerator.kind === 'whole' || deviceCount === 1);
}
