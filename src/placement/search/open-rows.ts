/**
 * On how many rows one more pod of a class could be now, constraints between pods included, kept up to date by what changed.
 *
 * A row is looked at again when anything changed on it, and all rows when the class may fit elsewhere by a change of pods on other nodes. For
 * classes that constraints between pods concern; the room of others is counted (`room-index.ts`). O(rows that changed) for each question.
 */
import { listById } from '../../facts/collections';
import { type PodClass } from '../nodes/pod-class';
import { type Session } from '../books/session';

interface Open {
  readonly isOpen: Uint8Array;
  count: number;
  position: number;
  era: number;
  /** Of `PodsOnNodes.changeOf`. */
  change: number;
}

export class OpenRows {
  private readonly classes = listById<Open>();

  constructor(private readonly session: Session) {}

  /** The same without a look at all rows, unless there was none before: `false` is certain. */
  mayBeAny(podClass: PodClass): boolean {
    const known = this.classes[podClass.id];
    return known === undefined || known.count > 0 ? !this.session.others.isForlorn(podClass) : this.any(podClass);
  }

  /** Has the cluster any row for one more pod? */
  any(podClass: PodClass): boolean {
    const { table, others } = this.session;
    // Without a look at any row.
    if (others.isForlorn(podClass)) {
      return false;
    }
    const known = (this.classes[podClass.id] ??= {
      isOpen: new Uint8Array(table.count),
      count: 0,
      position: 0,
      era: -1,
      change: -1,
    });
    const change = others.changeOf(podClass);
    if (known.era !== table.era || known.change !== change || table.changes.length - known.position > table.count) {
      for (let row = 0; row < table.count; row++) {
        this.look(podClass, known, row);
      }
    } else {
      for (let i = known.position; i < table.changes.length; i++) {
        this.look(podClass, known, table.changes[i]);
      }
    }
    known.era = table.era;
    known.change = change;
    known.position = table.changes.length;
    return known.count > 0;
  }

  private look(podClass: PodClass, known: Open, row: number): void {
    const { session } = this;
    const isOpen = session.ledger.fits(podClass, row) && session.allowed(podClass, row) ? 1 : 0;
    known.count += isOpen - known.isOpen[row];
    known.isOpen[row] = isOpen;
  }
}
