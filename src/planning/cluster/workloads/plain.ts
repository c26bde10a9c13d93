/**
 * Workloads of Kubernetes itself, and of Knative: pods that are of use one by one, unless something holds them together.
 */
import { type Manifest } from '../../../manifests/manifest';
import { type PodTemplate } from '../../../manifests/pods/pod-template';
import { asInteger, asObject } from '../../../manifests/read';
import { isAdmittedAsAWhole, metadataHints, roleOf, rolesOf, type WorkloadsOf } from './workload';

/** Pod, ReplicationController, ReplicaSet, Deployment, StatefulSet. */
export function replicas(manifest: Manifest, templates: readonly PodTemplate[]): WorkloadsOf {
  const roles = rolesOf(templates);
  if (roles.length === 0) {
    return [{ manifest, why: 'has no replicas' }];
  }
  return [{ manifest, roles, together: isAdmittedAsAWhole(manifest), hints: {} }];
}

export function job(manifest: Manifest, templates: readonly PodTemplate[]): WorkloadsOf {
  const spec = asObject(manifest.object.spec);
  const whole = isAdmittedAsAWhole(manifest);
  // Kueue takes a job out of its suspension when its turn comes.
  if (spec.suspend === true && !whole) {
    return [{ manifest, why: 'is suspended' }];
  }
  const least = asInteger(
    Number(asObject(asObject(manifest.object.metadata).annotations)['kueue.x-k8s.io/job-min-parallelism'] ?? NaN),
  );
  const roles = rolesOf(templates);
  if (roles.length === 0) {
    return [{ manifest, why: 'has no pods to run' }];
  }
  return [
    { manifest, roles, together: whole, hints: whole && least !== undefined && least > 0 ? { minimum: least } : {} },
  ];
}

/** A revision starts `initial-scale` pods, one unless it says otherwise, and keeps `min-scale`. */
export function knativeService(manifest: Manifest, templates: readonly PodTemplate[]): WorkloadsOf {
  const [template] = templates;
  if (template === undefined) {
    return [];
  }
  const annotations = asObject(template.metadata.annotations);
  const number = (key: string): number | undefined =>
    asInteger(Number(annotations[`autoscaling.knative.dev/${key}`] ?? NaN));
  const count = Math.max(number('min-scale') ?? number('minScale') ?? 0, number('initial-scale') ?? 1);
  if (count === 0) {
    return [{ manifest, why: 'starts without pods (initial-scale 0, min-scale 0)' }];
  }
  return [{ manifest, roles: [{ ...roleOf(template, count), name: 'revision' }], together: false, hints: {} }];
}

/** Kueue's own object, if the manifests contain one. */
export function kueueWorkload(manifest: Manifest, templates: readonly PodTemplate[]): WorkloadsOf {
  const { queueName, priorityClassName, priority } = asObject(manifest.object.spec);
  const own = metadataHints(manifest);
  const namespace = manifest.id.namespace === '' ? 'default' : manifest.id.namespace;
  return [
    {
      manifest,
      roles: rolesOf(templates),
      together: true,
      hints: {
        ...own,
        ...(typeof queueName === 'string' && { queue: { kind: 'local-queue' as const, namespace, name: queueName } }),
        ...(typeof priorityClassName === 'string' && { priorityClassName }),
        ...(typeof priority === 'number' && { priority }),
      },
    },
  ];
}
