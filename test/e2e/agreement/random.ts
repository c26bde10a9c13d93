/**
 * Random choices that a seed repeats, on every machine.
 */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    // Mulberry32: 32 bits of state are plenty for some thousand choices.
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let bits = this.state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 4294967296) * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)];
  }

  chance(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000;
  }
}
