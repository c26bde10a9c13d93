/**
 * Capacity that may come: which nodes autoscalers would have to add for the gangs that wait.
 *
 * The placement core answers whether a gang fits: it plans on the cluster with further nodes, so that taints, labels, topology, queues, and
 * all-or-nothing starts count as they do everywhere. The smallest number of nodes is found by halving. For each gang, in the order of the
 * plan, each group is tried alone; of those that suffice, the cheapest is taken, or without prices the one with the fewest nodes. If none
 * suffices alone, all are taken together, and each is then reduced as far as the gang still fits.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { asObject, stringEntries } from '../../../manifests/read';
import { type ClusterNode } from '../../../placement';
import { type ClusterState } from '../cluster-state';
import { furtherNodes, withFurtherNodes } from '../nodes/further-nodes';
import { kindOf } from '../lookups';
import { type AskedGang, type ClusterPlan, hasItsPlaces, planOf, type PlanOptions } from '../plan';
import { flaggedGroups, MACHINE_KINDS, machineGroup } from './cluster-autoscaler';
import { karpenterGroup, NODE_POOL } from './karpenter';
import { MOST_FURTHER_NODES, type NodeGroup } from './node-group';

/** Further nodes of one group. */
export interface FurtherCapacity {
  readonly pool: string;
  readonly nodes: number;
  /** The limit of the group in words. Absent where nothing limits it. */
  readonly limit?: string;
  /** USD per hour of these nodes. Absent without a price of the group. */
  readonly pricePerHour?: number;
}

/** What autoscalers can do for one gang that waits. */
export interface ScaleUp {
  readonly gang: string;
  /** `fits`: with these nodes. `lacks`: it would fit with these, which are more than a limit allows. `none`: no group helps. */
  readonly outcome: 'fits' | 'lacks' | 'none';
  readonly capacity: readonly FurtherCapacity[];
  /** Nodes beyond the limit. Absent where the outcome is another. */
  readonly lacking?: number;
}

/** Autoscaling in a plan. */
export interface ScaleUps {
  readonly scaleUps: readonly ScaleUp[];
  /** Groups whose nodes have an unknown size. */
  readonly unknown: readonly NodeGroup[];
  /** Gangs that wait and were not examined, because there are too many. */
  readonly notExamined: number;
}

export interface ScaleUpOptions extends Pick<PlanOptions, 'policy' | 'copies'> {
  /** USD per hour of a node, by the name of its group. @default - no prices */
  readonly prices?: ReadonlyMap<string, number>;
}

/** Gangs that are examined: each takes some plans. */
const MOST_GANGS = 20;
const CHECK_CAPACITY = 'check-capacity.autoscaling.x-k8s.io';

type Counts = ReadonlyMap<NodeGroup, number>;

/** What autoscalers of the manifests and of the cluster can do for the gangs that wait in the plan. */
export function scaleUpsOf(
  set: ManifestSet,
  cluster: ClusterState,
  plan: ClusterPlan,
  { policy, copies, prices = new Map() }: ScaleUpOptions = {},
): ScaleUps {
  const groups = groupsOf(set, cluster);
  const known = groups.filter(({ node }) => node !== undefined);
  const waiting = plan.asked.filter((gang) => !hasItsPlaces(gang.view) && mayScaleUp(gang));
  const examined = groups.length === 0 ? [] : waiting.slice(0, MOST_GANGS);
  let added: Counts = new Map();
  const scaleUps = examined.map((gang): ScaleUp => {
    const { name, pods } = gang.view;
    const search = new Search(known, added, pods, (counts) => {
      const larger = withGroups(cluster, counts);
      const found = planOf(set, larger, { policy, copies }).asked.find(({ view }) => view.name === name);
      return found !== undefined && hasItsPlaces(found.view);
    });
    const { counts, lacking } = search.smallest(prices);
    const capacity = capacityOf(counts, prices);
    if (counts.size === 0 && !search.fitsAlready) {
      return { gang: name, outcome: 'none', capacity };
    }
    if (lacking > 0) {
      return { gang: name, outcome: 'lacks', capacity, lacking };
    }
    added = sumOf(added, counts);
    return { gang: name, outcome: 'fits', capacity };
  });
  return {
    scaleUps,
    unknown: waiting.length === 0 ? [] : groups.filter(({ node }) => node === undefined),
    notExamined: groups.length === 0 ? 0 : waiting.length - examined.length,
  };
}

/** The autoscaler adds nothing for a request that only asks whether there is capacity. */
function mayScaleUp({ manifests }: AskedGang): boolean {
  return !manifests.some(({ object }) => asObject(object.spec).provisioningClassName === CHECK_CAPACITY);
}

/** Of objects of one name, the manifest counts. */
function groupsOf(set: ManifestSet, { objects, nodes }: ClusterState): readonly NodeGroup[] {
  const byKey = new Map<string, JsonObject>();
  for (const object of [...objects, ...set.manifests.map((manifest) => manifest.object)]) {
    const kind = kindOf(object);
    if (kind === NODE_POOL || kind === 'apps/Deployment' || MACHINE_KINDS.includes(kind)) {
      const { namespace, name } = asObject(object.metadata);
      byKey.set(JSON.stringify([kind, namespace, name]), object);
    }
  }
  const wanted = wantedLabels(set);
  return [...byKey.values()].flatMap((object) => {
    const kind = kindOf(object);
    return kind === NODE_POOL
      ? karpenterGroup(object, nodes, wanted)
      : kind === 'apps/Deployment'
        ? flaggedGroups(object, nodes)
        : (machineGroup(object, nodes) ?? []);
  });
}

/** Values that the node selectors of the set name, by label. */
function wantedLabels(set: ManifestSet): ReadonlyMap<string, ReadonlySet<string>> {
  const wanted = new Map<string, Set<string>>();
  for (const { spec } of set.podTemplates) {
    for (const [key, value] of stringEntries(spec.nodeSelector)) {
      wanted.set(key, (wanted.get(key) ?? new Set()).add(value));
    }
  }
  return wanted;
}

function withGroups(cluster: ClusterState, counts: Counts): ClusterState {
  const poolByNode = new Map<string, string>();
  const nodes = [...counts].flatMap(([group, count], index) => {
    const further = nodesOf(group, cluster, { count, prefix: `autoscaled-${index}` });
    further.forEach((one) => poolByNode.set(one.name, group.name));
    return further;
  });
  return withFurtherNodes(cluster, nodes, ({ name }) => poolByNode.get(name) ?? '');
}

/** Nodes with names and in domains that no other node has. */
function nodesOf(
  { name, node }: NodeGroup,
  { nodes, poolOf, levels }: ClusterState,
  { count, prefix }: { readonly count: number; readonly prefix: string },
): readonly ClusterNode[] {
  if (node === undefined || count === 0) {
    return [];
  }
  const own = nodes.filter((one) => poolOf(one) === name);
  return furtherNodes([node, ...own.slice(1)], { pool: `${prefix}-${name}`, levels, count }).map((one) => {
    const places = levels.flatMap((level): [string, string][] => {
      const place = one.labels?.[level];
      return place === undefined ? [] : [[level, `${prefix}-${place}`]];
    });
    return { ...one, labels: { ...one.labels, ...Object.fromEntries(places) } };
  });
}

function capacityOf(counts: Counts, prices: ReadonlyMap<string, number>): readonly FurtherCapacity[] {
  return [...counts].map(([{ name, limit }, nodes]) => {
    const price = prices.get(name);
    return {
      pool: name,
      nodes,
      ...(limit !== undefined && { limit }),
      ...(price !== undefined && { pricePerHour: Math.round(price * nodes * 100) / 100 }),
    };
  });
}

function sumOf(one: Counts, other: Counts): Counts {
  return new Map(
    [...new Set([...one.keys(), ...other.keys()])].map((group) => [
      group,
      (one.get(group) ?? 0) + (other.get(group) ?? 0),
    ]),
  );
}

/** The smallest numbers of nodes with which a gang fits. */
class Search {
  readonly fitsAlready: boolean;

  /**
   * @param added nodes that earlier gangs get
   * @param pods of the gang: more nodes than pods do not help
   * @param fits whether the gang fits with these nodes in total
   */
  constructor(
    private readonly groups: readonly NodeGroup[],
    private readonly added: Counts,
    private readonly pods: number,
    private readonly fits: (counts: Counts) => boolean,
  ) {
    this.fitsAlready = fits(added);
  }

  /** Nothing where no number of nodes helps. */
  smallest(prices: ReadonlyMap<string, number>): { readonly counts: Counts; readonly lacking: number } {
    if (this.fitsAlready) {
      return { counts: new Map(), lacking: 0 };
    }
    const alone = this.groups.flatMap((group) => this.least(group, this.roomOf(group), new Map()) ?? []);
    const costOf = (counts: Counts): number =>
      [...counts].reduce((sum, [{ name }, nodes]) => sum + nodes * (prices.get(name) ?? Infinity), 0);
    const sizeOf = (counts: Counts): number => [...counts.values()].reduce((sum, nodes) => sum + nodes, 0);
    const [best] = alone.sort((a, b) => compare(costOf(a), costOf(b)) || sizeOf(a) - sizeOf(b));
    if (best !== undefined) {
      return { counts: best, lacking: 0 };
    }
    const together = this.together();
    if (together !== undefined) {
      return { counts: together, lacking: 0 };
    }
    const beyond = this.groups.flatMap(
      (group) => this.least(group, Math.min(this.pods, MOST_FURTHER_NODES), new Map()) ?? [],
    );
    const [nearest] = beyond.sort((a, b) => this.lackingOf(a) - this.lackingOf(b));
    return nearest === undefined
      ? { counts: new Map(), lacking: 0 }
      : { counts: nearest, lacking: this.lackingOf(nearest) };
  }

  private roomOf(group: NodeGroup): number {
    return Math.max(0, Math.min(this.pods, group.room - (this.added.get(group) ?? 0)));
  }

  private lackingOf(counts: Counts): number {
    return [...counts].reduce((sum, [group, nodes]) => sum + Math.max(0, nodes - this.roomOf(group)), 0);
  }

  /** All groups as large as they may be, then each as small as it can be beside the others. */
  private together(): Counts | undefined {
    let counts: Counts = new Map(this.groups.map((group) => [group, this.roomOf(group)]));
    if (this.groups.length < 2 || !this.fits(sumOf(this.added, counts))) {
      return undefined;
    }
    for (const group of [...this.groups].reverse()) {
      const others = new Map([...counts].filter(([other]) => other !== group));
      counts = this.fits(sumOf(this.added, others))
        ? others
        : (this.least(group, this.roomOf(group), others) ?? counts);
    }
    return new Map(this.groups.flatMap((group) => (counts.has(group) ? [[group, counts.get(group)!] as const] : [])));
  }

  /** The fewest nodes of a group with which the gang fits beside others; `undefined` where the most are too few. */
  private least(group: NodeGroup, most: number, others: Counts): Counts | undefined {
    const withCount = (count: number): Counts => new Map([...others, [group, count]]);
    const isEnough = (count: number): boolean => this.fits(sumOf(this.added, withCount(count)));
    if (most === 0 || !isEnough(most)) {
      return undefined;
    }
    let [low, high] = [1, most];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      [low, high] = isEnough(middle) ? [low, middle] : [middle + 1, high];
    }
    return withCount(low);
  }
}

/** Infinite costs are equal. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
