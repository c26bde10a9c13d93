/**
 * Namespace: the room of a team.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type ObjectMeta } from '../../facts/api/types/meta/v1';
import { Namespace as NamespaceKind } from '../../facts/api/types/core/v1';
import { type NamedReference, nameOf, type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';

/** Whatever names a namespace: a `Namespace` of Gantry, one of cdk8s-plus, or `Namespace.fromName(…)` for one of the cluster. */
export interface NamespaceReference extends ObjectReference<'Namespace'> {}

export interface NamespaceProps {
  /** @default - the construct's id */
  readonly name?: string;
  /** @default - none */
  readonly labels?: ObjectMeta['labels'];
  /** @default - none */
  readonly annotations?: ObjectMeta['annotations'];
}

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
    const metadata = { name: this.name, labels: props.labels, annotations: props.annotations };
    this.resource = new Resource(this, 'Resource', NamespaceKind, { metadata });
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
