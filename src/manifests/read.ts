/**
 * Readers for JSON of unknown shape.
 *
 * Whoever looks into a manifest sees whatever its author wrote. These readers answer `undefined` or an empty value where the
 * shape is not the expected one, since that is the schema check's to report, and reporting it twice helps nobody.
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

/** Returns the value where it is a string, and `undefined` otherwise. */
export function asString(value: Maybe): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value where it is an integer (JSON numbers only). */
export function asInteger(value: Maybe): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** Returns the value where it is a boolean, and `undefined` otherwise. */
export function asBoolean(value: Maybe): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The strings of an array, others passed over. */
export function stringsIn(value: Maybe): readonly string[] {
  return asArray(value).filter((item): item is string => typeof item === 'string');
}

/** The string entries of a map, others passed over. */
export function stringEntries(value: Maybe): readonly (readonly [string, string])[] {
  return Object.entries(asObject(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** The objects of the array at `path`, each with its own pointer; items of another shape are passed over. */
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
