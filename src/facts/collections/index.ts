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

/** Appends a list of any length; `push(...items)` fails on about 120,000 items. */
export function addAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) {
    list.push(item);
  }
}
