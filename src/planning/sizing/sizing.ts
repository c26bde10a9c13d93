/**
 * A sizing: pools of nodes with prices, the work that arrives, and how long it may wait.
 *
 * Times are seconds, prices are per node and hour.
 */
import { type ClusterNode, type Policy, type Queue, type Topology } from '../../placement';
import { type DeviceClaims } from '../../placement/model/claims';
import { type ScenarioGang } from '../simulation';
import { type GangKind } from '../simulation/read-gangs';
import { type ScalingTerms } from '../simulation/scenario';
import { type SpotTerms } from '../simulation/spot';

export interface Sizing {
  readonly name: string;
  readonly about?: string;
  /** Unit of the prices, such as `USD`. */
  readonly currency?: string;
  readonly pools: readonly SizingPool[];
  /** Nodes that belong to no pool: they exist in each mix, and have no price. */
  readonly nodes: readonly ClusterNode[];
  readonly topologies: readonly Topology[];
  /** Devices and claims. @default - no pod has claims */
  readonly deviceClaims?: DeviceClaims;
  readonly queues: readonly Queue[];
  /** What arrives at a rate or at given times. */
  readonly kinds: readonly GangKind[];
  /** Jobs of a history, in the order of their arrival. */
  readonly history: readonly ScenarioGang[];
  readonly policy: Policy;
  readonly targets: readonly WaitTarget[];
  readonly run: SizingRun;
  readonly search: SearchOptions;
}

export type Purchase = 'on-demand' | 'reserved' | 'spot';

export interface SizingPool {
  readonly name: string;
  /** As many nodes as the pool may have; a mix takes the first ones. */
  readonly nodes: readonly ClusterNode[];
  readonly least: number;
  /** Nodes that the pool has today; `undefined` if that is not known. */
  readonly today: number | undefined;
  readonly purchase: Purchase;
  readonly pricePerHour: number;
  /** Present for pools of spot nodes. */
  readonly spot?: SpotTerms;
  /** Present for pools that an autoscaler enlarges and shrinks: a mix has the maximum number of their nodes. */
  readonly scaling?: ScalingTerms;
}

/** The given percentage of gangs waits at most this long. */
export interface WaitTarget {
  readonly percentile: number;
  readonly seconds: number;
  /** Gangs of this queue only. @default - all gangs */
  readonly queue?: string;
}

export interface SizingRun {
  /** Work arrives until this time. */
  readonly seconds: number;
  /** Gangs that arrive before this time are not measured: they find an empty cluster. */
  readonly warmupSeconds: number;
  /** Length of the blocks of history that a replication draws; `undefined` if the history is replayed as it was. */
  readonly blockSeconds: number | undefined;
  readonly cycleSeconds: number;
  readonly graceSeconds: number;
}

export interface SearchOptions {
  readonly seed: number;
  readonly replications: number;
  /** Confidence level of the intervals, between 0 and 1. */
  readonly confidence: number;
  /** Maximum number of mixes that are simulated. */
  readonly evaluations: number;
}

/** Nodes of each pool, in the order of the pools. */
export type Mix = readonly number[];

/**
 * Price of a node per hour of the run. A spot node is not paid for while it is replaced: it runs for the mean time to a notice and for the
 * notice, of a cycle that also has the time until the next node starts.
 */
export function pricePerHour({ pricePerHour: price, spot }: SizingPool): number {
  if (spot === undefined || spot.interruptionsPerHour === 0) {
    return price;
  }
  const runs = 3600 / spot.interruptionsPerHour + spot.noticeSeconds;
  return (price * runs) / (runs + spot.replacedAfterSeconds);
}

/** Whether what a mix costs is known only once it has been simulated. */
export function isScaled({ pools }: Pick<Sizing, 'pools'>): boolean {
  return pools.some(({ scaling }) => scaling !== undefined);
}

/** What a mix costs at least: of pools that scale, only the nodes that stay are certain. */
export function leastCostPerHour(pools: readonly SizingPool[], mix: Mix): number {
  return costPerHour(
    pools,
    mix.map((count, index) => Math.min(count, pools[index].scaling?.least ?? count)),
  );
}

/** What a mix costs with all of its nodes. */
export function costPerHour(pools: readonly SizingPool[], mix: Mix): number {
  return pools.reduce((sum, pool, index) => sum + mix[index] * pricePerHour(pool), 0);
}
