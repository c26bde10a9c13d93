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
import { type Watched } from '../api/watched';
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
  readonly explainer: Pick<Explainer, 'podGroup'>;
  /** RFC 3339. */
  readonly now: string;
}

/**
 * What informs.
 *
 * @param gangs those that changed
 * @param messages why they wait, by their names
 */
export function reportPodGroups(
  report: PodGroupReport,
  gangs: Iterable<GangMembers>,
  messages: ReadonlyMap<string, string>,
): void {
  for (const members of gangs) {
    const collection = collectionOf(members);
    if (collection !== undefined && members.pods.size > 0) {
      reportOne(report, collection, members, messages.get(members.name));
    }
  }
}

/** What Volcano's controllers wait for: the phase of new PodGroups. */
export function letPodGroupsGoOn(report: PodGroupReport): void {
  const { world, watched } = report;
  for (const key of world.podGroups.pending) {
    const members = world.gangOfGroup('volcanoPodGroups', key);
    const object = watched.all('volcanoPodGroups').get(key);
    if (members !== undefined && members.pods.size > 0) {
      reportOne(report, 'volcanoPodGroups', members, undefined);
    } else if (object !== undefined && world.configuration.enqueueVolcanoPodGroups) {
      write(report, 'volcanoPodGroups', key, enqueued(object));
    }
  }
}

export function collectionOf({ identity }: GangMembers): PodGroupCollection | undefined {
  return identity.kind === 'PodGroup' && Object.hasOwn(COLLECTION_OF, identity.group)
    ? COLLECTION_OF[identity.group]
    : undefined;
}

function reportOne(
  report: PodGroupReport,
  collection: PodGroupCollection,
  members: GangMembers,
  message: string | undefined,
): void {
  const { namespace, name } = members.identity;
  const key = `${namespace}/${name}`;
  const object = report.watched.all(collection).get(key);
  if (object !== undefined) {
    write(
      report,
      collection,
      key,
      podGroupStatus(collection, object, progressOf(members, report.world, message), report.now),
    );
  }
}

function write(
  { watched, explainer }: PodGroupReport,
  collection: PodGroupCollection,
  key: string,
  wanted: StatusWrite | undefined,
): void {
  const path = objectPath(watched.pathOf(collection), key);
  if (path !== undefined && wanted !== undefined) {
    explainer.podGroup(
      `${path}${wanted.subresource}`,
      wanted.body,
      'application/merge-patch+json',
      lets(watched.all(collection).get(key), wanted),
    );
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
