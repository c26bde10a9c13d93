/**
 * One pod as the API server knows it: by its uid, so that a new pod of the same name is never taken for it.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';

export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface PlacedPod extends PodRef {
  readonly node: string;
  readonly devices: readonly number[];
}

export function podRefOf(pod: JsonObject): PodRef {
  const { namespace, name, uid } = asObject(pod.metadata);
  return { namespace: asString(namespace) ?? 'default', name: asString(name) ?? '', uid: asString(uid) ?? '' };
}

export function podPath({ namespace, name }: PodRef): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

/** What becomes of a pod that was to be placed. */
export type PlacingOutcome =
  | { readonly kind: 'done' }
  /** The pod was deleted, or replaced by another pod with the same name. */
  | { readonly kind: 'gone' }
  /** Another client has placed it on this node, or has removed its gate without a node: `''`. */
  | { readonly kind: 'elsewhere'; readonly node: string }
  /** The server will not have it. */
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  /** This replica does not decide any more; whether the pod was placed is for its successor to find out. */
  | { readonly kind: 'abandoned' }
  /** The server took no request in all the time there was. */
  | { readonly kind: 'unanswered'; readonly message: string }
  /** A request got no answer, and no read has shown its outcome yet: the pod may have its place. */
  | { readonly kind: 'unknown'; readonly message: string };
