/**
 * A team of a platform: its room, its queue, its networks, and what its pods write to have a node or a share of one.
 */
import { type Chart } from 'cdk8s';
import { type ResourceName } from '../../facts/catalog';
import { type PodTemplateProps, type Scheduling } from '../pods';
import { type RdmaNetwork } from '../pods/rdma';
import { type ByteSize } from '../resources/quantities';
import { type LocalQueueReference, type QueueReference } from '../resources/references';
import { type INamespace, type Team, type TeamProps } from '../tenancy';
import { type PlatformPool } from './node-pool';
import { type TeamScheduling } from './scheduling-system';

/** Nodes of each pool; a pool that is left out gives none. */
export type Nodes<Pool extends string> = Partial<Readonly<Record<Pool, number>>>;

export interface PlatformTeamProps<Pool extends string> extends Pick<
  TeamProps,
  'admins' | 'members' | 'limits' | 'podSecurity' | 'namespaceLabels'
> {
  /** What the team gets back from others whenever it asks, in nodes. */
  readonly deserved: Nodes<Pool>;
  /** The most that it may ask for, in nodes. @default - what it deserves */
  readonly capability?: Nodes<Pool>;
  /** What is kept for it even while it is idle, in nodes. @default - nothing */
  readonly guarantee?: Nodes<Pool>;
  /** Storage of all claims together, `300Ti`. @default - not limited */
  readonly storage?: ByteSize;
}

interface Made {
  readonly chart: Chart;
  readonly team: Team;
  readonly networks: readonly RdmaNetwork[];
  readonly scheduled: TeamScheduling;
  readonly pools: ReadonlyMap<string, PlatformPool>;
}

export class PlatformTeam<Pool extends string> {
  constructor(
    readonly name: string,
    private readonly made: Made,
  ) {}

  /** Namespace, quota, defaults, members. */
  get team(): Team {
    return this.made.team;
  }

  /** Where the team's own objects may be added. */
  get chart(): Chart {
    return this.made.chart;
  }

  get namespace(): INamespace {
    return this.made.team.namespace;
  }

  /** How workloads of the team are scheduled: `{ scheduling: team.scheduling }`. */
  get scheduling(): Scheduling {
    return this.made.scheduled.scheduling;
  }

  /**
   * The queue, of Volcano or of Gantry.
   *
   * @throws with Kueue, whose door is `localQueue`
   */
  get queue(): QueueReference {
    const { queue } = this.made.scheduled;
    if (queue === undefined) {
      throw new Error(
        `team ${this.name}: the platform is scheduled by Kueue, which has no such queue. Take localQueue, or scheduling.`,
      );
    }
    return queue;
  }

  /** @throws with another system than Kueue */
  get localQueue(): LocalQueueReference {
    const { localQueue } = this.made.scheduled;
    if (localQueue === undefined) {
      throw new Error(`team ${this.name}: only Kueue has local queues. Take queue, or scheduling.`);
    }
    return localQueue;
  }

  /** The networks that reach the team's namespace. */
  get networks(): readonly RdmaNetwork[] {
    return this.made.networks;
  }

  /** What a pod of the team says that has a node of the pool to itself. @throws where the pool gives out no whole GPUs */
  wholeNode(pool: Pool): ReturnType<PlatformPool['wholeNode']> {
    return this.pool(pool).wholeNode(this.networks);
  }

  /** What a pod of the team says that has one device, share or instance of the pool. */
  share(
    pool: Pool,
    resource?: ResourceName,
  ): Pick<PodTemplateProps, 'nodeSelection'> & ReturnType<PlatformPool['share']> {
    return this.pool(pool).share(resource);
  }

  private pool(name: Pool): PlatformPool {
    const pool = this.made.pools.get(name);
    if (pool === undefined) {
      throw new Error(
        `team ${this.name}: no pool "${name}" in the platform; it has ${[...this.made.pools.keys()].join(', ')}.`,
      );
    }
    return pool;
  }
}
