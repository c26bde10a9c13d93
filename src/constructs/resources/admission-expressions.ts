/**
 * CEL expressions of admission policies that let a client change some entries of an object's metadata and no others.
 */

/** A CEL literal of a string or of a list of strings. */
export function celLiteral(value: string | readonly string[]): string {
  return JSON.stringify(value);
}

/** The labels or annotations of `object` or `oldObject`, empty where it has none. */
export function entriesOf(object: string, field: 'labels' | 'annotations'): string {
  return `(has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {})`;
}

/** Whether an update leaves all labels or annotations as they are, except those with the given keys. */
export function changesOnly(field: 'labels' | 'annotations', keys: readonly string[]): string {
  const same = (a: string, b: string): string =>
    `${entriesOf(a, field)}.all(key, key in ${celLiteral(keys)} || ` +
    `(key in ${entriesOf(b, field)} && ${entriesOf(b, field)}[key] == ${entriesOf(a, field)}[key]))`;
  return `${same('object', 'oldObject')} && ${same('oldObject', 'object')}`;
}
