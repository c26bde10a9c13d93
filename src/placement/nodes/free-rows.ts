/**
 * The rows with a free whole device, or whose devices pods hold more of than there is: in a full cluster a few of thousands. Kept up to date by
 * what changed.
 */
import { type NodeTable } from './node-table';

export class FreeRows {
  private readonly table: NodeTable;
  private readonly found = new Set<number>();
  private position = 0;
  private era = -1;

  constructor({ table }: { readonly table: NodeTable }) {
    this.table = table;
  }

  /** In no order, and until the books change. */
  rows(): Iterable<number> {
    const { changes, era, count } = this.table;
    if (this.era !== era || changes.length - this.position > count) {
      for (let row = 0; row < count; row++) {
        this.look(row);
      }
    } else {
      for (let i = this.position; i < changes.length; i++) {
        this.look(changes[i]);
      }
    }
    this.era = era;
    this.position = changes.length;
    return this.found;
  }

  /** The same where there are no more than `most` of them. */
  ifFew(most: number): Iterable<number> | undefined {
    this.rows();
    return this.found.size <= most ? this.found : undefined;
  }

  private look(row: number): void {
    const { wholeFree, overdrawn } = this.table;
    if (wholeFree[row] > 0 || overdrawn[row] > 0) {
      this.found.add(row);
    } else {
      this.found.delete(row);
    }
  }
}
