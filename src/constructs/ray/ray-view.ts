/**
 * The Ray cluster of a RayCluster, RayJob, RayService, or RayCronJob. Reads JSON of any shape; knows no
 * rules.
 */
import { cite } from '../../facts/upstream';
import { type JsonObject } from '../../facts/api/schema';
import { type Manifest } from '../../manifests/manifest';
import { valueAt } from '../../manifests/pointer';
import { asArray, asInteger, asObject, asString, isObject, objectsAt } from '../../manifests/read';

export const KUBERAY = cite('kuberay');
export const RAY_KINDS = ['ray.io/RayCluster', 'ray.io/RayJob', 'ray.io/RayService', 'ray.io/RayCronJob'] as const;
export const RAY_JOB_KINDS = ['ray.io/RayJob', 'ray.io/RayCronJob'] as const;

const CLUSTER_PATHS: Readonly<Record<string, string>> = {
  RayCluster: '/spec',
  RayJob: '/spec/rayClusterSpec',
  RayService: '/spec/rayClusterConfig',
  RayCronJob: '/spec/jobTemplate/rayClusterSpec',
};

export interface GroupView {
  /** `head`, or the name of the worker group. */
  readonly name: string;
  readonly value: JsonObject;
  readonly path: string;
  readonly isHead: boolean;
  readonly startParams: JsonObject;
  readonly podSpec: JsonObject;
  readonly podSpecPath: string;
  /** The first container, in which Ray runs. */
  readonly container: JsonObject;
  readonly containerPath: string;
}

export interface ClusterView {
  readonly spec: JsonObject;
  readonly path: string;
  readonly annotations: JsonObject;
  readonly head: GroupView;
  readonly workers: readonly GroupView[];
  /** Whether Ray's autoscaler is on. */
  readonly autoscaling: boolean;
  /** Whether `autoscalerOptions.version` is v2. */
  readonly autoscalerV2: boolean;
  readonly version: RayVersion | undefined;
}

export interface RayVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

export function clusterOf(manifest: Manifest): ClusterView | undefined {
  const path = CLUSTER_PATHS[manifest.id.kind];
  const spec = path === undefined ? undefined : valueAt(manifest.object, path);
  if (path === undefined || !isObject(spec)) {
    return undefined;
  }
  return {
    spec,
    path,
    annotations: asObject(asObject(manifest.object.metadata).annotations),
    head: groupOf('head', asObject(spec.headGroupSpec), `${path}/headGroupSpec`, true),
    workers: objectsAt(spec, '/workerGroupSpecs').map(({ value, path: at }) =>
      groupOf(asString(value.groupName) ?? '', value, `${path}${at}`, false),
    ),
    autoscaling: spec.enableInTreeAutoscaling === true,
    autoscalerV2: asObject(spec.autoscalerOptions).version === 'v2',
    version: rayVersion(asString(spec.rayVersion) ?? ''),
  };
}

function groupOf(name: string, value: JsonObject, path: string, isHead: boolean): GroupView {
  const podSpec = asObject(asObject(value.template).spec);
  return {
    name,
    value,
    path,
    isHead,
    startParams: asObject(value.rayStartParams),
    podSpec,
    podSpecPath: `${path}/template/spec`,
    container: asObject(asArray(podSpec.containers)[0]),
    containerPath: `${path}/template/spec/containers/0`,
  };
}

export function groupsOf({ head, workers }: ClusterView): readonly GroupView[] {
  return [head, ...workers];
}

export function rayVersion(text: string): RayVersion | undefined {
  const match = /^v?(\d+)\.(\d+)/.exec(text);
  return match === null ? undefined : { text, major: Number(match[1]), minor: Number(match[2]) };
}

export function isBefore(version: RayVersion, major: number, minor: number): boolean {
  return version.major < major || (version.major === major && version.minor < minor);
}

/** Where a variable of a group's Ray container is. */
export function variableOf(
  { container, containerPath }: GroupView,
  name: string,
): { readonly value: string; readonly path: string } | undefined {
  const found = objectsAt(container, '/env').find(({ value }) => value.name === name);
  return found && { value: asString(found.value.value) ?? '', path: `${containerPath}${found.path}` };
}

export interface RayJobView {
  readonly spec: JsonObject;
  readonly path: string;
  readonly mode: string;
  readonly selector: JsonObject;
  readonly selectsCluster: boolean;
  readonly shutsDown: boolean;
  readonly backoffLimit: number;
}

/** The job of a RayJob, or the one that a RayCronJob makes. */
export function rayJobOf(manifest: Manifest): RayJobView {
  const path = manifest.id.kind === 'RayCronJob' ? '/spec/jobTemplate' : '/spec';
  const spec = asObject(valueAt(manifest.object, path));
  const selector = asObject(spec.clusterSelector);
  return {
    spec,
    path,
    mode: asString(spec.submissionMode) ?? 'K8sJobMode',
    selector,
    selectsCluster: Object.keys(selector).length > 0,
    shutsDown: spec.shutdownAfterJobFinishes === true,
    backoffLimit: asInteger(spec.backoffLimit) ?? 0,
  };
}
