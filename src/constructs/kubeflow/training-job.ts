/**
 * A training-operator job as its operator reads it: roles with their counts after defaults, the container that matters,
 * the elastic range. Made from JSON of any shape; knows no rules.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { type SharedSpec } from '../../manifests/equal-specs';
import { type Manifest } from '../../manifests/manifest';
import { pointer } from '../../manifests/pointer';
import { asArray, asInteger, asObject, asString, isObject } from '../../manifests/read';
import { type Framework, frameworkOf, replicaName, type RoleFacts, TRAINING_OPERATOR_API_VERSION } from './frameworks';

export interface Located {
  readonly value: JsonObject;
  /** JSON pointer from the manifest's root. */
  readonly path: string;
}

export interface Role {
  /** As written. */
  readonly name: string;
  /** Absent for a role that the framework does not have. */
  readonly facts: RoleFacts | undefined;
  readonly path: string;
  readonly value: JsonObject;
  /** Pods of the role, the operator's default where none (or no integer) is written. */
  readonly count: number;
  readonly podSpec: JsonObject;
  /** JSON pointer of the template's `spec`. */
  readonly podSpecPath: string;
  readonly containers: readonly Located[];
  /** The container of the framework's name; where none has it, the only one, which is surely meant. */
  readonly main: Located | undefined;
}

export interface TrainingJob {
  readonly framework: Framework;
  readonly spec: JsonObject;
  readonly roles: readonly Role[];
  readonly runPolicy: JsonObject;
  readonly elasticPolicy: JsonObject | undefined;
}

/** A job with its name, which few rules look at; the others run once for all jobs of equal spec. */
export interface NamedTrainingJob extends TrainingJob {
  readonly name: string;
  readonly generateName: string;
}

const known = new WeakMap<Manifest, NamedTrainingJob | null>();

const ofSpecs = new WeakMap<SharedSpec, TrainingJob>();

/**
 * The job that a manifest states; `undefined` for other kinds and for MPIJob of the mpi-operator. Read once for all rules.
 *
 * @param shared represents the spec of the manifest: equal specs are read once
 */
export function trainingJobOf(manifest: Manifest, shared?: SharedSpec): NamedTrainingJob | undefined {
  let job = known.get(manifest);
  if (job === undefined) {
    const ofSpec = (shared && ofSpecs.get(shared)) ?? readTrainingJob(manifest);
    if (shared !== undefined && ofSpec !== undefined) {
      ofSpecs.set(shared, ofSpec);
    }
    const generateName = asString(asObject(manifest.object.metadata).generateName) ?? '';
    job = ofSpec === undefined ? null : { ...ofSpec, name: manifest.id.name, generateName };
    known.set(manifest, job);
  }
  return job ?? undefined;
}

function readTrainingJob(manifest: Manifest): TrainingJob | undefined {
  const framework = frameworkOf(manifest.id.kind);
  if (framework === undefined || manifest.id.apiVersion !== TRAINING_OPERATOR_API_VERSION) {
    return undefined;
  }
  const spec = asObject(manifest.object.spec);
  return {
    framework,
    spec,
    roles: Object.entries(asObject(spec[framework.replicaSpecs])).map(([name, value]) =>
      roleOf(framework, name, value),
    ),
    runPolicy: asObject(spec.runPolicy),
    elasticPolicy: isObject(spec.elasticPolicy) ? spec.elasticPolicy : undefined,
  };
}

function roleOf(framework: Framework, name: string, value: JsonValue): Role {
  const path = pointer('/spec', framework.replicaSpecs, name);
  const object = asObject(value);
  const facts = framework.roles.find((role) => role.name === name);
  const podSpec = asObject(asObject(object.template).spec);
  const podSpecPath = `${path}/template/spec`;
  const containers = asArray(podSpec.containers).flatMap((container, index) =>
    isObject(container) ? [{ value: container, path: `${podSpecPath}/containers/${index}` }] : [],
  );
  return {
    name,
    facts,
    path,
    value: object,
    count: asInteger(object.replicas) ?? facts?.defaultReplicas ?? 1,
    podSpec,
    podSpecPath,
    containers,
    main:
      containers.find(({ value: container }) => container.name === framework.container) ??
      (containers.length === 1 ? containers[0] : undefined),
  };
}

export function roleNamed(job: TrainingJob, name: string): Role | undefined {
  return job.roles.find((role) => role.name === name);
}

/** Pods of all roles: what the operator takes for the number of nodes of a static job. */
export function podCount(job: TrainingJob): number {
  return job.roles.reduce((sum, role) => sum + Math.max(0, role.count), 0);
}

/** The host part of where they meet. */
export function rendezvousHost(job: NamedTrainingJob): string {
  if (job.elasticPolicy === undefined) {
    return replicaName(job.name, 'Master', 0);
  }
  return asString(job.elasticPolicy.rdzvHost) ?? replicaName(job.name, 'Worker', 0);
}

export interface ElasticRange {
  readonly min: number;
  readonly max: number;
}

/** The range after the operator's defaults: either bound replaces the other, the Worker count for both. */
export function elasticRange(job: TrainingJob): ElasticRange | undefined {
  if (job.elasticPolicy === undefined) {
    return undefined;
  }
  const min = asInteger(job.elasticPolicy.minReplicas);
  const max = asInteger(job.elasticPolicy.maxReplicas);
  const workers = roleNamed(job, 'Worker')?.count;
  const low = min ?? max ?? workers;
  const high = max ?? min ?? workers;
  return low === undefined || high === undefined ? undefined : { min: low, max: high };
}

/** `PET_NNODES` as the operator sets it on every container. Source: `pkg/controller.v1/pytorch/envvar.go`, `elastic.go`. */
export function operatorNnodes(job: TrainingJob): string | undefined {
  if (job.elasticPolicy === undefined) {
    return String(podCount(job));
  }
  const range = elasticRange(job);
  return range === undefined ? undefined : `${range.min}:${range.max}`;
}

/** Where the pods of a PyTorchJob meet: `rdzvPort`, else the first pod's port of the framework's name, else the operator's own. */
export function rendezvousPort(job: TrainingJob): number {
  const stated = asInteger(job.elasticPolicy?.rdzvPort);
  if (stated !== undefined) {
    return stated;
  }
  const role = roleNamed(job, job.elasticPolicy === undefined ? 'Master' : 'Worker');
  const ports = asArray(role?.main?.value.ports).map(asObject);
  const named = ports.find((port) => port.name === job.framework.portName);
  return asInteger(named?.containerPort) ?? job.framework.port;
}
