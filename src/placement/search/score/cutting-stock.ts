/**
 * The cutting stock problem: all requests for fractions cut from the fewest devices, where each device may be cut by a pattern of its own and
 * patterns may be used in part.
 *
 * Solved after Gilmore and Gomory: revised simplex, and a knapsack finds the next pattern. The result is the dual: the prices of the
 * fractions, and what parts of a device are worth at these prices. O(kinds² + kinds × different parts) for each step, and a few steps for
 * each kind.
 */
import { WHOLE } from '../../nodes/node-table';

/** Prices are usable, if not the best, after any step. */
const MOST_STEPS = 200;
const PRECISION = 1e-9;

export interface Knapsack {
  /** Thousandths of one step of `worth`: all sizes are multiples. */
  readonly unit: number;
  /** The most that fractions in a part are worth, by the units of the part. */
  readonly worth: Float64Array;
  /** The most valuable pattern: how many of each kind. */
  readonly pattern: Float64Array;
}

/**
 * The knapsack at the best prices.
 *
 * @param sizes Different whole thousandths above 0 and below a whole device.
 * @param counts How many requests there are of each size, above 0.
 */
export function cutDevices(sizes: readonly number[], counts: readonly number[]): Knapsack {
  const unit = sizes.reduce(greatestCommonDivisor, WHOLE);
  const basis = new Basis(sizes, counts);
  for (let step = 1; ; step++) {
    const prices = basis.prices();
    const best = fill(sizes, prices, unit);
    const surplus = prices.findIndex((price) => price < -PRECISION);
    const done = surplus < 0 && best.worth[best.worth.length - 1] <= 1 + PRECISION;
    const entering = surplus < 0 ? best.pattern : prices.map((_, kind) => (kind === surplus ? -1 : 0));
    if (done || step === MOST_STEPS || !basis.enter(entering, surplus < 0 ? 1 : 0)) {
      return best;
    }
  }
}

function fill(sizes: readonly number[], prices: Float64Array, unit: number): Knapsack {
  const worth = new Float64Array(WHOLE / unit + 1);
  const last = new Int8Array(worth.length).fill(-1);
  const units = sizes.map((size) => size / unit);
  for (let kind = 0; kind < sizes.length; kind++) {
    const size = units[kind];
    const price = prices[kind];
    for (let room = size; price > PRECISION && room < worth.length; room++) {
      const value = worth[room - size] + price;
      if (value > worth[room]) {
        worth[room] = value;
        last[room] = kind;
      }
    }
  }
  const pattern = new Float64Array(sizes.length);
  for (let room = worth.length - 1; last[room] >= 0; room -= units[last[room]]) {
    pattern[last[room]]++;
  }
  return { unit, worth, pattern };
}

/** As many patterns as kinds, how often each is used, and the inverse of their matrix. */
class Basis {
  private readonly inverse: Float64Array[];
  private readonly uses: number[];
  private readonly costs: number[];

  /** Begins with patterns of one kind each. */
  constructor(sizes: readonly number[], counts: readonly number[]) {
    const each = sizes.map((size) => Math.floor(WHOLE / size));
    this.inverse = each.map((many, kind) => Float64Array.from(sizes, (_, other) => (other === kind ? 1 / many : 0)));
    this.uses = counts.map((count, kind) => count / each[kind]);
    this.costs = counts.map(() => 1);
  }

  prices(): Float64Array {
    const { inverse, costs } = this;
    const prices = new Float64Array(costs.length);
    inverse.forEach((row, i) => addTo(prices, row, costs[i]));
    return prices;
  }

  /** Replaces the pattern that is used up first as the use of the new one grows. @returns whether there is one: rounding errors may hide it */
  enter(pattern: Float64Array, cost: number): boolean {
    const { inverse, uses, costs } = this;
    const needs = inverse.map((row) => product(row, pattern));
    let out = -1;
    let use = Infinity;
    needs.forEach((need, i) => {
      if (need > PRECISION && uses[i] / need < use) {
        use = uses[i] / need;
        out = i;
      }
    });
    if (out < 0) {
      return false;
    }
    const leaving = inverse[out];
    addTo(leaving, leaving, 1 / needs[out] - 1);
    uses[out] = use;
    needs.forEach((need, i) => {
      if (i !== out && need !== 0) {
        addTo(inverse[i], leaving, -need);
        uses[i] -= need * use;
      }
    });
    costs[out] = cost;
    return true;
  }
}

function product(row: Float64Array, column: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < row.length; i++) {
    sum += row[i] * column[i];
  }
  return sum;
}

function addTo(row: Float64Array, other: Float64Array, times: number): void {
  for (let i = 0; i < row.length; i++) {
    row[i] += times * other[i];
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
