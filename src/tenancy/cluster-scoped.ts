/**
 * Metadata of objects that stand in no namespace, also where their chart has one.
 */
import { type ApiObjectMetadata, Lazy } from 'cdk8s';

/**
 * cdk8s gives every object the namespace of its chart, and the server refuses one on cluster-scoped kinds. A namespace that turns out
 * to be none at synthesis keeps the chart's away and is not written.
 */
export function clusterScoped(metadata: ApiObjectMetadata): ApiObjectMetadata {
  return { ...metadata, namespace: Lazy.any({ produce: () => undefined }) as string };
}
