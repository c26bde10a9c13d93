/**
 * What PodGroups say about their gangs: of Volcano, of the scheduler-plugins, and of Kubernetes.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import {
  type GangIdentity,
  type PodGroupFacts,
  podGroupOf,
  type TierResolver,
} from '../../../planning/cluster/objects';
import { gangKey } from '../../../planning/cluster/objects/gang-identity';
import { type CollectionName } from '../../../planning/scheduler-settings/collections';
import { gangId } from './gang-members';

/** Groups that their collections leave out of their objects, since lists do not repeat them. */
const VERSIONS: Readonly<Partial<Record<CollectionName, string>>> = {
  volcanoPodGroups: 'scheduling.volcano.sh/v1beta1',
  schedulerPluginsPodGroups: 'scheduling.x-k8s.io/v1alpha1',
  nativePodGroups: 'scheduling.k8s.io/v1alpha2',
};

/** Group and version of the PodGroups of a collection; `undefined` where it has other objects. */
export function podGroupVersion(collection: CollectionName): string | undefined {
  return VERSIONS[collection];
}

export const POD_GROUP_COLLECTIONS = Object.keys(VERSIONS) as readonly CollectionName[];

/** Id of the gang of a PodGroup. */
export function groupId(collection: CollectionName, key: string): string {
  const [namespace, object] = key.split('/');
  return gangId({
    group: VERSIONS[collection]!.split('/')[0],
    key: gangKey(namespace, 'PodGroup', object),
  });
}

export class PodGroups {
  /** Keys of Volcano PodGroups whose controller waits for a phase. */
  readonly pending = new Set<string>();
  private readonly facts = new Map<string, PodGroupFacts>();

  of(identity: GangIdentity): PodGroupFacts | undefined {
    return identity.kind === 'PodGroup' ? this.facts.get(gangId(identity)) : undefined;
  }

  /** @returns the id of its gang */
  take(
    collection: CollectionName,
    key: string,
    after: JsonObject | undefined,
    tiers: TierResolver | undefined,
  ): string {
    const id = groupId(collection, key);
    if (collection === 'volcanoPodGroups') {
      const phase = asString(asObject(after?.status).phase) ?? '';
      if (after !== undefined && (phase === '' || phase === 'Pending')) {
        this.pending.add(key);
      } else {
        this.pending.delete(key);
      }
    }
    if (after === undefined) {
      this.facts.delete(id);
    } else {
      const facts = podGroupOf({ ...after, apiVersion: VERSIONS[collection]!, kind: 'PodGroup' }, tiers);
      // Its status is written often, and says nothing here.
      if (JSON.stringify(this.facts.get(id)) !== JSON.stringify(facts)) {
        this.facts.set(id, facts);
      }
    }
    return id;
  }
}
