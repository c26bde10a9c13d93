/**
 * Namespace: the room of a team.
 */
import { Construct } from 'constructs';
import { Namespace as NamespaceKind } from '../../facts/api/types/core/v1';
import { type NamedReference, nameOf, type ObjectReference } from '../resources/references';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** Whatever names a namespace: a `Namespace` of Gantry, one of cdk8s-plus, or `Namespace.fromName(…)` for one of the cluster. */
export type NamespaceReference = ObjectReference<'Namespace'>;

/** Props of a Namespace. */
export interface NamespaceProps extends ClusterObjectProps, Overridable<NamespaceKind> {}

/**
 * A Namespace that the app creates.
 *
 * @example
 * new Namespace(chart, 'research', { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } });
 */
@publicClass('Namespace')
export class Namespace extends Construct implements NamespaceReference {
  /** A namespace that exists in the cluster. */
  static fromName(name: string): NamespaceReference {
    return { kind: 'Namespace', name };
  }

  /** Always `Namespace`, the kind that references carry. */
  readonly kind = 'Namespace';
  /** Name of the Namespace. */
  readonly name: string;
  /** The Namespace object. */
  readonly resource: Resource<NamespaceKind>;

  constructor(scope: Construct, id: string, props: NamespaceProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      NamespaceKind,
      // Not written without overrides, which are merged into it.
      { metadata: clusterMetadata(id, props), spec: undefined },
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
