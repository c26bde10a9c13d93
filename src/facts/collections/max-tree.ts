/**
 * A tournament tree over rows: the largest value of all rows, and of all below each inner node, is known at any time. Setting one value is
 * O(log rows), and mostly less. Knows nothing of what the values mean.
 */
export class MaxTree {
  /** Inner nodes from 1 on, the children of n at 2n and 2n + 1; the rows begin at `leaves`. -Infinity where there is no value. */
  readonly values: Float64Array;
  readonly leaves: number;

  constructor(rows: number) {
    let leaves = 1;
    while (leaves < rows) {
      leaves *= 2;
    }
    this.leaves = leaves;
    this.values = new Float64Array(2 * leaves).fill(-Infinity);
  }

  set(row: number, value: number): void {
    const { values } = this;
    let at = this.leaves + row;
    if (values[at] === value) {
      return;
    }
    values[at] = value;
    for (at >>= 1; at >= 1; at >>= 1) {
      const left = values[2 * at];
      const right = values[2 * at + 1];
      const best = left >= right ? left : right;
      if (values[at] === best) {
        return;
      }
      values[at] = best;
    }
  }

  /** Sets a value before `build`. */
  fill(row: number, value: number): void {
    this.values[this.leaves + row] = value;
  }

  build(): void {
    const { values } = this;
    for (let at = this.leaves - 1; at >= 1; at--) {
      const left = values[2 * at];
      const right = values[2 * at + 1];
      values[at] = left >= right ? left : right;
    }
  }

  /** The row with the largest value, the lowest of equals; -1 where no row has one. */
  first(): number {
    const { values, leaves } = this;
    if (values[1] === -Infinity) {
      return -1;
    }
    let at = 1;
    while (at < leaves) {
      at = values[2 * at] === values[at] ? 2 * at : 2 * at + 1;
    }
    return at - leaves;
  }
}
