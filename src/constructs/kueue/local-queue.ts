/**
 * LocalQueue: the door of a namespace to a cluster queue, which workloads name.
 */
import { type ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { type Quantity } from '../../facts/api/scalars';
import { LocalQueue as LocalQueueKind } from '../../facts/api/types/kueue.x-k8s.io/v1beta2';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { type LocalQueueReference } from '../resources/references';
import { Resource } from '../resources/resource';
import { type IClusterQueue, type StopPolicy } from './cluster-queue';

export interface LocalQueueProps extends NamespacedObjectProps {
  /** Cannot be changed later. */
  readonly clusterQueue: IClusterQueue;
  /** @default - workloads are admitted */
  readonly stopPolicy?: StopPolicy;
  /** Share against the other local queues of the cluster queue, where that shares by usage. @default 1 */
  readonly fairSharingWeight?: Quantity;
}

/**
 * A local queue that is called `default` also gets the workloads of its namespace that name none.
 *
 * @example
 * const queue = new LocalQueue(chart, 'team-a', { namespace: 'ai-team-a', clusterQueue: training });
 * new PyTorchJob(chart, 'llama', { … }).submitTo(queue);
 */
export class LocalQueue extends Construct implements LocalQueueReference {
  /** A local queue that exists in the workload's namespace. */
  static fromName(localQueueName: string): LocalQueueReference {
    return { localQueueName };
  }

  readonly localQueueName: string;
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: LocalQueueProps) {
    super(scope, id);
    const { fairSharingWeight } = props;
    this.localQueueName = props.name ?? id;
    this.resource = new Resource(this, 'Resource', LocalQueueKind, {
      metadata: namespacedMetadata(id, props),
      spec: {
        clusterQueue: props.clusterQueue.clusterQueueName,
        stopPolicy: props.stopPolicy,
        fairSharing: fairSharingWeight === undefined ? undefined : { weight: String(fairSharingWeight) },
      },
    });
    dependOn(this.resource, props.clusterQueue, props.namespace);
  }
}
