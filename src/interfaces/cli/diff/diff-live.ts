/**
 * A diff against a running cluster: what applying the manifests changes there.
 */
import { TargetCluster } from '../../../checks/cluster/target-cluster';
import { webhooksFor } from '../../../checks/cluster/webhooks';
import { type Manifest } from '../../../manifests/manifest';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asArray, asObject, asString, isObject } from '../../../manifests/read';
import { type ClusterSnapshot } from '../../../manifests/snapshot/cluster-snapshot';
import { type LiveObject } from '../../../manifests/snapshot/live-object';
import { differenceOf, type SetDifference } from '../../difference';
import { clusterSides } from '../../difference/apply/cluster-sides';
import { KUBECTL, ownsFields } from '../../difference/apply/server-side-apply';
import { type AskedWebhook, type Diff, type NotRead, type OtherManager } from './diff-report';

/** What a running cluster contains, and what it becomes. */
export interface LiveDiff {
  readonly old: ManifestSet;
  readonly now: ManifestSet;
  readonly difference: SetDifference & Required<Pick<Diff, 'notRead' | 'webhooks' | 'appliedBy'>>;
}

/**
 * @param objects the answer of the server for each manifest of the set
 * @param manager who applies
 */
export function liveDiff(
  set: ManifestSet,
  { snapshot, objects }: { readonly snapshot: ClusterSnapshot; readonly objects: readonly LiveObject[] },
  manager = KUBECTL,
): LiveDiff {
  const cluster = TargetCluster.of(snapshot);
  const { old, now, unread, further, schemaOf } = clusterSides(set, objects, { cluster, manager });
  const difference = differenceOf(old, now, { kubernetes: cluster.kubernetes, cluster, schemaOf, further });
  return {
    old,
    now,
    difference: {
      ...difference,
      notRead: unread.map(({ manifest: { id }, why }): NotRead => {
        const { apiVersion, kind, namespace, name } = id;
        return { apiVersion, kind, namespace, name, why };
      }),
      webhooks: askedWebhooks(difference, now, cluster),
      appliedBy: otherManagers(old, manager),
    },
  };
}

function askedWebhooks(
  { differences }: SetDifference,
  now: ManifestSet,
  cluster: TargetCluster,
): readonly AskedWebhook[] {
  const set = cluster.with(now);
  const asked = new Map<string, { readonly name: string; readonly mutates: boolean; readonly kinds: Set<string> }>();
  for (const { object } of differences) {
    if (object.change === 'removed') {
      continue;
    }
    const operation = object.change === 'added' ? 'CREATE' : 'UPDATE';
    for (const webhook of webhooksFor({ manifest: object.after, set, cluster, operation })) {
      const key = `${webhook.mutates} ${webhook.name}`;
      const known = asked.get(key) ?? { ...webhook, kinds: new Set() };
      known.kinds.add(object.after.id.kind);
      asked.set(key, known);
    }
  }
  return [...asked.values()].map((one) => ({ ...one, kinds: [...one.kinds].sort() }));
}

/** Fields that another manager applied, and that the manifests no longer set, stay. */
function otherManagers(old: ManifestSet, manager: string): readonly OtherManager[] {
  const counts = new Map<string, number>();
  for (const { object } of old.manifests) {
    for (const other of new Set(othersOf(object, manager))) {
      counts.set(other, (counts.get(other) ?? 0) + 1);
    }
  }
  return [...counts].map(([name, objects]) => ({ manager: name, objects }));
}

function othersOf(object: Manifest['object'], manager: string): readonly string[] {
  const entries = asArray(asObject(object.metadata).managedFields).filter(isObject);
  return entries.some((entry) => ownsFields(entry, manager))
    ? []
    : entries
        .filter(({ operation, subresource }) => operation === 'Apply' && subresource === undefined)
        .map((entry) => asString(entry.manager) ?? '');
}
