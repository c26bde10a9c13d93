/**
 * Sizes and costs as the API server estimates them: whole numbers of 64 bits, which stop at the largest instead of overflowing.
 */

/** Stands for every number that 64 bits cannot hold, and for a size without a limit. */
export const UNLIMITED = 2 ** 64;

/** Characters of a string, bytes, items of a list, or entries of a map. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN_SIZE: Size = { min: 0, max: UNLIMITED };
/** Of a value that has no length. */
export const ONE: Size = { min: 1, max: 1 };

export function exactly(size: number): Size {
  return { min: size, max: size };
}

export function plus(a: number, b: number): number {
  return Math.min(UNLIMITED, a + b);
}

export function times(a: number, b: number): number {
  return Math.min(UNLIMITED, a * b);
}

/** The product, rounded up. */
export function scaled(amount: number, factor: number): number {
  return Math.min(UNLIMITED, Math.ceil(amount * factor));
}

export function sum(costs: readonly number[]): number {
  return costs.reduce(plus, 0);
}

export function plusSize(a: Size, b: Size): Size {
  return { min: plus(a.min, b.min), max: plus(a.max, b.max) };
}

export function timesSize(a: Size, b: Size): Size {
  return { min: times(a.min, b.min), max: times(a.max, b.max) };
}

/** What both sizes lie in. */
export function union(a: Size, b: Size): Size {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
