/**
 * WorkloadPriorityClass: who goes first in Kueue's queues, apart from the priority that pods have at the scheduler.
 */
import { type Carried } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import { WorkloadPriorityClass as WorkloadPriorityClassKind } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { type WorkloadPriorityClassReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { publicClass } from '../resources/public-class';

/** Props of a WorkloadPriorityClass. */
export interface WorkloadPriorityClassProps extends ClusterObjectProps, Overridable<WorkloadPriorityClassKind> {
  /** Higher goes first. */
  readonly value: number;
  /** What the class is for. @default - none */
  readonly description?: Carried<string>;
}

/**
 * A WorkloadPriorityClass: the priority of workloads in Kueue's queues, independent of the priority of their pods.
 *
 * @example new kueue.WorkloadPriorityClass(chart, 'release', { value: 1000, description: 'What a release waits for' });
 */
@publicClass('kueue.WorkloadPriorityClass')
export class WorkloadPriorityClass extends Construct implements WorkloadPriorityClassReference {
  /** A class that exists in the cluster. */
  static fromName(name: string): WorkloadPriorityClassReference {
    return { kind: 'WorkloadPriorityClass', name };
  }

  /** Always `WorkloadPriorityClass`, the kind that references carry. */
  readonly kind = 'WorkloadPriorityClass';
  /** Name of the WorkloadPriorityClass. */
  readonly name: string;
  /** The WorkloadPriorityClass object. */
  readonly resource: Resource<WorkloadPriorityClassKind>;

  constructor(scope: Construct, id: string, props: WorkloadPriorityClassProps) {
    super(scope, id);
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      WorkloadPriorityClassKind,
      {
        metadata: clusterMetadata(id, props),
        value: props.value,
        description: props.description,
      },
      props.overrides,
    );
  }
}
