/**
 * Values of other people's files, as sentences show them: cut, because a value may be a line of megabytes.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';

const LONGEST_SHOWN = 80;
const MOST_OUTLINED = 20;

/** A value as findings show it: scalars whole, texts cut, containers by what they are. */
export function shortened(value: JsonValue): JsonValue {
  if (typeof value === 'string') {
    return value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value;
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  if (JSON.stringify(value).length <= LONGEST_SHOWN) {
    return value;
  }
  const outline = Object.keys(value).length > MOST_OUTLINED ? undefined : outlineOf(value);
  if (outline !== undefined && JSON.stringify(outline).length <= LONGEST_SHOWN) {
    return outline;
  }
  return Array.isArray(value)
    ? `a list of ${value.length} ${value.length === 1 ? 'item' : 'items'}`
    : `an object with ${Object.keys(value).slice(0, 4).join(', ')}…`;
}

/** The members of a value without their own members. */
function outlineOf(value: JsonObject | readonly JsonValue[]): JsonValue {
  return Array.isArray(value)
    ? value.map(outlined)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, outlined(member)]));
}

function outlined(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) {
    return shortened(value);
  }
  return Array.isArray(value) ? '[…]' : '{…}';
}

/** A value inside a sentence. */
export function quoted(value: JsonValue): string {
  return JSON.stringify(shortened(value));
}
