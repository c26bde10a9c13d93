/**
 * Items by key, in the order in which they come. Files may contain any number of equal keys, so a group is extended in place.
 */

/** The items of each key. */
export function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    addTo(groups, keyOf(item), item);
  }
  return groups;
}

/** Adds an item to the group of a key. */
export function addTo<K, T>(groups: Map<K, T[]>, key: K, item: T): void {
  const group = groups.get(key);
  if (group === undefined) {
    groups.set(key, [item]);
  } else {
    group.push(item);
  }
}

/**
 * A list that is filled by small numbers in any order. V8 keeps lists of numbers, of objects, and with holes apart, and compiles code for those
 * that it has seen; this one is of the most general kind from the beginning, so that code for one such list holds for all of them.
 */
export function listById<T>(): (T | undefined)[] {
  return new Array<T | undefined>(8).fill(undefined);
}

/** Appends a list of any length; `push(...items)` fails on about 120,000 items. */
export function addAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) {
    list.push(item);
  }
}
