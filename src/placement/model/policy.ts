/**
 * How the placement core decides, as a value: which actions run, how queues are ordered, how nodes are scored, who has to go first.
 */

import { type CapacityFilter } from './capacity-filter';
import { type PodTemplate } from './model';

/** How many pods there are of a kind. */
export interface WorkloadKind {
  /** What each pod is like. */
  readonly template: PodTemplate;
  /** How often it occurs, relative to the others. */
  readonly count: number;
}

/** In the order of a cycle. */
export type Action = 'allocate' | 'backfill' | 'preempt' | 'reclaim' | 'consolidate' | 'evict-stale';

/**
 * `weight`: quota and queue priorities do not count; the queue with the smallest used part of its share by weight comes first.
 * `quota-then-surplus`: each queue gets its quota first, surplus by queue priority and weight.
 * `drf`: the queue with the smallest dominant share of the cluster, divided by its weight, comes first.
 * `proportion`: the queue with the smallest part of its own fair share in use comes first.
 */
export const QUEUE_ORDERS = ['quota-then-surplus', 'drf', 'proportion', 'weight'] as const;
/** How queues are ordered; `QUEUE_ORDERS` explains each value. */
export type QueueOrder = (typeof QUEUE_ORDERS)[number];

/**
 * `first-fit`: the first node by name, as a baseline. `binpack`: the fullest node that still fits. `spread`: the emptiest; fractions still share
 * devices. `spread-devices`: the emptiest, and the emptiest device of it for a fraction. `fgd`: the node where the placement costs the least room for the
 * pods that are typical of the workload, as published (USENIX ATC '23). `fragmentation`: the same, and devices must not be left without
 * CPU.
 */
export const NODE_SCORES = ['binpack', 'spread', 'spread-devices', 'first-fit', 'fgd', 'fragmentation'] as const;
/** How nodes are compared; `NODE_SCORES` explains each value. */
export type NodeScore = (typeof NODE_SCORES)[number];

/**
 * `youngest-first`: lowest priority, then latest arrival. `cheapest-first`: lowest priority, then least work lost (running time times
 * devices).
 */
export const VICTIM_ORDERS = ['youngest-first', 'cheapest-first'] as const;
/** Which pods are evicted first; `VICTIM_ORDERS` explains each value. */
export type VictimOrder = (typeof VICTIM_ORDERS)[number];

/**
 * Among gangs of one queue and priority. `age`: the oldest first. `share`: the gang with the smallest dominant share of the cluster first,
 * then the oldest. `shortest-first`: by arrival plus twice the expected duration (a day where it is unknown), so that short gangs overtake
 * long ones and no gang starves.
 */
export const GANG_ORDERS = ['age', 'share', 'shortest-first'] as const;
/** How gangs of one queue and priority are ordered; `GANG_ORDERS` explains each value. */
export type GangOrderName = (typeof GANG_ORDERS)[number];

/**
 * What a preferred topology is taken to mean where one domain need not hold everything. `fewest-domains`: fill the largest, the rest into
 * the tightest that takes it. `balanced`: as evenly as can be over the fewest, so that all parts of a collective operation are alike.
 */
export const PREFERRED_TOPOLOGIES = ['fewest-domains', 'balanced'] as const;
/** What a preferred topology means; `PREFERRED_TOPOLOGIES` explains each value. */
export type PreferredTopology = (typeof PREFERRED_TOPOLOGIES)[number];

/**
 * Where the pods of a gang go that asks for no topology. `together`: as near to each other as they fit, in one domain of the innermost
 * level above hosts if there is one that takes them. `anywhere`: each pod by the node score alone.
 */
export const GANG_SPREADS = ['together', 'anywhere'] as const;
/** Where a gang without a topology is placed; `GANG_SPREADS` explains each value. */
export type GangSpread = (typeof GANG_SPREADS)[number];

/**
 * What a gang that cannot start means for those behind it in its queue. `best-effort-fifo`: they are considered, and work within the
 * queue's unused quota always gets in. `strict-fifo`: they wait, even if they would fit.
 */
export const QUEUEINGS = ['best-effort-fifo', 'strict-fifo'] as const;
/** What a gang that cannot start means for those after it; `QUEUEINGS` explains each value. */
export type Queueing = (typeof QUEUEINGS)[number];

/**
 * When a queue is above its share, under `quota-then-surplus`. `any-resource`: as soon as it has more than its share of one resource.
 * `requested-resources`: only the resources count that its next gang requests, so a queue that borrows CPU keeps its claim on devices.
 */
export const SHARE_JUDGMENTS = ['any-resource', 'requested-resources'] as const;
/** When a queue is above its share; `SHARE_JUDGMENTS` explains each value. */
export type ShareJudgment = (typeof SHARE_JUDGMENTS)[number];

/**
 * Which elastic gang of a queue and priority gets the next pod beyond its minimum. `first-gang`: the first in `gangOrder`, until it has all of
 * its pods. `in-turn`: the gang with the fewest such pods.
 */
export const SURPLUS_ORDERS = ['first-gang', 'in-turn'] as const;
/** Which elastic gang gets the next pod; `SURPLUS_ORDERS` explains each value. */
export type SurplusOrder = (typeof SURPLUS_ORDERS)[number];

/**
 * Which pods of a gang start first, and are evicted last where the gang is elastic. `declared`: those of the first role. `priority`: those
 * of the role with the highest `Role.priority`, then those of the first.
 */
export const POD_ORDERS = ['declared', 'priority'] as const;
/** Which pods of a gang start first; `POD_ORDERS` explains each value. */
export type PodOrder = (typeof POD_ORDERS)[number];

/** How the core chooses where it has a choice. `DEFAULT_POLICY` is a value to start from. */
export interface Policy {
  /** Actions that run, in this order; those that make room are tried in this order for each gang. */
  readonly actions: readonly Action[];
  /** Which queue is considered next. */
  readonly queueOrder: QueueOrder;
  /** Among gangs of one queue and priority. */
  readonly gangOrder: GangOrderName;
  /** When a queue is above its share. */
  readonly shareJudgment: ShareJudgment;
  /** Which elastic gang gets the next pod beyond its minimum. */
  readonly surplusOrder: SurplusOrder;
  /** Which pods of a gang start first, and are evicted last. */
  readonly podOrder: PodOrder;
  /**
   * For how long a gang with a priority above 0 may wait for a part of a device, seconds. After that it comes before all other claims, and
   * as long as its queue stays within its share it may evict gangs of lower priority from shared devices, whatever their queue. Infinity: no
   * bound.
   */
  readonly sharedDeviceWaitSeconds: number;
  /** Whether gangs behind one that cannot start are considered. */
  readonly queueing: Queueing;
  /** Which of the nodes that fit is chosen. */
  readonly nodeScore: NodeScore;
  /** Which pods are evicted first. */
  readonly victimOrder: VictimOrder;
  /** How pods are split that do not fit in one domain of their preferred level. */
  readonly preferredTopology: PreferredTopology;
  /** Where the pods of a gang without a topology are placed. */
  readonly gangSpread: GangSpread;
  /** Work that cannot be evicted uses only the quota of its queue, where the queue has one. */
  readonly nonPreemptibleWithinQuota: boolean;
  /** Weight of preferred node and pod affinity against the node score, 0 to switch it off. */
  readonly affinityWeight: number;
  /** Weight of reported utilization and latency against the node score, 0 to switch it off. */
  readonly signalWeight: number;
  /** Age up to which a capacity report counts, seconds. */
  readonly capacityReportSeconds: number;
  /** Which devices take no pods by what their nodes report. */
  readonly capacityFilters: readonly CapacityFilter[];
  /** For how long a gang may stay below its minimum before what is left of it is evicted, seconds. */
  readonly staleGangSeconds: number;
  /** For how long after its time a pod may still be terminating before nothing waits for its room any more, seconds. */
  readonly stuckSeconds: number;
  /** Most candidate victims that are looked at for one gang. */
  readonly victimLimit: number;
  /** Most pods that one decision moves to other nodes. */
  readonly moveLimit: number;
  /** A pod that started less than this many seconds ago is not moved, so it is moved at most once in that time. */
  readonly moveIntervalSeconds: number;
  /** Most gangs of a cycle for which room is made by evictions. */
  readonly makeRoomLimit: number;
  /**
   * Most nodes that have their MIG configuration changed at the same time, so that pending gangs start on devices that nothing uses; see
   * `ClusterNode.migConfigs`. 0: MIG configurations stay as they are.
   */
  readonly repartitionLimit: number;
  /**
   * What the cluster is used for, for `fgd` and `fragmentation`.
   * @default - the pods of the snapshot
   */
  readonly workload?: readonly WorkloadKind[];
}

/**
 * For a cluster whose scarce thing is accelerators: fill nodes so that whole nodes stay free for large gangs, keep gangs together, give
 * quota before surplus, take from the youngest first so that the least work is lost, and never start what would delay the gang at the head.
 */
export const DEFAULT_POLICY: Policy = {
  actions: ['allocate', 'backfill', 'preempt', 'reclaim', 'consolidate', 'evict-stale'],
  queueOrder: 'quota-then-surplus',
  gangOrder: 'age',
  shareJudgment: 'any-resource',
  surplusOrder: 'first-gang',
  podOrder: 'declared',
  sharedDeviceWaitSeconds: Infinity,
  queueing: 'best-effort-fifo',
  nodeScore: 'fragmentation',
  victimOrder: 'youngest-first',
  preferredTopology: 'fewest-domains',
  gangSpread: 'together',
  nonPreemptibleWithinQuota: true,
  affinityWeight: 1,
  signalWeight: 0.1,
  capacityReportSeconds: 300,
  capacityFilters: [],
  staleGangSeconds: 60,
  stuckSeconds: 300,
  victimLimit: 4096,
  moveLimit: 64,
  moveIntervalSeconds: 600,
  makeRoomLimit: 64,
  repartitionLimit: 0,
};
