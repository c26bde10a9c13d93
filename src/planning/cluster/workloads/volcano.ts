/**
 * Jobs of Volcano, alone and in flows.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asArray, asInteger, asObject, asString } from '../../../manifests/read';
import { type TopologyConstraint } from '../../../placement';
import { type GangHints } from '../objects/gang-hints';
import { networkTopology, type TierResolver } from '../objects/topologies';
import { type NotPlaced, roleOf, type Workload, type WorkloadRole, type WorkloadsOf } from './workload';

export function volcanoJob(
  manifest: Manifest,
  templates: readonly PodTemplate[],
  tiers: TierResolver | undefined,
): WorkloadsOf {
  return jobOf(manifest, asObject(manifest.object.spec), templates, tiers);
}

/** `minAvailable` of a task holds only while the job's is no less than the sum of them. */
function jobOf(
  manifest: Manifest,
  spec: JsonObject,
  templates: readonly PodTemplate[],
  tiers: TierResolver | undefined,
): WorkloadsOf {
  const tasks = asArray(spec.tasks).map(asObject);
  const counts = tasks.map(({ replicas }) => asInteger(replicas) ?? 0);
  const least = tasks.map(({ minAvailable }, index) => asInteger(minAvailable) ?? counts[index]);
  const sum = least.reduce((total, count) => total + count, 0);
  const minimum = asInteger(spec.minAvailable) ?? 0;
  const whole = minimum === 0 || minimum >= sum;
  const roles = templates.flatMap((template, index): WorkloadRole[] => {
    if (!((counts[index] ?? 0) > 0)) {
      return [];
    }
    const topology = partitions(asObject(tasks[index].partitionPolicy), tiers);
    return [
      {
        ...roleOf(template, counts[index]),
        minimum: whole ? least[index] : 0,
        ...(topology !== undefined && { topology }),
      },
    ];
  });
  if (roles.length === 0) {
    return [{ manifest, why: 'has no tasks with replicas' }];
  }
  return [{ manifest, roles, together: true, hints: hintsOf(spec, minimum === 0 ? sum : minimum, tiers) }];
}

function hintsOf(spec: JsonObject, minimum: number, tiers: TierResolver | undefined): GangHints {
  const topology = networkTopology(asObject(spec.networkTopology), tiers);
  const priorityClassName = asString(spec.priorityClassName);
  return {
    queue: { kind: 'queue', name: asString(spec.queue) ?? 'default' },
    minimum,
    ...(topology !== undefined && { topology }),
    ...(priorityClassName !== undefined && { priorityClassName }),
  };
}

/** Each partition of a task within one HyperNode. */
function partitions(policy: JsonObject, tiers: TierResolver | undefined): TopologyConstraint | undefined {
  const sliceSize = asInteger(policy.partitionSize);
  const level = networkTopology(asObject(policy.networkTopology), tiers);
  if (sliceSize === undefined || level?.required === undefined) {
    return undefined;
  }
  return { ...(level.topology !== undefined && { topology: level.topology }), sliceSize, sliceLevel: level.required };
}

/** A flow starts the jobs that wait for no other; the rest follows later. */
export function jobFlow(manifest: Manifest, set: ManifestSet, tiers: TierResolver | undefined): WorkloadsOf {
  const flows = asArray(asObject(manifest.object.spec).flows).map(asObject);
  return flows.flatMap((flow): readonly (Workload | NotPlaced)[] => {
    const name = asString(flow.name) ?? '';
    const targets = asArray(asObject(flow.dependsOn).targets).filter((target) => typeof target === 'string');
    if (targets.length > 0) {
      return [
        { manifest, why: `starts "${name}" once ${targets.join(' and ')} ${targets.length > 1 ? 'are' : 'is'} done` },
      ];
    }
    const template = set.get('flow.volcano.sh/JobTemplate', name, manifest.id.namespace);
    if (template === undefined) {
      return [{ manifest, why: `starts the JobTemplate "${name}", which is not in the manifests` }];
    }
    const found = jobOf(manifest, asObject(template.object.spec), set.podTemplatesOf(template), tiers);
    return found.map((one) => ('roles' in one ? { ...one, suffix: name } : one));
  });
}
