/**
 * What the scheduler is told, as props; held against what its program reads before anything is written.
 */
import { stringify } from 'yaml';
import { type Quantity } from '../../facts/api/scalars';
import { type Policy, type Topology } from '../../placement';
import {
  type Configuration,
  ConfigurationError,
  readConfiguration,
} from '../../planning/scheduler-settings/configuration';

/** Resource name to a quantity, as Kubernetes writes it. */
export type SchedulerAmounts = Readonly<Record<string, Quantity>>;

/** A queue that stands in the configuration; Volcano's Queues are read from the cluster beside it. */
export interface SchedulerQueue {
  readonly name: string;
  /** @default - a root */
  readonly parent?: string;
  /** Part of the surplus among its siblings. @default 1 */
  readonly weight?: number;
  /** Surplus goes to queues of higher priority first. @default 0 */
  readonly priority?: number;
  /** What the queue can count on; `unlimited` for a resource without a bound. @default - no quota: everything is shared by weight */
  readonly deserved?: SchedulerAmounts;
  /** What stays reserved even while the queue is idle. @default - nothing */
  readonly guarantee?: SchedulerAmounts;
  /** Ceiling. @default - none */
  readonly capability?: SchedulerAmounts;
  /** May others take back what it has above its share? @default true */
  readonly reclaimable?: boolean;
  /** A closed queue starts nothing. @default open */
  readonly state?: 'open' | 'closed';
}

type Tunable = 'binding' | 'handOver' | 'eviction' | 'cycle' | 'explain' | 'log';

export interface SchedulerConfigurationProps {
  /** Pods with this `schedulerName` are bound directly. @default gantry */
  readonly schedulerName?: string;
  /** The queue of pods that name none. @default default */
  readonly defaultQueue?: string;
  /** @default - Volcano's Queues alone */
  readonly queues?: readonly SchedulerQueue[];
  /** Trees of node labels, outermost first. @default - Kueue's Topologies and Volcano's HyperNodes alone */
  readonly topologies?: readonly Topology[];
  /** How it decides. @default - `placement.DEFAULT_POLICY`, member by member */
  readonly policy?: Partial<Omit<Policy, 'workload'>>;
  /**
   * Tell Volcano's controllers that they may make the pods of their jobs, which its own scheduler does elsewhere; only for clusters without
   * that scheduler.
   * @default false
   */
  readonly enqueueVolcanoPodGroups?: boolean;
  /** Time-outs, limits and the like. @default - those of the program, member by member */
  readonly tuning?: { readonly [K in Tunable]?: Partial<Configuration[K]> };
}

/**
 * The configuration file as a value.
 *
 * @throws where the program would refuse it, with every fault
 */
export function configurationValue(where: string, props: SchedulerConfigurationProps): object {
  const { schedulerName, defaultQueue, queues, topologies, policy, enqueueVolcanoPodGroups, tuning } = props;
  const value = defined({
    schedulerName,
    defaultQueue,
    queues,
    topologies,
    policy,
    enqueueVolcanoPodGroups,
    ...tuning,
  });
  try {
    readConfiguration(stringify(value), 'configuration');
  } catch (error) {
    if (error instanceof ConfigurationError) {
      throw new Error(`${where}: ${error.message}`, { cause: error });
    }
    throw error;
  }
  return value;
}

function defined(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));
}
