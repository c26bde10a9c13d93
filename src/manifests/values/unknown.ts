/**
 * Values of a manifest that are not known yet: a Pulumi program previews objects before the outputs that they carry have values.
 *
 * Unknown is a value of its own, not an absent one. In `UNKNOWN` form it is a mark that schema checks skip. In guarded form, which rules
 * read, every member that is unknown throws when it is read, and the read is counted: a rule that touched one has judged nothing, also
 * where it caught the error or would have reported another field.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';

/** Marks a value that is not known yet. Compare by identity. */
export const UNKNOWN: JsonObject = Object.freeze({});

/** Thrown where a member is read whose value is not known yet. */
class UnknownValue extends Error {
  constructor() {
    super('the value is not known yet');
    this.name = 'UnknownValue';
  }
}

let reads = 0;
const marked = new WeakMap<JsonObject, JsonObject>();

/** Whether the value is unknown, or contains an unknown value. */
export function containsUnknown(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return value === UNKNOWN || Object.values(value).some(containsUnknown);
}

/**
 * The object as rules read it: a member that is unknown throws when it is read. An object without unknown values is returned as it is.
 */
export function guarded(object: JsonObject): JsonObject {
  if (!containsUnknown(object)) {
    return object;
  }
  const copy = guardedCopy(object) as JsonObject;
  marked.set(copy, object);
  return copy;
}

/** The object in which unknown values are `UNKNOWN`: what `guarded` was given. */
export function unguarded(object: JsonObject): JsonObject {
  return marked.get(object) ?? object;
}

function guardedCopy(value: JsonValue): JsonValue {
  if (!containsUnknown(value)) {
    return value;
  }
  const copy: object = Array.isArray(value) ? [] : {};
  for (const [key, member] of Object.entries(value as JsonObject)) {
    Object.defineProperty(
      copy,
      key,
      member === UNKNOWN
        ? { get: readUnknown, enumerable: true, configurable: true }
        : { value: guardedCopy(member), enumerable: true, configurable: true, writable: true },
    );
  }
  return copy as JsonValue;
}

function readUnknown(): never {
  reads += 1;
  throw new UnknownValue();
}

/** How many unknown values were read so far: a judgment that changes the number depends on one. */
export function unknownReads(): number {
  return reads;
}

/** What a judgment came to: its value, or nothing where it read an unknown value. */
export type Judgment<T> = { readonly known: true; readonly value: T } | { readonly known: false };

/**
 * Runs what reads manifests, and says whether it depends on an unknown value.
 *
 * @throws what `judge` throws, unless it read an unknown value before
 */
export function judging<T>(judge: () => T): Judgment<T> {
  const before = reads;
  let value: T;
  try {
    value = judge();
  } catch (error) {
    if (reads !== before) {
      return { known: false };
    }
    throw error;
  }
  return reads === before ? { known: true, value } : { known: false };
}

/** The result of `read`, or `otherwise` where it reads an unknown value; such a read does not count for a judgment around it. */
export function unlessUnknown<T>(read: () => T, otherwise: T): T {
  const before = reads;
  const judgment = judging(read);
  reads = before;
  return judgment.known ? judgment.value : otherwise;
}
