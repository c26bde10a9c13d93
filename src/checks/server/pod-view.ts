/**
 * A pod template as validation walks it: its containers of every kind with their pointers, and the volumes that a mount may name.
 */
import { addAll } from '../../facts/collections';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { type PodTemplate } from '../../manifests/pods/pod-template';
import { fieldPathOf } from '../../manifests/pointer';
import { asObject } from '../../manifests/read';
import { given, items, itemsOf, type Placed, text } from './values';

export type ContainerKind = 'container' | 'init' | 'ephemeral';

export interface ContainerView extends Placed {
  readonly kind: ContainerKind;
  /** Empty where it has none. */
  readonly name: string;
  /** An init container that keeps running beside the others. */
  readonly sidecar: boolean;
}

export interface PodView {
  readonly template: PodTemplate;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  /** A Pod, which is judged at once and more strictly than a template. */
  readonly isPod: boolean;
  /** In a kind that the API server itself validates. */
  readonly builtIn: boolean;
  readonly group: string;
  readonly kind: string;
  /** All containers: regular, init, ephemeral. */
  readonly all: readonly ContainerView[];
  readonly containers: readonly ContainerView[];
  readonly initContainers: readonly ContainerView[];
  readonly ephemeralContainers: readonly ContainerView[];
  /** Volumes by name: the pod's own and those that its workload adds from claim templates. */
  readonly volumes: ReadonlyMap<string, JsonObject>;
  readonly securityContext: JsonObject;
  readonly annotations: JsonObject;
  /** `spec.restartPolicy` after defaulting. */
  readonly restartPolicy: string;
  readonly hostNetwork: boolean;
}

/** Groups whose workload kinds the API server validates itself. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set(['', 'apps', 'batch', 'extensions']);

/** The last view: all rules check one template before the next, and short-lived views are cheap to collect. */
let last: PodView | undefined;

/** The view of a template; made once for the rules that look at it one after the other. */
export function viewOf(template: PodTemplate): PodView {
  if (last?.template !== template) {
    last = makeView(template);
  }
  return last;
}

function makeView(template: PodTemplate): PodView {
  const { spec, manifest } = template;
  const containers = containersOf(spec, 'containers', 'container');
  const initContainers = containersOf(spec, 'initContainers', 'init');
  const ephemeralContainers = containersOf(spec, 'ephemeralContainers', 'ephemeral');
  return {
    template,
    // Read when they are asked for: the engine records which rules look at more than the spec.
    get metadata() {
      return template.metadata;
    },
    get annotations() {
      return asObject(template.metadata.annotations);
    },
    spec,
    isPod: template.isPod,
    builtIn: BUILT_IN_GROUPS.has(manifest.id.group),
    group: manifest.id.group,
    kind: manifest.id.kind,
    all: [...containers, ...initContainers, ...ephemeralContainers],
    containers,
    initContainers,
    ephemeralContainers,
    volumes: volumesOf(template),
    securityContext: asObject(spec.securityContext),
    restartPolicy: text(spec.restartPolicy) || 'Always',
    hostNetwork: spec.hostNetwork === true,
  };
}

function containersOf(spec: JsonObject, field: string, kind: ContainerKind): readonly ContainerView[] {
  return itemsOf(spec[field], `/spec/${field}`).map((placed) => ({
    ...placed,
    kind,
    name: text(placed.value.name),
    sidecar: kind === 'init' && placed.value.restartPolicy === 'Always',
  }));
}

function volumesOf(template: PodTemplate): ReadonlyMap<string, JsonObject> {
  const volumes = new Map<string, JsonObject>();
  for (const { value } of items(template.spec, '/volumes')) {
    if (text(value.name) !== '') {
      volumes.set(text(value.name), value);
    }
  }
  for (const name of addedVolumes(template)) {
    volumes.set(name, { name, persistentVolumeClaim: { claimName: name } });
  }
  return volumes;
}

const addedByManifest = new WeakMap<Manifest, readonly string[]>();

/** Names of the volumes that a workload adds to its pods from claim templates of its own; the same for all its templates. */
export function addedVolumes({ manifest }: PodTemplate): readonly string[] {
  let names = addedByManifest.get(manifest);
  if (names === undefined) {
    addedByManifest.set(manifest, (names = claimTemplatesOf(manifest)));
  }
  return names;
}

function claimTemplatesOf(manifest: Manifest): readonly string[] {
  const { kind } = manifest.id;
  const spec = asObject(manifest.object.spec);
  const lists: (JsonValue | undefined)[] = [];
  if (kind === 'StatefulSet') {
    lists.push(spec.volumeClaimTemplates);
  }
  if (kind === 'LeaderWorkerSet') {
    lists.push(asObject(spec.leaderWorkerTemplate).volumeClaimTemplates, spec.volumeClaimTemplates);
  }
  if (kind === 'DisaggregatedSet') {
    addAll(
      lists,
      items(spec, '/roles').map(
        ({ value }) => asObject(asObject(value.spec).leaderWorkerTemplate).volumeClaimTemplates,
      ),
    );
  }
  if (kind === 'JobSet') {
    addAll(
      lists,
      items(spec, '/volumeClaimPolicies').map(({ value }) => value.templates),
    );
  }
  if (kind === 'TrainingRuntime' || kind === 'ClusterTrainingRuntime') {
    addAll(
      lists,
      items(spec, '/template/spec/volumeClaimPolicies').map(({ value }) => value.templates),
    );
  }
  return lists.flatMap((list) =>
    items(list, '')
      .map(({ value }) => text(asObject(value.metadata).name))
      .filter((name) => name !== ''),
  );
}

/** The in-memory volume that KubeRay mounts at /dev/shm of the first container, for the object store of Ray. */
const RAY_SHARED_MEMORY = 'shared-mem';

/** Volumes that an operator adds to the pods of its own kinds, which may therefore mount them. */
const OPERATOR_VOLUMES: ReadonlyMap<string, readonly string[]> = new Map([
  // mpi-operator v2 and training-operator v1, the two controllers of this kind.
  ['kubeflow.org/MPIJob', ['mpi-job-config', 'mpi-job-kubectl', 'ssh-auth']],
  ...['TrainJob', 'TrainingRuntime', 'ClusterTrainingRuntime'].map((kind): [string, readonly string[]] => [
    `trainer.kubeflow.org/${kind}`,
    ['mpi-ssh-auth', 'mpi-hostfile', 'flux-install', 'flux-curve', 'shared-memory', 'spack-install'],
  ]),
  ...['RayCluster', 'RayJob', 'RayService', 'RayCronJob'].map((kind): [string, readonly string[]] => [
    `ray.io/${kind}`,
    ['ray-logs', 'ray-token', RAY_SHARED_MEMORY],
  ]),
]);

/** Whether the operator of the workload adds a volume of this name to its pods. */
export function isOperatorVolume({ group, kind }: PodView, name: string): boolean {
  return OPERATOR_VOLUMES.get(`${group}/${kind}`)?.includes(name) === true;
}

/** The field at a pointer of the template, as a path from the object without its `spec`: `template.spec.volumes`; `spec.volumes` for a Pod. */
export function fieldFromObject({ template }: PodView, path: string): string {
  return template.path === '' ? fieldPathOf(path) : fieldPathOf(`${template.path}${path}`).replace(/^spec\./, '');
}

/** Whether the operator of the workload mounts an in-memory volume at /dev/shm of a container, where the manifest mounts none. */
export function hasOperatorSharedMemory(pod: PodView, container: PodView['containers'][number]): boolean {
  return isOperatorVolume(pod, RAY_SHARED_MEMORY) && container === pod.containers[0];
}

/** Whether a volume is backed by a claim, and so may be used as a raw device. */
export function isClaim(volume: JsonObject): boolean {
  return given(volume.persistentVolumeClaim) || given(volume.ephemeral);
}
