/**
 * What a simulation comes to, as plain JSON: for the text report, for machines, and for the page.
 *
 * Times are seconds from the beginning. Step functions hold from one moment to the next.
 */
import { type PendingKind } from '../../placement';
import { type NodeEventKind } from './scenario';

export interface SimulationResult {
  /** Grows when a member changes its meaning. */
  readonly version: 1;
  readonly name: string;
  readonly about?: string;
  /** How long was simulated. */
  readonly seconds: number;
  /** `at-rest`: nothing would have changed any more. `time`: the time was up. */
  readonly ended: 'at-rest' | 'time';
  /** Cycles of the scheduler that were run. */
  readonly decisions: number;
  /** The resource that counts the cluster's devices. */
  readonly device: string;
  readonly nodes: number;
  readonly devices: number;
  readonly summary: SimulationSummary;
  /** In the order of their arrival. */
  readonly gangs: readonly GangOutcome[];
  readonly queues: readonly QueueOutcome[];
  readonly samples: Samples;
  readonly happenings: readonly Happening[];
  /** Present where a node had a fault, or remediation acted. */
  readonly health?: NodeHealth;
  readonly expectations: readonly ExpectationOutcome[];
}

export interface SimulationSummary {
  readonly finished: number;
  readonly running: number;
  readonly pending: number;
  readonly canceled: number;
  /** From the first arrival to the last end; absent while something is unfinished. */
  readonly makespanSeconds?: number;
  /** Mean use over the whole time, as a part of what was ready, by resource. */
  readonly utilization: Readonly<Record<string, number>>;
  /** Part of the device time in use that was not lost to interruptions and not spent below a gang's minimum. */
  readonly goodput: number;
  /** Mean part of the free devices that the scenario's pods had no use for. */
  readonly fragmentation: number;
  /** Pods that were evicted, and pods that were moved. */
  readonly evictions: number;
  readonly moves: number;
  readonly waits: WaitSummary;
  /** Job completion time: seconds from arrival to end, of the gangs that finished. */
  readonly completion: TimeSummary;
  /** Waits and completion by the devices of a gang, smallest first; only the classes that have gangs. */
  readonly sizes: readonly SizeOutcome[];
  /**
   * How far queues with waiting gangs had what they deserve, from 0 to 1: at each moment the worst of them, 1 where there is none. The mean
   * over the whole time.
   */
  readonly fairness: number;
}

/** Seconds. */
export interface TimeSummary {
  readonly gangs: number;
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
  readonly longest: number;
}

export interface SizeOutcome {
  /** Such as `2 to 8 devices`. */
  readonly name: string;
  readonly waits: WaitSummary;
  readonly completion: TimeSummary;
}

/** Seconds from arrival to start. A gang that never started counts with the time that it has waited so far. */
export interface WaitSummary {
  readonly gangs: number;
  /** Of them those that never started. */
  readonly unstarted: number;
  readonly mean: number;
  readonly median: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
}

export type GangState = 'finished' | 'running' | 'pending' | 'canceled';

export interface GangOutcome {
  readonly name: string;
  readonly queue: string;
  readonly priority: number;
  readonly pods: number;
  /** Pods that must run for any to work. */
  readonly minimum: number;
  /** Devices of all its pods; parts count as parts. */
  readonly devices: number;
  readonly arrivedAt: number;
  /** When it first had its minimum. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Until it first started, or until now. */
  readonly waitSeconds: number;
  readonly state: GangState;
  /** Pods that it lost to evictions, to moves, and to nodes that failed or were drained. */
  readonly evictions: number;
  readonly moves: number;
  readonly losses: number;
  /** How often it fell below its minimum. */
  readonly interruptions: number;
  /** Work that was done and lost, in seconds of the whole gang. */
  readonly lostSeconds: number;
  /** Where its pods were when it first started. */
  readonly nodes: readonly string[];
  readonly spans: readonly GangSpan[];
  /** Why it waited, by time; the last entry is why it waits now, where it does. */
  readonly reasons: readonly PendingReason[];
}

/** A time in which a gang had the same number of pods. */
export interface GangSpan {
  readonly from: number;
  readonly to: number;
  readonly pods: number;
  /** Present where it had fewer pods than its minimum and did no work. */
  readonly stalled?: true;
  readonly end: SpanEnd;
}

export type SpanEnd = 'finished' | 'resized' | 'evicted' | 'moved' | 'lost' | 'canceled' | 'open';

export interface PendingReason {
  readonly from: number;
  readonly kind: PendingKind;
  readonly message: string;
  /** The smallest changes with which it would have fit. */
  readonly changes: readonly string[];
}

export interface QueueOutcome {
  readonly name: string;
  readonly parent?: string;
  readonly waits: WaitSummary;
  readonly completion: TimeSummary;
  /** Seconds in which gangs waited although the queue had fewer devices than it deserves. */
  readonly belowDeservedSeconds: number;
  /** Mean devices in use, its own and those of all below it. */
  readonly meanDevices: number;
  /** At the end. */
  readonly deservedDevices?: number;
  readonly capabilityDevices?: number;
}

/** Columns; entry `i` holds from `at[i]` to `at[i + 1]`, the last one to the end. */
export interface Samples {
  readonly at: readonly number[];
  /** By resource. */
  readonly used: Readonly<Record<string, readonly number[]>>;
  readonly ready: Readonly<Record<string, readonly number[]>>;
  readonly runningGangs: readonly number[];
  readonly waitingGangs: readonly number[];
  /** Part of the free devices that the scenario's pods have no use for, 0 to 1. */
  readonly fragmentation: readonly number[];
  /** What the worst queue with waiting gangs has of what it deserves, 0 to 1; 1 where there is none. */
  readonly fairness: readonly number[];
  /** Devices by queue, those below it included. */
  readonly queues: Readonly<Record<string, readonly number[]>>;
}

export interface Happening {
  readonly at: number;
  readonly kind:
    | NodeEventKind
    | 'queue'
    | 'cancel'
    | 'evict'
    | 'move'
    | 'request'
    | 'repartition'
    | 'fault'
    | 'fault-ends'
    | 'remediate'
    | 'report';
  readonly text: string;
  readonly gang?: string;
}

/** What was wrong with nodes over time, and what remediation did about it. */
export interface NodeHealth {
  /** `none`: the scenario has no remediation. `dry-run`: its marks are those that it would have made. */
  readonly remediation: 'none' | 'dry-run' | 'active';
  /** Nodes with a problem or a mark, in the order in which they had one. */
  readonly nodes: readonly NodeHealthOutcome[];
  /** Pools and racks with a node that remediation ever counted as unavailable. */
  readonly budgets: readonly BudgetOutcome[];
}

export interface NodeHealthOutcome {
  readonly name: string;
  /** Conditions that were True, alerts that fired, and reports below a bound. */
  readonly problems: readonly HealthSpan[];
  /** Marks of remediation, such as `taint`. */
  readonly marks: readonly HealthSpan[];
  /** What a rule demanded and something prevented, with the reason. */
  readonly refusals: readonly HealthSpan[];
}

export interface HealthSpan {
  readonly what: string;
  readonly from: number;
  /** Absent where it lasts until the end. */
  readonly to?: number;
}

/** Columns; entry `i` holds from `at[i]` to `at[i + 1]`, the last one to the end. */
export interface BudgetOutcome {
  readonly kind: 'pool' | 'rack';
  /** Empty for nodes without a pool. */
  readonly name: string;
  readonly at: readonly number[];
  readonly unavailable: readonly number[];
  /** How many nodes may be unavailable. */
  readonly most: readonly number[];
  readonly nodes: readonly number[];
}

export interface ExpectationOutcome {
  /** What was expected, in words. */
  readonly expected: string;
  readonly met: boolean;
  /** What was found, in words. */
  readonly found: string;
}
