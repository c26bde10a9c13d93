/**
 * Amounts of CPU, memory, and storage as users write them, and as Kubernetes reads them.
 *
 * Memory is where a bare number hurts: `memory: 900` is 900 bytes to Kubernetes, and no component rejects it. It is therefore a string
 * with a unit or a cdk8s `Size`. Cores are counted, so a number of cores stays a number, as in Kubernetes.
 */
import type { Size, SizeRoundingBehavior } from 'cdk8s';
import { type Carried, isDeferred, known, passed } from '../../manifests/values/deferred';
import { parseQuantity, Quantity } from '../../manifests/values/quantity';

/** CPU cores: a number such as `8` or `0.5`, or a quantity string such as `500m`. */
export type Cores = number | string;

/** Memory or storage: a quantity string with its unit such as `64Gi`, or a cdk8s `Size` such as `Size.gibibytes(64)`. */
export type ByteSize = string | Size;

const KIBIBYTE = 1024n;
/** Floating point: `Size.mebibytes(11)` computed as 1.1 * 10 is 11264.000000000002 Ki. */
const NOISE = 1e-6;

/**
 * A number of cores as Kubernetes writes it.
 *
 * @throws if the value is not a quantity, or is negative
 */
export function coresText(prop: string, value: Cores): string {
  known(prop, value);
  const quantity = typeof value === 'number' || typeof value === 'string' ? parseQuantity(value) : undefined;
  if (quantity === undefined || quantity.isNegative()) {
    throw new Error(
      quantity === undefined
        ? `${prop} ${shown(value)}: must be a number of cores such as 8, or a quantity such as "500m".`
        : `${prop}: must be greater than or equal to 0, not ${shown(value)}.`,
    );
  }
  return String(value);
}

/**
 * Memory or storage as Kubernetes writes it. A string is kept as written. A `Size` is converted exactly; one that is not a whole number
 * of kibibytes (`Size.gibibytes(0.1)`) is rounded up to the next, so that a pod never gets less than stated.
 *
 * @throws if the value is a bare number, a string without a unit, or not a quantity
 */
export function bytesText(prop: string, value: ByteSize): string {
  known(prop, value);
  if (isSize(value)) {
    return sizeText(prop, value);
  }
  if (typeof value !== 'string') {
    throw new Error(
      typeof value === 'number'
        ? `${prop} ${shown(value)}: must have a unit, since Kubernetes reads a bare number as bytes. Write "${String(value)}Gi", or Size.gibibytes(${String(value)}) of cdk8s.`
        : `${prop} ${shown(value)}: must be ${EXPECTED}.`,
    );
  }
  const quantity = parseQuantity(value);
  if (quantity === undefined || quantity.isNegative()) {
    const corrected = nearestQuantity(value);
    throw new Error(
      `${prop} "${value}": must be ${EXPECTED}${corrected === undefined ? '' : ` (did you mean "${corrected}"?)`}.`,
    );
  }
  if (/[num]$/.test(value.trim()) || !quantity.isInteger()) {
    throw new Error(
      `${prop} "${value}": must be a whole number of bytes, and the suffix m means thousandths. Write "${value.trim().replace(/[num]$/, '')}Mi" for mebibytes.`,
    );
  }
  if (/^[+-]?[\d.]+$/.test(value.trim()) && !quantity.isZero()) {
    throw new Error(
      `${prop} "${value}": must have a unit, since Kubernetes reads a bare number as bytes. Write "${value.trim()}Gi" for gibibytes.`,
    );
  }
  return value;
}

/**
 * Memory or storage as a number of bytes.
 *
 * @throws if `bytesText` does
 */
export function bytesOf(prop: string, value: ByteSize): bigint {
  return (parseQuantity(bytesText(prop, value)) ?? Quantity.ZERO).wholeUnits();
}

/** The same for an optional prop that is passed through: an Output of Pulumi stays one. */
export function carriedBytesText(prop: string, value: Carried<ByteSize> | undefined): string | undefined {
  return isDeferred(value) ? passed(value as Carried<string>) : optionalBytesText(prop, value);
}

/** The same for an optional prop. */
export function optionalBytesText(prop: string, value: ByteSize | undefined): string | undefined {
  return value === undefined ? undefined : bytesText(prop, value);
}

/**
 * A count of things: devices, pods, units of an extended resource.
 *
 * @throws if the value is not a quantity, or is negative
 */
export function countText(prop: string, value: number | string): string {
  known(prop, value);
  const quantity = typeof value === 'number' || typeof value === 'string' ? parseQuantity(value) : undefined;
  if (quantity === undefined || quantity.isNegative()) {
    throw new Error(`${prop} ${shown(value)}: must be a number greater than or equal to 0.`);
  }
  return String(value);
}

const EXPECTED = 'a quantity with its unit such as "64Gi", or a Size of cdk8s such as Size.gibibytes(64)';

/** By shape rather than by class: an app may carry two copies of cdk8s. */
function isSize(value: unknown): value is Size {
  return typeof value === 'object' && value !== null && 'toKibibytes' in value;
}

function sizeText(prop: string, size: Size): string {
  const kibibytes = size.toKibibytes({ rounding: 2 satisfies SizeRoundingBehavior.NONE });
  if (!Number.isFinite(kibibytes) || kibibytes < 0) {
    throw new Error(`${prop} ${kibibytes}Ki: must be greater than or equal to 0.`);
  }
  const nearest = Math.round(kibibytes);
  const whole = Math.abs(kibibytes - nearest) <= NOISE * Math.max(1, kibibytes) ? nearest : Math.ceil(kibibytes);
  return Quantity.of(BigInt(whole) * KIBIBYTE, 'BinarySI').toString();
}

/** `64GB` and `64 GiB` to `64Gi`: the spellings that people use and Kubernetes does not. */
function nearestQuantity(value: string): string | undefined {
  const [, number, prefix] = /^\s*(\d+(?:\.\d+)?)\s*([kKmMgGtTpPeE])(?:i?[bB]?(?:ytes?)?)\s*$/.exec(value) ?? [];
  return number === undefined || prefix === undefined ? undefined : `${number}${prefix.toUpperCase()}i`;
}

export function shown(value: unknown): string {
  return isDeferred(value)
    ? 'an Output'
    : typeof value === 'number'
      ? String(value)
      : (JSON.stringify(value) ?? String(typeof value));
}
