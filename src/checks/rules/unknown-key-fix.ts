/**
 * What to do about a key of an embedded configuration that its reader does not know.
 */

/** @param at where the mapping with the key is; empty at the top level */
export interface UnknownKey {
  readonly key: string;
  readonly at: string;
  /** The known key that it resembles. */
  readonly near?: string | undefined;
  /** Where the reader knows a key of this name. */
  readonly place?: string | undefined;
}

/** `Rename the key "mig-enable" in mig-configs.all[0] to mig-enabled.`, `Move the key "plugin" to flags, or remove it.` */
export function unknownKeyFix({ key, at, near, place }: UnknownKey): string {
  const named = `the key ${JSON.stringify(key)}`;
  if (near !== undefined) {
    return `Rename ${named}${at === '' ? '' : ` in ${at}`} to ${near}.`;
  }
  const from = at === '' ? '' : ` from ${at}`;
  return place === undefined || place === at
    ? `Remove ${named}${from}.`
    : `Move ${named}${from} to ${place}, or remove it.`;
}

/**
 * Where each key belongs that is known in one place alone.
 *
 * @param places the keys of each place
 */
export function placesByKey(places: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const several = new Set<string>();
  for (const [place, keys] of Object.entries(places)) {
    for (const key of keys) {
      if (Object.hasOwn(found, key)) {
        several.add(key);
      }
      found[key] = place;
    }
  }
  return Object.fromEntries(Object.entries(found).filter(([key]) => !several.has(key)));
}
