/**
 * What a sizing comes to, as plain JSON: for the text report, for machines, and for the page.
 *
 * Times are seconds. Costs are per hour of the run, in the unit of the file.
 */
import { type Interval } from './confidence';
import { type ScalingTerms } from '../simulation/scenario';
import { type Purchase, type WaitTarget } from './sizing';

export interface SizingResult {
  /** Grows when a member changes its meaning. */
  readonly version: 1;
  readonly name: string;
  readonly about?: string;
  readonly currency?: string;
  /** The policy that was named on the command line. */
  readonly policy?: string;
  readonly method: SizingMethod;
  readonly pools: readonly PoolTerms[];
  /** The cheapest mix that keeps the targets; absent if none was found. */
  readonly best?: MixReport;
  /** The nodes that the pools have today; absent if the file does not say. */
  readonly today?: MixReport;
}

export interface SizingMethod {
  readonly seed: number;
  /** Simulations of each mix; 1 if nothing is random. */
  readonly replications: number;
  readonly confidence: number;
  /** Length of each simulation, seconds. */
  readonly seconds: number;
  readonly warmupSeconds: number;
  /** Length of the blocks that are drawn from the history; absent without a history, and if it is replayed as it was. */
  readonly blockSeconds?: number;
  /** Mean number of gangs whose waits count, of a replication. */
  readonly measuredGangs: number;
  /** Mixes of the pools. */
  readonly mixes: number;
  readonly evaluated: number;
  /** Cheaper mixes that were not simulated because a mix that contains them misses a target. */
  readonly assumed: number;
  /** Cheaper mixes about which nothing is known, because the limit of evaluations was reached. */
  readonly open: number;
  readonly limit: number;
}

export interface PoolTerms {
  readonly name: string;
  readonly purchase: Purchase;
  readonly pricePerHour: number;
  readonly least: number;
  readonly most: number;
  readonly interruptionsPerHour?: number;
  /** Of a pool that scales. */
  readonly autoscale?: ScalingTerms;
}

/** A mix, simulated with all its replications. */
export interface MixReport {
  /** By pool. */
  readonly nodes: Readonly<Record<string, number>>;
  readonly costPerHour: number;
  readonly meets: boolean;
  readonly targets: readonly TargetOutcome[];
  /** Measured gangs of all replications that never started; with any, no target is met. */
  readonly unstarted: number;
  /** Part of the devices of ready nodes that pods had. */
  readonly utilization: Interval;
  /** Of a replication. */
  readonly evictions: Interval;
  /** Part of the cost that no pod used, 0 to 1. */
  readonly idle: number;
  readonly pools: readonly PoolCost[];
  readonly queues: readonly QueueCost[];
  /** Queues without a parent, each with all below it. */
  readonly teams: readonly ShareOfCost[];
  /** Entries of `gangs` and jobs of the history, the most expensive first. */
  readonly gangs: readonly ShareOfCost[];
}

export interface TargetOutcome extends WaitTarget {
  /** The percentile of the waits; a gang that never started counts with its wait so far. */
  readonly wait: Interval;
  readonly met: boolean;
}

export interface PoolCost {
  readonly name: string;
  /** Of a pool that scales, the maximum. */
  readonly nodes: number;
  /** Mean number of nodes that ran, of a pool that scales. */
  readonly meanNodes?: number;
  readonly costPerHour: number;
  readonly idlePerHour: number;
}

export interface ShareOfCost {
  readonly name: string;
  readonly costPerHour: number;
}

export interface QueueCost extends ShareOfCost {
  readonly parent?: string;
  /** 95th percentile of the waits. */
  readonly p95: Interval;
}
