/**
 * Kueue's objects as rules look at them: quotas of a cluster queue, the way from a workload to its cluster queue.
 */
import { type JsonObject } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { type ManifestSet } from '../../manifests/manifest-set';
import { type PodTemplate } from '../../manifests/pods/pod-template';
import { parseQuantity, type Quantity } from '../../manifests/values/quantity';
import { asInteger, asObject, asString, objectsAt, stringsIn } from '../../manifests/read';
import { CLUSTER_QUEUE, LOCAL_QUEUE, MANAGED_KINDS, QUEUE_LABEL } from './kueue-facts';

export interface QuotaView {
  readonly resource: string;
  readonly path: string;
  readonly nominal: Quantity | undefined;
  readonly borrowing: Quantity | undefined;
  readonly lending: Quantity | undefined;
}

export interface FlavorView {
  readonly name: string;
  readonly path: string;
  readonly quotas: readonly QuotaView[];
}

export interface GroupView {
  readonly path: string;
  readonly covered: readonly string[];
  readonly flavors: readonly FlavorView[];
}

/** The resource groups of a ClusterQueue or a Cohort. */
export function groupsOf({ object }: Manifest): readonly GroupView[] {
  return objectsAt(object, '/spec/resourceGroups').map(({ value, path }) => ({
    path,
    covered: stringsIn(value.coveredResources),
    flavors: objectsAt(object, `${path}/flavors`).map((flavor) => ({
      name: asString(flavor.value.name) ?? '',
      path: flavor.path,
      quotas: objectsAt(object, `${flavor.path}/resources`).map((quota) => ({
        resource: asString(quota.value.name) ?? '',
        path: quota.path,
        nominal: amount(quota.value, 'nominalQuota'),
        borrowing: amount(quota.value, 'borrowingLimit'),
        lending: amount(quota.value, 'lendingLimit'),
      })),
    })),
  }));
}

function amount(value: JsonObject, field: string): Quantity | undefined {
  const found = value[field];
  return typeof found === 'string' || typeof found === 'number' ? parseQuantity(found) : undefined;
}

/** The cohort that a cluster queue is in, or a cohort's parent; `undefined` for none. In `v1beta1` the field was called `cohort`. */
export function parentOf({ object, id }: Manifest): string | undefined {
  const spec = asObject(object.spec);
  const name = id.kind === 'Cohort' ? spec.parentName : (spec.cohortName ?? spec.cohort);
  return asString(name) || undefined;
}

export function flavorNames(queue: Manifest): readonly string[] {
  return groupsOf(queue).flatMap(({ flavors }) => flavors.map(({ name }) => name));
}

/** The label by which a workload names its local queue; `undefined` where it names none. */
export function queueNameOf({ object }: Manifest): string | undefined {
  return asString(asObject(asObject(object.metadata).labels)[QUEUE_LABEL]) || undefined;
}

export function isManaged({ id }: Manifest): boolean {
  return MANAGED_KINDS.has(`${id.apiVersion} ${id.kind}`);
}

export interface QueueOfWorkload {
  readonly localQueue: Manifest;
  /** Absent where it is not among the manifests. */
  readonly clusterQueue?: Manifest;
}

/** Where a workload goes, as far as the set knows. */
export function queueOfWorkload(set: ManifestSet, workload: Manifest): QueueOfWorkload | undefined {
  const name = isManaged(workload) ? queueNameOf(workload) : undefined;
  const localQueue = name === undefined ? undefined : set.get(LOCAL_QUEUE, name, workload.id.namespace);
  if (localQueue === undefined) {
    return undefined;
  }
  const clusterQueue = set.get(CLUSTER_QUEUE, asString(asObject(localQueue.object.spec).clusterQueue) ?? '');
  return { localQueue, clusterQueue };
}

/**
 * Pods of a template in one Workload. Kueue makes one Workload of each replica of a LeaderWorkerSet, and one of any other kind.
 */
export function podsPerWorkload({ manifest, count }: PodTemplate): number | undefined {
  if (count === undefined || manifest.id.kind !== 'LeaderWorkerSet') {
    return count;
  }
  const replicas = asInteger(asObject(manifest.object.spec).replicas) ?? 1;
  return replicas > 0 ? count / replicas : 0;
}
