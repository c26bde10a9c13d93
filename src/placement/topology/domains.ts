/**
 * Topology as trees of domains over the rows of the node table: one tree for every topology, and one of a single level for a node label
 * that is in none of them.
 */
import { addAll } from '../../facts/collections';
import { type ClusterNode, type Topology, type TopologyConstraint } from '../model/model';
import { compareText } from '../model/names';
import { type NodeTable } from '../nodes/node-table';

export interface Domain {
  /** Place in `TopologyTree.domains`. */
  readonly index: number;
  readonly level: number;
  /** Values of the levels from the outermost to this one. */
  readonly values: readonly string[];
  readonly parent: Domain | undefined;
  readonly children: readonly Domain[];
  readonly rows: Int32Array;
}

export const HOSTNAME = 'kubernetes.io/hostname';

/** Value of a topology level on a node; the host name of a node without such a label is its name. */
export function levelValue(node: ClusterNode, level: string): string | undefined {
  return node.domains?.[level] ?? node.labels?.[level] ?? (level === HOSTNAME ? node.name : undefined);
}

export class TopologyTree {
  readonly domains: readonly Domain[];
  /** By level, in the order of their values. */
  readonly byLevel: readonly (readonly Domain[])[];
  readonly roots: readonly Domain[];
  /** Those that have no domains below. */
  readonly leaves: readonly Domain[];

  constructor(
    readonly name: string,
    readonly levels: readonly string[],
    table: NodeTable,
  ) {
    interface Draft {
      level: number;
      values: string[];
      children: Map<string, Draft>;
      rows: number[];
    }
    const top = new Map<string, Draft>();
    table.nodes.forEach((node, row) => {
      const values = levels.map((level) => levelValue(node, level));
      if (values.includes(undefined)) {
        return;
      }
      let siblings = top;
      values.forEach((value, level) => {
        let draft = siblings.get(value!);
        if (draft === undefined) {
          draft = { level, values: values.slice(0, level + 1) as string[], children: new Map(), rows: [] };
          siblings.set(value!, draft);
        }
        draft.rows.push(row);
        siblings = draft.children;
      });
    });
    const domains: Domain[] = [];
    const finish = (drafts: Map<string, Draft>, parent: Domain | undefined): Domain[] =>
      [...drafts.keys()].sort(compareText).map((value) => {
        const { level, values, children, rows } = drafts.get(value)!;
        const list: Domain[] = [];
        const domain: Domain = {
          index: domains.length,
          level,
          values,
          parent,
          children: list,
          rows: Int32Array.from(rows),
        };
        domains.push(domain);
        addAll(list, finish(children, domain));
        return domain;
      });
    this.roots = finish(top, undefined);
    this.domains = domains;
    this.leaves = domains.filter(({ children }) => children.length === 0);
    this.byLevel = levels.map((_, level) => domains.filter((domain) => domain.level === level));
  }

  levelOf(label: string): number {
    return this.levels.indexOf(label);
  }
}

/** The domains of a level that are this domain or below it. */
export function domainsBelow(domain: Domain, level: number): readonly Domain[] {
  return domain.level >= level
    ? domain.level === level
      ? [domain]
      : []
    : domain.children.flatMap((child) => domainsBelow(child, level));
}

/** The lowest domains of this one; itself where there are none below. */
export function leavesBelow(domain: Domain): readonly Domain[] {
  return domain.children.length === 0 ? [domain] : domain.children.flatMap(leavesBelow);
}

export class TopologyTrees {
  private readonly trees = new Map<string, TopologyTree>();
  private readonly known = new WeakMap<TopologyConstraint, { readonly tree: TopologyTree | undefined }>();

  constructor(
    private readonly table: NodeTable,
    private readonly topologies: readonly Topology[],
  ) {}

  /** The tree of a constraint, or undefined if the topology or one of its levels does not exist. */
  forConstraint(constraint: TopologyConstraint): TopologyTree | undefined {
    let known = this.known.get(constraint);
    if (known === undefined) {
      known = { tree: this.find(constraint) };
      this.known.set(constraint, known);
    }
    return known.tree;
  }

  private find({ topology, required, preferred, sliceLevel }: TopologyConstraint): TopologyTree | undefined {
    const levels = [required, preferred, sliceLevel].filter((level) => level !== undefined);
    if (levels.length === 0) {
      return undefined;
    }
    const has = (candidate: Topology): boolean => levels.every((level) => candidate.levels.includes(level));
    const found =
      topology === undefined
        ? this.topologies.find(has)
        : this.topologies.find((candidate) => candidate.name === topology);
    if (found !== undefined) {
      return has(found) ? this.tree(found) : undefined;
    }
    const single = new Set(levels);
    const known = levels.every((level) => this.table.nodes.some((node) => levelValue(node, level) !== undefined));
    return topology === undefined && single.size === 1 && known
      ? this.tree({ name: levels[0], levels: [levels[0]] })
      : undefined;
  }

  private tree({ name, levels }: Topology): TopologyTree {
    const key = JSON.stringify([name, levels]);
    let tree = this.trees.get(key);
    if (tree === undefined) {
      tree = new TopologyTree(name, levels, this.table);
      this.trees.set(key, tree);
    }
    return tree;
  }
}

/** Volcano's HyperNode: members of tier 1 are nodes, members of higher tiers are HyperNodes or nodes. */
export interface HyperNode {
  /** Name of the HyperNode. */
  readonly name: string;
  /** 1 is the innermost. */
  readonly tier: number;
  /** Names of all nodes under it. */
  readonly nodes: readonly string[];
}

/** Level name of a HyperNode tier, for `ClusterNode.domains` and topology constraints. */
export function hyperNodeLevel(tier: number): string {
  return `hypernode-tier-${tier}`;
}

/**
 * HyperNodes as a topology: its levels, outermost first, and for every node the domains it is in. A node that a tier leaves out is a
 * domain of its own there.
 */
export function hyperNodeTopology(
  hyperNodes: readonly HyperNode[],
  nodes: readonly string[],
): {
  readonly topology: Topology;
  readonly domains: ReadonlyMap<string, Readonly<Record<string, string>>>;
} {
  const tiers = [...new Set(hyperNodes.map(({ tier }) => tier))].sort((a, b) => b - a);
  const domains = new Map(
    nodes.map((node) => [node, Object.fromEntries(tiers.map((tier) => [hyperNodeLevel(tier), `node ${node}`]))]),
  );
  for (const { name, tier, nodes: members } of hyperNodes) {
    for (const node of members) {
      const own = domains.get(node);
      if (own !== undefined) {
        own[hyperNodeLevel(tier)] = name;
      }
    }
  }
  return { topology: { name: 'hypernodes', levels: tiers.map(hyperNodeLevel) }, domains };
}
