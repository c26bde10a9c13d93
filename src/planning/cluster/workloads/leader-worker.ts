/**
 * LeaderWorkerSets: one gang for each group, the leader first and its workers beside it.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { EXCLUSIVE_TOPOLOGY, SUBGROUP_EXCLUSIVE_TOPOLOGY } from '../../../manifests/pods/leader-worker-facts';
import { type Manifest } from '../../../manifests/manifest';
import { asArray, asInteger, asObject, asString, isObject } from '../../../manifests/read';
import { type GangHints } from '../objects/gang-hints';
import { MOST_GANGS, type Workload, type WorkloadRole, type WorkloadsOf } from './workload';

export function leaderWorkerSet(manifest: Manifest): WorkloadsOf {
  const groups = groupsOf(manifest, asObject(manifest.object.spec), '');
  return groups.length === 0 ? [{ manifest, why: 'has no replicas' }] : groups;
}

/** Each role of a DisaggregatedSet is a LeaderWorkerSet. */
export function disaggregatedSet(manifest: Manifest): WorkloadsOf {
  const roles = asArray(asObject(manifest.object.spec).roles).map(asObject);
  const groups = roles.flatMap((role) => groupsOf(manifest, asObject(role.spec), `${asString(role.name) ?? 'role'}-`));
  return groups.length === 0 ? [{ manifest, why: 'has no replicas' }] : groups;
}

function groupsOf(manifest: Manifest, spec: JsonObject, prefix: string): readonly Workload[] {
  const template = asObject(spec.leaderWorkerTemplate);
  const size = asInteger(template.size) ?? 1;
  const worker = asObject(template.workerTemplate);
  const leader = isObject(template.leaderTemplate) ? template.leaderTemplate : worker;
  const annotations = asObject(asObject(manifest.object.metadata).annotations);
  const level = asString(annotations[EXCLUSIVE_TOPOLOGY]);
  const hints: GangHints = level === undefined ? {} : { topology: { required: level } };
  const sliceSize = asInteger(asObject(template.subGroupPolicy).subGroupSize);
  const sliceLevel = asString(annotations[SUBGROUP_EXCLUSIVE_TOPOLOGY]);
  const slices = sliceSize === undefined || sliceLevel === undefined ? {} : { topology: { sliceSize, sliceLevel } };
  const roles: readonly WorkloadRole[] = [
    { name: 'leader', count: 1, metadata: asObject(leader.metadata), spec: asObject(leader.spec), leader: size > 1 },
    ...(size > 1
      ? [
          {
            name: 'worker',
            count: size - 1,
            metadata: asObject(worker.metadata),
            spec: asObject(worker.spec),
            ...slices,
          },
        ]
      : []),
  ];
  return Array.from(
    { length: Math.max(0, Math.min(asInteger(spec.replicas) ?? 1, MOST_GANGS)) },
    (_, index): Workload => ({ manifest, suffix: `${prefix}${index}`, roles, together: true, hints }),
  );
}
