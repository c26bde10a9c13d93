/**
 * The order in which a cluster takes a set of manifests.
 *
 * Webhooks look at what is already there: Volcano refuses a child queue without its parent and a job without its queue, Kubernetes
 * an object without its namespace. Two things decide, in this order: what an object names comes before it, and kinds that others
 * depend on come first even if no field names them (a quota before the pods it limits).
 */
import { kindKey } from './identity';
import { type Manifest } from './manifest';
import { type Reference } from './references/references';

/** Kinds that come before all that is not listed, first to last. */
const FIRST = [
  'Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'scheduling.k8s.io/PriorityClass',
  'node.k8s.io/RuntimeClass',
  'storage.k8s.io/StorageClass',
  'resource.k8s.io/DeviceClass',
  'kueue.x-k8s.io/WorkloadPriorityClass',
  'ResourceQuota',
  'LimitRange',
  'ServiceAccount',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'rbac.authorization.k8s.io/RoleBinding',
  'ConfigMap',
  'Secret',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'topology.volcano.sh/HyperNode',
  'scheduling.volcano.sh/Queue',
  'scheduling.run.ai/Queue',
  'kueue.x-k8s.io/Topology',
  'kueue.x-k8s.io/ResourceFlavor',
  'kueue.x-k8s.io/AdmissionCheck',
  'kueue.x-k8s.io/Cohort',
  'kueue.x-k8s.io/ClusterQueue',
  'kueue.x-k8s.io/LocalQueue',
  'k8s.cni.cncf.io/NetworkAttachmentDefinition',
  'resource.k8s.io/ResourceClaimTemplate',
  'resource.k8s.io/ResourceClaim',
  'keda.sh/ClusterTriggerAuthentication',
  'keda.sh/TriggerAuthentication',
  'trainer.kubeflow.org/ClusterTrainingRuntime',
  'trainer.kubeflow.org/TrainingRuntime',
  'flow.volcano.sh/JobTemplate',
  'PodTemplate',
  'scheduling.volcano.sh/PodGroup',
  'Service',
] as const;

/** Kinds that come after all that is not listed: what watches or scales others, and what intercepts every request. */
const LAST = [
  'keda.sh/ScaledObject',
  'autoscaling/HorizontalPodAutoscaler',
  'networking.k8s.io/Ingress',
  'monitoring.coreos.com/ServiceMonitor',
  'monitoring.coreos.com/PodMonitor',
  'monitoring.coreos.com/PrometheusRule',
  'apiregistration.k8s.io/APIService',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
] as const;

const RANKS = new Map<string, number>([
  ...FIRST.map((kind, index) => [kind, index - FIRST.length] as const),
  ...LAST.map((kind, index) => [kind, index + 1] as const),
]);

interface Orderable {
  readonly manifests: readonly Manifest[];
  referencesFrom(manifest: Manifest): readonly Reference[];
  resolve(reference: Reference): Manifest | undefined;
}

/**
 * A depth-first walk over the manifests by rank: each is preceded by what it names. A circle of names is cut where it is entered.
 * Time grows with the number of manifests and references (and the sort by rank).
 */
export function applyOrder(set: Orderable): readonly Manifest[] {
  const byRank = set.manifests
    .map((manifest, index) => ({ manifest, index, rank: RANKS.get(kindKey(manifest.id)) ?? 0 }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const ordered = new Set<Manifest>();
  const entered = new Set<Manifest>();
  const visit = (manifest: Manifest): void => {
    if (entered.has(manifest)) {
      return;
    }
    entered.add(manifest);
    for (const reference of set.referencesFrom(manifest)) {
      const target = set.resolve(reference);
      if (target !== undefined) {
        visit(target);
      }
    }
    ordered.add(manifest);
  };
  for (const { manifest } of byRank) {
    visit(manifest);
  }
  return [...ordered];
}
