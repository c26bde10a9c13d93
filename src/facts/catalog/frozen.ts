/**
 * Freezes plain data all the way down, so that shared facts cannot be changed.
 */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) {
    return value;
  }
  Object.freeze(value);
  Object.values(value).forEach(frozen);
  return value;
}
