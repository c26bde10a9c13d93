/**
 * A team of a platform: its namespace, its queue, its networks, and what its pods need to get a node or a share of one.
 */
import { type Chart } from 'cdk8s';
import { type ResourceName } from '../../facts/catalog';
import { type PodProps, Scheduling } from '../pods';
import { type RdmaNetwork } from '../pods/rdma';
import { type QueueEngine, type QueueReferenceOf } from '../resources/queue-references';
import { type ByteSize } from '../resources/quantities';
import { type NamespaceReference, type Team, type TeamProps } from '../tenancy';
import { type PlatformPool } from './node-pool';
import { publicClass } from '../resources/public-class';

/** Nodes of each pool; a pool that is left out gives none. */
export type Nodes<Pool extends string> = Partial<Readonly<Record<Pool, number>>>;

/** Props of a team of a platform. */
export interface PlatformTeamProps<Pool extends string, TeamName extends string = string> extends Pick<
  TeamProps,
  'admins' | 'members' | 'limits' | 'podSecurity' | 'namespaceLabels'
> {
  /**
   * The team that this one belongs to. What child teams deserve and are guaranteed is part of their parent's share, and
   * their capability is at most their parent's. The parent uses the rest for workloads of its own.
   * @default - none: a share of the pools
   */
  readonly parent?: TeamName;
  /** What the team reclaims from others when it needs it, in nodes. Includes what its child teams deserve. */
  readonly deserved: Nodes<Pool>;
  /** The most that it may use, its child teams included, in nodes. @default - the deserved nodes */
  readonly capability?: Nodes<Pool>;
  /**
   * What is reserved for it even while it is idle, in nodes. Includes the guarantees of its child teams.
   * @default - the guarantees of its child teams
   */
  readonly guarantee?: Nodes<Pool>;
  /** Storage of all claims together, `300Ti`. @default - not limited */
  readonly storage?: ByteSize;
}

interface Made<Engine extends QueueEngine> {
  readonly parent?: string;
  readonly chart: Chart;
  readonly team: Team;
  readonly networks: readonly RdmaNetwork[];
  readonly queue: QueueReferenceOf<Engine>;
  readonly pools: ReadonlyMap<string, PlatformPool>;
}

/**
 * A team of a platform: its namespace, its queue, its networks, and what its pods write to get a node or a share of
 * one. `GpuPlatform` makes one for each of its `teams`.
 *
 * @example
 * const platform = new GpuPlatform(app, 'platform', {
 *   pools: { training: { nodes: 64, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
 *   teams: { research: { deserved: { training: 64 } } },
 * });
 * const { research } = platform.teams;
 * new kubeflow.PyTorchJob(research.chart, 'pretrain', { ...research.wholeNode('training'), image, nodes: 8 }).submitTo(
 *   research.queue,
 * );
 */
@publicClass('PlatformTeam')
export class PlatformTeam<Pool extends string, Engine extends QueueEngine = QueueEngine> {
  constructor(
    /** Name of the team, and of its namespace. */
    readonly name: string,
    private readonly made: Made<Engine>,
  ) {}

  /** Name of the team that this one belongs to. Absent at the top. */
  get parent(): string | undefined {
    return this.made.parent;
  }

  /** Namespace, quota, defaults, members. */
  get team(): Team {
    return this.made.team;
  }

  /** Where the team's own objects may be added. */
  get chart(): Chart {
    return this.made.chart;
  }

  /** Namespace of the team. */
  get namespace(): NamespaceReference {
    return this.made.team.namespace;
  }

  /** The team's queue: of Volcano, Kueue, or Gantry, whichever schedules the platform. */
  get queue(): QueueReferenceOf<Engine> {
    return this.made.queue;
  }

  /** The queue as a choice, for `scheduling` props. */
  get scheduling(): Scheduling<Engine> {
    // The compiler does not follow that the engine of a queue of `Engine` is `Engine`.
    return Scheduling.of(this.queue) as Scheduling as Scheduling<Engine>;
  }

  /** The networks that reach the team's namespace. */
  get networks(): readonly RdmaNetwork[] {
    return this.made.networks;
  }

  /** The options of a team's pod that uses a whole node of the pool. @throws if the pool exposes no whole devices */
  wholeNode(pool: Pool): ReturnType<PlatformPool['wholeNode']> {
    return this.pool(pool).wholeNode(this.networks);
  }

  /** What a pod of the team says that has one device, share or instance of the pool. */
  share(pool: Pool, resource?: ResourceName): Pick<PodProps, 'nodeSelection'> & ReturnType<PlatformPool['share']> {
    return this.pool(pool).share(resource);
  }

  private pool(name: Pool): PlatformPool {
    const pool = this.made.pools.get(name);
    if (pool === undefined) {
      throw new Error(
        `team ${this.name}: unknown pool "${name}". The platform has ${[...this.made.pools.keys()].join(', ')}.`,
      );
    }
    return pool;
  }
}
