/**
 * A cluster from its own objects, as `kubectl get nodes,pods,queues,podgroups,priorityclasses -A -o json` prints them.
 *
 * Nothing is asked of a cluster here and there is no clock: the moment is that of the newest time stamp among the objects.
 */
import { type JsonObject } from '../../facts/api/schema';
import { asArray, asObject, asString, isObject } from '../../manifests/read';
import { type ClusterNode, type Queue, type Topology } from '../../placement';
import { compareNames } from '../../placement/model/names';
import { type ClusterGang, type ClusterState, type NodePod } from './cluster-state';
import { displayNames } from './gangs/gang-names';
import { kindOf, Lookups, nameOf } from './lookups';
import { gangKey } from './objects/gang-identity';
import { type GangLookups, type GangMember, gangOf, memberOf, podOfNode } from './objects/gangs';
import { devicesBySlices, type SliceDevices } from './objects/claims/slice-devices';
import { nodeOf } from './objects/node';
import { QUEUE_KINDS, queueOf } from './objects/queue';
import {
  commonLevels,
  hyperNodeOf,
  hyperNodeTiers,
  labelsOf,
  tiersOfLevels,
  TOPOLOGY_KINDS,
  topologyOf,
} from './objects/topologies';
import { nodeHealthOf } from './objects/node-health';
import { PodBudget } from './gangs/planned-gangs';
import { poolName } from './nodes/pools';
import { type ViewNodeHealth } from './view/view';
import { suspendedWork } from './waiting/suspended-work';

/**
 * Makes a cluster of the objects that `kubectl get -o json` returns: nodes, pods, queues, and gangs.
 * @param objects single objects and Lists of them, in any order
 * @param name what the cluster is called
 */
export function clusterOfObjects(objects: readonly JsonObject[], name: string): ClusterState {
  const all = objects.flatMap(itemsOf);
  const at = newestTime(all);
  const nodeObjects = all.filter((object) => kindOf(object) === 'Node');
  const hyperNodes = all.filter((object) => kindOf(object) === 'topology.volcano.sh/HyperNode').map(hyperNodeOf);
  const tiers =
    hyperNodes.length === 0
      ? undefined
      : hyperNodeTiers(
          hyperNodes,
          nodeObjects.map((object) => ({ name: nameOf(object), labels: labelsOf(object) })),
        );
  const published = devicesBySlices(all.filter((object) => kindOf(object) === 'resource.k8s.io/ResourceSlice'));
  const nodes = nodeObjects.map((object): ClusterNode =>
    withSlices(nodeOf(object, { domains: tiers?.domains.get(nameOf(object)) }), published.get(nameOf(object))),
  );
  const health = new Map(
    nodeObjects.flatMap((object): [string, ViewNodeHealth][] => {
      const found = nodeHealthOf(object);
      return found === undefined ? [] : [[nameOf(object), found]];
    }),
  );
  const named = all.filter((object) => TOPOLOGY_KINDS.some((kind) => kind === kindOf(object))).map(topologyOf);
  const topologies: readonly Topology[] = [...named, ...(tiers === undefined ? [] : [tiers.topology])];
  const levels = commonLevels(nodes, topologies);
  const resolver =
    tiers?.resolver ??
    (levels.length > 0 ? tiersOfLevels({ name: topologies[0]?.name ?? 'levels', levels }) : undefined);
  const lookups = new Lookups(all, { tiers: resolver, nodes });
  const budget = PodBudget.of(nodes);
  const { gangs, nodePods } = gangsOf(all, lookups, budget);
  return {
    name,
    ...(at !== undefined && { at }),
    nodes,
    poolOf: poolName,
    topologies: topologies.length > 0 || levels.length === 0 ? topologies : [{ name: 'levels', levels }],
    levels,
    ...(resolver !== undefined && { tiers: resolver }),
    queues: all
      .filter((object) => QUEUE_KINDS.some((kind) => kind === kindOf(object)))
      .flatMap((object): Queue[] => {
        const queue = queueOf(object);
        return queue === undefined ? [] : [queue];
      }),
    gangs,
    nodePods,
    ...(health.size > 0 && { health }),
    objects: all.filter((object) => !HEAVY.has(kindOf(object))),
    notes: budget.notes,
  };
}

/** Kinds that are in the state in another form already, or that say nothing about it. */
const HEAVY: ReadonlySet<string> = new Set(['Node', 'Pod', 'Event', 'events.k8s.io/Event']);

/** A List's items; the object itself where it is none. */
export function itemsOf(object: JsonObject): readonly JsonObject[] {
  if (!(asString(object.kind) ?? '').endsWith('List') || !Array.isArray(object.items)) {
    return [object];
  }
  const kind = (asString(object.kind) ?? '').slice(0, -'List'.length);
  const typed: JsonObject =
    kind === '' || object.apiVersion === undefined ? {} : { apiVersion: object.apiVersion, kind };
  return asArray(object.items)
    .filter(isObject)
    .map((item): JsonObject => ({ ...typed, ...item }));
}

function gangsOf(
  all: readonly JsonObject[],
  lookups: Lookups,
  budget: PodBudget,
): Pick<ClusterState, 'gangs' | 'nodePods'> {
  const members = new Map<string, GangMember[]>();
  const nodePods: NodePod[] = [];
  const templates = new Map<string, GangMember['template']>();
  for (const object of all) {
    const member = kindOf(object) === 'Pod' ? memberOf(object, lookups.options) : undefined;
    if (member === undefined) {
      continue;
    }
    // Pods that are alike share one template, so that they are worked on once.
    const text = JSON.stringify(member.template);
    const template = templates.get(text) ?? member.template;
    templates.set(text, template);
    const shared = { ...member, template };
    if (shared.identity.ofNode) {
      const pod = podOfNode(shared);
      if (pod !== undefined) {
        nodePods.push({ pod, key: shared.identity.key });
      }
      continue;
    }
    const list = members.get(shared.identity.key);
    if (list === undefined) {
      members.set(shared.identity.key, [shared]);
    } else {
      list.push(shared);
    }
  }
  const where: GangLookups = {
    priorities: lookups.priorities,
    podGroup: (key) => lookups.podGroups.get(key),
    queue: (queue, namespace) => lookups.queue(queue, namespace),
  };
  const withPods = [...members].map(([key, list]): NamedWork => {
    const group = lookups.podGroups.get(key);
    const { namespace, kind } = list[0].identity;
    return {
      key,
      name: displayName(list[0], lookups),
      keys: [key, ...(group?.owner === undefined ? [] : [gangKey(namespace, group.owner.kind, group.owner.name)])],
      facts: { kind: group?.owner?.kind ?? kind, namespace },
      as: (name) => gangOf(list, where, name),
    };
  });
  const known = new Set(withPods.flatMap(({ keys }) => keys));
  const suspended = suspendedWork(all, known, lookups, budget).map(({ gang, ...work }): NamedWork => ({
    ...work,
    as: (name) => ({ gang: { ...gang, name }, pods: [] }),
  }));
  const works = [...withPods, ...suspended];
  const names = displayNames(works);
  const gangs = works.map(({ key, keys, facts, as }): ClusterGang => ({ ...as(names.get(key) ?? key), facts, keys }));
  return { gangs: gangs.sort((a, b) => compareNames(a.gang.name, b.gang.name)), nodePods };
}

/** A gang of the cluster, before it is known what others are called. */
interface NamedWork extends Pick<ClusterGang, 'facts' | 'keys'> {
  readonly key: string;
  /** What it is called if nothing else is called the same. */
  readonly name: string;
  readonly as: (name: string) => Pick<ClusterGang, 'gang' | 'pods'>;
}

/** People know a group that a job made by the job's name. */
function displayName({ identity }: GangMember, lookups: Lookups): string {
  return `${identity.namespace}/${lookups.podGroups.get(identity.key)?.owner?.name ?? identity.name}`;
}

/** The node with the devices that its driver publishes, where no device plugin counts them. */
function withSlices(node: ClusterNode, published: SliceDevices | undefined): ClusterNode {
  if (published === undefined || (node.allocatable[published.deviceResource] ?? 0) > 0) {
    return node;
  }
  const { deviceResource, devices } = published;
  return { ...node, ...published, allocatable: { ...node.allocatable, [deviceResource]: devices.length } };
}

/** The latest time in the objects. */
function newestTime(all: readonly JsonObject[]): number | undefined {
  let newest: number | undefined;
  const see = (value: JsonObject[string]): void => {
    const time = typeof value === 'string' ? Date.parse(value) : NaN;
    if (Number.isFinite(time) && (newest === undefined || time > newest)) {
      newest = time;
    }
  };
  for (const object of all) {
    const { creationTimestamp } = asObject(object.metadata);
    const status = asObject(object.status);
    see(creationTimestamp);
    see(status.startTime);
    for (const condition of asArray(status.conditions).map(asObject)) {
      see(condition.lastHeartbeatTime);
      see(condition.lastTransitionTime);
    }
  }
  return newest;
}
