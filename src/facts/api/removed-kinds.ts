/**
 * Built-in kinds of groups and versions that no supported minor of Kubernetes has any more, and under which no kind of that name is left.
 * Other removed versions are known from the versions that are left.
 *
 * Source: Kubernetes, Deprecated API Migration Guide; CHANGELOG of 1.19, 1.20, and 1.29.
 */

export interface RemovedKind {
  /** The first minor without the kind. */
  readonly removedIn: string;
  /** The API version that has the kind now. Absent where none has. */
  readonly successor?: string;
  /** What takes over its task, as a sentence about what to do. Absent where there is a successor. */
  readonly instead?: string;
}

const USE_POD_SECURITY =
  'Remove the object, and set the label pod-security.kubernetes.io/enforce on the namespaces whose pods it restricts.';

const REMOVED: ReadonlyMap<string, RemovedKind> = new Map<string, RemovedKind>([
  [
    'auditregistration.k8s.io/v1alpha1/AuditSink',
    { removedIn: '1.19', instead: 'Remove the object, and start the API server with --audit-webhook-config-file.' },
  ],
  ['extensions/v1beta1/DaemonSet', { removedIn: '1.16', successor: 'apps/v1' }],
  ['extensions/v1beta1/Deployment', { removedIn: '1.16', successor: 'apps/v1' }],
  ['extensions/v1beta1/Ingress', { removedIn: '1.22', successor: 'networking.k8s.io/v1' }],
  ['extensions/v1beta1/NetworkPolicy', { removedIn: '1.16', successor: 'networking.k8s.io/v1' }],
  ['extensions/v1beta1/PodSecurityPolicy', { removedIn: '1.16', instead: USE_POD_SECURITY }],
  ['extensions/v1beta1/ReplicaSet', { removedIn: '1.16', successor: 'apps/v1' }],
  [
    'networking.k8s.io/v1alpha1/ClusterCIDR',
    { removedIn: '1.29', instead: 'Remove the object: no API of Kubernetes replaces it.' },
  ],
  ['policy/v1beta1/PodSecurityPolicy', { removedIn: '1.25', instead: USE_POD_SECURITY }],
  [
    'settings.k8s.io/v1alpha1/PodPreset',
    { removedIn: '1.20', instead: 'Remove the object, and set its variables and volumes in the pods that it selects.' },
  ],
]);

/** `undefined` for a kind that exists, or never did. */
export function findRemovedKind(apiVersion: string, kind: string): RemovedKind | undefined {
  return REMOVED.get(`${apiVersion}/${kind}`);
}
