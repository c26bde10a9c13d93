/**
 * Readers that see JSON as the API server's decoder does: null is the same as absent, and an absent value is its type's zero.
 *
 * A value of the wrong type reads as absent too, since strict decoding (the schema check) reports it.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { valueAt } from '../../manifests/pointer';
import { isObject } from '../../manifests/read';
import { parseQuantity, type Quantity } from '../../manifests/values/quantity';

type Maybe = JsonValue | undefined;

const NONE: readonly never[] = [];

/** A JSON object with its JSON pointer. */
export interface Placed {
  readonly value: JsonObject;
  readonly path: string;
  readonly index: number;
}

/** Whether the decoder would see a value: neither absent nor null. */
export function given(value: Maybe): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null;
}

/** The string; empty where there is none. */
export function text(value: Maybe): string {
  return typeof value === 'string' ? value : '';
}

/** The whole number; `undefined` where there is none. */
export function whole(value: Maybe): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** The objects of a list; a null item is an object with nothing in it. */
export function items(root: Maybe, path: string): readonly Placed[] {
  return itemsOf(path === '' ? root : valueAt(root, path), path);
}

/** Like {@link items}, with pointers that begin with `base`. */
export function itemsOf(list: Maybe, base: string): readonly Placed[] {
  if (!Array.isArray(list) || list.length === 0) {
    return NONE;
  }
  const placed: Placed[] = [];
  for (const [index, item] of list.entries()) {
    if (item === null || isObject(item)) {
      placed.push({ value: item ?? {}, path: `${base}/${index}`, index });
    }
  }
  return placed;
}

/** The strings of a list with their pointers; null is the empty string. */
export function textsOf(
  list: Maybe,
  base: string,
): readonly { readonly value: string; readonly path: string; readonly index: number }[] {
  if (!Array.isArray(list) || list.length === 0) {
    return NONE;
  }
  const texts: { value: string; path: string; index: number }[] = [];
  for (const [index, item] of list.entries()) {
    if (typeof item === 'string' || item === null) {
      texts.push({ value: item ?? '', path: `${base}/${index}`, index });
    }
  }
  return texts;
}

/** The quantities of a resource list, without those that do not parse. */
export function quantitiesOf(list: Maybe): ReadonlyMap<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  if (!isObject(list)) {
    return amounts;
  }
  for (const [name, value] of Object.entries(list)) {
    // A null quantity decodes to zero.
    const quantity =
      value === null
        ? parseQuantity(0)
        : typeof value === 'string' || typeof value === 'number'
          ? parseQuantity(value)
          : undefined;
    if (quantity !== undefined) {
      amounts.set(name, quantity);
    }
  }
  return amounts;
}

/** How many items a list has, how many entries a map. */
export function size(value: Maybe): number {
  if (Array.isArray(value)) {
    return value.length;
  }
  return isObject(value) ? Object.keys(value).length : 0;
}
