/**
 * SchedulingSystem: who decides which team's gang runs where, as a closed choice. Each installs its queues from the same shares, and says
 * how a team's workloads go through them.
 */
import { type Construct } from 'constructs';
import { type JsonObject } from '../../facts/api/schema';
import { type QueueEngine, type QueueReferenceOf } from '../resources/queue-references';
import { type NamespaceReference, type Team, type TeamProps } from '../tenancy';
import { type ExactAmounts, type PlatformPool } from './node-pool';
import { publicClass } from '../resources/public-class';

/** What a team has of a pool, in nodes. */
export interface PoolShare {
  readonly pool: PlatformPool;
  /** What it gets back from others whenever it asks. */
  readonly deserved: number;
  /** The most that it may hold. */
  readonly capability: number;
  /** What is kept for it even while it is idle. */
  readonly guarantee: number;
}

interface Shares {
  /** One entry for each pool. */
  readonly shares: readonly PoolShare[];
  /** The shares of one kind over all pools, by resource; the network's devices are among them. */
  amounts(which: 'deserved' | 'capability' | 'guarantee'): ExactAmounts;
}

/** What a team has for its own workloads: its share without that of its child teams. */
export interface TeamShares extends Shares {
  readonly name: string;
  /** The team whose share this one's is a part of; absent at the top. */
  readonly parent?: string;
  /** The group that the team's queue is in: its own if it has child teams, otherwise that of its parent. */
  readonly group?: TeamGroup;
}

/** A team together with its child teams: a queue that holds other queues and no workloads. */
export interface TeamGroup extends Shares {
  /** Name of its queue. */
  readonly name: string;
  /** The group above; absent at the top. */
  readonly parent?: TeamGroup;
  /** Names of all teams in it. */
  readonly teams: readonly string[];
}

export interface PlatformShares {
  readonly pools: readonly PlatformPool[];
  readonly teams: readonly TeamShares[];
  /** Teams with child teams, parents before their children. */
  readonly groups: readonly TeamGroup[];
  /** What all nodes of a pool offer, the network's devices among it. */
  offers(pool: PlatformPool, nodes: number): ExactAmounts;
  /** Node labels of the topology levels, such as racks, outermost first; empty if no topology is known. */
  readonly topologyLevels: readonly string[];
}

/** A system that is installed for a platform. */
export interface InstalledScheduling<Engine extends QueueEngine = QueueEngine> {
  /** The queue options of the Team construct. */
  teamQueue(team: TeamShares): NonNullable<TeamProps['queue']>;
  /** Called once the team's namespace is there: makes the queue in it, where there is one, and returns the queue of its workloads. */
  queueOf(
    scope: Construct,
    team: TeamShares,
    made: Team & { readonly namespace: NamespaceReference },
  ): QueueReferenceOf<Engine>;
  /** Values for the chart that brings the system. */
  readonly chartValues?: JsonObject;
}

export interface InstallOptions {
  /** The platform delivers the chart too: what a chart says better is left to its values. */
  readonly throughChart: boolean;
}

/**
 * The system that schedules the workloads of a platform: `VolcanoSystem`, `KueueSystem`, or `GantrySystem`.
 *
 * @example
 * const scheduling: SchedulingSystem = new KueueSystem({ cohort: 'ai' });
 */
@publicClass('SchedulingSystem')
export abstract class SchedulingSystem<Engine extends QueueEngine = QueueEngine> {
  /** Its name, for docs and messages. */
  abstract readonly name: Engine;
  /** The chart that brings it; absent where the platform brings it by itself. */
  abstract readonly chart: 'volcano' | 'kueue' | undefined;

  /** Installs the queues of the teams, and returns how their workloads go through them. `GpuPlatform` calls it. */
  abstract install(scope: Construct, platform: PlatformShares, options: InstallOptions): InstalledScheduling<Engine>;
}
