/**
 * The patches that the scheduler sends, applied as the API server applies them.
 */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { asArray, asObject, asString, isObject } from '../../../src/manifests/read';

/** A `test` of a JSON patch does not hold. */
export class PatchTestFailed extends Error {}

export function applyPatch(object: JsonObject, patch: JsonValue, contentType: string): JsonObject {
  switch (contentType) {
    case 'application/json-patch+json':
      return asArray(patch).map(asObject).reduce(applyOperation, structuredClone(object));
    case 'application/strategic-merge-patch+json':
      return merged(object, asObject(patch), true);
    default:
      return merged(object, asObject(patch), false);
  }
}

function merged(into: JsonObject, patch: JsonObject, strategic: boolean): JsonObject {
  const result: Record<string, JsonValue | undefined> = { ...into };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
    } else if (isObject(value)) {
      result[key] = merged(asObject(result[key]), value, strategic);
    } else if (strategic && key === 'conditions') {
      result[key] = mergedConditions(asArray(result[key]), asArray(value));
    } else {
      result[key] = value;
    }
  }
  return result as JsonObject;
}

/** Conditions are a map by type. */
function mergedConditions(known: readonly JsonValue[], patch: readonly JsonValue[]): JsonValue {
  const types = new Set(patch.map((one) => asString(asObject(one).type)));
  return [...known.filter((one) => !types.has(asString(asObject(one).type))), ...patch];
}

function applyOperation(object: JsonObject, { op, path, value }: JsonObject): JsonObject {
  const keys = (asString(path) ?? '')
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop()!;
  let at = object as Record<string, JsonValue | undefined>;
  for (const key of keys) {
    if (!isObject(at[key])) {
      throw new PatchTestFailed(`${asString(path)}: no such parent`);
    }
    at = at[key];
  }
  if (op === 'test' && JSON.stringify(sorted(at[last])) !== JSON.stringify(sorted(value))) {
    throw new PatchTestFailed(`testing value ${asString(path)} failed`);
  }
  if (op === 'remove') {
    delete at[last];
  } else if (op !== 'test') {
    at[last] = value;
  }
  return object;
}

function sorted(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.map((one: JsonValue) => sorted(one) as JsonValue);
  }
  return isObject(value)
    ? (Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, sorted(value[key])]),
      ) as JsonObject)
    : value;
}
