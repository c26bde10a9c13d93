/**
 * Lists that are sets or keyed: they are equal in any order of their items.
 */
const unordered = new WeakSet<object>();

export function markUnordered(list: object): void {
  unordered.add(list);
}

export function isUnordered(list: object): boolean {
  return unordered.has(list);
}
