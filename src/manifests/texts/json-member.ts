/**
 * Setting a member of a JSON object whose keys come from a text.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';

/** Plain assignment would take the key `__proto__` for the object's prototype, and lose the value. */
export function setMember(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

export function hasMember(object: JsonObject, key: string): boolean {
  return Object.prototype.hasOwnProperty.call(object, key);
}
