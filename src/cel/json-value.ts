/**
 * Values of expressions as JSON: what a mutation of an admission policy evaluates to.
 */
import { type CelInput, isCelList, isCelMap, isCelUint } from '@bufbuild/cel';
import { type JsonValue } from '../facts/api/schema';

/** `undefined` where JSON has no such value: an error, a type, an optional. */
export function jsonOf(value: CelInput): JsonValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') {
    return value;
  }
  if (typeof value === 'bigint') {
    return Number(value);
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : undefined;
  }
  return composite(value);
}

function composite(value: CelInput): JsonValue | undefined {
  if (isCelUint(value)) {
    return Number(value.value);
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('base64');
  }
  if (isCelList(value)) {
    const items = [...value].map((item) => jsonOf(item));
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!isCelMap(value)) {
    return undefined;
  }
  const entries = [...value].map(([key, item]) => [String(isCelUint(key) ? key.value : key), jsonOf(item)] as const);
  return entries.every((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined)
    ? Object.fromEntries(entries)
    : undefined;
}
