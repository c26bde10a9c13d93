/**
 * The rights that a snapshot needs, and no more: they follow from the table of collections.
 */
import { type JsonObject } from '../../facts/api/schema';
import { SNAPSHOT_COLLECTIONS, SNAPSHOT_CONFIG_MAPS } from './collections';

/** The ClusterRole `gantry-snapshot`. */
export function snapshotClusterRole(): JsonObject {
  const groups = new Map<string, string[]>();
  for (const { group, plural } of SNAPSHOT_COLLECTIONS) {
    groups.set(group, [...(groups.get(group) ?? []), plural]);
  }
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'gantry-snapshot' },
    rules: [
      ...[...groups].map(([group, resources]) => ({ apiGroups: [group], resources, verbs: ['list'] })),
      {
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: SNAPSHOT_CONFIG_MAPS.map(({ name }) => name),
        verbs: ['get'],
      },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ],
  };
}
