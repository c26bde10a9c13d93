/**
 * What was found out about the books and stays true as long as nothing is released: "this does not fit", "there is room for at most N".
 *
 * Each release begins a new epoch, in which nothing is known. A rollback returns to the epoch and to the knowledge at its mark: what was
 * found with fewer resources free does not hold for more of them.
 */
export class Epochs {
  private current = 0;
  private latest = 0;
  /** What was known before, in the order in which it was written over. */
  private readonly memos: Remembered<unknown>[] = [];
  private readonly ids: number[] = [];
  private readonly epochs: number[] = [];
  private readonly values: unknown[] = [];
  /** By mark, the epoch and the length of the log there. */
  private readonly marks: number[] = [];

  get epoch(): number {
    return this.current;
  }

  /** Something was released. */
  begin(): void {
    this.current = ++this.latest;
  }

  mark(): void {
    this.marks.push(this.current, this.ids.length);
  }

  /** Forgets the latest mark without undoing anything. */
  keep(): void {
    this.marks.pop();
    this.marks.pop();
    if (this.marks.length === 0) {
      this.memos.length = this.ids.length = this.epochs.length = this.values.length = 0;
    }
  }

  rollback(): void {
    const length = this.marks.pop() ?? 0;
    const epoch = this.marks.pop() ?? 0;
    while (this.ids.length > length) {
      this.memos.pop()!.restore(this.ids.pop()!, this.epochs.pop()!, this.values.pop());
    }
    this.current = epoch;
  }

  /** @internal */
  note(memo: Remembered<unknown>, id: number, epoch: number, value: unknown): void {
    if (this.marks.length > 0) {
      this.memos.push(memo);
      this.ids.push(id);
      this.epochs.push(epoch);
      this.values.push(value);
    }
  }
}

/** Of what was never known. */
const NEVER = -1;

/** One kind of knowledge, by small whole numbers. */
export class Remembered<T> {
  /** In which epoch a value was found. */
  private readonly found: number[] = [];
  private readonly values: (T | undefined)[] = [];

  constructor(private readonly epochs: Epochs) {}

  get(id: number): T | undefined {
    return id < this.found.length && this.found[id] === this.epochs.epoch ? this.values[id] : undefined;
  }

  set(id: number, value: T): void {
    const { found, values } = this;
    while (found.length <= id) {
      found.push(NEVER);
      values.push(undefined);
    }
    this.epochs.note(this, id, found[id], values[id]);
    found[id] = this.epochs.epoch;
    values[id] = value;
  }

  /** @internal */
  restore(id: number, epoch: number, value: T | undefined): void {
    this.found[id] = epoch;
    this.values[id] = value;
  }
}
