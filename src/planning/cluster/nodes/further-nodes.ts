/**
 * Nodes that a pool could have beside those that it has.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { addTo } from '../../../facts/collections';
import { asObject, asString } from '../../../manifests/read';
import { type ClusterNode } from '../../../placement';
import { deviceKey } from '../../../placement/model/claims';
import { type ClusterState } from '../cluster-state';
import { kindOf } from '../lookups';

export interface FurtherNodes {
  readonly pool: string;
  /** Node labels of topology levels. */
  readonly levels: readonly string[];
  readonly count: number;
}

/**
 * The new nodes are in new domains, with as many nodes per domain as the pool has.
 *
 * @param own nodes of the pool, at least one
 */
export function furtherNodes(
  own: readonly ClusterNode[],
  { pool, levels, count }: FurtherNodes,
): readonly ClusterNode[] {
  const [model] = own;
  const domains = new Map(levels.map((level) => [level, new Set(own.map(({ labels }) => labels?.[level])).size]));
  return Array.from({ length: count }, (_, index): ClusterNode => {
    const name = `${pool.replace(/[^A-Za-z0-9.-]+/g, '-')}-new-${index + 1}`;
    const places = levels.flatMap((level): [string, string][] => {
      const value = model.labels?.[level];
      const size = Math.max(1, Math.round(own.length / (domains.get(level) ?? 1)));
      return value === undefined ? [] : [[level, `new-${Math.floor(index / size) + 1}`]];
    });
    const labels = { ...model.labels, ...Object.fromEntries<string>(places), 'kubernetes.io/hostname': name };
    return { ...model, name, labels, used: undefined, ready: true, unschedulable: false, capacityReport: undefined };
  });
}

/** The nodes for work without claims: their devices count by the device resource, also those that a driver publishes. */
export function withCountedDevices(nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  return nodes.map(({ claimable: _, ...node }) => node);
}

/**
 * The cluster with further nodes. Where a DRA driver publishes the devices of the node that they are like, it publishes theirs.
 *
 * @param poolOf the pool of a further node
 */
export function withFurtherNodes(
  cluster: ClusterState,
  nodes: readonly ClusterNode[],
  poolOf: (node: ClusterNode) => string,
): ClusterState {
  const added = new Set(nodes.map(({ name }) => name));
  const own = withPublishedDevices(nodes, cluster.objects);
  return {
    ...cluster,
    nodes: [...cluster.nodes, ...own.nodes],
    poolOf: (node) => (added.has(node.name) ? poolOf(node) : cluster.poolOf(node)),
    objects: [...cluster.objects, ...own.slices],
  };
}

/** Further nodes with slices of their own, like those of the nodes that they are like. */
export function withPublishedDevices(
  nodes: readonly ClusterNode[],
  objects: readonly JsonObject[],
): { readonly nodes: readonly ClusterNode[]; readonly slices: readonly JsonObject[] } {
  const published = nodes.some(({ claimable }) => claimable !== undefined)
    ? slicesByPool(objects)
    : new Map<string, readonly JsonObject[]>();
  const own = nodes.map((node) => withSlices(node, published));
  return { nodes: own.map(({ node }) => node), slices: own.flatMap(({ slices }) => slices) };
}

function slicesByPool(objects: readonly JsonObject[]): ReadonlyMap<string, readonly JsonObject[]> {
  const byPool = new Map<string, JsonObject[]>();
  for (const object of objects) {
    if (kindOf(object) === 'resource.k8s.io/ResourceSlice') {
      const { driver, pool } = asObject(object.spec);
      addTo(byPool, poolKey(asString(driver) ?? '', asString(asObject(pool).name) ?? ''), object);
    }
  }
  return byPool;
}

function poolKey(driver: string, pool: string): string {
  return `${driver}\0${pool}`;
}

/** A node whose devices claims know by the name of another node, with the slices of that node in its own name. */
function withSlices(
  node: ClusterNode,
  published: ReadonlyMap<string, readonly JsonObject[]>,
): { readonly node: ClusterNode; readonly slices: readonly JsonObject[] } {
  if (node.claimable === undefined) {
    return { node, slices: [] };
  }
  const ids = [...node.claimable].map(([key, part]) => ({ id: key.split('\0'), part }));
  const keys = [...new Set(ids.map(({ id: [driver, pool] }) => poolKey(driver, pool)))];
  const ownPool = (driver: string, pool: string): string =>
    keys.length === 1 ? node.name : `${node.name}-${keys.indexOf(poolKey(driver, pool))}`;
  const claimable = new Map(
    ids.map(({ id: [driver, pool, device], part }) => [
      deviceKey({ driver, pool: ownPool(driver, pool), device }),
      part,
    ]),
  );
  const slices = keys
    .flatMap((key) => published.get(key) ?? [])
    .map((object, index): JsonObject => {
      const spec = asObject(object.spec);
      const pool = asObject(spec.pool);
      const name = ownPool(asString(spec.driver) ?? '', asString(pool.name) ?? '');
      return {
        ...object,
        metadata: { name: `${node.name}-${index}` },
        spec: { ...spec, nodeName: node.name, pool: { ...pool, name } },
      };
    });
  return { node: { ...node, claimable }, slices };
}
