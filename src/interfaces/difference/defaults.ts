/**
 * What controllers and the API server's own code fill in where a field is not set, and no schema says: an object with the value is equal
 * to one without.
 *
 * Sources: Kubernetes 1.36, pkg/apis/{core,batch,apps}/v1/defaults.go; training-operator, pkg/apis/kubeflow.org/v1/*_defaults.go;
 * mpi-operator v0.8, pkg/apis/kubeflow/v2beta1/default.go; jobset, pkg/webhooks/jobset_webhook.go; volcano,
 * pkg/webhooks/admission/{jobs,queues}/mutate; KubeRay v1.6, ray-operator/controllers/ray/common/pod.go (setMissingRayStartParams) and
 * ray-operator/controllers/ray/utils/util.go (IsAutoscalingV2Enabled).
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asInteger, asObject, asString, isObject } from '../../manifests/read';
import { frameworkOf } from '../../constructs/kubeflow/frameworks';

type Default = JsonValue | ((object: JsonObject, path: readonly string[]) => JsonValue | undefined);

/** Defaults of fields of pods and containers, by the end of the path; numbers in it are written `*`. */
const POD_FIELDS: Readonly<Record<string, Default>> = {
  'spec/dnsPolicy': 'ClusterFirst',
  'spec/restartPolicy': 'Always',
  'spec/schedulerName': 'default-scheduler',
  'spec/terminationGracePeriodSeconds': 30,
  'spec/enableServiceLinks': true,
  'spec/hostNetwork': false,
  'containers/*/terminationMessagePath': '/dev/termination-log',
  'containers/*/terminationMessagePolicy': 'File',
  'initContainers/*/terminationMessagePath': '/dev/termination-log',
  'initContainers/*/terminationMessagePolicy': 'File',
  ...Object.fromEntries(
    ['stdin', 'stdinOnce', 'tty'].flatMap((name) => [
      [`containers/*/${name}`, false],
      [`initContainers/*/${name}`, false],
    ]),
  ),
  'containers/*/imagePullPolicy': imagePullPolicy,
  'initContainers/*/imagePullPolicy': imagePullPolicy,
  'env/*/value': '',
  'resourceFieldRef/divisor': '0',
  'fieldRef/apiVersion': 'v1',
  'ports/*/protocol': 'TCP',
  'tolerations/*/operator': 'Equal',
  'tolerations/*/value': '',
  'hostPath/type': '',
  'emptyDir/medium': '',
  'configMap/defaultMode': 420,
  'secret/defaultMode': 420,
  'projected/defaultMode': 420,
  'downwardAPI/defaultMode': 420,
  'volumeMounts/*/readOnly': false,
  'persistentVolumeClaim/readOnly': false,
  ...Object.fromEntries(
    ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((probe) => [
      [`${probe}/failureThreshold`, 3],
      [`${probe}/initialDelaySeconds`, 0],
      [`${probe}/periodSeconds`, 10],
      [`${probe}/successThreshold`, 1],
      [`${probe}/timeoutSeconds`, 1],
    ]),
  ),
  'httpGet/path': '/',
  'httpGet/scheme': 'HTTP',
};

/** An image without a tag, or with the tag `latest`, is pulled each time. */
function imagePullPolicy(object: JsonObject, path: readonly string[]): JsonValue {
  const image = asString(asObject(memberAt(object, path.slice(0, -1))).image) ?? '';
  const name = image.slice(image.lastIndexOf('/') + 1);
  const isFixed = name.includes('@') || (name.includes(':') && !name.endsWith(':latest'));
  return isFixed ? 'IfNotPresent' : 'Always';
}

const JOB_FIELDS: Readonly<Record<string, Default>> = {
  'onPodConditions/*/status': 'True',
  'spec/parallelism': 1,
  'spec/completions': (object, path) => completionsOf(object, path),
  'spec/backoffLimit': 6,
  'spec/completionMode': 'NonIndexed',
  'spec/suspend': false,
  'spec/manualSelector': false,
};

/** Without both, a Job has one pod; with parallelism alone it is a work queue, which no number of completions is. */
function completionsOf(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  const job = memberAt(object, path.slice(0, -1));
  return isObject(job) && job.parallelism === undefined ? 1 : undefined;
}

const OPERATOR_JOB: Readonly<Record<string, Default>> = {
  'runPolicy/cleanPodPolicy': 'None',
  'runPolicy/suspend': false,
  'spec/nprocPerNode': 'auto',
  'spec/slotsPerWorker': 1,
  'spec/successPolicy': '',
  'ReplicaSpecs/*/restartPolicy': (object) => frameworkOf(asString(object.kind) ?? '')?.restartPolicy,
  'ReplicaSpecs/Worker/replicas': (object) => (object.kind === 'MPIJob' ? 0 : 1),
  'ReplicaSpecs/*/replicas': 1,
};

const VOLCANO_JOB: Readonly<Record<string, Default>> = {
  'spec/maxRetry': 3,
  'spec/queue': 'default',
  'spec/schedulerName': 'volcano',
  'tasks/*/replicas': 1,
  'tasks/*/minAvailable': (object, path) => asInteger(asObject(memberAt(object, path.slice(0, -1))).replicas) ?? 1,
  'spec/minAvailable': (object, path) => sumOfTasks(memberAt(object, path.slice(0, -1))),
};

function sumOfTasks(spec: JsonValue | undefined): number {
  return asArray(asObject(spec).tasks)
    .filter(isObject)
    .reduce((sum, { minAvailable, replicas }) => sum + (asInteger(minAvailable) ?? asInteger(replicas) ?? 1), 0);
}

const CLAIM_FIELDS: Readonly<Record<string, Default>> = Object.fromEntries(
  ['exactly', 'firstAvailable/*', 'requests/*'].flatMap((request): [string, Default][] => [
    [`${request}/allocationMode`, 'ExactCount'],
    [`${request}/count`, 1],
  ]),
);

/** By group, those of objects of any kind of it. */
const BY_GROUP: Readonly<Record<string, Readonly<Record<string, Default>>>> = {
  '': {
    'ports/*/targetPort': (object, path) =>
      object.kind === 'Service' ? asObject(memberAt(object, path.slice(0, -1))).port : undefined,
    'spec/ipFamilyPolicy': 'SingleStack',
    'spec/sessionAffinity': 'None',
    'spec/sessionAffinityConfig': (object) =>
      asObject(object.spec).sessionAffinity === 'ClientIP' ? { clientIP: { timeoutSeconds: 10_800 } } : undefined,
    'spec/volumeMode': 'Filesystem',
  },
  'rbac.authorization.k8s.io': {
    '/roleRef/apiGroup': 'rbac.authorization.k8s.io',
    'subjects/*/apiGroup': (object, path) =>
      asObject(memberAt(object, path.slice(0, -1))).kind === 'ServiceAccount' ? '' : 'rbac.authorization.k8s.io',
  },
  'resource.k8s.io': CLAIM_FIELDS,
  apps: {
    'volumeClaimTemplates/*/apiVersion': 'v1',
    'volumeClaimTemplates/*/kind': 'PersistentVolumeClaim',
    'volumeClaimTemplates/*/status': { phase: 'Pending' },
    'spec/volumeMode': 'Filesystem',
    'spec/replicas': 1,
    'spec/progressDeadlineSeconds': 600,
    'spec/revisionHistoryLimit': 10,
    'rollingUpdate/maxSurge': '25%',
    'rollingUpdate/maxUnavailable': '25%',
    'strategy/type': 'RollingUpdate',
  },
  batch: {
    ...JOB_FIELDS,
    'spec/concurrencyPolicy': 'Allow',
    'spec/successfulJobsHistoryLimit': 3,
    'spec/failedJobsHistoryLimit': 1,
  },
  'jobset.x-k8s.io': {
    ...JOB_FIELDS,
    'template/spec/completionMode': 'Indexed',
    'template/spec/restartPolicy': 'OnFailure',
    'coordinator/jobIndex': 0,
    'coordinator/podIndex': 0,
  },
  'kubeflow.org': OPERATOR_JOB,
  'batch.volcano.sh': VOLCANO_JOB,
  'flow.volcano.sh': VOLCANO_JOB,
  'ray.io': {
    'headGroupSpec/rayStartParams/dashboard-host': '0.0.0.0',
    'autoscalerOptions/version': 'v1',
    ...Object.fromEntries(
      ['spec', 'rayClusterSpec', 'rayClusterConfig'].map((cluster) => [
        `${cluster}/autoscalerOptions`,
        { version: 'v1' },
      ]),
    ),
  },
  'scheduling.volcano.sh': { 'spec/weight': 1, 'spec/reclaimable': true },
  'scheduling.k8s.io': { '/globalDefault': false, '/preemptionPolicy': 'PreemptLowerPriority' },
};

/** The default of a field that is not set, by its path; `undefined` where there is none. */
export function defaultOf(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  const apiVersion = asString(object.apiVersion) ?? '';
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const name = path.at(-1) ?? '';
  const parent = starred(path.at(-2) ?? '');
  const before = path.at(-3) ?? '';
  const own = Object.hasOwn(BY_GROUP, group) ? BY_GROUP[group] : undefined;
  const roles = before.endsWith('ReplicaSpecs')
    ? [`ReplicaSpecs/${path.at(-2)}/${name}`, `ReplicaSpecs/*/${name}`]
    : [];
  const keys = [...roles, `${before}/${parent}/${name}`, `${parent}/${name}`];
  for (const table of [own ?? {}, POD_FIELDS]) {
    for (const key of keys) {
      if (Object.hasOwn(table, key)) {
        const found = table[key];
        return typeof found === 'function' ? found(object, path) : found;
      }
    }
  }
  return undefined;
}

function starred(token: string): string {
  return /^\d+$/.test(token) ? '*' : token;
}

function memberAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const token of path) {
    value = Array.isArray(value) ? value[Number(token)] : isObject(value) ? value[token] : undefined;
  }
  return value;
}
