/**
 * TrainJobs and runtimes as Trainer's webhooks read them, and which runtime a TrainJob means: one of the set, or one that Trainer is
 * installed with. Made from JSON of any shape; knows no rules.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type Manifest } from '../manifest';
import { type ManifestSet } from '../manifest-set';
import { asArray, asInteger, asObject, asString, isObject, objectsAt } from '../read';
import {
  ANCESTOR_LABEL,
  builtInRuntime,
  ML_POLICIES,
  type MlPolicyName,
  SUPPORT_LABEL,
  TRAINER_GROUP,
} from './trainer-facts';

export const TRAIN_JOB_KIND = `${TRAINER_GROUP}/TrainJob`;
export const RUNTIME_KINDS = [`${TRAINER_GROUP}/TrainingRuntime`, `${TRAINER_GROUP}/ClusterTrainingRuntime`] as const;

export interface RuntimeJob {
  readonly name: string;
  readonly path: string;
  readonly value: JsonObject;
  /** What of a TrainJob it becomes; absent where it says none. */
  readonly ancestor: string | undefined;
  readonly podSpec: JsonObject;
  readonly podSpecPath: string;
  readonly containers: readonly string[];
  readonly initContainers: readonly string[];
}

export interface RuntimeView {
  readonly name: string;
  readonly policy: MlPolicyName | undefined;
  readonly mlPolicy: JsonObject;
  /** By the policy's name. */
  readonly settings: JsonObject;
  readonly podGroupPolicy: JsonObject;
  readonly templateAnnotations: JsonObject;
  readonly deprecated: boolean;
  readonly jobs: readonly RuntimeJob[];
}

export interface TrainJobView {
  readonly spec: JsonObject;
  readonly trainer: JsonObject;
  readonly runtimeName: string;
  readonly runtimeKind: string;
  readonly runtimeGroup: string;
  readonly numNodes: number | undefined;
}

export function trainJobOf(manifest: Manifest): TrainJobView {
  const spec = asObject(manifest.object.spec);
  const ref = asObject(spec.runtimeRef);
  const trainer = asObject(spec.trainer);
  return {
    spec,
    trainer,
    runtimeName: asString(ref.name) ?? '',
    runtimeKind: asString(ref.kind) ?? 'ClusterTrainingRuntime',
    runtimeGroup: asString(ref.apiGroup) ?? TRAINER_GROUP,
    numNodes: asInteger(trainer.numNodes),
  };
}

export function runtimeOf(manifest: Manifest): RuntimeView {
  const spec = asObject(manifest.object.spec);
  const mlPolicy = asObject(spec.mlPolicy);
  const policy = ML_POLICIES.find((name) => isObject(mlPolicy[name]));
  return {
    name: manifest.id.name,
    policy,
    mlPolicy,
    settings: policy === undefined ? {} : asObject(mlPolicy[policy]),
    podGroupPolicy: asObject(spec.podGroupPolicy),
    templateAnnotations: asObject(asObject(asObject(spec.template).metadata).annotations),
    deprecated: asObject(asObject(manifest.object.metadata).labels)[SUPPORT_LABEL] === 'deprecated',
    jobs: objectsAt(manifest.object, '/spec/template/spec/replicatedJobs').map(({ value, path }) =>
      runtimeJobOf(value, path),
    ),
  };
}

function runtimeJobOf(value: JsonObject, path: string): RuntimeJob {
  const template = asObject(value.template);
  const podSpec = asObject(asObject(asObject(template.spec).template).spec);
  const names = (list: JsonValue | undefined): readonly string[] =>
    asArray(list).flatMap((container) => asString(asObject(container).name) ?? []);
  return {
    name: asString(value.name) ?? '',
    path,
    value,
    ancestor: asString(asObject(asObject(template.metadata).labels)[ANCESTOR_LABEL]),
    podSpec,
    podSpecPath: `${path}/template/spec/template/spec`,
    containers: names(podSpec.containers),
    initContainers: names(podSpec.initContainers),
  };
}

/** The runtime that a TrainJob names, where the set holds it. */
export function runtimeInSet(job: TrainJobView, manifest: Manifest, set: ManifestSet): RuntimeView | undefined {
  if (job.runtimeGroup !== TRAINER_GROUP) {
    return undefined;
  }
  const found = set
    .ofKind(`${TRAINER_GROUP}/${job.runtimeKind}`)
    .find(
      ({ id }) =>
        id.name === job.runtimeName &&
        (job.runtimeKind !== 'TrainingRuntime' || id.namespace === manifest.id.namespace),
    );
  return found === undefined ? undefined : runtimeOf(found);
}

/** The policy under which a TrainJob runs, where it can be known. */
export function policyOf(job: TrainJobView, runtime: RuntimeView | undefined): MlPolicyName | undefined {
  if (runtime !== undefined) {
    return runtime.policy;
  }
  return job.runtimeKind === 'ClusterTrainingRuntime' ? builtInRuntime(job.runtimeName)?.policy : undefined;
}

/** Jobs of the runtime with their containers, where they can be known. */
export function containersByJob(
  job: TrainJobView,
  runtime: RuntimeView | undefined,
): ReadonlyMap<string, readonly string[]> | undefined {
  if (runtime !== undefined) {
    return new Map(
      runtime.jobs.map(({ name, containers, initContainers }) => [name, [...initContainers, ...containers]]),
    );
  }
  const known = job.runtimeKind === 'ClusterTrainingRuntime' ? builtInRuntime(job.runtimeName) : undefined;
  return known === undefined ? undefined : new Map(Object.entries(known.jobs));
}
