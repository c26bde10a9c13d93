/**
 * The workloads of a manifest set: for every kind that makes pods, which gangs it asks for.
 *
 * One table, so that a kind is either in it or said not to be placed.
 */
import { kindKey } from '../../../manifests/identity';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asArray, asObject } from '../../../manifests/read';
import { type TierResolver } from '../objects/topologies';
import { jobSet, trainJob } from './job-set';
import { operatorJob } from './kubeflow';
import { disaggregatedSet, leaderWorkerSet } from './leader-worker';
import { job, knativeService, kueueWorkload, replicas } from './plain';
import { provisioningRequest } from './provisioning-request';
import { ray } from './ray';
import { jobFlow, volcanoJob } from './volcano';
import { type NotPlaced, rolesOf, type Workload, type WorkloadsOf } from './workload';

interface Context {
  readonly set: ManifestSet;
  readonly tiers: TierResolver | undefined;
}

type Reader = (manifest: Manifest, templates: readonly PodTemplate[], context: Context) => WorkloadsOf;

const later =
  (why: string): Reader =>
  (manifest) => [{ manifest, why }];
const together: Reader = (manifest, templates) => [{ manifest, roles: rolesOf(templates), together: true, hints: {} }];
/** Templates that other objects use. */
const nothing: Reader = () => [];

const READERS: Readonly<Record<string, Reader>> = {
  Pod: replicas,
  ReplicationController: replicas,
  'apps/ReplicaSet': replicas,
  'apps/Deployment': replicas,
  'apps/StatefulSet': replicas,
  'batch/Job': job,
  'batch/CronJob': later('starts on a schedule'),
  'batch.volcano.sh/Job': (manifest, templates, { tiers }) => volcanoJob(manifest, templates, tiers),
  'batch.volcano.sh/CronJob': later('starts on a schedule'),
  'flow.volcano.sh/JobFlow': (manifest, _, { set, tiers }) => jobFlow(manifest, set, tiers),
  'kubeflow.org/PyTorchJob': operatorJob,
  'kubeflow.org/TFJob': operatorJob,
  'kubeflow.org/XGBoostJob': operatorJob,
  'kubeflow.org/PaddleJob': operatorJob,
  'kubeflow.org/JAXJob': operatorJob,
  'kubeflow.org/MPIJob': operatorJob,
  'mindxdl.gitee.com/AscendJob': operatorJob,
  'trainer.kubeflow.org/TrainJob': (manifest, _, { set, tiers }) => trainJob(manifest, set, tiers),
  'jobset.x-k8s.io/JobSet': (manifest) => jobSet(manifest),
  'leaderworkerset.x-k8s.io/LeaderWorkerSet': (manifest) => leaderWorkerSet(manifest),
  'disaggregatedset.x-k8s.io/DisaggregatedSet': (manifest) => disaggregatedSet(manifest),
  'ray.io/RayCluster': ray,
  'ray.io/RayJob': ray,
  'ray.io/RayService': ray,
  'ray.io/RayCronJob': later('starts on a schedule'),
  'serving.knative.dev/Service': knativeService,
  'serving.knative.dev/Configuration': knativeService,
  'serving.knative.dev/Revision': knativeService,
  'keda.sh/ScaledJob': later('starts when its triggers fire'),
  'kueue.x-k8s.io/Workload': kueueWorkload,
  'autoscaling.x-k8s.io/ProvisioningRequest': (manifest, _, { set }) => provisioningRequest(manifest, set),
  'mindcluster.huawei.com/InferService': together,
  'mindcluster.huawei.com/InferServiceSet': later('creates InferServices whose number is not known'),
  'mindcluster.huawei.com/InstanceSet': together,
  'apps/DaemonSet': nothing,
  PodTemplate: nothing,
  'flow.volcano.sh/JobTemplate': nothing,
  'trainer.kubeflow.org/TrainingRuntime': nothing,
  'trainer.kubeflow.org/ClusterTrainingRuntime': nothing,
};

/** Kinds that the table knows, as `group/Kind`: every kind that holds pod templates is among them. */
export const READ_KINDS: readonly string[] = Object.keys(READERS);

export interface Workloads {
  /** In the order of the manifests. */
  readonly workloads: readonly Workload[];
  /** One pod of each on every node that suits it. */
  readonly daemonSets: readonly PodTemplate[];
  readonly notPlaced: readonly NotPlaced[];
}

/** Objects that another object of the set makes are left out: a dump of a cluster holds both. */
export function workloadsOf(set: ManifestSet, tiers?: TierResolver): Workloads {
  const workloads: Workload[] = [];
  const daemonSets: PodTemplate[] = [];
  const notPlaced: NotPlaced[] = [];
  for (const manifest of set.manifests) {
    const kind = kindKey(manifest.id);
    const read = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
    if ((read === undefined && kind !== 'apps/DaemonSet') || isMadeByOther(manifest, set)) {
      continue;
    }
    const templates = set.podTemplatesOf(manifest);
    if (kind === 'apps/DaemonSet') {
      daemonSets.push(...templates);
    }
    for (const found of read?.(manifest, templates, { set, tiers }) ?? []) {
      if (!('roles' in found)) {
        notPlaced.push(found);
      } else if (found.roles.length === 0) {
        notPlaced.push({ manifest, why: 'requests no pods' });
      } else {
        workloads.push(found);
      }
    }
  }
  return { workloads, daemonSets, notPlaced };
}

function isMadeByOther({ object, id }: Manifest, set: ManifestSet): boolean {
  return asArray(asObject(object.metadata).ownerReferences)
    .map(asObject)
    .some(({ apiVersion, kind, name }) => {
      if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') {
        return false;
      }
      const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
      return set.get(kindKey({ group, kind }), name, id.namespace) !== undefined;
    });
}

export { hintsOf, namespaceOf, type NotPlaced, type Workload, type WorkloadRole } from './workload';
