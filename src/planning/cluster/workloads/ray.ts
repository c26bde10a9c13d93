/**
 * Ray clusters, alone and behind jobs and services: the head and all workers, or as many as autoscaling starts with.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Manifest } from '../../../manifests/manifest';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asArray, asInteger, asObject, asString } from '../../../manifests/read';
import { type GangHints } from '../objects/gang-hints';
import { isAdmittedAsAWhole, rolesOf, type WorkloadsOf } from './workload';

const CLUSTER_SPECS: Readonly<Record<string, (spec: JsonObject) => JsonObject>> = {
  RayCluster: (spec) => spec,
  RayJob: ({ rayClusterSpec }) => asObject(rayClusterSpec),
  RayService: ({ rayClusterConfig }) => asObject(rayClusterConfig),
};

export function ray(manifest: Manifest, templates: readonly PodTemplate[]): WorkloadsOf {
  const spec = asObject(manifest.object.spec);
  if (spec.suspend === true && !isAdmittedAsAWhole(manifest)) {
    return [{ manifest, why: 'is suspended' }];
  }
  const cluster = CLUSTER_SPECS[manifest.id.kind]?.(spec) ?? {};
  const groups = new Map(
    asArray(cluster.workerGroupSpecs)
      .map(asObject)
      .map((group) => [asString(group.groupName) ?? '', group]),
  );
  const elastic = cluster.enableInTreeAutoscaling === true;
  const roles = rolesOf(templates).map((role) => {
    // What submits starts when the cluster is there.
    if (role.name === 'submitter') {
      return { ...role, minimum: 0 };
    }
    const group = groups.get(role.name);
    if (!elastic || group === undefined) {
      return role;
    }
    return { ...role, minimum: (asInteger(group.minReplicas) ?? 0) * (asInteger(group.numOfHosts) ?? 1) };
  });
  if (!roles.some(({ name }) => name === 'head')) {
    return [{ manifest, why: 'runs on an existing Ray cluster' }];
  }
  const labels = asObject(asObject(manifest.object.metadata).labels);
  const priorityClassName = asString(labels['ray.io/priority-class-name']);
  const hints: GangHints = priorityClassName === undefined ? {} : { priorityClassName };
  return [{ manifest, roles, together: true, hints }];
}
