/**
 * Namespace: the room of a team.
 */
import { Construct } from 'constructs';
import { type ObjectMeta } from '../../facts/api/types/meta/v1';
import { Namespace as NamespaceKind } from '../../facts/api/types/core/v1';
import { Resource } from '../resources/resource';

/** Whatever names a namespace: a `Namespace` of Gantry, one of cdk8s-plus, or `Namespace.fromName(…)` for one of the cluster. */
export interface INamespace {
  /** Name of the namespace. */
  readonly name: string;
}

/** Props of a Namespace. */
export interface NamespaceProps {
  /** Name of the Namespace. @default - the construct's id */
  readonly name?: string;
  /** Labels of the Namespace. @default - none */
  readonly labels?: ObjectMeta['labels'];
  /** Annotations of the Namespace. @default - none */
  readonly annotations?: ObjectMeta['annotations'];
}

/**
 * A Namespace that the app creates.
 *
 * @example new Namespace(chart, 'research', { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } });
 */
export class Namespace extends Construct implements INamespace {
  /** A namespace that exists in the cluster. */
  static fromName(name: string): INamespace {
    return { name };
  }

  /** Name of the Namespace. */
  readonly name: string;

  constructor(scope: Construct, id: string, props: NamespaceProps = {}) {
    super(scope, id);
    this.name = props.name ?? id;
    const metadata = { name: this.name, labels: props.labels, annotations: props.annotations };
    new Resource(this, 'Resource', NamespaceKind, { metadata });
  }
}

/** Lets an object come after the namespace that it goes to, where that one is made in the same app. */
export function dependOnNamespace(construct: Construct, namespace: INamespace | undefined): void {
  if (Construct.isConstruct(namespace)) {
    construct.node.addDependency(namespace);
  }
}
