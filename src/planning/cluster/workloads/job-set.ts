/**
 * JobSets, and TrainJobs, which are JobSets made from a runtime.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asInteger, asObject, asString } from '../../../manifests/read';
import { type Subgroup } from '../../../placement';
import { runtimeInSet, type RuntimeView, trainJobOf } from '../../../manifests/trainer/runtime-view';
import { type GangHints, gangHintsOf } from '../objects/gang-hints';
import { networkTopology, type TierResolver } from '../objects/topologies';
import { isAdmittedAsAWhole, MOST_GANGS, namespaceOf, type WorkloadRole, type WorkloadsOf } from './workload';

const EXCLUSIVE_TOPOLOGY = 'alpha.jobset.sigs.k8s.io/exclusive-topology';

export function jobSet(manifest: Manifest): WorkloadsOf {
  const spec = asObject(manifest.object.spec);
  if (spec.suspend === true && !isAdmittedAsAWhole(manifest)) {
    return [{ manifest, why: 'is suspended' }];
  }
  const jobs = asArray(spec.replicatedJobs).map(asObject);
  const whole = asString(asObject(asObject(manifest.object.metadata).annotations)[EXCLUSIVE_TOPOLOGY]);
  const parts = jobs.filter((job) => !isWaitedFor(job, jobs)).map((job) => partsOf(job, whole));
  const roles = parts.flatMap((part) => part.roles);
  if (roles.length === 0) {
    return [{ manifest, why: 'has no jobs with replicas' }];
  }
  const subgroups = parts.flatMap((part) => part.subgroups);
  return [{ manifest, roles, together: true, hints: {}, ...(subgroups.length > 0 && { subgroups }) }];
}

/** A replicated job that must complete before others start has terminated by then. */
function isWaitedFor({ name }: JsonObject, jobs: readonly JsonObject[]): boolean {
  return jobs.some(({ dependsOn }) =>
    asArray(dependsOn)
      .map(asObject)
      .some((one) => one.name === name && one.status === 'Complete'),
  );
}

interface Parts {
  readonly roles: readonly WorkloadRole[];
  readonly subgroups: readonly Subgroup[];
}

/** With an exclusive topology each of the replicated jobs has a domain of its own. */
function partsOf(job: JsonObject, ofSet: string | undefined): Parts {
  const name = asString(job.name) ?? 'job';
  const template = asObject(job.template);
  const spec = asObject(template.spec);
  const pod = asObject(spec.template);
  const replicas = asInteger(job.replicas) ?? 1;
  const parallelism = asInteger(spec.parallelism) ?? 1;
  const pods = Math.min(parallelism, asInteger(spec.completions) ?? parallelism);
  const level = asString(asObject(asObject(template.metadata).annotations)[EXCLUSIVE_TOPOLOGY]) ?? ofSet;
  const role = { metadata: asObject(pod.metadata), spec: asObject(pod.spec) };
  if (replicas <= 0 || pods <= 0) {
    return { roles: [], subgroups: [] };
  }
  if (level === undefined) {
    return { roles: [{ ...role, name, count: replicas * pods }], subgroups: [] };
  }
  const names = Array.from({ length: Math.min(replicas, MOST_GANGS) }, (_, index) => `${name}-${index}`);
  return {
    roles: names.map((subgroup) => ({ ...role, name: subgroup, count: pods, subgroup })),
    subgroups: names.map((subgroup) => ({ name: subgroup, topology: { required: level } })),
  };
}

/** Steps that are over before the trainer starts. */
const INITIALIZERS: ReadonlySet<string> = new Set(['dataset-initializer', 'model-initializer']);

export function trainJob(manifest: Manifest, set: ManifestSet, tiers: TierResolver | undefined): WorkloadsOf {
  const job = trainJobOf(manifest);
  if (job.spec.suspend === true && !isAdmittedAsAWhole(manifest)) {
    return [{ manifest, why: 'is suspended' }];
  }
  const runtime = runtimeInSet(job, manifest, set);
  const perNode = asObject(job.trainer.resourcesPerNode);
  if (runtime === undefined && Object.keys(perNode).length === 0) {
    const what = `runs the ${job.runtimeKind} "${job.runtimeName}", which is not in the manifests`;
    return [{ manifest, why: `${what}, and sets no resourcesPerNode` }];
  }
  const nodes = job.numNodes ?? asInteger(runtime?.mlPolicy.numNodes) ?? 1;
  const roles =
    runtime === undefined
      ? [
          {
            name: 'node',
            count: nodes,
            metadata: {},
            spec: withResources({ containers: [{ name: 'node' }] }, 'node', perNode),
          },
        ]
      : runtime.jobs
          .filter(({ ancestor = '' }) => !INITIALIZERS.has(ancestor))
          .map(({ name, ancestor, value }): WorkloadRole => {
            const template = asObject(value.template);
            const spec = asObject(template.spec);
            const pod = asObject(spec.template);
            const trains = ancestor === 'trainer' || name === 'node';
            const count = trains ? nodes : (asInteger(value.replicas) ?? 1) * (asInteger(spec.parallelism) ?? 1);
            const patched = patchedSpec(job.spec, name, asObject(pod.spec));
            return {
              name,
              count,
              metadata: asObject(pod.metadata),
              spec: trains ? withResources(patched, 'node', perNode) : patched,
            };
          });
  return [
    { manifest, roles, together: true, hints: runtime === undefined ? {} : runtimeHints(runtime, manifest, tiers) },
  ];
}

/** The runtime's settings for the pod group that Trainer creates. */
function runtimeHints(runtime: RuntimeView, manifest: Manifest, tiers: TierResolver | undefined): GangHints {
  const said = gangHintsOf({ annotations: runtime.templateAnnotations }, {}, namespaceOf(manifest.id));
  const topology = networkTopology(asObject(asObject(runtime.podGroupPolicy.volcano).networkTopology), tiers);
  return topology === undefined ? said : { ...said, topology };
}

/** `resourcesPerNode` takes the place of the container's own. */
function withResources(spec: JsonObject, container: string, resources: JsonObject): JsonObject {
  if (Object.keys(resources).length === 0) {
    return spec;
  }
  const containers = asArray(spec.containers).map(asObject);
  return { ...spec, containers: containers.map((one) => (one.name === container ? { ...one, resources } : one)) };
}

/** Where pods may run, as the job's patches say it for one of the runtime's jobs. */
function patchedSpec(spec: JsonObject, job: string, pod: JsonObject): JsonObject {
  let patched = pod;
  for (const patch of asArray(spec.runtimePatches).map(asObject)) {
    const jobs = asArray(asObject(asObject(asObject(patch.trainingRuntimeSpec).template).spec).replicatedJobs).map(
      asObject,
    );
    for (const { name, template } of jobs) {
      if (name !== job) {
        continue;
      }
      const own = asObject(asObject(asObject(asObject(template).spec).template).spec);
      patched = {
        ...patched,
        ...(own.affinity !== undefined && { affinity: own.affinity }),
        ...(own.nodeSelector !== undefined && {
          nodeSelector: { ...asObject(patched.nodeSelector), ...asObject(own.nodeSelector) },
        }),
        ...(own.tolerations !== undefined && {
          tolerations: [...asArray(patched.tolerations), ...asArray(own.tolerations)],
        }),
      };
    }
  }
  return patched;
}
