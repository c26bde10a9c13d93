/**
 * WorkloadPriorityClass: who goes first in Kueue's queues, apart from the priority that pods have at the scheduler.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { WorkloadPriorityClass as WorkloadPriorityClassKind } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { type WorkloadPriorityClassReference } from '../resources/references';
import { Resource } from '../resources/resource';

export interface WorkloadPriorityClassProps extends ClusterObjectProps, Overridable<WorkloadPriorityClassKind> {
  /** Higher goes first. */
  readonly value: number;
  /** @default - none */
  readonly description?: string;
}

/** @example new WorkloadPriorityClass(chart, 'release', { value: 1000, description: 'What a release waits for' }); */
export class WorkloadPriorityClass extends Construct implements WorkloadPriorityClassReference {
  /** A class that exists in the cluster. */
  static fromName(name: string): WorkloadPriorityClassReference {
    return { kind: 'WorkloadPriorityClass', name };
  }

  readonly kind = 'WorkloadPriorityClass';
  readonly name: string;
  readonly resource: ApiObject;

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
