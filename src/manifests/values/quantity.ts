/**
 * Resource quantities as Kubernetes reads them (apimachinery, `resource.ParseQuantity`), exact, with its oddities.
 *
 * The grammar takes more than its documentation says: a missing number is zero (`Gi`, `m`, `.` and `+` are quantities), surrounding
 * spaces do not matter, any exponent is valid. A value finer than one billionth is rounded up, so that a request for some gets
 * some. `Pi` and `Ei` without a number are rejected, which follows from the server's two ways of reading numbers.
 */

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

const NANO_DIGITS = 9;
const NANOS = 10n ** 9n;
/** A power of ten above this is taken as this: nothing that can be counted comes near, and the digits have to be held. */
const LARGEST_EXPONENT = 10_000;
const LARGEST_BINARY = (2n ** 63n - 1n) * NANOS;

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const SUFFIX_OF_EXPONENT: ReadonlyMap<number, string> = new Map(
  [...DECIMAL_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]),
);
const BINARY_STEPS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** What the server's short way of reading numbers holds, and the powers of ten by which it multiplies at once. */
const MOST_SHORT_DIGITS = 18;
const MULTIPLIED_AT_ONCE: ReadonlySet<number> = new Set([0, 1, 2, 3, 6, 9]);

const GRAMMAR = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[+-]?\d*|[+-]\d*)?)$/;

/**
 * An amount of a resource. Immutable; arithmetic is exact.
 *
 * @example
 * const memory = Quantity.of(3n * 2n ** 30n, 'BinarySI');
 * console.log(memory.subtract(Quantity.of(2n ** 30n, 'BinarySI')).toString());
 */
export class Quantity {
  /** The amount 0. */
  static readonly ZERO = new Quantity(0n, 'DecimalSI');

  private constructor(
    /** The amount in billionths. */
    readonly nanos: bigint,
    /** How it was written, and how it will be written. */
    readonly format: QuantityFormat,
    /** Whether the server counts it as 0 thousandths where these exceed 64 bits; otherwise it keeps their lowest 64 bits. */
    private readonly overflowsToZero = false,
  ) {}

  /**
   * The amount as it was read from a suffix that Kubernetes scales step by step.
   *
   * @internal
   */
  static ofSuffix(nanos: bigint, format: QuantityFormat): Quantity {
    return new Quantity(nanos, format, true);
  }

  /** An amount in billionths, the unit in which quantities are held. */
  static ofNanos(nanos: bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(nanos, format);
  }

  /** A whole amount: `Quantity.of(8)` GPUs, `Quantity.of(2n ** 30n, 'BinarySI')` bytes. */
  static of(amount: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(typeof amount === 'bigint' ? amount * NANOS : nanosOfNumber(amount), format);
  }

  /** Returns -1, 0, or 1 where this amount is less than, equal to, or greater than the other. */
  compare(other: Quantity): -1 | 0 | 1 {
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  /** Returns whether both are the same amount, in whichever notation. */
  equals(other: Quantity): boolean {
    return this.nanos === other.nanos;
  }

  /** Returns whether this amount is less than the other. */
  isLessThan(other: Quantity): boolean {
    return this.nanos < other.nanos;
  }

  /** Returns whether this amount is greater than the other. */
  isGreaterThan(other: Quantity): boolean {
    return this.nanos > other.nanos;
  }

  /** The sum, written as this quantity is (as the other where this one is zero, like Kubernetes). */
  add(other: Quantity): Quantity {
    return new Quantity(this.nanos + other.nanos, this.nanos === 0n ? other.format : this.format);
  }

  /** Returns the difference, in the notation of this amount, or of the other where this one is 0. */
  subtract(other: Quantity): Quantity {
    return new Quantity(this.nanos - other.nanos, this.nanos === 0n ? other.format : this.format);
  }

  /** The amount taken `factor` times. A factor that is not whole rounds away from zero to the next billionth. */
  multiply(factor: bigint | number): Quantity {
    if (typeof factor === 'bigint') {
      return new Quantity(this.nanos * factor, this.format, this.overflowsToZero);
    }
    if (Number.isInteger(factor)) {
      return new Quantity(this.nanos * BigInt(factor), this.format);
    }
    return new Quantity(divideAwayFromZero(this.nanos * nanosOfNumber(factor), NANOS), this.format);
  }

  /** Returns whether the amount is 0. */
  isZero(): boolean {
    return this.nanos === 0n;
  }

  /** Returns whether the amount is less than 0. */
  isNegative(): boolean {
    return this.nanos < 0n;
  }

  /** Returns whether the amount is greater than 0. */
  isPositive(): boolean {
    return this.nanos > 0n;
  }

  /** Returns whether the amount has no fraction. */
  isInteger(): boolean {
    return this.nanos % NANOS === 0n;
  }

  /** The amount in whole units, rounded away from zero (Kubernetes' `Value()`). */
  wholeUnits(): bigint {
    return divideAwayFromZero(this.nanos, NANOS);
  }

  /** The amount in thousandths, rounded away from zero (Kubernetes' `MilliValue()`). */
  thousandths(): bigint {
    return divideAwayFromZero(this.nanos, 1_000_000n);
  }

  /**
   * The thousandths as the server counts them in 64 bits, overflow included.
   *
   * @internal
   */
  countedThousandths(): bigint {
    const exact = this.thousandths();
    const counted = BigInt.asIntN(64, exact);
    return counted !== exact && this.overflowsToZero ? 0n : counted;
  }

  /** The nearest floating point number: for display and rough comparison only. */
  toNumber(): number {
    const whole = this.nanos / NANOS;
    return Number(whole) + Number(this.nanos - whole * NANOS) / 1e9;
  }

  /** The canonical text, as the server would write it back: `1500m`, `0.5Gi` as `512Mi`. */
  toString(): string {
    if (this.format === 'BinarySI' && this.isInteger()) {
      let amount = this.nanos / NANOS;
      if (amount <= -1024n || amount >= 1024n) {
        let step = 0;
        while (step < BINARY_STEPS.length - 1 && amount % 1024n === 0n) {
          amount /= 1024n;
          step += 1;
        }
        return `${amount}${BINARY_STEPS[step]}`;
      }
    }
    if (this.nanos === 0n) {
      return '0';
    }
    let amount = this.nanos;
    let exponent = -NANO_DIGITS;
    while (amount % 1000n === 0n) {
      amount /= 1000n;
      exponent += 3;
    }
    const suffix = this.format === 'DecimalExponent' ? undefined : SUFFIX_OF_EXPONENT.get(exponent);
    return suffix !== undefined ? `${amount}${suffix}` : exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
  }

  /** Returns the canonical notation, as `toString` does. */
  toJSON(): string {
    return this.toString();
  }
}

/**
 * Reads a quantity; `undefined` where the server refuses it.
 *
 * Takes what a built-in kind takes. Custom resources judge quantities by a pattern of their own, which is narrower.
 */
export function parseQuantity(value: string | number): Quantity | undefined {
  const known = parsed.get(value);
  if (known !== undefined || parsed.has(value)) {
    return known;
  }
  const quantity = readQuantity(value);
  if (parsed.size >= MOST_PARSED) {
    parsed.clear();
  }
  parsed.set(value, quantity);
  return quantity;
}

/** A platform writes the same few amounts thousands of times, and many rules read each of them. */
const parsed = new Map<string | number, Quantity | undefined>();
const MOST_PARSED = 5_000;

function readQuantity(value: string | number): Quantity | undefined {
  const text = typeof value === 'number' ? String(value) : value.trim();
  if (text === '') {
    return undefined;
  }
  const match = GRAMMAR.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign, integer = '', fraction = '', suffix = ''] = match;
  const digits = `${integer}${fraction}`;
  const significant = integer.replace(/^0+/, '').length || 1;

  const binary = BINARY_SUFFIXES.get(suffix);
  const quantity =
    binary === undefined
      ? readDecimal(digits, suffix, { significant, fraction: fraction.length })
      : readBinary(digits, binary, { significant, fraction: fraction.length });
  return sign === '-' && quantity !== undefined ? quantity.multiply(-1n) : quantity;
}

/** How many digits a number has in front of its point, without leading zeros, and behind it. */
interface DigitCounts {
  readonly significant: number;
  readonly fraction: number;
}

function readBinary(digits: string, exponent: number, { significant, fraction }: DigitCounts): Quantity | undefined {
  // The server's short way holds small whole numbers and takes an absent one for zero; its long way wants a digit.
  const short = fraction === 0 && 15 - significant - Math.trunc((exponent * 3) / 10) - 1 >= 0;
  if (digits === '' && !short) {
    return undefined;
  }
  const unscaled = BigInt(digits === '' ? '0' : digits) << BigInt(exponent);
  const exact = scaled(unscaled, -fraction);
  const nanos = exact > LARGEST_BINARY ? LARGEST_BINARY : exact;
  return Quantity.ofNanos(nanos, nanos > 0n && nanos < NANOS ? 'DecimalSI' : 'BinarySI');
}

function readDecimal(digits: string, suffix: string, { significant, fraction }: DigitCounts): Quantity | undefined {
  const exponent = decimalExponent(suffix);
  if (exponent === undefined) {
    return undefined;
  }
  const nanos = scaled(BigInt(digits === '' ? '0' : digits), exponent - fraction);
  const format = DECIMAL_SUFFIXES.has(suffix) ? 'DecimalSI' : 'DecimalExponent';
  const isShort = significant + fraction <= MOST_SHORT_DIGITS;
  return isShort && !MULTIPLIED_AT_ONCE.has(exponent - fraction + 3)
    ? Quantity.ofSuffix(nanos, format)
    : Quantity.ofNanos(nanos, format);
}

function decimalExponent(suffix: string): number | undefined {
  const known = DECIMAL_SUFFIXES.get(suffix);
  if (known !== undefined) {
    return known;
  }
  const match = /^[eE]([+-]?\d+)$/.exec(suffix);
  if (match === null) {
    return undefined;
  }
  const exponent = Number(match[1]);
  return Math.max(-LARGEST_EXPONENT, Math.min(LARGEST_EXPONENT, exponent));
}

/** `unscaled × 10^exponent` in billionths, rounded up. */
function scaled(unscaled: bigint, exponent: number): bigint {
  const shift = exponent + NANO_DIGITS;
  if (shift >= 0) {
    return unscaled * 10n ** BigInt(shift);
  }
  return divideAwayFromZero(unscaled, 10n ** BigInt(-shift));
}

function divideAwayFromZero(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (quotient * divisor === dividend) {
    return quotient;
  }
  return dividend < 0n ? quotient - 1n : quotient + 1n;
}

function nanosOfNumber(amount: number): bigint {
  const quantity = Number.isFinite(amount) ? parseQuantity(amount) : undefined;
  if (quantity === undefined) {
    throw new RangeError(`a quantity must be a finite number, found ${amount}`);
  }
  return quantity.nanos;
}
