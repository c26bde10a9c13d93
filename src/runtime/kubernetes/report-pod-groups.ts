/**
 * Brings the status of PodGroups up to date with what is known of their gangs.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asObject, asString } from '../../manifests/read';
import { type Explainer } from './explain';
import {
  enqueued,
  type GangProgress,
  type PodGroupCollection,
  podGroupStatus,
  type StatusWrite,
} from './pod-group-status';
import { type PendingReport } from './waiting';
import { type Watched } from './watched';
import { type GangMembers } from './world/gang-members';
import { type World } from './world/world';

/** Collection of the PodGroups of an API group. */
const COLLECTION_OF: Readonly<Record<string, PodGroupCollection>> = {
  'scheduling.volcano.sh': 'volcanoPodGroups',
  'scheduling.x-k8s.io': 'schedulerPluginsPodGroups',
  'scheduling.k8s.io': 'nativePodGroups',
};

export interface PodGroupReport {
  readonly watched: Pick<Watched, 'all' | 'pathOf'>;
  readonly world: World;
  readonly explainer: Explainer;
  readonly pending: readonly PendingReport[];
  /** RFC 3339. */
  readonly now: string;
}

export function reportPodGroups({ watched, world, explainer, pending, now }: PodGroupReport): void {
  const reasons = new Map(pending.map(({ gang, message }) => [gang, message]));
  const write = (collection: PodGroupCollection, key: string, wanted: StatusWrite | undefined): void => {
    const path = wanted === undefined ? undefined : objectPath(watched.pathOf(collection), key);
    if (path !== undefined && wanted !== undefined) {
      explainer.podGroup(
        `${path}${wanted.subresource}`,
        wanted.body,
        'application/merge-patch+json',
        lets(watched.all(collection).get(key), wanted),
      );
    }
  };
  const withPods = new Set<string>();
  for (const members of world.gangs.values()) {
    const { kind, group, namespace, name } = members.identity;
    const collection = kind === 'PodGroup' ? COLLECTION_OF[group] : undefined;
    const key = `${namespace}/${name}`;
    const object = collection === undefined ? undefined : watched.all(collection).get(key);
    if (collection !== undefined && object !== undefined && members.pods.size > 0) {
      withPods.add(`${collection} ${key}`);
      write(
        collection,
        key,
        podGroupStatus(collection, object, progressOf(members, world, reasons.get(members.name)), now),
      );
    }
  }
  if (world.configuration.enqueueVolcanoPodGroups) {
    for (const [key, object] of watched.all('volcanoPodGroups')) {
      if (!withPods.has(`volcanoPodGroups ${key}`)) {
        write('volcanoPodGroups', key, enqueued(object));
      }
    }
  }
}

/** Whether Volcano's controllers make the pods of a job after this write. */
function lets(object: JsonObject | undefined, { body }: StatusWrite): boolean {
  const phase = asString(asObject(object?.status).phase) ?? '';
  return (phase === '' || phase === 'Pending') && asObject(body.status).phase === 'Inqueue';
}

function progressOf(members: GangMembers, world: World, message: string | undefined): GangProgress {
  const pods = [...members.pods.values()];
  const count = (state: string): number => pods.filter((pod) => pod.state === state).length;
  return {
    minimum: members.gang(world.contextOf(members), false).minimum ?? 0,
    placed: count('placed'),
    running: pods.filter(({ state, raw }) => state === 'placed' && asString(asObject(raw.status).phase) === 'Running')
      .length,
    succeeded: count('succeeded'),
    failed: count('failed'),
    ...(message !== undefined && { message }),
  };
}

/** `/apis/g/v/podgroups` and `ns/name` as the path of the object. */
function objectPath(collection: string | undefined, key: string): string | undefined {
  const [namespace, name] = key.split('/');
  return collection?.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1/${name}`);
}
