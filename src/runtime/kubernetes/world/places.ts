/**
 * The topology of the cluster's nodes: by HyperNodes, by what is stated, or by the labels that nodes have in common.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type ClusterNode, type Topology } from '../../../placement';
import {
  commonLevels,
  hyperNodeOf,
  hyperNodeTiers,
  tiersOfLevels,
  type TierResolver,
} from '../../../planning/cluster/objects';

export interface Places {
  /** With their domains, where these are not labels. */
  readonly nodes?: readonly ClusterNode[];
  readonly topologies: readonly Topology[];
  readonly tiers: TierResolver | undefined;
}

export function placesOf(
  nodes: readonly ClusterNode[],
  stated: readonly Topology[],
  hyperNodeObjects: readonly JsonObject[],
): Places {
  if (hyperNodeObjects.length === 0) {
    const levels = commonLevels(nodes, stated);
    const topologies = stated.length > 0 || levels.length === 0 ? stated : [{ name: 'levels', levels }];
    return {
      topologies,
      tiers: levels.length === 0 ? undefined : tiersOfLevels({ name: topologies[0].name, levels }),
    };
  }
  const { topology, domains, resolver } = hyperNodeTiers(hyperNodeObjects.map(hyperNodeOf), nodes);
  return {
    nodes: nodes.map((node) => ({ ...node, domains: domains.get(node.name) })),
    topologies: [...stated, topology],
    tiers: resolver,
  };
}
