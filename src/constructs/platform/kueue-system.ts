/**
 * Kueue as a platform's scheduling system: a flavor of each pool, a cohort in which teams lend to each other, a cluster queue of each team
 * with a door in its namespace.
 */
import { type Construct } from 'constructs';
import { ClusterQueue, type ClusterQueueProps, Cohort, LocalQueue, ResourceFlavor, Topology } from '../kueue';
import { type Amounts, amountsOf } from '../pods/amounts';
import { written } from './node-pool';
import { type InstalledScheduling, type PlatformShares, type PoolShare, SchedulingSystem } from './scheduling-system';
import { publicClass } from '../resources/public-class';

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
 *   pools: { training: { nodes: 64, accelerator: 'H100-SXM-80GB', gpus: 8, cpu: 160, memory: '1536Gi' } },
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
    return {
      teamQueue: () => false,
      queueOf: (into, team, { namespace }) => {
        const clusterQueue = new ClusterQueue(into, 'cluster-queue', {
          name: team.name,
          cohort,
          namespaces: [namespace],
          flavors: this.quotas(team.shares, platform),
          preemption: this.options.preemption ?? { reclaimWithinCohort: 'Any', withinClusterQueue: 'LowerPriority' },
        });
        this.clusterQueues.set(team.name, clusterQueue);
        return new LocalQueue(into, 'local-queue', { name: team.name, namespace, clusterQueue });
      },
    };
  }

  /** Flavors that share a resource need the same ones, so each has every resource of all pools. */
  private quotas(shares: readonly PoolShare[], platform: PlatformShares): NonNullable<ClusterQueueProps['flavors']> {
    const resources = [...new Set(platform.pools.flatMap((pool) => [...platform.offers(pool, 1).keys()]))];
    const used = shares.filter(({ capability }) => capability > 0);
    return used.map(({ pool, deserved, capability, guarantee }) => {
      const amounts = (nodes: number): Amounts => {
        const offered = written(platform.offers(pool, nodes));
        return amountsOf(Object.fromEntries(resources.map((resource) => [resource, offered[resource] ?? '0'])));
      };
      return {
        flavor: this.flavors.get(pool.name)!,
        nominalQuota: amounts(deserved),
        borrowingLimit: amounts(capability - deserved),
        ...(guarantee > 0 ? { lendingLimit: amounts(deserved - guarantee) } : {}),
      };
    });
  }
}
