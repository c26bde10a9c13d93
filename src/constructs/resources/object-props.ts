/**
 * What every construct is told of the object that it makes, and the metadata that follows.
 */
import { type ApiObjectMetadata } from 'cdk8s';
import { type NamedReference, nameOf } from './references';

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
  readonly namespace?: NamedReference<'Namespace'>;
}

export function clusterMetadata(id: string, props: ClusterObjectProps): ApiObjectMetadata {
  return {
    name: props.name ?? id,
    labels: { ...props.labels },
    annotations: { ...props.annotations },
  };
}

export function namespacedMetadata(id: string, props: NamespacedObjectProps): ApiObjectMetadata {
  return {
    ...clusterMetadata(id, props),
    ...(props.namespace === undefined ? {} : { namespace: nameOf(props.namespace) }),
  };
}
