/**
 * What remediation may do in a cluster: no verb more than its rules need, and in a dry run none that changes anything. A test holds these rules
 * against what an API server saw the program do.
 */
import { type PolicyRule } from '../../facts/api/types/rbac.authorization.k8s.io/v1';
import { type RemediationNeeds } from '../../planning/remediation';
import { COLLECTIONS } from '../../planning/scheduler-settings/collections';

/** Everywhere. */
export function remediationClusterRules(
  { collections, evicts, actions }: RemediationNeeds,
  isActive: boolean,
): readonly PolicyRule[] {
  const groups = new Map<string, string[]>();
  for (const name of collections) {
    const { group, plural } = COLLECTIONS[name];
    groups.set(group, [...(groups.get(group) ?? []), plural]);
  }
  const watched: readonly PolicyRule[] = [...groups].map(([group, plurals]) => ({
    apiGroups: [group],
    resources: [...new Set(plurals)],
    verbs: ['list', 'watch'],
  }));
  if (!isActive) {
    return watched;
  }
  return [
    ...watched,
    // A policy limits this to the marks that the rules make.
    { apiGroups: [''], resources: ['nodes'], verbs: ['patch'] },
    ...(actions.has('request-repair') ? [{ apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] }] : []),
    ...(evicts ? [{ apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] }] : []),
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
  ];
}

/**
 * In the own namespace: the Lease by which one of the replicas acts, and the ConfigMap of the alerts that fire. A dry run needs neither.
 *
 * @param alerts name of the ConfigMap; absent where no alert is received
 */
export function remediationNamespaceRules(lease: string, alerts: string | undefined): readonly PolicyRule[] {
  return [
    // A request to create names no object that a rule could be bound to.
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [lease], verbs: ['get', 'update'] },
    ...(alerts === undefined
      ? []
      : [
          {
            apiGroups: [''],
            resources: ['configmaps'],
            resourceNames: [alerts],
            verbs: ['get', 'list', 'watch', 'update'],
          },
        ]),
  ];
}
