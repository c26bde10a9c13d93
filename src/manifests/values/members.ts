/**
 * Objects without the members that say nothing.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { setMember } from '../texts/json-member';

/** The object without members that are undefined. */
export function definedMembers<T extends object>(value: T): T {
  const defined: JsonObject = {};
  for (const [name, member] of Object.entries(value) as [string, JsonValue | undefined][]) {
    if (member !== undefined) {
      setMember(defined, name, member);
    }
  }
  return defined as T;
}

/** Members that are JSON where they are defined, as a JSON object. */
export function definedJson(members: Readonly<Record<string, unknown>>): JsonObject {
  return definedMembers(members) as JsonObject;
}

/** The object itself; `undefined` where it has no members. */
export function nonEmpty<V>(value: Readonly<Record<string, V>>): Record<string, V> | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
