/**
 * Kueue as a platform's scheduling system: a flavor for each pool, a cohort in which teams lend to each other, one below it for each
 * group of teams, and a ClusterQueue for each team, with a LocalQueue in its namespace.
 */
import { type Construct } from 'constructs';
import {
  ClusterQueue,
  type ClusterQueueProps,
  Cohort,
  type FlavorQuotas,
  LocalQueue,
  ResourceFlavor,
  Topology,
} from '../kueue';
import { type Amounts, amountsOf } from '../pods/amounts';
import { written } from './node-pool';
import { publicClass } from '../resources/public-class';
import {
  type InstalledScheduling,
  type PlatformShares,
  type PoolShare,
  SchedulingSystem,
  type TeamGroup,
} from './scheduling-system';

/** Options of a KueueSystem. */
export interface KueueSystemOptions {
  /** Name of the cohort. @default ai */
  readonly cohort?: string;
  /**
   * Which workloads may be preempted for those of a team.
   * @default - a team takes back what is its own, and its own important work comes first
   */
  readonly preemption?: ClusterQueueProps['preemption'];
}

/**
 * Kueue for a platform: a flavor for each pool, a ClusterQueue and a LocalQueue for each team, and a cohort in which
 * teams lend to each other.
 *
 * @example
 * new GpuPlatform(app, 'platform', {
 *   pools: { training: { nodes: 64, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
 *   teams: { research: { deserved: { training: 64 } } },
 *   scheduling: new KueueSystem(),
 * });
 */
@publicClass('KueueSystem')
export class KueueSystem extends SchedulingSystem<'kueue'> {
  readonly name = 'kueue';
  readonly chart = 'kueue';
  /** By pool; there once it is installed. */
  readonly flavors = new Map<string, ResourceFlavor>();
  /** By team; there once it is installed. */
  readonly clusterQueues = new Map<string, ClusterQueue>();

  constructor(private readonly options: KueueSystemOptions = {}) {
    super();
  }

  install(scope: Construct, platform: PlatformShares): InstalledScheduling<'kueue'> {
    const cohort = new Cohort(scope, 'cohort', { name: this.options.cohort ?? 'ai' });
    const levels = [...platform.topologyLevels, 'kubernetes.io/hostname'];
    const topology =
      platform.topologyLevels.length === 0 ? undefined : new Topology(scope, 'topology', { name: 'platform', levels });
    for (const { name, profile, props } of platform.pools) {
      this.flavors.set(
        name,
        new ResourceFlavor(scope, `flavor-${name}`, {
          name,
          nodeLabels: profile.nodeSelector,
          tolerations: profile.tolerations,
          ...(props.nodesPerRack === undefined ? {} : { topology }),
        }),
      );
    }
    const cohorts = new Map<string, Cohort>();
    const cohortOf = (group: TeamGroup | undefined): Cohort => (group && cohorts.get(group.name)) ?? cohort;
    for (const group of platform.groups) {
      const made = new Cohort(scope, `cohort-${group.name}`, {
        name: group.name,
        parent: cohortOf(group.parent),
        flavors: this.groupQuotas(group, platform),
      });
      cohorts.set(group.name, made);
    }
    return {
      teamQueue: () => false,
      queueOf: (into, team, { namespace }) => {
        const clusterQueue = new ClusterQueue(into, 'cluster-queue', {
          name: team.name,
          cohort: cohortOf(team.group),
          namespaces: [namespace],
          flavors: this.quotas(team.shares, platform),
          preemption: this.options.preemption ?? { reclaimWithinCohort: 'Any', withinClusterQueue: 'LowerPriority' },
        });
        this.clusterQueues.set(team.name, clusterQueue);
        return new LocalQueue(into, 'local-queue', { name: team.name, namespace, clusterQueue });
      },
    };
  }

  private quotas(shares: readonly PoolShare[], platform: PlatformShares): readonly FlavorQuotas[] {
    return this.flavorQuotas(shares, platform, ({ deserved, capability, guarantee }) => ({
      nominal: deserved,
      borrowing: capability - deserved,
      lending: guarantee > 0 ? deserved - guarantee : undefined,
    }));
  }

  /** A group owns nothing beside the quotas of its queues, and limits what they borrow from and lend to others together. */
  private groupQuotas({ shares }: TeamGroup, platform: PlatformShares): readonly FlavorQuotas[] {
    return this.flavorQuotas(shares, platform, ({ deserved, capability, guarantee }) => ({
      nominal: 0,
      borrowing: capability - deserved,
      lending: guarantee > 0 ? deserved - guarantee : undefined,
    }));
  }

  /** Flavors that share a resource need the same ones, so each has every resource of all pools. */
  private flavorQuotas(
    shares: readonly PoolShare[],
    platform: PlatformShares,
    nodesOf: (share: PoolShare) => NodeQuotas,
  ): readonly FlavorQuotas[] {
    const resources = [...new Set(platform.pools.flatMap((pool) => [...platform.offers(pool, 1).keys()]))];
    const used = shares.filter(({ capability }) => capability > 0);
    return used.map((share) => {
      const { pool } = share;
      const amounts = (nodes: number): Amounts => {
        const offered = written(platform.offers(pool, nodes));
        return amountsOf(Object.fromEntries(resources.map((resource) => [resource, offered[resource] ?? '0'])));
      };
      const { nominal, borrowing, lending } = nodesOf(share);
      return {
        flavor: this.flavors.get(pool.name)!,
        nominalQuota: amounts(nominal),
        borrowingLimit: amounts(borrowing),
        ...(lending === undefined ? {} : { lendingLimit: amounts(lending) }),
      };
    });
  }
}

/** Quotas of a pool's flavor, in nodes. */
interface NodeQuotas {
  readonly nominal: number;
  readonly borrowing: number;
  readonly lending: number | undefined;
}
