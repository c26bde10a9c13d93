/**
 * Where nodes are: topologies of Kueue and KAI, HyperNodes of Volcano, and the labels that clouds and people use.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asInteger, asObject, asString, stringEntries } from '../../../manifests/read';
import {
  type ClusterNode,
  type HyperNode,
  hyperNodeLevel,
  hyperNodeTopology,
  type Topology,
  type TopologyConstraint,
} from '../../../placement';
import { selectorChooses } from '../../../manifests/references/selectors';
import { givenPatternOf } from '../../../manifests/values/patterns';

/** Kinds that `topologyOf` reads, as `group/Kind`. */
export const TOPOLOGY_KINDS = ['kueue.x-k8s.io/Topology', 'kai.scheduler/Topology'] as const;

/** Kueue's and KAI's Topology: node labels, outermost first. */
export function topologyOf(object: JsonObject): Topology {
  const levels = asArray(asObject(object.spec).levels).map((level) => asString(asObject(level).nodeLabel));
  return {
    name: asString(asObject(object.metadata).name) ?? '',
    levels: levels.filter((level) => level !== undefined),
  };
}

/** Members of a HyperNode may be chosen by name, by a pattern or by labels, and may be HyperNodes themselves. */
export interface HyperNodeFacts {
  readonly name: string;
  readonly tier: number;
  readonly tierName?: string;
  readonly members: readonly JsonObject[];
}

export function hyperNodeOf(object: JsonObject): HyperNodeFacts {
  const spec = asObject(object.spec);
  const tierName = asString(spec.tierName);
  return {
    name: asString(asObject(object.metadata).name) ?? '',
    tier: asInteger(spec.tier) ?? 1,
    ...(tierName !== undefined && tierName !== '' && { tierName }),
    members: asArray(spec.members).map(asObject),
  };
}

/** What the HyperNodes of a cluster come to. */
export interface HyperNodeTiers {
  readonly topology: Topology;
  /** For every node the domains that it is in. */
  readonly domains: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly resolver: TierResolver;
  /** False where none of the nodes is in any of them. */
  readonly hasMembers: boolean;
}

/** The topology level that one of Volcano's tiers represents. */
export interface TierResolver {
  /** Lowest tier first. */
  readonly tiers: readonly { readonly tier: number; readonly name?: string; readonly level: string }[];
  /** @default - the first topology that has the level */
  readonly topology?: string;
}

type NamedLabels = Pick<ClusterNode, 'name' | 'labels'>;

export function hyperNodeTiers(hyperNodes: readonly HyperNodeFacts[], nodes: readonly NamedLabels[]): HyperNodeTiers {
  const byName = new Map(hyperNodes.map((facts) => [facts.name, facts]));
  const under = new Map<string, readonly string[]>();
  const nodesUnder = (facts: HyperNodeFacts, above: ReadonlySet<string>): readonly string[] => {
    const known = under.get(facts.name);
    if (known !== undefined) {
      return known;
    }
    const path = new Set([...above, facts.name]);
    const found = facts.members.flatMap(({ type, selector }) => {
      if (type !== 'HyperNode') {
        return chosen(asObject(selector), nodes).map(({ name }) => name);
      }
      const inner = chosen(
        asObject(selector),
        [...byName.keys()].map((name): NamedLabels => ({ name })),
      );
      return inner.flatMap(({ name }) => (path.has(name) ? [] : nodesUnder(byName.get(name)!, path)));
    });
    under.set(facts.name, [...new Set(found)]);
    return under.get(facts.name)!;
  };
  const flat = hyperNodes.map((facts): HyperNode => ({
    name: facts.name,
    tier: facts.tier,
    nodes: nodesUnder(facts, new Set()),
  }));
  const { topology, domains } = hyperNodeTopology(
    flat,
    nodes.map(({ name }) => name),
  );
  const tiers = [...new Set(hyperNodes.map(({ tier }) => tier))].sort((a, b) => a - b);
  const nameOf = new Map(hyperNodes.map(({ tier, tierName }) => [tier, tierName]));
  return {
    topology,
    domains,
    hasMembers: flat.some((hyperNode) => hyperNode.nodes.length > 0),
    resolver: {
      topology: topology.name,
      tiers: tiers.map((tier) => {
        const name = nameOf.get(tier);
        return { tier, level: hyperNodeLevel(tier), ...(name !== undefined && { name }) };
      }),
    },
  };
}

function chosen<T extends NamedLabels>(selector: JsonObject, among: readonly T[]): readonly T[] {
  const name = asString(asObject(selector.exactMatch).name);
  const pattern = asString(asObject(selector.regexMatch).pattern);
  if (name !== undefined) {
    return among.filter((one) => one.name === name);
  }
  if (pattern !== undefined) {
    const expression = givenPatternOf(pattern);
    return expression === undefined || expression.isUnjudged ? [] : among.filter((one) => expression.test(one.name));
  }
  return selector.labelMatch === undefined
    ? []
    : among.filter((one) => selectorChooses(selector.labelMatch, one.labels ?? {}));
}

/** Levels of a topology without HyperNodes, as tiers: the innermost is tier 1. A single node is not a tier. */
export function tiersOfLevels(topology: Topology): TierResolver {
  const levels = topology.levels.filter((level) => level !== HOSTNAME);
  return {
    topology: topology.name,
    tiers: levels.map((level, index) => ({ tier: levels.length - index, level })).reverse(),
  };
}

/**
 * Volcano's network topology as a constraint: within one HyperNode of the highest allowed tier. A tier above all that there are binds
 * nothing.
 */
export function networkTopology(value: JsonObject, resolver: TierResolver | undefined): TopologyConstraint | undefined {
  const tier = asInteger(value.highestTierAllowed);
  const name = asString(value.highestTierName);
  if (tier === undefined && (name === undefined || name === '')) {
    return undefined;
  }
  const known = resolver?.tiers ?? [];
  const found =
    tier === undefined ? known.find((one) => one.name === name) : [...known].reverse().find((one) => one.tier <= tier);
  if (tier !== undefined && known.length > 0 && tier > known[known.length - 1].tier) {
    return undefined;
  }
  const level = found?.level ?? (tier === undefined ? `tier ${name}` : hyperNodeLevel(tier));
  const topology = found === undefined ? undefined : resolver?.topology;
  return { ...(topology !== undefined && { topology }), [value.mode === 'soft' ? 'preferred' : 'required']: level };
}

export const HOSTNAME = 'kubernetes.io/hostname';

/** Labels by which nodes commonly say where they are, outermost first. */
const COMMON_LEVELS = [
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'cloud.google.com/gce-topology-block',
  'topology.k8s.aws/network-node-layer-1',
  'topology.k8s.aws/network-node-layer-2',
  'topology.k8s.aws/network-node-layer-3',
  'cloud.provider.com/topology-block',
  'cloud.provider.com/topology-rack',
  'topology.kubernetes.io/rack',
  'cloud.google.com/gce-topology-subblock',
  'cloud.google.com/gke-nodepool-subblock',
  'nvidia.com/gpu.clique',
] as const;

/**
 * The levels that nodes are shown by, outermost first: those of the topology that describes the most of them, else the common labels
 * that have more than one value.
 */
export function commonLevels(nodes: readonly ClusterNode[], topologies: readonly Topology[]): readonly string[] {
  const named = [...topologies].sort((a, b) => b.levels.length - a.levels.length)[0];
  if (named !== undefined) {
    return named.levels.filter((level) => level !== HOSTNAME);
  }
  return COMMON_LEVELS.filter((label) => nodes.some(({ labels }) => labels?.[label] !== undefined));
}

/** A word for people: the last part of a label, or the tier. */
export function levelTitle(label: string): string {
  const tier = /^hypernode-tier-(\d+)$/.exec(label)?.[1];
  if (tier !== undefined) {
    return `tier ${tier}`;
  }
  return (label.split('/').at(-1) ?? label).replace(
    /^gce-topology-|^network-node-|^gke-nodepool-|^gpu\.|^topology-/,
    '',
  );
}

/** Labels of a node as the selectors of namespaces and volumes see them. */
export function labelsOf(object: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(stringEntries(asObject(object.metadata).labels));
}
