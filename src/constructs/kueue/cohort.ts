/**
 * Cohort: cluster queues that lend each other what is idle, alone or in a tree.
 */
import { Construct } from 'constructs';
import { type Quantity } from '../../facts/api/scalars';
import { Cohort as CohortKind } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { dependOn } from '../resources/depend-on';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { type ObjectReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { type FlavorQuotas, resourceGroups } from './quotas';
import { publicClass } from '../resources/public-class';

/** A reference to a cohort: a `Cohort`, or `Cohort.fromName(…)`. A cohort without an object exists as soon as a ClusterQueue names it. */
export type CohortReference = ObjectReference<'Cohort'>;

/** Props of a Cohort. */
export interface CohortProps extends ClusterObjectProps, Overridable<CohortKind> {
  /** The cohort that this one borrows from. @default - none: a root */
  readonly parent?: CohortReference;
  /** What belongs to the cohort itself, for all of its queues to borrow. Limits need a parent. @default - none */
  readonly flavors?: readonly FlavorQuotas[];
  /** Share of what is free, against the siblings; 0 comes last. Only where Kueue runs with fair sharing. @default 1 */
  readonly fairSharingWeight?: Quantity;
}

/**
 * Rules: `kueue/cohort-*` and those of quotas. Source: kueue, pkg/webhooks/cohort_webhook.go.
 *
 * @example
 * const company = new kueue.Cohort(chart, 'company');
 * new kueue.Cohort(chart, 'research', { parent: company, fairSharingWeight: 2 });
 */
@publicClass('kueue.Cohort')
export class Cohort extends Construct implements CohortReference {
  /** A cohort of the cluster, or one that exists by being named. */
  static fromName(name: string): CohortReference {
    return { kind: 'Cohort', name };
  }

  /** Always `Cohort`, the kind that references carry. */
  readonly kind = 'Cohort';
  /** Name of the Cohort. */
  readonly name: string;
  /** The Cohort object. */
  readonly resource: Resource<CohortKind>;

  /** @throws if the quotas of two flavors do not go together */
  constructor(scope: Construct, id: string, props: CohortProps = {}) {
    super(scope, id);
    const { flavors = [], fairSharingWeight } = props;
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      CohortKind,
      {
        metadata: clusterMetadata(id, props),
        spec: {
          parentName: props.parent?.name,
          resourceGroups: flavors.length === 0 ? undefined : resourceGroups(flavors),
          fairSharing: fairSharingWeight === undefined ? undefined : { weight: String(fairSharingWeight) },
        },
      },
      props.overrides,
    );
    dependOn(this.resource, props.parent, ...flavors.map(({ flavor }) => flavor));
  }
}
