/**
 * Where the workload kinds keep their pod templates, and how many pods each asks for.
 *
 * One table, because every rule about pods must see them in all kinds: a rule that knows only Deployments misses the GPUs of a
 * PyTorchJob. A kind from which another object creates pods (a runtime, a template) has no count.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type SharedSpec } from '../equal-specs';
import { kindKey } from '../identity';
import { type Manifest } from '../manifest';
import { type PodTemplate } from './pod-template';
import { pointer } from '../pointer';
import { asArray, asInteger, asObject, asString, isObject } from '../read';
import { unlessUnknown } from '../values/unknown';

/** What a `*` in a path met: the item's value, and its key or index. */
interface Step {
  readonly token: string;
  readonly value: JsonObject;
}

interface TemplatePlace {
  /** Pointer of the template; `*` represents each item of a list or each member of a map. */
  readonly path: string;
  /** Default: the kind in lower case, or the name of the item. */
  readonly role?: string | ((steps: readonly Step[]) => string);
  /** Default: not known from the manifest. */
  readonly count?: (object: JsonObject, steps: readonly Step[], apiVersion: string) => number | undefined;
}

const spec = (object: JsonValue | undefined): JsonObject => asObject(asObject(object).spec);

/** `spec.replicas`, 1 where it is not written. */
const replicas = (object: JsonObject): number => asInteger(spec(object).replicas) ?? 1;

/** Pods that a Job runs at a time: `parallelism`, and never more than `completions`. */
function jobPods(job: JsonObject): number {
  const parallelism = asInteger(job.parallelism) ?? 1;
  const completions = asInteger(job.completions);
  return completions === undefined ? parallelism : Math.min(parallelism, completions);
}

const named = (steps: readonly Step[]): string => asString(steps.at(-1)?.value.name) ?? steps.at(-1)?.token ?? '';
const keyed = (steps: readonly Step[]): string => steps.at(-1)?.token ?? '';

/** training-operator v1 fills in one replica for each role. */
const replicaSpecs = (field: string): TemplatePlace => ({
  path: `/spec/${field}/*/template`,
  role: keyed,
  count: (_, steps) => asInteger(steps[0]?.value.replicas) ?? 1,
});

/** mpi-operator (v2beta1) fills in one launcher and no worker. */
const mpiReplicaSpecs: TemplatePlace = {
  path: '/spec/mpiReplicaSpecs/*/template',
  role: keyed,
  count: (_, steps, apiVersion) =>
    asInteger(steps[0]?.value.replicas) ?? (apiVersion === 'kubeflow.org/v2beta1' && keyed(steps) === 'Worker' ? 0 : 1),
};

/** Volcano's webhook names a task without a name `default<index>`. */
const volcanoTasks = (path: string, counted: boolean): TemplatePlace => ({
  path: `${path}/tasks/*/template`,
  role: (steps) => asString(steps[0]?.value.name) ?? `default${keyed(steps)}`,
  count: counted ? (_, steps) => asInteger(steps[0]?.value.replicas) ?? 0 : undefined,
});

/** KubeRay: replicas within minReplicas and maxReplicas, each of them `numOfHosts` pods. */
function rayWorkers(group: JsonObject): number {
  if (group.suspend === true) {
    return 0;
  }
  const min = asInteger(group.minReplicas) ?? 0;
  const max = asInteger(group.maxReplicas) ?? Number.MAX_SAFE_INTEGER;
  const wanted = asInteger(group.replicas) ?? 0;
  return Math.max(min, Math.min(wanted, max)) * (asInteger(group.numOfHosts) ?? 1);
}

const rayCluster = (path: string): readonly TemplatePlace[] => [
  { path: `${path}/headGroupSpec/template`, role: 'head', count: () => 1 },
  {
    path: `${path}/workerGroupSpecs/*/template`,
    role: (steps) => asString(steps[0]?.value.groupName) ?? `worker${keyed(steps)}`,
    count: (_, steps) => rayWorkers(steps[0]?.value ?? {}),
  },
];

/** Only the Kubernetes-Job mode, which is the default, makes a pod that submits. */
const raySubmitter = (path: string, job: (object: JsonObject) => JsonObject): TemplatePlace => ({
  path: `${path}/submitterPodTemplate`,
  role: 'submitter',
  count: (object) => ((asString(job(object).submissionMode) ?? 'K8sJobMode') === 'K8sJobMode' ? 1 : 0),
});

/** A LeaderWorkerSet's spec: the worker template serves for leaders too where there is no leader template. */
function leaderWorker(
  path: string,
  specOf: (object: JsonObject, steps: readonly Step[]) => JsonObject,
  prefix: (steps: readonly Step[]) => string,
): readonly TemplatePlace[] {
  const template = (found: JsonObject): JsonObject => asObject(found.leaderWorkerTemplate);
  const groups = (found: JsonObject): number => asInteger(found.replicas) ?? 1;
  const size = (found: JsonObject): number => asInteger(template(found).size) ?? 1;
  return [
    {
      path: `${path}/leaderWorkerTemplate/leaderTemplate`,
      role: (steps) => `${prefix(steps)}leader`,
      count: (object, steps) => groups(specOf(object, steps)),
    },
    {
      path: `${path}/leaderWorkerTemplate/workerTemplate`,
      role: (steps) => `${prefix(steps)}worker`,
      count: (object, steps) => {
        const found = specOf(object, steps);
        return groups(found) * (isObject(template(found).leaderTemplate) ? size(found) - 1 : size(found));
      },
    },
  ];
}

const replicatedJobs = (path: string, counted: boolean): TemplatePlace => ({
  path: `${path}/replicatedJobs/*/template/spec/template`,
  role: named,
  count: counted ? (_, [job]) => (asInteger(job?.value.replicas) ?? 1) * jobPods(spec(job?.value.template)) : undefined,
});

/** Ascend's InferService family: the spec of a Deployment or StatefulSet, which the schema leaves open, for each replica of a role. */
const inferRole = (
  path: string,
  role: string | ((steps: readonly Step[]) => string),
  holder: (object: JsonObject, steps: readonly Step[]) => JsonObject,
): TemplatePlace => ({
  path: `${path}/spec/template`,
  role,
  count: (object, steps) =>
    (asInteger(holder(object, steps).replicas) ?? 1) * (asInteger(spec(holder(object, steps)).replicas) ?? 1),
});

const replicated: readonly TemplatePlace[] = [{ path: '/spec/template', count: replicas }];
const uncounted: readonly TemplatePlace[] = [{ path: '/spec/template' }];

/** The places of every workload kind, by `group/Kind`. They hold for all versions of the kind. */
export const TEMPLATE_PLACES: Readonly<Record<string, readonly TemplatePlace[]>> = {
  Pod: [{ path: '', count: () => 1 }],
  PodTemplate: [{ path: '/template' }],
  ReplicationController: replicated,
  'apps/ReplicaSet': replicated,
  'apps/Deployment': replicated,
  'apps/StatefulSet': replicated,
  'apps/DaemonSet': uncounted,
  'batch/Job': [{ path: '/spec/template', count: (object) => jobPods(spec(object)) }],
  'batch/CronJob': [
    { path: '/spec/jobTemplate/spec/template', count: (object) => jobPods(spec(spec(object).jobTemplate)) },
  ],

  'batch.volcano.sh/Job': [volcanoTasks('/spec', true)],
  'batch.volcano.sh/CronJob': [volcanoTasks('/spec/jobTemplate/spec', true)],
  'flow.volcano.sh/JobTemplate': [volcanoTasks('/spec', false)],

  'kubeflow.org/PyTorchJob': [replicaSpecs('pytorchReplicaSpecs')],
  'kubeflow.org/TFJob': [replicaSpecs('tfReplicaSpecs')],
  'kubeflow.org/XGBoostJob': [replicaSpecs('xgbReplicaSpecs')],
  'kubeflow.org/PaddleJob': [replicaSpecs('paddleReplicaSpecs')],
  'kubeflow.org/JAXJob': [replicaSpecs('jaxReplicaSpecs')],
  'kubeflow.org/MPIJob': [mpiReplicaSpecs],
  'trainer.kubeflow.org/TrainingRuntime': [replicatedJobs('/spec/template/spec', false)],
  'trainer.kubeflow.org/ClusterTrainingRuntime': [replicatedJobs('/spec/template/spec', false)],

  'jobset.x-k8s.io/JobSet': [replicatedJobs('/spec', true)],
  'leaderworkerset.x-k8s.io/LeaderWorkerSet': leaderWorker('/spec', spec, () => ''),
  'disaggregatedset.x-k8s.io/DisaggregatedSet': leaderWorker(
    '/spec/roles/*/spec',
    (_, [role]) => spec(role?.value),
    (steps) => `${named(steps)}/`,
  ),

  'ray.io/RayCluster': rayCluster('/spec'),
  'ray.io/RayService': rayCluster('/spec/rayClusterConfig'),
  'ray.io/RayJob': [...rayCluster('/spec/rayClusterSpec'), raySubmitter('/spec', spec)],
  'ray.io/RayCronJob': [
    ...rayCluster('/spec/jobTemplate/rayClusterSpec'),
    raySubmitter('/spec/jobTemplate', (object) => asObject(spec(object).jobTemplate)),
  ],

  'serving.knative.dev/Service': uncounted,
  'serving.knative.dev/Configuration': uncounted,
  'serving.knative.dev/Revision': [{ path: '' }],
  'keda.sh/ScaledJob': [{ path: '/spec/jobTargetRef/template' }],
  'kueue.x-k8s.io/Workload': [
    { path: '/spec/podSets/*/template', role: named, count: (_, [set]) => asInteger(set?.value.count) ?? 1 },
  ],
  'mindxdl.gitee.com/AscendJob': [replicaSpecs('replicaSpecs')],
  'mindcluster.huawei.com/InferService': [inferRole('/spec/roles/*', named, (_, [role]) => role?.value ?? {})],
  'mindcluster.huawei.com/InferServiceSet': [
    { ...inferRole('/spec/template/roles/*', named, (_, [role]) => role?.value ?? {}), count: undefined },
  ],
  'mindcluster.huawei.com/InstanceSet': [inferRole('/spec', 'instanceset', (object) => spec(object))],
};

const templatesOfSpecs = new WeakMap<SharedSpec, readonly PodTemplate[]>();

/**
 * The pod templates of one manifest, in the order of the table and of the lists it names; none for kinds that hold none.
 *
 * @param spec represents the spec of the manifest: templates are looked for once in equal specs
 */
export function podTemplatesOf(manifest: Manifest, spec?: SharedSpec): readonly PodTemplate[] {
  const key = kindKey(manifest.id);
  const places = Object.hasOwn(TEMPLATE_PLACES, key) ? TEMPLATE_PLACES[key] : undefined;
  if (places === undefined) {
    return [];
  }
  if (spec === undefined || !places.every(({ path }) => path.startsWith('/spec/'))) {
    return templatesAt(places, manifest);
  }
  const known = templatesOfSpecs.get(spec);
  if (known !== undefined) {
    return known.map((template) => ({ ...template, manifest }));
  }
  const templates = templatesAt(places, manifest);
  templatesOfSpecs.set(spec, templates);
  return templates;
}

function templatesAt(places: readonly TemplatePlace[], manifest: Manifest): readonly PodTemplate[] {
  const templates: PodTemplate[] = [];
  for (const place of places) {
    expand(manifest.object, tokensOfPlace(place), 0, '', [], (value, path, steps) => {
      templates.push({
        manifest,
        path,
        role: roleOf(place, steps, manifest.id.kind),
        count: unlessUnknown(() => place.count?.(manifest.object, steps, manifest.id.apiVersion), undefined),
        isPod: manifest.id.kind === 'Pod' && manifest.id.group === '',
        metadata: asObject(value.metadata),
        spec: asObject(value.spec),
      });
    });
  }
  return templates;
}

const tokensOfPlaces = new WeakMap<TemplatePlace, readonly string[]>();

function tokensOfPlace(place: TemplatePlace): readonly string[] {
  let tokens = tokensOfPlaces.get(place);
  if (tokens === undefined) {
    tokensOfPlaces.set(place, (tokens = place.path.split('/').slice(1)));
  }
  return tokens;
}

function roleOf({ role }: TemplatePlace, steps: readonly Step[], kind: string): string {
  if (role === undefined) {
    return kind.toLowerCase();
  }
  return typeof role === 'string' ? role : role(steps);
}

/** Follows the tokens from `at` on, with stars; skips values of another shape. */
function expand(
  value: JsonValue | undefined,
  tokens: readonly string[],
  at: number,
  path: string,
  steps: readonly Step[],
  found: (value: JsonObject, path: string, steps: readonly Step[]) => void,
): void {
  if (at === tokens.length) {
    if (isObject(value)) {
      found(value, path, steps);
    }
    return;
  }
  const token = tokens[at];
  if (token !== '*') {
    if (isObject(value)) {
      expand(value[token], tokens, at + 1, pointer(path, token), steps, found);
    }
    return;
  }
  const members = isObject(value)
    ? Object.entries(value)
    : asArray(value).map((item, index) => [String(index), item] as const);
  for (const [key, member] of members) {
    if (isObject(member)) {
      expand(member, tokens, at + 1, pointer(path, key), [...steps, { token: key, value: member }], found);
    }
  }
}
