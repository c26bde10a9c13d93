/**
 * Which pods of a cluster belong together, and which part each has: by what the schedulers and operators of the field write on pods.
 *
 * Sources: Volcano (pkg/controllers/util, vendor apis), training-operator (pkg/apis/kubeflow.org/v1), JobSet, LWS,
 * KubeRay (constant.go), Kueue (pkg/controller/jobs/pod), scheduler-plugins (apis/scheduling), Kubernetes.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { readGantryStatement } from '../../../manifests/pods/gantry-statement';
import { asArray, asObject, asString } from '../../../manifests/read';

export interface GangIdentity {
  /**
   * Equal for all pods of the gang: `namespace/kind/name`, the kind in lower case. A slash or a blank within a part is escaped, so that no name that
   * a pod states can look like the key of another gang.
   */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** Kind of the object that holds the pods together, as people know it. */
  readonly kind: string;
  /** Group of a PodGroup, for there are several; empty for everything else. */
  readonly group: string;
  /** `pod`: what the operator calls the part; else one role for all. */
  readonly role: string;
  /** Place among the pods of the role. @default - by name */
  readonly index?: number;
  /** Its pods start together or not at all. Of others each pod is of use by itself. */
  readonly together: boolean;
  /** A DaemonSet's pod belongs to its node: it takes room and is never placed or evicted. */
  readonly ofNode: boolean;
}

type Found = Pick<GangIdentity, 'name' | 'kind'> &
  Partial<Pick<GangIdentity, 'group' | 'role' | 'index' | 'together' | 'ofNode'>>;
type Texts = Readonly<Record<string, string | undefined>>;

/** The gang of a pod; of a pod that nothing holds to others, the pod itself. */
export function gangIdentityOf(pod: JsonObject): GangIdentity {
  const metadata = asObject(pod.metadata);
  const labels = texts(metadata.labels);
  const annotations = texts(metadata.annotations);
  const found = gangNamed(metadata, asObject(pod.spec)) ??
    jobNamed(labels, annotations) ??
    owned(metadata, labels) ?? { name: asString(metadata.name) ?? '', kind: 'Pod', together: true };
  const namespace = asString(metadata.namespace) ?? 'default';
  return {
    group: '',
    role: 'pod',
    together: true,
    ofNode: false,
    ...found,
    key: gangKey(namespace, found.kind, found.name),
    namespace,
  };
}

/** See `GangIdentity.key`. */
export function gangKey(namespace: string, kind: string, name: string): string {
  return [namespace, kind.toLowerCase(), name].map(escaped).join('/');
}

function escaped(part: string): string {
  return part.replace(/[%/ ]/g, encodeURIComponent);
}

function texts(value: JsonObject[string]): Texts {
  return asObject(value) as Texts;
}

/** What holds for a gang by itself: labels of Gantry, pod groups of whichever scheduler. */
function gangNamed(metadata: JsonObject, spec: JsonObject): Found | undefined {
  const labels = texts(metadata.labels);
  const annotations = texts(metadata.annotations);
  const part = roleIn(labels);
  const own = readGantryStatement(metadata).gang;
  if (own !== undefined) {
    return { name: own, kind: 'Gang', ...part };
  }
  for (const [name, group] of podGroupNames(labels, annotations, spec)) {
    if (name !== undefined && name !== '') {
      return { name, kind: 'PodGroup', group, ...part };
    }
  }
  const kueue = labels['kueue.x-k8s.io/pod-group-name'];
  return kueue === undefined ? undefined : { name: kueue, kind: 'PodGroup', group: 'kueue.x-k8s.io', ...part };
}

function podGroupNames(
  labels: Texts,
  annotations: Texts,
  spec: JsonObject,
): readonly (readonly [string | undefined, string])[] {
  return [
    [annotations['scheduling.k8s.io/group-name'], 'scheduling.volcano.sh'],
    [labels['scheduling.x-k8s.io/pod-group'], 'scheduling.x-k8s.io'],
    [labels['pod-group.scheduling.sigs.k8s.io'], 'scheduling.x-k8s.io'],
    [annotations['pod-group-name'], 'scheduling.run.ai'],
    [asString(asObject(spec.schedulingGroup).podGroupName), 'scheduling.k8s.io'],
    [workloadGroup(asObject(spec.workloadRef)), 'scheduling.k8s.io'],
  ];
}

/** Kubernetes 1.35: a group of a Workload, and its replica. */
function workloadGroup({ name, podGroup, podGroupReplicaKey }: JsonObject): string | undefined {
  if (typeof name !== 'string' || typeof podGroup !== 'string') {
    return undefined;
  }
  return [name, podGroup, ...(typeof podGroupReplicaKey === 'string' ? [podGroupReplicaKey] : [])].join('-');
}

/** Which part of its job a pod is, in any kind of group. */
function roleIn(labels: Texts): Pick<GangIdentity, 'role' | 'index'> {
  const role =
    labels['volcano.sh/task-spec'] ??
    labels['training.kubeflow.org/replica-type'] ??
    labels['training.kubeflow.org/job-role'] ??
    labels['jobset.sigs.k8s.io/replicatedjob-name'] ??
    labels['ray.io/group'] ??
    lwsRole(labels);
  const index = numberIn(
    labels['volcano.sh/task-index'] ??
      labels['training.kubeflow.org/replica-index'] ??
      labels['leaderworkerset.sigs.k8s.io/worker-index'] ??
      labels['apps.kubernetes.io/pod-index'],
  );
  return { role: role ?? 'pod', ...(index !== undefined && { index }) };
}

function lwsRole(labels: Texts): string | undefined {
  const index = labels['leaderworkerset.sigs.k8s.io/worker-index'];
  return index === undefined ? undefined : index === '0' ? 'leader' : 'worker';
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Jobs whose pods an operator marks. */
function jobNamed(labels: Texts, annotations: Texts): Found | undefined {
  const part = roleIn(labels);
  const volcano = labels['volcano.sh/job-name'] ?? annotations['volcano.sh/job-name'];
  if (volcano !== undefined) {
    return { name: volcano, kind: 'Job', group: 'batch.volcano.sh', ...part };
  }
  const kubeflow = labels['training.kubeflow.org/job-name'];
  if (kubeflow !== undefined) {
    return { name: kubeflow, kind: kubeflowKind(labels['training.kubeflow.org/operator-name']), ...part };
  }
  const jobSet = labels['jobset.sigs.k8s.io/jobset-name'];
  if (jobSet !== undefined) {
    return { name: jobSet, kind: 'JobSet', ...part };
  }
  const leaderWorker = labels['leaderworkerset.sigs.k8s.io/name'];
  if (leaderWorker !== undefined) {
    return {
      name: `${leaderWorker}-${labels['leaderworkerset.sigs.k8s.io/group-index'] ?? '0'}`,
      kind: 'LeaderWorkerSet',
      ...part,
    };
  }
  const ray = labels['ray.io/cluster'];
  return ray === undefined
    ? undefined
    : { name: ray, kind: 'RayCluster', role: labels['ray.io/group'] ?? labels['ray.io/node-type'] ?? 'pod' };
}

/** `pytorchjob-controller` as `PyTorchJob`. */
function kubeflowKind(operator: string | undefined): string {
  const known = ['PyTorchJob', 'TFJob', 'XGBoostJob', 'PaddleJob', 'JAXJob', 'MPIJob'];
  return known.find((kind) => operator?.toLowerCase().startsWith(kind.toLowerCase())) ?? 'TrainingJob';
}

/** By the object that controls the pod; a Deployment's pods are held by a ReplicaSet of its name and a hash. */
function owned(metadata: JsonObject, labels: Texts): Found | undefined {
  const owner = asArray(metadata.ownerReferences)
    .map(asObject)
    .find(({ controller }) => controller === true);
  const kind = asString(owner?.kind);
  const name = asString(owner?.name);
  if (kind === undefined || name === undefined) {
    return undefined;
  }
  const hash = labels['pod-template-hash'];
  if (kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`)) {
    return { name: name.slice(0, -hash.length - 1), kind: 'Deployment', together: false };
  }
  if (kind === 'Node') {
    return { name: asString(metadata.name) ?? name, kind: 'Pod', ofNode: true };
  }
  const index = numberIn(labels['apps.kubernetes.io/pod-index'] ?? labels['batch.kubernetes.io/job-completion-index']);
  return { name, kind, together: false, ofNode: kind === 'DaemonSet', ...(index !== undefined && { index }) };
}
