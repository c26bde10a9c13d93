/**
 * Fields that OpenAPI calls required and that the server does without: its own code sets a default, or never looks.
 *
 * Each was tried against kube-apiserver 1.36 with strict field validation, those that OpenAPI requires only in older minors against 1.30.
 */

import { isDroppedInObject } from '../server/gated-fields';

/** Ends of JSON pointers, list indexes written `*`: fields whose zero value is as good as any. */
const ENDS: readonly RegExp[] = [
  /\/capacity\/[^/]+\/value$/,
  // Dropped: the feature gates are off by default, or were until 1.37, from which the server tier looks at them.
  /\/clusterTrustBundle\/(path|labelSelector\/matchExpressions\/\*\/(key|operator))$/,
  /\/derivedAttributes\/\*\/(expression|name)$/,
  /\/evictionResponders\/\*\/(name|priority)$/,
  /\/spec\/scheduling\/(resourceClaims\/\*\/name|schedulingConstraints\/topology\/\*\/key)$/,
  /\/configSource\/configMap\/(kubeletConfigKey|name|namespace)$/,
  /\/counters\/[^/]+\/value$/,
  /\/httpHeaders\/\*\/value$/,
  /\/iscsi\/lun$/,
  /\/metric\/selector\/matchExpressions\/\*\/(key|operator)$/,
  /\/podCertificate\/(keyType|signerName)$/,
  /\/podFailurePolicy\/rules$/,
  /\/podFailurePolicy\/rules\/\*\/onPodConditions\/\*\/status$/,
  /\/preferredDuringSchedulingIgnoredDuringExecution\/\*\/preference$/,
  /\/sleep\/seconds$/,
  // Dropped on create.
  /^\/status$/,
  /\/sysctls\/\*\/value$/,
  /\/(template|jobTemplate|volumeClaimTemplates\/\*)\/metadata\/ownerReferences\/\*\/(apiVersion|kind|name|uid)$/,
  /\/volumeClaimTemplates\/\*\/status\/.+$/,
];

/** By `group/Kind` (`Kind` alone for the core group): whole pointers. */
const BY_KIND: Readonly<Record<string, readonly string[]>> = {
  Event: ['/involvedObject'],
  LimitRange: ['/spec/limits'],
  // A source that is dropped needs neither; the server tier demands both of any other.
  PersistentVolumeClaim: ['dataSource', 'dataSourceRef'].flatMap((field) => [
    `/spec/${field}/kind`,
    `/spec/${field}/name`,
  ]),
  'apiextensions.k8s.io/CustomResourceDefinition': ['/spec/versions/*/served', '/spec/versions/*/storage'],
  'apps/ControllerRevision': ['/revision'],
  'apps/StatefulSet': ['/spec/serviceName'],
  'discovery.k8s.io/EndpointSlice': ['/endpoints', '/endpoints/*/hints/forZones/*/name'],
  'networking.k8s.io/NetworkPolicy': ['/spec/podSelector'],
  'rbac.authorization.k8s.io/ClusterRoleBinding': ['/roleRef/apiGroup'],
  'rbac.authorization.k8s.io/RoleBinding': ['/roleRef/apiGroup'],
  'resource.k8s.io/DeviceClass': ['/spec'],
  'resource.k8s.io/ResourceClaim': ['/spec'],
  'resource.k8s.io/ResourceClaimTemplate': ['/spec', '/spec/spec'],
  'resource.k8s.io/ResourceSlice': ['/spec/pool/generation'],
  'scheduling.k8s.io/PodGroup': ['/spec/schedulingConstraints/topology/*/key', '/spec/resourceClaims/*/name'],
  'scheduling.k8s.io/PriorityClass': ['/value'],
  'scheduling.k8s.io/Workload': [
    '/spec/podGroupTemplates/*/schedulingConstraints/topology/*/key',
    '/spec/podGroupTemplates/*/resourceClaims/*/name',
  ],
  'storage.k8s.io/CSIDriver': ['/spec', '/spec/tokenRequests/*/audience'],
  'storage.k8s.io/CSINode': ['/spec', '/spec/drivers'],
};

export function isOptionalField(kind: string, path: string, minor: number): boolean {
  if (isDroppedInObject(kind, minor, path)) {
    return true;
  }
  const general = path.replace(/\/\d+(?=\/|$)/g, '/*');
  const fields = Object.hasOwn(BY_KIND, kind) ? BY_KIND[kind] : undefined;
  return fields?.includes(general) === true || ENDS.some((end) => end.test(general));
}
