/**
 * What gangs are called where people read.
 */

/** The short name wherever it is the only one, and not the key of another gang; else the key, which is unique. */
export function displayNames(
  gangs: readonly { readonly key: string; readonly name: string }[],
): ReadonlyMap<string, string> {
  const times = new Map<string, number>();
  for (const { name } of gangs) {
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  const keys = new Set(gangs.map(({ key }) => key));
  return new Map(gangs.map(({ key, name }) => [key, times.get(name) === 1 && !keys.has(name) ? name : key]));
}
