/**
 * CEL expressions of admission policies that let a client change some parts of an object and no others.
 */
import { type Validation } from '../../facts/api/types/admissionregistration.k8s.io/v1';

/** Members of a Node's metadata by which other controllers act on it. */
export const NODE_METADATA = ['metadata.finalizers', 'metadata.ownerReferences'];

/** All members of a Node's status but the conditions: what the kubelet reports. */
export const NODE_STATUS = [
  'addresses',
  'allocatable',
  'capacity',
  'config',
  'daemonEndpoints',
  'declaredFeatures',
  'features',
  'images',
  'nodeInfo',
  'phase',
  'runtimeHandlers',
  'volumesAttached',
  'volumesInUse',
].map((name) => `status.${name}`);

/** A validation that forbids what the expression does not allow. */
export function forbidden(expression: string, message: string): Validation {
  return { expression, message, reason: 'Forbidden' };
}

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

/** The list at a path of `object` or `oldObject`, empty where it has none. */
export function listOf(object: string, path: string): string {
  return `(has(${object}.${path}) ? ${object}.${path} : [])`;
}

/** Whether an update leaves the member at a path as it is. */
export function unchanged(path: string): string {
  return `has(object.${path}) == has(oldObject.${path}) && (!has(object.${path}) || object.${path} == oldObject.${path})`;
}

/** Whether an update leaves the members at all of these paths as they are. */
export function allUnchanged(paths: readonly string[]): string {
  return paths.map(unchanged).join(' && ');
}

/**
 * Whether an update leaves the items of a list as they are, except those that the client may change.
 *
 * @param own a condition on `one`, an item
 */
export function otherItemsUnchanged(path: string, own: string): string {
  const same = (a: string, b: string): string =>
    `${listOf(a, path)}.all(one, ${own} || ${listOf(b, path)}.exists(other, other == one))`;
  return `${same('object', 'oldObject')} && ${same('oldObject', 'object')}`;
}
