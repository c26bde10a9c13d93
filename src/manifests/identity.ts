/**
 * Who a manifest is.
 */
import { type JsonObject } from '../facts/api/schema';
import { type ObjectId } from './manifest';
import { asObject, asString } from './read';

/** The id of an object; empty strings where it names nothing. */
export function idOf(object: JsonObject): ObjectId {
  const apiVersion = asString(object.apiVersion) ?? '';
  const metadata = asObject(object.metadata);
  const slash = apiVersion.indexOf('/');
  return {
    apiVersion,
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    kind: asString(object.kind) ?? '',
    namespace: asString(metadata.namespace) ?? '',
    name: asString(metadata.name) ?? '',
  };
}

/**
 * Whether two objects may be in one namespace. An unset namespace is whichever one the manifest is applied to, so it differs from no other.
 */
export function mayShareNamespace(one: string, other: string): boolean {
  return one === other || one === '' || other === '';
}

/** `group/Kind`, or `Kind` alone for the core group: a kind in any of its versions. */
export function kindKey(id: Pick<ObjectId, 'group' | 'kind'>): string {
  return id.group === '' ? id.kind : `${id.group}/${id.kind}`;
}
