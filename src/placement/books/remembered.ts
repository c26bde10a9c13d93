/**
 * What was found out about the books and stays true as long as nothing is released: "this does not fit", "there is room for at most N".
 *
 * Each release begins a new epoch, in which nothing is known. A rollback returns to the epoch and to the knowledge at its mark: what was
 * found with fewer resources free does not hold for more of them.
 */
export class Epochs {
  private current = 0;
  private latest = 0;
  private readonly log: { readonly memo: Remembered<unknown>; readonly id: number; readonly before: Entry<unknown> }[] =
    [];
  private readonly marks: { readonly epoch: number; readonly length: number }[] = [];

  get epoch(): number {
    return this.current;
  }

  /** Something was released. */
  begin(): void {
    this.current = ++this.latest;
  }

  mark(): void {
    this.marks.push({ epoch: this.current, length: this.log.length });
  }

  /** Forgets the latest mark without undoing anything. */
  keep(): void {
    this.marks.pop();
    if (this.marks.length === 0) {
      this.log.length = 0;
    }
  }

  rollback(): void {
    const { epoch, length } = this.marks.pop() ?? { epoch: 0, length: 0 };
    while (this.log.length > length) {
      const { memo, id, before } = this.log.pop()!;
      memo.restore(id, before);
    }
    this.current = epoch;
  }

  /** @internal */
  note<T>(memo: Remembered<T>, id: number, before: Entry<T>): void {
    if (this.marks.length > 0) {
      this.log.push({ memo: memo, id, before });
    }
  }
}

type Entry<T> = { readonly epoch: number; readonly value: T } | undefined;

/** One kind of knowledge, by small whole numbers. */
export class Remembered<T> {
  private readonly entries: Entry<T>[] = [];

  constructor(private readonly epochs: Epochs) {}

  get(id: number): T | undefined {
    const entry = this.entries[id];
    return entry !== undefined && entry.epoch === this.epochs.epoch ? entry.value : undefined;
  }

  set(id: number, value: T): void {
    this.epochs.note(this, id, this.entries[id]);
    this.entries[id] = { epoch: this.epochs.epoch, value };
  }

  restore(id: number, entry: Entry<T>): void {
    this.entries[id] = entry;
  }
}
