/**
 * Team: one statement of what a team has becomes its namespace, its quota, its defaults, its queue and who may work there.
 */
import { type CarriedMap, membersOf } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { type LimitRangeItem } from '../../facts/api/types/core/v1';
import { GANTRY_NAMESPACES, GANTRY_TEAM_LABEL } from '../../facts/catalog';
import { type Amounts } from '../pods/amounts';
import { type ByteSize, type Cores } from '../resources/quantities';
import { type NamedReference } from '../resources/references';
import { requireQueue, type VolcanoQueueReference } from '../resources/queue-references';
import { Queue, type QueueProps } from '../volcano';
import { defaultLimitsFor } from './default-limits';
import { type ContainerLimits, LimitRange, type LimitRangeProps } from './limit-range';
import { Namespace, type NamespaceProps, namespaceReference, type NamespaceReference } from './namespace';
import { isMandatory } from '../../checks/server/admission/quota-keys';
import { ResourceQuota, type ResourceQuotaProps } from './resource-quota';
import { TeamAccess, type TeamSubject } from './team-access';
import { publicClass } from '../resources/public-class';

/**
 * What a team may ask for in total: amounts of its pods' requests, and what else a ResourceQuota counts. A resource that is left out is
 * not limited.
 */
export interface TeamQuota extends Amounts {
  /**
   * Cores that the limits of all containers together may be. Kubernetes then requires a CPU limit of each container; one that states
   * none gets the default of the team's `limits`.
   * @default - not limited
   */
  readonly cpuLimit?: Cores;
  /** Memory that the limits of all containers together may be. @default - not limited */
  readonly memoryLimit?: ByteSize;
  /** Storage of all claims together. @default - not limited */
  readonly storage?: ByteSize;
  /** Number of claims. @default - not limited */
  readonly persistentVolumeClaims?: number;
  /** Further keys as Kubernetes writes them, for example `count/jobs.batch`. @default - none */
  readonly hard?: Readonly<Record<string, number | string>>;
}

/** The queue of a team. */
export interface TeamQueueProps {
  /** Only queue references have an engine, and a Team accepts those of Volcano. @default - absent */
  readonly engine?: never;
  /** Name of the queue. @default - the team's name */
  readonly name?: string;
  /** The parent queue. @default - Volcano's root */
  readonly parent?: VolcanoQueueReference;
  /** Weight of the queue's part of the resources that no queue deserves; only the proportion plugin reads it. @default 1 */
  readonly weight?: number;
  /** Above other queues of the same parent, 0 or more. @default 0 */
  readonly priority?: number;
  /** Give back what is above the deserved share when others ask for theirs. @default true */
  readonly reclaimable?: boolean;
  /**
   * What the queue gets back from others whenever it asks for it. The children of a parent must not deserve more than the parent.
   * @default - the quota: the team's share is all that it may ask for
   */
  readonly deserved?: Amounts;
  /** What is kept for the queue even while it is idle; at most the deserved share. @default - nothing */
  readonly guarantee?: Amounts;
  /** The most that the queue may hold. @default - the quota, since more can never be asked for */
  readonly capability?: Amounts;
}

/** Overrides of the objects of a team, by the property that has them. */
export interface TeamOverrides {
  /** Fields of the spec of the new Namespace. @default - none */
  readonly namespace?: NamespaceProps['overrides'];
  /** Fields of the spec of the ResourceQuota. @default - none */
  readonly quota?: ResourceQuotaProps['overrides'];
  /** Fields of the spec of the LimitRange. @default - none */
  readonly limitRange?: LimitRangeProps['overrides'];
  /** Fields of the spec of the new Volcano Queue. @default - none */
  readonly queue?: QueueProps['overrides'];
}

/** Props of a Team. */
export interface TeamProps {
  /** Name of the team, its namespace and its queue. @default - the construct's id */
  readonly name?: string;
  /** Where the team works. @default - a new namespace of the team's name */
  readonly namespace?: NamedReference<'Namespace'>;
  /**
   * What pods of the new namespace may do (the label `pod-security.kubernetes.io/enforce`). RDMA pods need `privileged`: they add
   * IPC_LOCK, which `baseline` refuses.
   * @default - the cluster's default
   */
  readonly podSecurity?: 'privileged' | 'baseline' | 'restricted';
  /** Further labels of the new namespace. @default - none */
  readonly namespaceLabels?: CarriedMap<string>;
  /** What the team may ask for in all. */
  readonly quota: TeamQuota;
  /**
   * Defaults and bounds of containers.
   * @default - where the quota counts CPU or memory, which makes stating it mandatory: requests of 1 core and 2Gi for containers that
   * state none. Where the quota counts limits, also default limits of 4 cores and 8Gi, or of as much as the largest container of the
   * app's workloads in the namespace that requests CPU or memory without a limit, since a default below a request rejects the pod
   */
  readonly limits?: ContainerLimits;
  /**
   * The team's queue: how to make it, one that there is (`volcano.Queue.fromName(…)`), or `false` for a team without.
   * @default - a queue beneath Volcano's root whose deserved share and capability are the quota
   */
  readonly queue?: TeamQueueProps | VolcanoQueueReference | false;
  /** Subjects that may do everything in the namespace except change its quota. @default - no role binding */
  readonly admins?: readonly TeamSubject[];
  /** Subjects that may run and change workloads. @default - no role binding */
  readonly members?: readonly TeamSubject[];
  /** Fields without a property, of each object that the team creates. @default - none */
  readonly overrides?: TeamOverrides;
}

/** The label by which everything of a team is found. */
export const TEAM_LABEL = GANTRY_TEAM_LABEL;

/**
 * A team: its namespace, its quota, the defaults of its containers, its queue, and its members, from one statement.
 *
 * @example
 * const ai = new volcano.Queue(chart, 'ai');
 * const team = new Team(chart, 'research', {
 *   quota: { cpu: 768, memory: '8Ti', accelerators: [Accelerator.nvidia({ count: 64 }), Accelerator.amd({ count: 16 })] },
 *   queue: { parent: ai, guarantee: { accelerators: Accelerator.nvidia({ count: 16 }) } },
 *   members: [{ kind: 'Group', name: 'research-ml' }],
 * });
 */
@publicClass('Team')
export class Team extends Construct {
  /** Name of the team, and of its namespace. */
  readonly name: string;
  /** Workloads of the team go here: `metadata: { namespace: team.namespace.name }`. */
  readonly namespace: NamespaceReference;
  /** The ResourceQuota of the team. */
  readonly quota: ResourceQuota;
  /** Absent where the quota makes nothing mandatory and no limits were asked for. */
  readonly limitRange?: LimitRange;
  /** Absent for a team without a queue. */
  readonly teamQueue?: VolcanoQueueReference;

  /** @throws if an amount is not valid, or an object is overridden that the team does not create */
  constructor(scope: Construct, id: string, props: TeamProps) {
    super(scope, id);
    const { overrides = {} } = props;
    this.name = props.name ?? id;
    this.namespace = props.namespace === undefined ? this.makeNamespace(props) : namespaceReference(props.namespace);
    this.quota = this.makeQuota(props.quota, overrides.quota);
    this.limitRange = this.makeLimitRange(props.limits, overrides.limitRange);
    this.teamQueue = this.makeQueue(props.queue ?? {}, props.quota, overrides.queue);
    requireCreated(this, overrides);
    new TeamAccess(this, 'access', { namespace: this.namespace, admins: props.admins, members: props.members });
  }

  /**
   * The team's queue, to submit workloads to.
   *
   * @throws if the team was made without one
   */
  get queue(): VolcanoQueueReference {
    if (this.teamQueue === undefined) {
      throw new Error(`${this.node.path}: the team has no queue, because it was created with queue: false.`);
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

  private makeNamespace({ podSecurity, namespaceLabels, overrides }: TeamProps): Namespace {
    return new Namespace(this, 'namespace', {
      name: this.name,
      labels: {
        [TEAM_LABEL]: this.name,
        ...(podSecurity === undefined ? {} : { 'pod-security.kubernetes.io/enforce': podSecurity }),
        ...membersOf('namespaceLabels', namespaceLabels),
      },
      overrides: overrides?.namespace,
    });
  }

  private makeQuota(quota: TeamQuota, overrides: TeamOverrides['quota']): ResourceQuota {
    const { cpuLimit, memoryLimit, pods, storage, persistentVolumeClaims, hard, ...requests } = quota;
    return new ResourceQuota(this, 'quota', {
      name: `${this.name}-quota`,
      namespace: this.namespace,
      requests,
      limits: { cpu: cpuLimit, memory: memoryLimit },
      pods,
      storage,
      persistentVolumeClaims,
      hard,
      overrides,
    });
  }

  private makeLimitRange(
    container: ContainerLimits | undefined,
    overrides: TeamOverrides['limitRange'],
  ): LimitRange | undefined {
    const keys = Object.keys(this.quota.amounts);
    if (container === undefined && !keys.some((key) => isMandatory(key))) {
      return undefined;
    }
    const range = new LimitRange(this, 'limits', {
      name: `${this.name}-limits`,
      namespace: this.namespace,
      container,
      overrides,
    });
    if (container === undefined) {
      range.add((): LimitRangeItem => ({ type: 'Container', ...defaultLimitsFor(this, this.namespace.name, keys) }));
    }
    return range;
  }

  private makeQueue(
    queue: TeamQueueProps | VolcanoQueueReference | false,
    quota: TeamQuota,
    overrides: TeamOverrides['queue'],
  ): VolcanoQueueReference | undefined {
    if (queue === false) {
      return undefined;
    }
    if (queue.engine !== undefined) {
      requireQueue(`${this.node.path}: queue`, queue, ['volcano']);
      return queue;
    }
    const { cpu, memory, ephemeralStorage, hugepages, accelerators, other } = quota;
    const share: Amounts = { cpu, memory, ephemeralStorage, hugepages, accelerators, other };
    return new Queue(this, 'queue', {
      name: queue.name ?? this.name,
      labels: { [TEAM_LABEL]: this.name },
      annotations: { [GANTRY_NAMESPACES]: this.namespace.name },
      parent: queue.parent,
      weight: queue.weight,
      priority: queue.priority,
      reclaimable: queue.reclaimable,
      capability: queue.capability ?? share,
      deserved: queue.deserved ?? share,
      guarantee: queue.guarantee,
      overrides,
    });
  }
}

/** @throws if an object is overridden that the team did not create */
function requireCreated(
  { node, namespace, quota, limitRange, teamQueue: queue }: Team,
  overrides: TeamOverrides,
): void {
  const parts: Readonly<Record<keyof TeamOverrides, object | undefined>> = { namespace, quota, limitRange, queue };
  for (const part of Object.keys(overrides) as (keyof TeamOverrides)[]) {
    if (overrides[part] !== undefined && !Construct.isConstruct(parts[part])) {
      throw new Error(`${node.path}: overrides.${part} must not be set, because the team does not create that object.`);
    }
  }
}
