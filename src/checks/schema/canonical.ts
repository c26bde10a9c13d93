/**
 * JSON texts that are equal exactly where the values are: keys in order.
 */
import { type JsonValue } from '../../facts/api/schema';

export function canonical(value: JsonValue): string {
  if (value === null || typeof value !== 'object') {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(',')}]`;
  }
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`)
    .join(',')}}`;
}

export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) {
    return true;
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') {
    return false;
  }
  return canonical(a) === canonical(b);
}

/** The places of items that repeat an earlier one, each repeated value once, as the server counts them. */
export function repeatedItems(keys: readonly JsonValue[]): readonly number[] {
  if (keys.length < 2) {
    return [];
  }
  const times = new Map<unknown, number>();
  const repeated: number[] = [];
  keys.forEach((key, index) => {
    // Scalars are written as they are; a number and the text of it differ.
    const identity = key === null || typeof key !== 'object' ? key : `\u0000${canonical(key)}`;
    const seen = times.get(identity) ?? 0;
    if (seen === 1) {
      repeated.push(index);
    }
    times.set(identity, seen + 1);
  });
  return repeated;
}
