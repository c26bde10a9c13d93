/**
 * Objects without the members that say nothing.
 */
import { type JsonObject } from '../../facts/api/schema';

/** The object without members that are undefined. */
export function definedMembers<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}

/** Members that are JSON where they are defined, as a JSON object. */
export function definedJson(members: Readonly<Record<string, unknown>>): JsonObject {
  return definedMembers(members) as JsonObject;
}

/** The object itself; `undefined` where it has no members. */
export function nonEmpty<V>(value: Readonly<Record<string, V>>): Record<string, V> | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
