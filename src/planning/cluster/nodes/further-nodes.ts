/**
 * Nodes that a pool could have beside those that it has.
 */
import { type ClusterNode } from '../../../placement';

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
