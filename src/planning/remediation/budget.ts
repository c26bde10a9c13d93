/**
 * How many nodes may be unavailable. A node counts if remediation marked it, an administrator cordoned it, or it is not ready: when many
 * nodes fail at once, an automatic action makes it worse.
 */
import { compareNames } from '../../placement/model/names';
import { isActing } from './record';
import { type RemediationSettings } from './rules';
import { type RemediationNode } from './state';

interface Group {
  size: number;
  readonly unavailable: Set<string>;
}

/** How many nodes of a pool or a rack are unavailable, those that remediation takes out now included. */
export interface BudgetUse {
  readonly kind: 'pool' | 'rack';
  /** The value of the label; empty for nodes without a pool. */
  readonly name: string;
  readonly nodes: number;
  readonly unavailable: number;
  /** Remediation takes no further node out from here on. */
  readonly most: number;
}

export class Budget {
  private readonly pools = new Map<string, Group>();
  private readonly racks = new Map<string, Group>();

  constructor(
    private readonly settings: RemediationSettings,
    nodes: readonly RemediationNode[],
  ) {
    for (const node of nodes) {
      const isUnavailable = !node.isReady || node.isCordoned || isActing(node.record);
      for (const group of this.groupsOf(node)) {
        if (group === undefined) {
          continue;
        }
        group.size++;
        if (isUnavailable) {
          group.unavailable.add(node.name);
        }
      }
    }
  }

  /** Takes the node out, or says why it must stay. */
  take(node: RemediationNode): string | undefined {
    const [pool, rack] = this.groupsOf(node);
    const ofPool = most(pool.size, this.settings.maxUnavailablePercent);
    const problem =
      exceeded(pool, node, ofPool, `${ofPool} of ${pool.size} nodes of the pool may be unavailable`) ??
      (rack === undefined
        ? undefined
        : exceeded(rack, node, this.settings.maxPerRack, `${this.settings.maxPerRack} of its rack may be unavailable`));
    if (problem === undefined) {
      pool.unavailable.add(node.name);
      rack?.unavailable.add(node.name);
    }
    return problem;
  }

  /** Of all pools and racks, by name. */
  uses(): readonly BudgetUse[] {
    const { maxUnavailablePercent, maxPerRack } = this.settings;
    const useOf = (kind: BudgetUse['kind'], groups: ReadonlyMap<string, Group>): BudgetUse[] =>
      [...groups]
        .map(([name, { size, unavailable }]) => ({
          kind,
          name,
          nodes: size,
          unavailable: unavailable.size,
          most: kind === 'pool' ? most(size, maxUnavailablePercent) : maxPerRack,
        }))
        .sort((a, b) => compareNames(a.name, b.name));
    return [...useOf('pool', this.pools), ...useOf('rack', this.racks)];
  }

  private groupsOf({ labels }: RemediationNode): readonly [pool: Group, rack: Group | undefined] {
    const { poolLabel, rackLabel } = this.settings;
    const pool = groupIn(this.pools, Object.hasOwn(labels, poolLabel) ? labels[poolLabel] : '');
    return [pool, Object.hasOwn(labels, rackLabel) ? groupIn(this.racks, labels[rackLabel]) : undefined];
  }
}

/** Rounded down, and at least one: a pool of four nodes would have no remediation otherwise. */
export function most(size: number, percent: number): number {
  return Math.max(1, Math.floor((size * percent) / 100));
}

function exceeded({ unavailable }: Group, { name }: RemediationNode, bound: number, words: string): string | undefined {
  const others = unavailable.size - (unavailable.has(name) ? 1 : 0);
  return others + 1 > bound ? `${words}, and ${others} ${others === 1 ? 'other is' : 'others are'}` : undefined;
}

function groupIn(groups: Map<string, Group>, name: string): Group {
  const known = groups.get(name);
  if (known !== undefined) {
    return known;
  }
  const group: Group = { size: 0, unavailable: new Set() };
  groups.set(name, group);
  return group;
}
