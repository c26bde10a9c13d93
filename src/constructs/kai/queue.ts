/**
 * Queue: a share of the cluster under the KAI scheduler.
 */
import { type KaiQueueReference } from '../resources/queue-references';
import { publicClass } from '../resources/public-class';

/**
 * A queue of the KAI scheduler by its name.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'llama', { nodes: 8, image }).submitTo(kai.Queue.fromName('team-a'));
 */
@publicClass('kai.Queue')
export class Queue implements KaiQueueReference {
  /** A queue that exists in the cluster. Workloads go to leaf queues. */
  static fromName(name: string): KaiQueueReference {
    return new Queue(name);
  }

  readonly engine = 'kai';

  private constructor(readonly name: string) {}
}
