/**
 * The props that every construct has for its object, and the metadata that follows from them.
 */
import { type ApiObjectMetadata } from 'cdk8s';
import { type CarriedMap, membersOf } from '../../manifests/values/deferred';
import { type OpenPartial } from './merge';
import { type NamedReference, nameOf } from './references';

/** Props of every construct whose object is cluster-scoped. */
export interface ClusterObjectProps {
  /** Name of the object in the cluster. @default - the construct's id */
  readonly name?: string;
  /** Labels of the object. @default - those of the chart */
  readonly labels?: CarriedMap<string>;
  /** Annotations of the object. @default - none */
  readonly annotations?: CarriedMap<string>;
}

/** Props of every construct whose object has a namespace. */
export interface NamespacedObjectProps extends ClusterObjectProps {
  /** A Namespace, or its name. @default - the chart's namespace */
  readonly namespace?: NamedReference<'Namespace'>;
}

/** What `overrides` of a kind changes: the spec, or all but the metadata where the kind has none. */
export type OverridablePart<T> = T extends { readonly spec?: infer Spec }
  ? NonNullable<Spec>
  : Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'>;

/** The escape hatch that every construct of an object has. */
export interface Overridable<T> {
  /**
   * Fields of the object's spec without a property, or that must differ from what the properties render: objects are
   * merged member by member, lists by the key that Kubernetes merges them by. For a kind without a spec, fields of the object itself. An
   * unknown field is written, and reported by the checks.
   * @default - none
   */
  readonly overrides?: OpenPartial<OverridablePart<T>>;
}

export function clusterMetadata(id: string, props: ClusterObjectProps): ApiObjectMetadata {
  return {
    name: props.name ?? id,
    labels: copied('labels', props.labels),
    annotations: copied('annotations', props.annotations),
  };
}

export function namespacedMetadata(id: string, props: NamespacedObjectProps): ApiObjectMetadata {
  return {
    ...clusterMetadata(id, props),
    ...(props.namespace === undefined ? {} : { namespace: nameOf(props.namespace, 'Namespace') }),
  };
}

/** A whole map that is an Output is copied with its members, and recognized by them when the object is rendered, as cdk8s copies it too. */
export function copied(prop: string, map: CarriedMap<string> | undefined): Record<string, string> {
  return { ...membersOf(prop, map) };
}
