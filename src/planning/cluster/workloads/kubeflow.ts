/**
 * Jobs of Kubeflow's training operator and of the MPI operator, and of Ascend's, which is made alike.
 */
import { type Manifest } from '../../../manifests/manifest';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asInteger, asObject, asString } from '../../../manifests/read';
import { type GangHints } from '../objects/gang-hints';
import { isAdmittedAsAWhole, rolesOf, type WorkloadsOf } from './workload';

export function operatorJob(manifest: Manifest, templates: readonly PodTemplate[]): WorkloadsOf {
  const spec = asObject(manifest.object.spec);
  const runPolicy = asObject(spec.runPolicy);
  if (runPolicy.suspend === true && !isAdmittedAsAWhole(manifest)) {
    return [{ manifest, why: 'is suspended' }];
  }
  const roles = rolesOf(templates);
  if (roles.length === 0) {
    return [{ manifest, why: 'has no replicas' }];
  }
  const scheduling = asObject(runPolicy.schedulingPolicy);
  const queue = asString(scheduling.queue);
  const priorityClassName = asString(scheduling.priorityClass);
  const minimum = asInteger(scheduling.minAvailable) ?? elasticMinimum(manifest, roles);
  const hints: GangHints = {
    ...(queue !== undefined && queue !== '' && { queue: { kind: 'queue' as const, name: queue } }),
    ...(minimum !== undefined && { minimum }),
    ...(priorityClassName !== undefined && priorityClassName !== '' && { priorityClassName }),
  };
  return [{ manifest, roles, together: true, hints }];
}

/** An elastic job needs the minimum of its workers, and every pod that is not a worker. */
function elasticMinimum(
  manifest: Manifest,
  roles: readonly { readonly name: string; readonly count: number }[],
): number | undefined {
  const least = asInteger(asObject(asObject(manifest.object.spec).elasticPolicy).minReplicas);
  if (least === undefined) {
    return undefined;
  }
  return roles.reduce((sum, { name, count }) => sum + (name === 'Worker' ? Math.min(count, least) : count), 0);
}
