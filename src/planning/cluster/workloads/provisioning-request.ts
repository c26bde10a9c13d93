/**
 * ProvisioningRequests of the cluster-autoscaler: capacity for all pods of its pod sets at once, or for none.
 *
 * Source: kubernetes/autoscaler, cluster-autoscaler/apis/provisioningrequest/autoscaling.x-k8s.io/v1/types.go.
 */
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asInteger, asObject, asString, isObject } from '../../../manifests/read';
import { type WorkloadRole, type WorkloadsOf } from './workload';

export function provisioningRequest(manifest: Manifest, set: ManifestSet): WorkloadsOf {
  const { namespace } = manifest.id;
  const sets = asArray(asObject(manifest.object.spec).podSets).filter(isObject);
  const roles = sets.flatMap(({ count, podTemplateRef }): WorkloadRole[] => {
    const name = asString(asObject(podTemplateRef).name) ?? '';
    const template = set.get('PodTemplate', name, namespace)?.object.template;
    const pods = asInteger(count) ?? 0;
    return !isObject(template) || pods <= 0
      ? []
      : [{ name, count: pods, metadata: asObject(template.metadata), spec: asObject(template.spec) }];
  });
  return roles.length === 0 || roles.length < sets.length
    ? [{ manifest, why: 'names a PodTemplate that is not in the manifests' }]
    : [{ manifest, roles, together: true, hints: {} }];
}
