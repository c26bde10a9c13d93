/**
 * The pools of a sizing file: nodes as in a cluster file, or pools of the cluster, with their bounds and prices.
 */
import { addAll } from '../../facts/collections';
import { type JsonObject } from '../../facts/api/schema';
import { type ClusterNode } from '../../placement';
import { type ClusterState } from '../cluster/cluster-state';
import { type Fields, meant } from '../cluster/files/fields';
import { furtherNodes, withPublishedDevices } from '../cluster/nodes/further-nodes';
import { commonLevels, HOSTNAME } from '../cluster/objects/topologies';
import { MOST_NODES, readPoolOf } from '../cluster/files/pool-file';
import { poolName } from '../cluster/nodes/pools';
import { type Scenario } from '../simulation';
import { readScaling, readSpot } from '../simulation/read-nodes';
import { checkUnique } from '../simulation/read-world';
import { MOST_MIXES, sizeOfSpace } from './search';
import { type Purchase, type SizingPool } from './sizing';

type Cluster = Pick<Scenario, 'nodes' | 'topologies' | 'queues'> & Pick<ClusterState, 'objects'>;

export interface SizingPools {
  readonly pools: readonly SizingPool[];
  /** Nodes of the cluster that are in none of the pools. */
  readonly others: readonly ClusterNode[];
  readonly topologies: Scenario['topologies'];
  /** ResourceSlices and DeviceClasses of the nodes, as objects. */
  readonly objects: ClusterState['objects'];
}

/** What a pool may have of its cluster only if it says nothing about its nodes. */
const SHAPE = ['accelerator', 'perNode', 'cpu', 'memory', 'resources', 'used', 'labels', 'taints'] as const;

/** The cluster as it would be without its work; what belongs to a node stays. */
export function clusterWithoutPods({ nodes, nodePods, topologies, queues, objects }: ClusterState): Cluster {
  const taken = new Map<string, Record<string, number>>();
  for (const { pod } of nodePods) {
    const sums = taken.get(pod.node ?? '') ?? {};
    taken.set(pod.node ?? '', sums);
    for (const [resource, amount] of Object.entries({ pods: 1, ...pod.template?.request })) {
      sums[resource] = (sums[resource] ?? 0) + amount;
    }
  }
  const used = (node: ClusterNode): ClusterNode['used'] => {
    const own = taken.get(node.name) ?? {};
    const names = new Set([...Object.keys(node.used ?? {}), ...Object.keys(own)]);
    return Object.fromEntries([...names].map((name) => [name, (node.used?.[name] ?? 0) + (own[name] ?? 0)]));
  };
  return { nodes: nodes.map((node) => ({ ...node, used: used(node) })), topologies, queues, objects };
}

export function readPools(fields: Fields, cluster: Cluster | undefined): SizingPools {
  const entries = fields.list('pools');
  if (entries.length === 0) {
    fields.wrongAt(
      'pools',
      'is required; list pools, such as {name: h100, accelerator: H100-SXM-80GB, max: 16, pricePerHour: 98}',
    );
  }
  const byPool = new Map<string, ClusterNode[]>();
  for (const node of cluster?.nodes ?? []) {
    const pool = poolOf(node);
    byPool.set(pool, [...(byPool.get(pool) ?? []), node]);
  }
  const topologies = cluster?.topologies ?? [];
  const labels = new Set<string>();
  const objects = [...(cluster?.objects ?? [])];
  const pools = entries.map((entry) => readPool(entry, byPool, topologies, labels, objects));
  checkUnique(
    fields,
    'pools',
    pools.map(({ name }) => name),
  );
  const mixes = sizeOfSpace({ least: pools.map(({ least }) => least), most: pools.map(({ nodes }) => nodes.length) });
  if (mixes > MOST_MIXES && fields.problems.length === 0) {
    fields.wrongAt(
      'pools',
      `have ${mixes} mixes; at most ${MOST_MIXES} are searched. Move min and max closer together`,
    );
  }
  const names = new Set(pools.map(({ name }) => name));
  return {
    pools,
    objects,
    others: (cluster?.nodes ?? []).filter((node) => !names.has(poolOf(node))),
    topologies:
      topologies.length > 0 || labels.size === 0 ? topologies : [{ name: 'cluster', levels: [...labels, HOSTNAME] }],
  };
}

function poolOf(node: ClusterNode): string {
  return node.pool ?? poolName(node);
}

function readPool(
  fields: Fields,
  byPool: ReadonlyMap<string, readonly ClusterNode[]>,
  topologies: Scenario['topologies'],
  labels: Set<string>,
  objects: JsonObject[],
): SizingPool {
  const name = fields.required('name');
  const own = byPool.get(name) ?? [];
  const terms = readTerms(fields, own.length);
  const isOfCluster = !SHAPE.some((key) => fields.has(key));
  if (!isOfCluster) {
    const { nodes, levels, slices } = readPoolOf(fields, Math.max(1, terms.most));
    addAll(objects, slices);
    levels.forEach(({ label }) => labels.add(label));
    return { name, nodes: nodes.slice(0, terms.most), ...terms.pool };
  }
  fields.done();
  if (own.length === 0) {
    const known = [...byPool.keys()];
    fields.wrongAt(
      'name',
      `"${name}" is not a pool of the cluster${meant(name, known) || (known.length === 0 ? '' : `, which has ${known.join(', ')}`)}; describe its nodes, such as accelerator: H100-SXM-80GB`,
    );
    return { name, nodes: [], ...terms.pool };
  }
  const levels = commonLevels(own, topologies);
  const { nodes: more, slices } = withPublishedDevices(
    furtherNodes(own, { pool: name, levels, count: Math.max(0, terms.most - own.length) }),
    objects,
  );
  addAll(objects, slices);
  const nodes = [...own, ...more.map((node) => ({ ...node, used: own[0].used }))];
  return {
    name,
    nodes: nodes.slice(0, terms.most).map((node) => ({ ...node, ready: true, unschedulable: false })),
    ...terms.pool,
  };
}

interface Terms {
  readonly most: number;
  readonly pool: Omit<SizingPool, 'name' | 'nodes'>;
}

/** @param existing nodes that the cluster has of the pool */
function readTerms(fields: Fields, existing: number): Terms {
  const counted = fields.number('count', { least: 0, most: MOST_NODES, whole: true });
  const today = counted ?? (existing > 0 ? existing : undefined);
  const least = fields.number('min', { least: 0, most: MOST_NODES, whole: true }) ?? 0;
  const most = fields.number('max', { least: 0, most: MOST_NODES, whole: true });
  if (!fields.has('max')) {
    fields.wrongAt('max', 'is required; set the maximum number of nodes of the pool');
  } else if (most !== undefined && most < Math.max(least, today ?? 0)) {
    fields.wrong('max', most, `at least ${Math.max(least, today ?? 0)}, the nodes that the pool has in any case`);
  }
  const { price, purchase, spot: terms, scale } = readPurchase(fields);
  const nodes = Math.max(most ?? least, least, today ?? 0);
  const scaling = scale === undefined ? undefined : readScaling(scale, nodes);
  return {
    most: nodes,
    pool: {
      least,
      today,
      purchase,
      pricePerHour: price ?? 0,
      ...(terms !== undefined && { spot: terms }),
      ...(scaling !== undefined && { scaling }),
    },
  };
}

interface PurchaseTerms {
  readonly price: number | undefined;
  readonly purchase: Purchase;
  readonly spot: ReturnType<typeof readSpot> | undefined;
  readonly scale: Fields | undefined;
}

/** How the nodes are paid for, and what only some of these ways allow. */
function readPurchase(fields: Fields): PurchaseTerms {
  const price = fields.number('pricePerHour', { least: 0 });
  if (!fields.has('pricePerHour')) {
    fields.wrongAt('pricePerHour', 'is required; set the price of a node per hour');
  }
  const purchase = fields.oneOf<Purchase>('purchase', ['on-demand', 'reserved', 'spot']) ?? 'on-demand';
  const spot = fields.fields('spot');
  if (purchase === 'spot' && spot === undefined) {
    fields.wrongAt(
      'spot',
      'is required with purchase: spot; set {interruptionsPerHour: 0.05, notice: 2m, replacedAfter: 5m}',
    );
  }
  if (purchase !== 'spot' && spot !== undefined) {
    fields.wrongAt('spot', 'must not be set unless purchase is spot');
  }
  const scale = fields.fields('autoscale');
  if (scale !== undefined && purchase !== 'on-demand') {
    fields.wrongAt('autoscale', `must not be set together with purchase: ${purchase}`);
  }
  return { price, purchase, spot: spot === undefined ? undefined : readSpot(spot), scale };
}
