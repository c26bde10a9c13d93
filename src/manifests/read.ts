/**
 * Readers for JSON of unknown shape.
 *
 * A manifest can contain any JSON. These readers return `undefined` or an empty value if the shape is not the expected one, because the
 * schema check already reports it.
 */
import { type JsonObject, type JsonValue } from '../facts/api/schema';
import { valueAt } from './pointer';

type Maybe = JsonValue | undefined;

/** Returns whether the value is a JSON object: neither an array nor null. */
export function isObject(value: Maybe): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one where it is none. */
export function asObject(value: Maybe): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as an array; an empty one where it is none. */
export function asArray(value: Maybe): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a list is absent or empty. A value of another type is neither. */
export function hasNoItems(value: Maybe): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Returns the value where it is a string, and `undefined` otherwise. */
export function asString(value: Maybe): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Whether a string is absent: null and the empty string count as absent, a value of another type does not. */
export function isUnset(value: Maybe): boolean {
  return value === undefined || value === null || value === '';
}

/** The value where it is an integer (JSON numbers only). */
export function asInteger(value: Maybe): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** Returns the value where it is a boolean, and `undefined` otherwise. */
export function asBoolean(value: Maybe): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The strings of an array, without other items. */
export function stringsIn(value: Maybe): readonly string[] {
  return asArray(value).filter((item): item is string => typeof item === 'string');
}

/** The string entries of a map, without other entries. */
export function stringEntries(value: Maybe): readonly (readonly [string, string])[] {
  return Object.entries(asObject(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** The objects of the array at `path`, each with its own pointer; items of another shape are skipped. */
export function objectsAt(
  root: Maybe,
  path: string,
): readonly { readonly value: JsonObject; readonly path: string; readonly index: number }[] {
  const placed: { value: JsonObject; path: string; index: number }[] = [];
  for (const [index, value] of asArray(valueAt(root, path)).entries()) {
    if (isObject(value)) {
      placed.push({ value, path: `${path}/${index}`, index });
    }
  }
  return placed;
}
