/**
 * Names of Kueue that rules read, and the kinds that it manages.
 *
 * Source: kueue, apis/kueue/v1beta2, pkg/controller/constants, pkg/controller/jobs.
 */
import { cite } from '../../facts/upstream';

export const KUEUE = cite('kueue');

export const CLUSTER_QUEUE = 'kueue.x-k8s.io/ClusterQueue';
export const COHORT = 'kueue.x-k8s.io/Cohort';
export const LOCAL_QUEUE = 'kueue.x-k8s.io/LocalQueue';
export const RESOURCE_FLAVOR = 'kueue.x-k8s.io/ResourceFlavor';
export const TOPOLOGY = 'kueue.x-k8s.io/Topology';
export const WORKLOAD = 'kueue.x-k8s.io/Workload';
export const WORKLOAD_PRIORITY_CLASS = 'kueue.x-k8s.io/WorkloadPriorityClass';
export const ADMISSION_CHECK = 'kueue.x-k8s.io/AdmissionCheck';
export const MULTIKUEUE_CLUSTER = 'kueue.x-k8s.io/MultiKueueCluster';

export { QUEUE_NAME_LABEL as QUEUE_LABEL } from '../../facts/catalog/kueue-names';
export const PRIORITY_LABEL = 'kueue.x-k8s.io/priority-class';
export const MAX_EXEC_LABEL = 'kueue.x-k8s.io/max-exec-time-seconds';
export const PREBUILT_LABEL = 'kueue.x-k8s.io/prebuilt-workload-name';
export const ELASTIC_ANNOTATION = 'kueue.x-k8s.io/elastic-job';
export const MIN_PARALLELISM_ANNOTATION = 'kueue.x-k8s.io/job-min-parallelism';
export const SYNC_COMPLETIONS_ANNOTATION = 'kueue.x-k8s.io/job-completions-equal-parallelism';

export const REQUIRED_TOPOLOGY = 'kueue.x-k8s.io/podset-required-topology';
export const PREFERRED_TOPOLOGY = 'kueue.x-k8s.io/podset-preferred-topology';
export const UNCONSTRAINED_TOPOLOGY = 'kueue.x-k8s.io/podset-unconstrained-topology';
export const SLICE_TOPOLOGY = 'kueue.x-k8s.io/podset-slice-required-topology';
export const SLICE_SIZE = 'kueue.x-k8s.io/podset-slice-size';
export const SLICE_LAYERS = 'kueue.x-k8s.io/podset-slice-required-topology-constraints';
export const POD_SET_GROUP = 'kueue.x-k8s.io/podset-group-name';

/** The local queue that takes workloads of its namespace that name none. */
export const DEFAULT_LOCAL_QUEUE = 'default';

/** Kinds that run to an end, and wait for quota wherever Kueue is installed with its defaults: `apiVersion Kind`. */
export const MANAGED_JOBS: ReadonlySet<string> = new Set([
  'batch/v1 Job',
  'jobset.x-k8s.io/v1alpha2 JobSet',
  'kubeflow.org/v1 PyTorchJob',
  'kubeflow.org/v1 TFJob',
  'kubeflow.org/v1 XGBoostJob',
  'kubeflow.org/v1 PaddleJob',
  'kubeflow.org/v1 JAXJob',
  'kubeflow.org/v2beta1 MPIJob',
  'trainer.kubeflow.org/v1alpha1 TrainJob',
  'ray.io/v1 RayJob',
]);

/** All kinds that Kueue can make wait. */
export const MANAGED_KINDS: ReadonlySet<string> = new Set([
  ...MANAGED_JOBS,
  'ray.io/v1 RayCluster',
  'ray.io/v1 RayService',
  'leaderworkerset.x-k8s.io/v1 LeaderWorkerSet',
  'apps/v1 Deployment',
  'apps/v1 StatefulSet',
  'v1 Pod',
  'workload.codeflare.dev/v1beta2 AppWrapper',
  'sparkoperator.k8s.io/v1beta2 SparkApplication',
]);

/** Kinds whose jobs can be scaled while they run. */
export const ELASTIC_KINDS: ReadonlySet<string> = new Set([
  'batch/v1 Job',
  'ray.io/v1 RayCluster',
  'ray.io/v1 RayJob',
  'ray.io/v1 RayService',
]);

/** A kind that Kueue can run in another cluster. */
export interface RemoteKind<Kind extends string = string> {
  readonly apiVersion: string;
  readonly kind: Kind;
  /** Name of the resource in the API. */
  readonly plural: string;
  /** Pointer to the field that leaves a job to Kueue. Absent for kinds that Kueue recognizes by other means. */
  readonly managedBy?: string;
}

function remote<Kind extends string>(apiVersion: string, kind: Kind, managedBy?: string): RemoteKind<Kind> {
  return { apiVersion, kind, plural: `${kind.toLowerCase()}s`, managedBy };
}

/**
 * Kinds that Kueue can run in another cluster (MultiKueue). It runs further kinds where multiKueue.externalFrameworks of its configuration
 * lists them.
 */
export const MULTIKUEUE_KINDS = [
  remote('batch/v1', 'Job', '/spec/managedBy'),
  remote('jobset.x-k8s.io/v1alpha2', 'JobSet', '/spec/managedBy'),
  remote('kubeflow.org/v1', 'PyTorchJob', '/spec/runPolicy/managedBy'),
  remote('kubeflow.org/v1', 'TFJob', '/spec/runPolicy/managedBy'),
  remote('kubeflow.org/v1', 'XGBoostJob', '/spec/runPolicy/managedBy'),
  remote('kubeflow.org/v1', 'PaddleJob', '/spec/runPolicy/managedBy'),
  remote('kubeflow.org/v1', 'JAXJob', '/spec/runPolicy/managedBy'),
  remote('kubeflow.org/v2beta1', 'MPIJob', '/spec/runPolicy/managedBy'),
  remote('trainer.kubeflow.org/v1alpha1', 'TrainJob', '/spec/managedBy'),
  remote('ray.io/v1', 'RayJob', '/spec/managedBy'),
  remote('ray.io/v1', 'RayCluster', '/spec/managedBy'),
  remote('ray.io/v1', 'RayService', '/spec/managedBy'),
  remote('workload.codeflare.dev/v1beta2', 'AppWrapper', '/spec/managedBy'),
  remote('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet'),
  remote('apps/v1', 'StatefulSet'),
  remote('v1', 'Pod'),
] as const satisfies readonly RemoteKind[];

/** Folder of the kubeconfig files that Kueue accepts by path. */
export const KUBECONFIG_FOLDER = '/etc/multikueue/kubeconfigs';
/** The key of a Secret under which Kueue looks for a kubeconfig. */
export const KUBECONFIG_KEY = 'kubeconfig';
