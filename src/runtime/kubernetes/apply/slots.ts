/**
 * Limits how much happens at the same time: each operation waits for a slot, first come, first served.
 */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private most: number) {}

  /** Takes effect as slots are given back. */
  resize(most: number): void {
    this.most = most;
    while (this.taken < this.most && this.waiting.length > 0) {
      this.taken++;
      this.waiting.shift()!();
    }
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken < this.most) {
      this.taken++;
    } else {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = this.taken <= this.most ? this.waiting.shift() : undefined;
      if (next === undefined) {
        this.taken--;
      } else {
        next();
      }
    }
  }
}
