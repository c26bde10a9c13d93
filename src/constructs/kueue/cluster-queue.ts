/**
 * ClusterQueue: the quota of each flavor that its workloads may use, and which workloads preempt which.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type Quantity } from '../../facts/api/scalars';
import { ClusterQueue as ClusterQueueKind, type ClusterQueueSpec } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { type LabelSelector } from '../../facts/api/types/meta/v1';
import { dependOn } from '../resources/depend-on';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { type NamedReference, nameOf, type ObjectReference, referencesIn } from '../resources/references';
import { Resource } from '../resources/resource';
import { type AdmissionCheckReference } from './admission-check';
import { type CohortReference } from './cohort';
import { type FlavorQuotas, resourceGroups } from './quotas';
import { type ResourceFlavorReference } from './resource-flavor';
import { publicClass } from '../resources/public-class';

/** Whatever names a cluster queue: a `ClusterQueue`, or `ClusterQueue.fromName(…)` for one of the cluster. */
export type ClusterQueueReference = ObjectReference<'ClusterQueue'>;

/** `Hold` admits nothing new; `HoldAndDrain` also ends what runs. */
export type StopPolicy = 'None' | 'Hold' | 'HoldAndDrain';

/** Whom a pending workload may push aside. */
export interface Preemption {
  /** Within its own queue. @default Never */
  readonly withinClusterQueue?: 'Never' | 'LowerPriority' | 'LowerOrNewerEqualPriority';
  /** In other queues of the cohort, while its own uses less than its nominal quota. @default Never */
  readonly reclaimWithinCohort?: 'Never' | 'LowerPriority' | 'Any';
  /** In other queues of the cohort, to borrow: workloads of at most this priority. Not with fair sharing. @default - never */
  readonly borrowWithinCohort?: 'LowerPriority' | { readonly maxPriority: number };
}

/** What a workload does before it goes on to the next flavor. */
export interface FlavorFungibility {
  /** When it fits by borrowing: take it, or look at the next flavor. @default MayStopSearch */
  readonly whenCanBorrow?: 'MayStopSearch' | 'TryNextFlavor';
  /** When it fits by preemption. @default TryNextFlavor */
  readonly whenCanPreempt?: 'MayStopSearch' | 'TryNextFlavor';
  /** Which of the two is the lesser evil, where both look at the next flavor. @default BorrowingOverPreemption */
  readonly preference?: 'BorrowingOverPreemption' | 'PreemptionOverBorrowing';
}

/** An admission check for some flavors of a queue. */
export interface ClusterQueueCheck {
  /** The check that workloads must pass. */
  readonly check: AdmissionCheckReference;
  /** Asked only for workloads that get one of these flavors. @default - for all */
  readonly onFlavors?: readonly ResourceFlavorReference[];
}

/** Props of a ClusterQueue. */
export interface ClusterQueueProps extends ClusterObjectProps, Overridable<ClusterQueueKind> {
  /** Flavors in the order in which they are tried, with what the queue has of each. @default - none; add them with `addFlavor` */
  readonly flavors?: readonly FlavorQuotas[];
  /** The queues that lend to this one and borrow from it. @default - none */
  readonly cohort?: CohortReference;
  /**
   * The namespaces whose workloads are admitted: all, a list, or those that a selector matches. Kueue's own default, an unset
   * selector, admits none.
   * @default 'all'
   */
  readonly namespaces?: 'all' | readonly NamedReference<'Namespace'>[] | LabelSelector;
  /** Whether a workload that does not fit lets later ones by. @default BestEffortFIFO, which does */
  readonly queueingStrategy?: 'BestEffortFIFO' | 'StrictFIFO';
  /** Which workloads may be preempted for one of this queue. @default - no preemption */
  readonly preemption?: Preemption;
  /** When Kueue tries the next flavor. @default - Kueue's */
  readonly flavorFungibility?: FlavorFungibility;
  /** Checks that workloads must pass beside quota. @default - quota alone decides */
  readonly admissionChecks?: readonly (AdmissionCheckReference | ClusterQueueCheck)[];
  /** Share of what the cohort has free; 0 comes last. Only where Kueue runs with fair sharing. @default 1 */
  readonly fairSharingWeight?: Quantity;
  /** Whether its local queues are served by what each has used. @default - no: by priority and age */
  readonly admissionScope?: 'UsageBasedAdmissionFairSharing' | 'NoAdmissionFairSharing';
  /** Whether the queue admits workloads. @default - workloads are admitted */
  readonly stopPolicy?: StopPolicy;
}

/**
 * Rules: `kueue/*`. Source: kueue, pkg/webhooks/clusterqueue_webhook.go.
 *
 * @example
 * new kueue.ClusterQueue(chart, 'training', {
 *   cohort: kueue.Cohort.fromName('all'),
 *   flavors: [
 *     {
 *       flavor: kueue.ResourceFlavor.fromName('h100'),
 *       nominalQuota: { cpu: 512, memory: '4Ti', accelerators: Accelerator.nvidia({ count: 64 }) },
 *       borrowingLimit: { accelerators: Accelerator.nvidia({ count: 16 }) },
 *     },
 *   ],
 *   preemption: { reclaimWithinCohort: 'Any', withinClusterQueue: 'LowerPriority' },
 * });
 */
@publicClass('kueue.ClusterQueue')
export class ClusterQueue extends Construct implements ClusterQueueReference {
  /** A cluster queue that exists in the cluster. */
  static fromName(name: string): ClusterQueueReference {
    return { kind: 'ClusterQueue', name };
  }

  /** Always `ClusterQueue`, the kind that references carry. */
  readonly kind = 'ClusterQueue';
  /** Name of the ClusterQueue. */
  readonly name: string;
  /** The ClusterQueue object. */
  readonly resource: Resource<ClusterQueueKind>;
  private readonly flavors: FlavorQuotas[];

  /** @throws if the quotas of two flavors do not go together */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: ClusterQueueProps = {},
  ) {
    super(scope, id);
    this.name = props.name ?? id;
    this.flavors = [...(props.flavors ?? [])];
    resourceGroups(this.flavors);
    this.resource = new Resource(
      this,
      'Resource',
      ClusterQueueKind,
      {
        metadata: clusterMetadata(id, props),
        spec: Lazy.any({ produce: () => this.toSpec() }) as ClusterQueueSpec,
      },
      props.overrides,
    );
    const checks = (props.admissionChecks ?? []).map((check) => checkOf(check).check);
    const namespaces = Array.isArray(props.namespaces)
      ? (props.namespaces as readonly NamedReference<'Namespace'>[])
      : [];
    dependOn(
      this.resource,
      props.cohort,
      ...checks,
      ...this.flavors.map(({ flavor }) => flavor),
      ...referencesIn(...namespaces),
    );
  }

  /**
   * A further flavor, tried after the others.
   *
   * @throws if it is there already, or its quotas do not go with those of the others
   */
  addFlavor(quotas: FlavorQuotas): this {
    resourceGroups([...this.flavors, quotas]);
    this.flavors.push(quotas);
    dependOn(this.resource, quotas.flavor);
    return this;
  }

  private toSpec(): ClusterQueueSpec {
    const { props } = this;
    const { cohort, preemption, admissionChecks = [], fairSharingWeight, admissionScope } = props;
    return {
      cohortName: cohort?.name,
      namespaceSelector: selectorOf(props.namespaces ?? 'all'),
      queueingStrategy: props.queueingStrategy,
      resourceGroups: this.flavors.length === 0 ? undefined : resourceGroups(this.flavors),
      preemption: preemption && {
        withinClusterQueue: preemption.withinClusterQueue,
        reclaimWithinCohort: preemption.reclaimWithinCohort,
        borrowWithinCohort: borrowing(preemption.borrowWithinCohort),
      },
      flavorFungibility: props.flavorFungibility,
      admissionChecksStrategy:
        admissionChecks.length === 0 ? undefined : { admissionChecks: admissionChecks.map(renderCheck) },
      fairSharing: fairSharingWeight === undefined ? undefined : { weight: String(fairSharingWeight) },
      admissionScope: admissionScope && { admissionMode: admissionScope },
      stopPolicy: props.stopPolicy,
    };
  }
}

function checkOf(check: AdmissionCheckReference | ClusterQueueCheck): ClusterQueueCheck {
  return 'check' in check ? check : { check };
}

function renderCheck(stated: AdmissionCheckReference | ClusterQueueCheck): {
  readonly name: string;
  readonly onFlavors?: readonly string[];
} {
  const { check, onFlavors } = checkOf(stated);
  return {
    name: check.name,
    ...(onFlavors === undefined ? {} : { onFlavors: onFlavors.map(({ name: flavorName }) => flavorName) }),
  };
}

function selectorOf(namespaces: NonNullable<ClusterQueueProps['namespaces']>): LabelSelector {
  if (namespaces === 'all') {
    return {};
  }
  if (!Array.isArray(namespaces)) {
    return namespaces as LabelSelector;
  }
  const values = (namespaces as readonly NamedReference<'Namespace'>[]).map((namespace) =>
    nameOf(namespace, 'Namespace'),
  );
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] };
}

function borrowing(
  stated: Preemption['borrowWithinCohort'],
): { readonly policy: 'LowerPriority'; readonly maxPriorityThreshold?: number } | undefined {
  if (stated === undefined) {
    return undefined;
  }
  return {
    policy: 'LowerPriority',
    ...(stated === 'LowerPriority' ? {} : { maxPriorityThreshold: stated.maxPriority }),
  };
}
