/**
 * Team: one statement of what a team has becomes its namespace, its quota, its defaults, its queue and who may work there.
 */
import { Construct } from 'constructs';
import { type Quantity } from '../../facts/api/scalars';
import { GANTRY_TEAM_LABEL, type ResourceName } from '../../facts/catalog';
import { type VolcanoQueueReference } from '../resources/queue-references';
import { Queue } from '../volcano';
import { type ContainerLimits, LimitRange } from './limit-range';
import { type INamespace, Namespace } from './namespace';
import { ResourceQuota, type AmountsByName } from './resource-quota';
import { TeamAccess, type TeamSubject } from './team-access';

/** An amount of everything that a team shares out. What is left out is not limited. */
export interface TeamResources {
  /** Whole devices, of the team's `gpuResource`. */
  readonly gpus?: number;
  /** Cores. */
  readonly cpu?: Quantity;
  /** Bytes: write the unit, `4Ti`. */
  readonly memory?: Quantity;
  /** Further resources by name, for example `{ 'nvidia.com/mlx5_rdma': 64 }`. */
  readonly others?: AmountsByName;
}

export interface TeamQuota extends TeamResources {
  /**
   * Cores that the limits of all containers together may be. Leave it out where training pods state no CPU limit: it would become
   * mandatory.
   * @default - not limited
   */
  readonly cpuLimit?: Quantity;
  /** @default - not limited */
  readonly memoryLimit?: Quantity;
  /** Pods that have not ended. @default - not limited */
  readonly pods?: number;
  /** Storage of all claims together. @default - not limited */
  readonly storage?: Quantity;
  /** @default - not limited */
  readonly persistentVolumeClaims?: number;
  /** Further keys as Kubernetes writes them, for example `count/jobs.batch`. @default - none */
  readonly hard?: Readonly<Record<string, Quantity>>;
}

export interface TeamQueueProps {
  /** @default - the team's name */
  readonly name?: string;
  /** @default - Volcano's root */
  readonly parent?: VolcanoQueueReference;
  /** Share of what nobody deserves; only the proportion plugin looks at it. @default 1 */
  readonly weight?: number;
  /** Above other queues of the same parent, 0 or more. @default 0 */
  readonly priority?: number;
  /** Give back what is above the deserved share when others ask for theirs. @default true */
  readonly reclaimable?: boolean;
  /**
   * What the queue gets back from others whenever it asks for it. The children of a parent must not deserve more than the parent.
   * @default - the quota: the team's share is all that it may ask for
   */
  readonly deserved?: TeamResources;
  /** What is kept for the queue even while it is idle; at most the deserved share. @default - nothing */
  readonly guarantee?: TeamResources;
  /** The most that the queue may hold. @default - the quota, since more can never be asked for */
  readonly capability?: TeamResources;
}

export interface TeamProps {
  /** Name of the team, its namespace and its queue. @default - the construct's id */
  readonly name?: string;
  /** Where the team works. @default - a new namespace of the team's name */
  readonly namespace?: INamespace;
  /**
   * What pods of the new namespace may do (the label `pod-security.kubernetes.io/enforce`). RDMA pods need `privileged`: they add
   * IPC_LOCK, which `baseline` refuses.
   * @default - the cluster's default
   */
  readonly podSecurity?: 'privileged' | 'baseline' | 'restricted';
  /** Further labels of the new namespace. @default - none */
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  /** What the team may ask for in all. */
  readonly quota: TeamQuota;
  /** What `gpus` counts. @default 'nvidia.com/gpu' */
  readonly gpuResource?: ResourceName;
  /**
   * Defaults and bounds of containers.
   * @default - where the quota counts CPU or memory, which makes stating it mandatory: requests of 1 core and 2Gi for containers that
   * state none, and limits of 4 cores and 8Gi where the quota counts limits
   */
  readonly limits?: ContainerLimits;
  /**
   * The team's queue: how to make it, one that there is (`volcano.Queue.fromName(…)`), or `false` for a team without.
   * @default - a queue beneath Volcano's root whose deserved share and capability are the quota
   */
  readonly queue?: TeamQueueProps | VolcanoQueueReference | false;
  /** Who may do everything in the namespace but change its quota. @default - nobody is bound here */
  readonly admins?: readonly TeamSubject[];
  /** Who may run and change workloads. @default - nobody is bound here */
  readonly members?: readonly TeamSubject[];
}

/** The label by which everything of a team is found. */
export const TEAM_LABEL = GANTRY_TEAM_LABEL;

/**
 * @example
 * const team = new Team(chart, 'research', {
 *   quota: { gpus: 64, cpu: 768, memory: '8Ti' },
 *   queue: { parent: ai, guarantee: { gpus: 16 } },
 *   members: [{ kind: 'Group', name: 'research-ml' }],
 * });
 */
export class Team extends Construct {
  readonly teamName: string;
  /** Workloads of the team go here: `metadata: { namespace: team.namespace.name }`. */
  readonly namespace: INamespace;
  readonly quota: ResourceQuota;
  /** Absent where the quota makes nothing mandatory and no limits were asked for. */
  readonly limitRange?: LimitRange;
  /** Absent for a team without a queue. */
  readonly teamQueue?: VolcanoQueueReference;
  private readonly gpuResource: ResourceName;

  constructor(scope: Construct, id: string, props: TeamProps) {
    super(scope, id);
    this.teamName = props.name ?? id;
    this.gpuResource = props.gpuResource ?? 'nvidia.com/gpu';
    this.namespace =
      props.namespace ??
      new Namespace(this, 'namespace', {
        name: this.teamName,
        labels: {
          [TEAM_LABEL]: this.teamName,
          ...(props.podSecurity === undefined ? {} : { 'pod-security.kubernetes.io/enforce': props.podSecurity }),
          ...props.namespaceLabels,
        },
      });
    this.quota = this.makeQuota(props.quota);
    const limits = props.limits ?? defaultLimits(props.quota);
    if (limits !== undefined) {
      this.limitRange = new LimitRange(this, 'limits', {
        name: `${this.teamName}-limits`,
        namespace: this.namespace,
        container: limits,
      });
    }
    this.teamQueue = this.makeQueue(props.queue ?? {}, props.quota);
    new TeamAccess(this, 'access', { namespace: this.namespace, admins: props.admins, members: props.members });
  }

  /**
   * The team's queue, to submit workloads to.
   *
   * @throws if the team was made without one
   */
  get queue(): VolcanoQueueReference {
    if (this.teamQueue === undefined) {
      throw new Error(`${this.node.path}: the team has no queue, since it was made with queue: false.`);
    }
    return this.teamQueue;
  }

  /**
   * Puts constructs behind everything the team consists of: its namespace, quota, defaults and queue.
   *
   * Charts and constructs whose objects go to the team's namespace are ordered after it this way.
   */
  owns(...constructs: readonly Construct[]): this {
    for (const construct of constructs) {
      construct.node.addDependency(this);
    }
    return this;
  }

  private makeQuota(quota: TeamQuota): ResourceQuota {
    const { cpuLimit, memoryLimit } = quota;
    return new ResourceQuota(this, 'quota', {
      name: `${this.teamName}-quota`,
      namespace: this.namespace,
      requests: this.amountsOf(quota),
      limits: {
        ...(cpuLimit === undefined ? {} : { cpu: cpuLimit }),
        ...(memoryLimit === undefined ? {} : { memory: memoryLimit }),
      },
      pods: quota.pods,
      storage: quota.storage,
      persistentVolumeClaims: quota.persistentVolumeClaims,
      hard: quota.hard,
    });
  }

  private makeQueue(
    queue: TeamQueueProps | VolcanoQueueReference | false,
    quota: TeamQuota,
  ): VolcanoQueueReference | undefined {
    if (queue === false) {
      return undefined;
    }
    if ('engine' in queue) {
      return queue;
    }
    return new Queue(this, 'queue', {
      name: queue.name ?? this.teamName,
      labels: { [TEAM_LABEL]: this.teamName },
      parent: queue.parent,
      weight: queue.weight,
      priority: queue.priority,
      reclaimable: queue.reclaimable,
      capability: this.amountsOf(queue.capability ?? quota),
      deserved: this.amountsOf(queue.deserved ?? quota),
      guarantee: queue.guarantee && this.amountsOf(queue.guarantee),
    });
  }

  /** Amounts by the names that quotas and queues have in common. */
  private amountsOf({ gpus, cpu, memory, others }: TeamResources): AmountsByName {
    return {
      ...(cpu === undefined ? {} : { cpu }),
      ...(memory === undefined ? {} : { memory }),
      ...(gpus === undefined ? {} : { [this.gpuResource]: gpus }),
      ...others,
    };
  }
}

/** What keeps pods alive in a namespace whose quota makes CPU and memory mandatory. */
function defaultLimits({ cpu, memory, cpuLimit, memoryLimit, hard = {} }: TeamQuota): ContainerLimits | undefined {
  const requested = {
    cpu: cpu ?? hard['requests.cpu'] ?? hard.cpu,
    memory: memory ?? hard['requests.memory'] ?? hard.memory,
  };
  const limited = { cpu: cpuLimit ?? hard['limits.cpu'], memory: memoryLimit ?? hard['limits.memory'] };
  if ([...Object.values(requested), ...Object.values(limited)].every((amount) => amount === undefined)) {
    return undefined;
  }
  const limits = {
    ...(limited.cpu === undefined ? {} : { cpu: 4 }),
    ...(limited.memory === undefined ? {} : { memory: '8Gi' }),
  };
  return { defaultRequest: { cpu: 1, memory: '2Gi' }, ...(Object.keys(limits).length > 0 ? { default: limits } : {}) };
}
