/**
 * What the program's configuration sets, and what holds where its file sets nothing.
 */
import { DEFAULT_POLICY, type Policy, type Queue, type Topology } from '../../placement';
import { type LogLevel } from './log-levels';

/** A queue, and who may use it. */
export interface ConfiguredQueue extends Queue {
  /** Namespaces whose pods may use the queue. Absent: those of its parent, or all. */
  readonly namespaces?: readonly string[];
}

export interface Configuration {
  /** Pods with this `schedulerName` are bound directly. */
  readonly schedulerName: string;
  /** The queue of pods that name none. */
  readonly defaultQueue: string;
  /** Beside the Volcano Queues of the cluster; of two with one name this one counts. */
  readonly queues: readonly ConfiguredQueue[];
  /** Beside Kueue Topologies and Volcano HyperNodes of the cluster. */
  readonly topologies: readonly Topology[];
  readonly policy: Policy;
  readonly binding: {
    /** Requests at once. */
    readonly inFlight: number;
    /** Seconds for which a binding is tried again when the server does not answer. */
    readonly timeoutSeconds: number;
  };
  readonly handOver: {
    /** Seconds that the cluster's own scheduler has for a pod that was handed over. */
    readonly timeoutSeconds: number;
    /**
     * An admission policy prevents all users except the scheduler from writing `gantry.dev/node`, so that it is the scheduler's statement on any
     * pod. Without it only pods that this process handed over count as placed.
     */
    readonly guarded: boolean;
  };
  readonly eviction: {
    /** Seconds after which a refused eviction (a disruption budget) is tried again. */
    readonly retrySeconds: number;
  };
  readonly repartition: {
    /** Seconds that the MIG manager has to apply a configuration; after that, the node is used as it is. */
    readonly timeoutSeconds: number;
    /** Seconds between two changes of one node, also after a failure. */
    readonly intervalSeconds: number;
  };
  readonly cycle: {
    /** Milliseconds of silence that a cycle waits for after a change. */
    readonly debounceMilliseconds: number;
    /** Milliseconds after which it no longer waits. */
    readonly mostMilliseconds: number;
    /** Seconds between cycles where nothing changes. */
    readonly periodSeconds: number;
  };
  readonly explain: {
    /** Seconds between two events or conditions of one gang that say the same. */
    readonly repeatSeconds: number;
    /** Writes of conditions and events in one second. */
    readonly writesPerSecond: number;
  };
  readonly history: {
    /** ConfigMaps that hold the history, named after the Lease and numbered from 0; 0 records none. */
    readonly configMaps: number;
    /** Seconds between two writes. */
    readonly intervalSeconds: number;
  };
  /**
   * Tell Volcano's controllers that they may make the pods of their jobs, which its own scheduler does elsewhere. Only for clusters
   * without that scheduler.
   */
  readonly enqueueVolcanoPodGroups: boolean;
  readonly log: { readonly level: LogLevel };
}

export const DEFAULT_CONFIGURATION: Configuration = {
  schedulerName: 'gantry',
  defaultQueue: 'default',
  queues: [],
  topologies: [],
  policy: DEFAULT_POLICY,
  binding: { inFlight: 64, timeoutSeconds: 30 },
  handOver: { timeoutSeconds: 30, guarded: false },
  eviction: { retrySeconds: 15 },
  repartition: { timeoutSeconds: 1200, intervalSeconds: 600 },
  cycle: { debounceMilliseconds: 20, mostMilliseconds: 250, periodSeconds: 10 },
  explain: { repeatSeconds: 300, writesPerSecond: 20 },
  history: { configMaps: 0, intervalSeconds: 30 },
  enqueueVolcanoPodGroups: false,
  log: { level: 'info' },
};

/** The file is not what it should be. The message lists every fault. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly faults: readonly string[]) {
    super(
      faults.length === 1 ? faults[0] : `${faults.length} faults:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
}
