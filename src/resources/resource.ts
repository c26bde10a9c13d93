/**
 * The thin L1: a Kubernetes object of any kind as a construct, typed by its kind and checked whenever its app is synthesised.
 */
import { ApiObject, type ApiObjectMetadata } from 'cdk8s';
import { type Construct } from 'constructs';
import { type ResourceKind } from '../api/resource-kind';
import { checkOnSynth } from './on-synth';

/** What one writes of an object: everything but its kind, which is named beside it, and its status, which the cluster writes. */
export type ResourceProps<T> = Omit<T, 'apiVersion' | 'kind' | 'status' | 'metadata'> & { readonly metadata?: ApiObjectMetadata };

/**
 * A Kubernetes object of the kind `T`.
 *
 * Whatever is given, and whatever is patched in later with `addJsonPatch`, is written as it stands: nothing that the types do not know
 * is dropped, and an unknown field is reported by the check.
 *
 * @example
 * new Resource(chart, 'queue', Queue, { spec: { weight: 4 } });
 */
export class Resource<T> extends ApiObject {
  constructor(scope: Construct, id: string, kind: ResourceKind<T>, props: ResourceProps<T>) {
    super(scope, id, { ...props, apiVersion: kind.apiVersion, kind: kind.kind });
    checkOnSynth(this);
  }
}
