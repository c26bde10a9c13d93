/**
 * The configuration of the scheduler as props, validated against what its program accepts before anything is written.
 */
import type { Duration } from 'cdk8s';
import { isDuration, millisecondsOf, secondsOf } from '../resources/durations';
import { stringify } from 'yaml';
import { type ResourceName } from '../../facts/catalog';
import { type Amounts, type AmountsByName, amountsByName } from '../pods/amounts';
import { nameOf, type NamedReference } from '../resources/references';
import { Team } from '../tenancy';
import { type VolcanoQueueReference } from '../resources/queue-references';
import { type Policy, type Topology } from '../../placement';
import {
  type Configuration,
  ConfigurationError,
  readConfiguration,
} from '../../planning/scheduler-settings/configuration';

/** A queue of the configuration. The scheduler also reads Volcano's Queues from the cluster. */
export interface SchedulerQueue {
  /** Name of the queue. */
  readonly name: string;
  /** The parent: the name of another queue of `queues`, or a Volcano Queue. @default - a root */
  readonly parent?: string | VolcanoQueueReference;
  /** Part of the surplus among its siblings. @default 1 */
  readonly weight?: number;
  /** Surplus goes to queues of higher priority first. @default 0 */
  readonly priority?: number;
  /** What the queue can count on. @default - no quota: everything is shared by weight */
  readonly deserved?: Amounts;
  /** Resources, by their Kubernetes names, that the queue deserves in any amount that it requests. @default - none */
  readonly deservesUnlimited?: readonly ('cpu' | 'memory' | 'ephemeral-storage' | 'pods' | ResourceName)[];
  /** What stays reserved even while the queue is idle. @default - nothing */
  readonly guarantee?: Amounts;
  /** Ceiling. @default - none */
  readonly capability?: Amounts;
  /** Whether other queues may reclaim what this queue uses above its share. @default true */
  readonly reclaimable?: boolean;
  /** A closed queue starts nothing. @default open */
  readonly state?: 'open' | 'closed';
  /**
   * Namespaces whose pods may use the queue, by name or as `Team` or `Namespace`. Pods of others wait with a reason.
   * @default - those of its parent; every namespace where no parent names any
   */
  readonly namespaces?: readonly (NamedReference<'Namespace'> | Team)[];
}

/** How much history of gangs the scheduler keeps. */
export interface SchedulerHistory {
  /** ConfigMaps that hold it, each of at most 171 KiB; from 1 to 64. @default 8 */
  readonly configMaps?: number;
  /** Time between two writes, which is lost if the scheduler crashes. @default - 30 seconds */
  readonly interval?: Duration;
}

type Tunable = 'binding' | 'handOver' | 'eviction' | 'repartition' | 'cycle' | 'explain' | 'log';

/** A part of the configuration, with a `Duration` for each number of seconds or milliseconds. */
export type Tuning<Part> = {
  readonly [K in keyof Part as K extends `${infer Name}Seconds` | `${infer Name}Milliseconds` ? Name : K]: K extends
    | `${string}Seconds`
    | `${string}Milliseconds`
    ? Duration
    : Part[K];
};

/** What the configuration of Gantry's scheduler sets. */
export interface GantrySchedulerConfiguration {
  /** Pods with this `schedulerName` are bound directly. @default gantry */
  readonly schedulerName?: string;
  /** The queue of pods that name none. @default default */
  readonly defaultQueue?: string;
  /** Queues of the scheduler, beside those that it reads from the cluster. @default - Volcano's Queues alone */
  readonly queues?: readonly SchedulerQueue[];
  /** Trees of node labels, outermost first. @default - Kueue's Topologies and Volcano's HyperNodes alone */
  readonly topologies?: readonly Topology[];
  /** How it decides. @default - `placement.DEFAULT_POLICY`, member by member */
  readonly policy?: Partial<Tuning<Omit<Policy, 'workload'>>>;
  /**
   * Tell Volcano's controllers that they may make the pods of their jobs, which its own scheduler does elsewhere; only for clusters without
   * that scheduler.
   * @default false
   */
  readonly enqueueVolcanoPodGroups?: boolean;
  /**
   * A history of gangs, which `gantry history` lists: what they requested, and when they arrived, started, were evicted, and ended. It is
   * in ConfigMaps of the scheduler's namespace, and the oldest entries are overwritten.
   * @default - 8 ConfigMaps, written every 30 seconds at most; `false` keeps no history
   */
  readonly history?: SchedulerHistory | false;
  /**
   * Timeouts, limits, and similar settings, named as in the configuration file without the unit: `{ cycle: { period: Duration.seconds(30) } }`.
   * @default - those of the program, member by member
   */
  readonly tuning?: { readonly [K in Tunable]?: Partial<Tuning<Configuration[K]>> };
}

/**
 * The configuration file as a value.
 *
 * @param guarded an admission policy keeps others from writing what the scheduler writes on pods
 * @throws where the program would refuse it, with every fault
 */
export function configurationValue(where: string, props: GantrySchedulerConfiguration, guarded: boolean): object {
  const { schedulerName, defaultQueue, queues, topologies, policy, enqueueVolcanoPodGroups, tuning } = props;
  const history = historyOf(props);
  const value = defined({
    schedulerName,
    defaultQueue,
    queues: queues?.map((queue) => queueValue(where, queue, queues)),
    topologies,
    policy: policy && inFileUnits('policy', policy),
    history: inFileUnits('history', history),
    enqueueVolcanoPodGroups,
    ...tuningValue({ ...tuning, handOver: { guarded, ...tuning?.handOver } }),
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

/** The history that the props ask for. */
export function historyOf({
  history = {},
}: GantrySchedulerConfiguration): SchedulerHistory & { readonly configMaps: number } {
  return history === false ? { configMaps: 0 } : { configMaps: 8, ...history };
}

/** `period` of the cycle is `periodSeconds` in the file; two short waits are milliseconds there. */
function tuningValue(tuning: GantrySchedulerConfiguration['tuning'] = {}): object {
  return Object.fromEntries(
    Object.entries(tuning).map(([part, members]) => [part, inFileUnits(`tuning.${part}`, members)]),
  );
}

function inFileUnits(prop: string, members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([member, value]: [string, unknown]): [string, unknown] => {
      if (!isDuration(value)) {
        return [member, value];
      }
      return MILLISECONDS.has(member)
        ? [`${member}Milliseconds`, millisecondsOf(`${prop}.${member}`, value)]
        : [`${member}Seconds`, secondsOf(`${prop}.${member}`, value)];
    }),
  );
}

const MILLISECONDS: ReadonlySet<string> = new Set(['debounce', 'most']);

const SHARES = ['deserved', 'guarantee', 'capability'] as const;

function queueValue(where: string, queue: SchedulerQueue, all: readonly SchedulerQueue[]): object {
  const { deserved, guarantee, capability, deservesUnlimited, namespaces, parent, ...rest } = queue;
  if (typeof parent === 'string' && !all.some(({ name }) => name === parent)) {
    throw new Error(
      `${where}: queue ${queue.name}: unknown parent "${parent}". Add it to queues, or pass the Volcano Queue itself as parent.`,
    );
  }
  const others = {
    ...rest,
    ...(parent !== undefined && { parent: typeof parent === 'string' ? parent : parent.name }),
    ...(namespaces !== undefined && { namespaces: namespaces.map(namespaceName) }),
  };
  const shares = { deserved, guarantee, capability };
  const rendered = SHARES.flatMap((share): [string, AmountsByName][] => {
    const amounts = shares[share];
    return amounts === undefined ? [] : [[share, amountsByName(`${where}: queue ${queue.name}: ${share}`, amounts)]];
  });
  if (deservesUnlimited === undefined) {
    return { ...others, ...Object.fromEntries(rendered) };
  }
  const unlimited = Object.fromEntries(deservesUnlimited.map((resource) => [resource, 'unlimited']));
  const { deserved: stated = {}, ...further } = Object.fromEntries(rendered) as Record<string, AmountsByName>;
  const twice = deservesUnlimited.find((resource) => Object.hasOwn(stated, resource));
  if (twice !== undefined) {
    throw new Error(
      `${where}: queue ${queue.name}: deservesUnlimited must not contain "${twice}", because deserved sets an amount of it.`,
    );
  }
  return { ...others, ...further, deserved: { ...stated, ...unlimited } };
}

function namespaceName(reference: NamedReference<'Namespace'> | Team): string {
  return nameOf(reference instanceof Team ? reference.namespace : reference);
}

function defined(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));
}
