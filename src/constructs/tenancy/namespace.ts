/**
 * Namespace: the room of a team.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { Namespace as NamespaceKind } from '../../facts/api/types/core/v1';
import { type NamedReference, nameOf, type ObjectReference } from '../resources/references';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';

/** Whatever names a namespace: a `Namespace` of Gantry, one of cdk8s-plus, or `Namespace.fromName(…)` for one of the cluster. */
export type NamespaceReference = ObjectReference<'Namespace'>;

export interface NamespaceProps extends ClusterObjectProps, Overridable<NamespaceKind> {}

/** @example new Namespace(chart, 'research', { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } }); */
export class Namespace extends Construct implements NamespaceReference {
  /** A namespace that exists in the cluster. */
  static fromName(name: string): NamespaceReference {
    return { kind: 'Namespace', name };
  }

  readonly kind = 'Namespace';
  readonly name: string;
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: NamespaceProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      NamespaceKind,
      { metadata: clusterMetadata(id, props) },
      props.overrides,
    );
  }
}

/**
 * A namespace that was given as a name, a construct of this library or of cdk8s-plus, as one form.
 *
 * @throws if it is an object of another kind
 */
export function namespaceReference(namespace: NamedReference<'Namespace'>): NamespaceReference {
  const name = nameOf(namespace, 'Namespace');
  return typeof namespace === 'string' ? Namespace.fromName(name) : (namespace as NamespaceReference);
}
