/**
 * The shares of a platform's teams, in nodes of each pool: each team's own, those of a team together with its child teams, and what must
 * hold between them and the pools.
 *
 * A team with child teams has a group queue that holds its whole share. Below it are the queues of its child teams and a queue of its own,
 * because engines run workloads in leaf queues only.
 */
import { type ExactAmounts, type PlatformPool, sumOf } from './node-pool';
import { type PlatformTeamProps } from './platform-team';
import { type PoolShare, type TeamGroup, type TeamShares } from './scheduling-system';

export interface TeamTreeOptions {
  /** Path of the platform, for messages. */
  readonly where: string;
  readonly pools: readonly PlatformPool[];
  readonly teams: Readonly<Record<string, PlatformTeamProps<string>>>;
  /** What the given number of nodes of a pool offers. */
  readonly offers: (pool: PlatformPool, nodes: number) => ExactAmounts;
}

/** The teams of a platform and the groups that they form. */
export interface TeamTree {
  /** In the order in which they are listed. */
  readonly teams: readonly TeamShares[];
  /** Parents before their children. */
  readonly groups: readonly TeamGroup[];
}

/** Suffix of the queue that holds a team together with its child teams. */
const GROUP_SUFFIX = '-teams';
const WHICH = ['deserved', 'capability', 'guarantee'] as const;
type Which = (typeof WHICH)[number];
type ShareOfPool = Readonly<Record<Which, number>>;

/** @throws where a share is not valid, or the shares do not add up */
export function teamTree(options: TeamTreeOptions): TeamTree {
  return new TreeOfTeams(options).tree();
}

class TreeOfTeams {
  private readonly childrenOf = new Map<string, string[]>();
  private readonly groups = new Map<string, TeamGroup>();

  constructor(private readonly options: TeamTreeOptions) {
    for (const [name, team] of Object.entries(options.teams)) {
      this.checkNodes(name, team);
      this.checkParent(name, team.parent);
      if (team.parent !== undefined) {
        this.childrenOf.set(team.parent, [...this.children(team.parent), name]);
      }
    }
    Object.keys(options.teams).forEach((name) => this.checkShares(name));
    options.pools.forEach((pool) => this.checkPool(pool));
  }

  tree(): TeamTree {
    const teams = Object.keys(this.options.teams).map((name) => this.sharesOf(name));
    return { teams, groups: [...this.groups.values()] };
  }

  private children(name: string): readonly string[] {
    return this.childrenOf.get(name) ?? [];
  }

  private fail(name: string, message: string): never {
    throw new Error(`${this.options.where}: team ${name}: ${message}`);
  }

  private checkNodes(name: string, team: PlatformTeamProps<string>): void {
    const pools = new Map(this.options.pools.map((pool) => [pool.name, pool]));
    for (const which of WHICH) {
      for (const [poolName, nodes] of Object.entries(team[which] ?? {})) {
        const pool = pools.get(poolName);
        if (pool === undefined) {
          this.fail(name, `${which}: unknown pool "${poolName}". The pools are ${[...pools.keys()].join(', ')}.`);
        }
        if (nodes !== undefined && (!Number.isInteger(nodes) || nodes < 0)) {
          this.fail(
            name,
            `${which} of the pool ${poolName} must be a whole number greater than or equal to 0, not ${nodes}.`,
          );
        }
        if (nodes !== undefined && nodes > pool.props.nodes) {
          this.fail(
            name,
            `${which} must be less than or equal to the nodes of the pool ${poolName} (${nodes} > ${pool.props.nodes}).`,
          );
        }
      }
    }
  }

  private checkParent(name: string, parent: string | undefined): void {
    const { teams } = this.options;
    if (parent === undefined) {
      return;
    }
    if (!Object.hasOwn(teams, parent)) {
      this.fail(name, `parent: unknown team "${parent}". The teams are ${Object.keys(teams).join(', ')}.`);
    }
    const group = `${parent}${GROUP_SUFFIX}`;
    if (Object.hasOwn(teams, group)) {
      this.fail(
        group,
        `the name is reserved for the queue of ${parent} and its child teams. Rename one of the two teams.`,
      );
    }
    const above = [name];
    for (let at: string | undefined = parent; at !== undefined; at = teams[at]?.parent) {
      if (at === name) {
        this.fail(name, `parent must not form a cycle (${[...above, name].join(' → ')}).`);
      }
      if (above.includes(at)) {
        return;
      }
      above.push(at);
    }
  }

  /** The share of a team, its child teams included. */
  private whole(name: string, pool: string): ShareOfPool {
    const { deserved, capability = {}, guarantee = {} } = this.options.teams[name];
    const own = deserved[pool] ?? 0;
    return {
      deserved: own,
      capability: capability[pool] ?? own,
      guarantee: guarantee[pool] ?? this.ofChildren(name, pool, 'guarantee'),
    };
  }

  private ofChildren(name: string, pool: string, which: Which): number {
    return this.children(name).reduce((sum, child) => sum + this.whole(child, pool)[which], 0);
  }

  /** The guarantee is part of what is deserved, that is part of the capability, and each child's share is part of its parent's. */
  private checkShares(name: string): void {
    for (const { name: pool } of this.options.pools) {
      const { deserved, capability, guarantee } = this.whole(name, pool);
      if (capability < deserved) {
        this.fail(
          name,
          `capability must not be less than deserved (${capability} < ${deserved} nodes of ${pool}). Raise capability, or omit it.`,
        );
      }
      const children = this.children(name);
      const together = children.length === 1 ? `child team ${children[0]}` : `child teams ${children.join(', ')}`;
      const sums = {
        deserved: this.ofChildren(name, pool, 'deserved'),
        guarantee: this.ofChildren(name, pool, 'guarantee'),
      };
      if (sums.deserved > deserved) {
        this.fail(
          name,
          `deserved must not be less than that of the ${together} (${deserved} < ${sums.deserved} nodes of ${pool}). Raise it, or lower deserved of a child team.`,
        );
      }
      if (sums.guarantee > guarantee) {
        this.fail(
          name,
          `guarantee must not be less than that of the ${together} (${guarantee} < ${sums.guarantee} nodes of ${pool}). Raise it, or omit it.`,
        );
      }
      if (guarantee > deserved) {
        this.fail(
          name,
          `guarantee must not exceed deserved (${guarantee} > ${deserved} nodes of ${pool}), because the guarantee is part of the deserved amount.`,
        );
      }
      for (const child of children) {
        const most = this.whole(child, pool).capability;
        if (most > capability) {
          this.fail(
            child,
            `capability must not exceed that of the parent ${name} (${most} > ${capability} nodes of ${pool}). Lower it, or raise that of ${name}.`,
          );
        }
      }
    }
  }

  private checkPool({ name, props: { nodes } }: PlatformPool): void {
    const roots = Object.entries(this.options.teams).filter(([, { parent }]) => parent === undefined);
    const deserved = roots.reduce((sum, [team]) => sum + this.whole(team, name).deserved, 0);
    if (deserved > nodes) {
      throw new Error(
        `${this.options.where}: the deserved shares of the teams add up to ${deserved} nodes of the pool ${name}, which has ${nodes}. Lower deserved of a team, or raise nodes of the pool.`,
      );
    }
  }

  private sharesOf(name: string): TeamShares {
    const { parent } = this.options.teams[name];
    const group = this.children(name).length > 0 ? this.groupOf(name) : parent && this.groupOf(parent);
    const own = (pool: string): ShareOfPool => {
      const { deserved, capability, guarantee } = this.whole(name, pool);
      const rest = deserved - this.ofChildren(name, pool, 'deserved');
      // What the team keeps beyond its children's guarantees and its own share stays with the group.
      return {
        deserved: rest,
        capability,
        guarantee: Math.min(rest, guarantee - this.ofChildren(name, pool, 'guarantee')),
      };
    };
    return { name, parent, ...(group ? { group } : {}), ...this.amounts(own) };
  }

  private groupOf(name: string): TeamGroup {
    const made = this.groups.get(name);
    if (made !== undefined) {
      return made;
    }
    const { parent } = this.options.teams[name];
    const above = parent === undefined ? undefined : this.groupOf(parent);
    const group: TeamGroup = {
      name: `${name}${GROUP_SUFFIX}`,
      teams: this.withDescendants(name),
      ...(above === undefined ? {} : { parent: above }),
      ...this.amounts((pool) => this.whole(name, pool)),
    };
    this.groups.set(name, group);
    return group;
  }

  private withDescendants(name: string): readonly string[] {
    return [name, ...this.children(name).flatMap((child) => this.withDescendants(child))];
  }

  private amounts(of: (pool: string) => ShareOfPool): Pick<TeamShares, 'shares' | 'amounts'> {
    const shares = this.options.pools.map((pool): PoolShare => ({ pool, ...of(pool.name) }));
    return {
      shares,
      amounts: (which) => sumOf(shares.map((share) => this.options.offers(share.pool, share[which]))),
    };
  }
}
