/**
 * What the scheduler may do in a cluster: no verb more than its program uses. A test holds these rules against what an API server saw the
 * program do.
 */
import { type PolicyRule } from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { COLLECTIONS } from '../../planning/scheduler-settings/collections';

/**
 * Everywhere.
 *
 * @param repartitions whether the scheduler changes MIG configurations of nodes
 */
export function clusterRules(repartitions: boolean): readonly PolicyRule[] {
  return [
    ...watchedRules(),
    // A pod whose binding got no answer is looked at; the gate of a pod that is handed over is taken away.
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'patch'] },
    { apiGroups: [''], resources: ['pods/binding', 'pods/eviction'], verbs: ['create'] },
    // The label that the MIG manager follows.
    ...(repartitions ? [{ apiGroups: [''], resources: ['nodes'], verbs: ['patch'] }] : []),
    ...claimRules(),
    // Why a pod waits, and which claim was made for its extended resources.
    { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    ...statusRules(),
    // Who looks at the page.
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ];
}

/**
 * In the scheduler's own namespace: the Lease by which one of the replicas decides, and the ConfigMaps of its history.
 *
 * @param history names of the ConfigMaps
 */
export function namespaceRules(lease: string, history: readonly string[]): readonly PolicyRule[] {
  return [
    // A request to create names no object that a rule could be bound to.
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [lease], verbs: ['get', 'update'] },
    ...(history.length === 0
      ? []
      : [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [...history], verbs: ['get', 'update'] }]),
  ];
}

/** The collections that the program keeps a copy of. */
function watchedRules(): readonly PolicyRule[] {
  const groups = new Map<string, string[]>();
  for (const { group, plural } of Object.values(COLLECTIONS)) {
    groups.set(group, [...(groups.get(group) ?? []), plural]);
  }
  return [...groups].map(([group, plurals]) => ({
    apiGroups: [group],
    resources: [...new Set(plurals)],
    verbs: ['list', 'watch'],
  }));
}

/**
 * Devices for claims: the finalizer that keeps a claim with devices from being deleted, the devices, and the pods that use them; and claims for
 * extended resources that a DeviceClass serves, which are made, and deleted where their pod does not start. From Kubernetes 1.36 on, a change of devices or reservations requires `resourceclaims/binding` too, which no request names.
 */
function claimRules(): readonly PolicyRule[] {
  const { group, plural } = COLLECTIONS.resourceClaims;
  return [
    { apiGroups: [group], resources: [plural], verbs: ['get', 'patch', 'create', 'delete'] },
    { apiGroups: [group], resources: [`${plural}/status`, `${plural}/binding`], verbs: ['patch'] },
  ];
}

function statusRules(): readonly PolicyRule[] {
  const { volcanoPodGroups, schedulerPluginsPodGroups, nativePodGroups } = COLLECTIONS;
  return [
    {
      apiGroups: [schedulerPluginsPodGroups.group, nativePodGroups.group],
      resources: ['podgroups/status'],
      verbs: ['patch'],
    },
    // Volcano's definition has no status subresource.
    { apiGroups: [volcanoPodGroups.group], resources: ['podgroups'], verbs: ['patch'] },
  ];
}
