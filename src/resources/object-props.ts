/**
 * What every construct of this folder is told of its object, and how it depends on what it refers to.
 */
import { type ApiObjectMetadata, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type NamedReference, nameOf } from '../pods/references';

export interface ClusterObjectProps {
  /** @default - the construct's id */
  readonly name?: string;
  /** @default - those of the chart */
  readonly labels?: Readonly<Record<string, string>>;
  /** @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface NamespacedObjectProps extends ClusterObjectProps {
  /** A Namespace, or its name. @default - the chart's namespace */
  readonly namespace?: NamedReference;
}

/** cdk8s gives every object the namespace of its chart; one that turns out to be none keeps it away from cluster-scoped kinds. */
export function clusterMetadata(id: string, props: ClusterObjectProps): ApiObjectMetadata {
  return {
    name: props.name ?? id,
    labels: { ...props.labels },
    annotations: { ...props.annotations },
    namespace: Lazy.any({ produce: () => undefined }) as string,
  };
}

export function namespacedMetadata(id: string, props: NamespacedObjectProps): ApiObjectMetadata {
  return {
    name: props.name ?? id,
    labels: { ...props.labels },
    annotations: { ...props.annotations },
    ...(props.namespace === undefined ? {} : { namespace: nameOf(props.namespace) }),
  };
}

/**
 * Lets a construct come after whatever of these is a construct too; names and values of the cluster are passed over.
 *
 * Where a reference shows its own object (`resource`), that is what is waited for: a queue's children stand in the queue's scope,
 * and must not have to come before what they depend on.
 */
export function dependOn(construct: Construct, ...references: readonly (object | string | undefined)[]): void {
  for (const reference of references) {
    if (typeof reference !== 'object') continue;
    const own = 'resource' in reference ? reference.resource : undefined;
    if (Construct.isConstruct(own)) construct.node.addDependency(own);
    else if (Construct.isConstruct(reference)) construct.node.addDependency(reference);
  }
}
