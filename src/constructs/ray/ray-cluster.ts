/**
 * A Ray cluster that stays until it is deleted.
 */
import { type Construct } from 'constructs';
import { RayCluster as RayClusterKind, type RayClusterSpec } from '../../facts/api/types/ray.io/v1';
import { type ObjectReference } from '../resources/references';
import { Workload, type WorkloadProps } from '../workload/workload';
import {
  gangOfCluster,
  priorityLabels,
  queueLabels,
  RAY_SCHEDULING,
  type RayClusterParts,
  rayClusterSpec,
  type RayEngine,
  referencesOfCluster,
} from './ray-cluster-spec';
import { publicClass } from '../resources/public-class';

/** Props of a RayCluster. */
export interface RayClusterProps extends RayClusterParts, WorkloadProps<RayClusterSpec, RayEngine> {
  /** Whether the cluster is created suspended. @default false */
  readonly suspend?: boolean;
}

/** A RayCluster that a RayJob runs on: a `RayCluster`, or `RayCluster.fromName(…)` for one that exists in the cluster. */
export type RayClusterReference = ObjectReference<'RayCluster'>;

/**
 * A RayCluster (`ray.io/v1`).
 *
 * @example
 * new ray.RayCluster(chart, 'explore', {
 *   rayVersion: '2.52.0', head: { image: 'rayproject/ray:2.52.0' }, autoscaler: {},
 *   workers: [{ groupName: 'gpu', max: 8, image: 'rayproject/ray:2.52.0-gpu', accelerators: Accelerator.nvidia({ count: 1 }) }],
 * });
 */
@publicClass('ray.RayCluster')
export class RayCluster extends Workload<RayClusterKind, RayClusterSpec, RayEngine> implements RayClusterReference {
  /** A RayCluster that exists in the cluster. */
  static fromName(name: string): RayClusterReference {
    return { kind: 'RayCluster', name };
  }

  /** Always `RayCluster`, the kind that references carry. */
  readonly kind = 'RayCluster';

  /** @throws if a number of workers is none, or two groups have one name */
  constructor(scope: Construct, id: string, props: RayClusterProps) {
    super(scope, id, {
      kind: RayClusterKind,
      selects: (name) => ({ 'ray.io/cluster': name }),
      props,
      render: (choice) => ({ ...rayClusterSpec(props, choice), suspend: props.suspend }),
      references: referencesOfCluster(props),
      means: RAY_SCHEDULING,
      gangs: (name) => [gangOfCluster(name, props)],
      metadataOf: queueLabels,
      labelsOfPriority: priorityLabels,
    });
  }
}
