/**
 * Names as a message lists them.
 */

/** `"a", "b", and 3 others`: the names in quotes, without empty ones; empty where there are none. */
export function quotedNames(names: Iterable<string>, most = 6): string {
  const known = [...new Set(names)].filter((name) => name !== '').map((name) => `"${name}"`);
  return known.length > most
    ? `${known.slice(0, most - 1).join(', ')}, and ${known.length - most + 1} others`
    : known.join(', ');
}
