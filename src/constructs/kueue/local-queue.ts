/**
 * LocalQueue: the door of a namespace to a cluster queue, which workloads name.
 */
import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type Quantity } from '../../facts/api/scalars';
import { LocalQueue as LocalQueueKind } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type KueueQueueReference } from '../resources/queue-references';
import { nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { type ClusterQueueReference, type StopPolicy } from './cluster-queue';
import { publicClass } from '../resources/public-class';

/** Props of a LocalQueue. */
export interface LocalQueueProps extends NamespacedObjectProps, Overridable<LocalQueueKind> {
  /** Cannot be changed later. */
  readonly clusterQueue: ClusterQueueReference;
  /** Whether the queue admits workloads. @default - workloads are admitted */
  readonly stopPolicy?: StopPolicy;
  /** Share against the other local queues of the cluster queue, where that shares by usage. @default 1 */
  readonly fairSharingWeight?: Quantity;
}

/**
 * A local queue that is called `default` also gets the workloads of its namespace that name none.
 *
 * @example
 * const training = kueue.ClusterQueue.fromName('training');
 * const queue = new kueue.LocalQueue(chart, 'team-a', { clusterQueue: training });
 * new kubeflow.PyTorchJob(chart, 'llama', { nodes: 8, image }).submitTo(queue);
 */
@publicClass('kueue.LocalQueue')
export class LocalQueue extends Construct implements KueueQueueReference {
  /** A local queue that exists in the workload's namespace. */
  static fromName(name: string): KueueQueueReference {
    return { engine: 'kueue', name };
  }

  readonly engine = 'kueue';
  readonly name: string;
  /** Absent where neither the props nor the chart name one. */
  readonly namespace?: string;
  /** The LocalQueue object. */
  readonly resource: Resource<LocalQueueKind>;

  constructor(scope: Construct, id: string, props: LocalQueueProps) {
    super(scope, id);
    const { fairSharingWeight } = props;
    this.name = props.name ?? id;
    this.namespace = props.namespace === undefined ? Chart.of(this).namespace : nameOf(props.namespace);
    this.resource = new Resource(
      this,
      'Resource',
      LocalQueueKind,
      {
        metadata: namespacedMetadata(id, props),
        spec: {
          clusterQueue: props.clusterQueue.name,
          stopPolicy: props.stopPolicy,
          fairSharing: fairSharingWeight === undefined ? undefined : { weight: String(fairSharingWeight) },
        },
      },
      props.overrides,
    );
    dependOn(this.resource, props.clusterQueue, props.namespace);
  }
}
