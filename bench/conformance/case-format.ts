/**
 * Case files of scheduler conformance, as far as they are read: one JSON array of cases per file. Members that are not known are left
 * alone.
 */
import { type Requirement } from '../../src/placement';

export type Quantities = Readonly<Record<string, number | null>>;

export interface CaseNode {
  readonly name: string;
  readonly allocatable: Readonly<Record<string, number>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly CaseTaint[];
  readonly ready?: boolean;
  readonly unschedulable?: boolean;
  readonly gpu?: { readonly migStrategy?: string; readonly physicalGpus?: number; readonly memoryMiBPerGpu?: number };
}

export interface CaseTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export interface CaseToleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

export interface CaseQueue {
  readonly name: string;
  readonly parent?: string | null;
  readonly priority?: number;
  readonly weight?: number;
  readonly deserved?: Quantities;
  readonly guarantee?: Quantities;
  readonly capability?: Quantities;
  readonly limit?: Quantities;
  readonly overQuotaWeight?: Quantities;
  readonly reclaimable?: boolean;
  readonly state?: string;
}

export interface CaseTopology {
  readonly topology?: string;
  readonly required?: string;
  readonly preferred?: string;
}

export interface CaseNetworkTopology {
  readonly mode?: string;
  readonly highestTierAllowed?: number;
}

export interface CaseSubgroup {
  readonly name: string;
  readonly parent?: string | null;
  readonly minMember?: number;
  readonly minAvailable?: number;
  readonly topology?: CaseTopology;
  readonly networkTopology?: CaseNetworkTopology;
}

export interface CasePodGroup {
  readonly name: string;
  readonly queue: string;
  readonly priority?: number;
  readonly preemptible?: boolean;
  readonly minMember?: number;
  readonly ageMinutes?: number;
  readonly minTaskMember?: Readonly<Record<string, number>>;
  readonly subGroups?: readonly CaseSubgroup[];
  readonly topology?: CaseTopology;
  readonly networkTopology?: CaseNetworkTopology;
  readonly preemptionDelayMs?: number;
  readonly deleteOnEvict?: boolean;
  readonly expectedRuntimeMinutes?: number;
  readonly elapsedMinutes?: number;
  readonly phase?: string;
}

export interface CasePod {
  readonly name: string;
  readonly podGroup?: string;
  readonly state: string;
  readonly request: Readonly<Record<string, number>>;
  readonly node?: string;
  readonly gpuFraction?: number;
  readonly gpuFractionDevices?: number;
  readonly gpuMemoryMiB?: number;
  readonly gpuGroups?: readonly string[];
  readonly podSet?: string;
  readonly role?: string;
  readonly preemptable?: boolean;
  readonly priority?: number;
  readonly preemptionPolicy?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly nodeAffinityIn?: unknown;
  readonly podAffinity?: unknown;
  readonly podAntiAffinity?: unknown;
  readonly labels?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly CaseToleration[];
  /** The higher number goes first. */
  readonly orderInGroup?: number;
  /** A releasing pod that never terminates. */
  readonly stuckInReleasing?: boolean;
}

export interface CaseStatus {
  readonly status: string;
  readonly node?: string;
}

export interface CaseExpectation {
  readonly podGroups?: Readonly<Record<string, CaseStatus>>;
  readonly pods?: Readonly<Record<string, CaseStatus>>;
  readonly binds?: Readonly<Record<string, string>>;
  readonly bindCount?: number;
  readonly evictions?: readonly string[];
  readonly nominated?: Readonly<Record<string, readonly string[]>>;
  readonly limitsPerRound?: { readonly binds?: number; readonly evictions?: number; readonly nominations?: number };
  readonly totals?: { readonly binds?: number; readonly evictions?: number; readonly evictionsMax?: number };
  readonly counts?: Readonly<Record<string, { readonly running?: number }>>;
  readonly reservation?: { readonly podGroup: string; readonly startInMinutes: number };
}

export interface SchedulerCase {
  readonly id: string;
  readonly name: string;
  readonly suite: string;
  readonly kind: 'steady' | 'action';
  readonly config?: {
    readonly placement?: { readonly gpu?: string; readonly cpu?: string };
    readonly plugins?: string;
  };
  readonly nodes: readonly CaseNode[];
  readonly queues: readonly CaseQueue[];
  readonly podGroups: readonly CasePodGroup[];
  readonly pods: readonly CasePod[];
  readonly topologies?: readonly { readonly name: string; readonly levels: readonly string[] }[];
  readonly hyperNodes?: readonly { readonly name: string; readonly tier: number; readonly nodes: readonly string[] }[];
  readonly run?: {
    readonly actions?: readonly string[];
    readonly rounds?: number;
    readonly stableRounds?: number;
    readonly disable?: readonly string[];
    readonly backfill?: string;
  };
  readonly expect: CaseExpectation;
}

export interface CaseNodeTerm {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

/** As Kubernetes writes it. */
export interface CaseNodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly CaseNodeTerm[] };
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number;
    readonly preference: CaseNodeTerm;
  }[];
}

export interface TopologyPodSet {
  readonly name: string;
  readonly count: number;
  readonly requestPerPod: Readonly<Record<string, number>>;
  readonly topology?: {
    readonly mode: string;
    readonly level?: string;
    readonly sliceLevel?: string;
    readonly sliceSize?: number;
    readonly sliceConstraints?: readonly Readonly<Record<string, string | number>>[];
  };
  readonly podSetGroup?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly nodeAffinity?: CaseNodeAffinity;
  readonly tolerations?: readonly CaseToleration[];
  readonly expect: {
    readonly unschedulable?: boolean;
    readonly levels?: readonly string[];
    readonly domains?: readonly { readonly values: readonly string[]; readonly count: number }[];
  };
}

export interface TopologyCase {
  readonly id: string;
  readonly name: string;
  readonly suite: string;
  readonly kind: 'topology-assign';
  readonly config?: { readonly featureGates?: readonly string[] | Readonly<Record<string, boolean>> };
  readonly nodes: readonly CaseNode[];
  readonly levels: readonly string[];
  readonly podSets: readonly TopologyPodSet[];
  readonly flavorNodeLabels?: Readonly<Record<string, string>>;
  readonly otherPods?: readonly OtherPod[];
}

export interface OtherPod {
  readonly node?: string;
  readonly nodeName?: string;
  readonly request?: Readonly<Record<string, number>>;
  readonly requests?: Readonly<Record<string, number>>;
  readonly phase?: string;
  readonly state?: string;
}

export type Case = SchedulerCase | TopologyCase;
