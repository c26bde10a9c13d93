/**
 * Queue: a share of the cluster under the KAI scheduler, and the shares of those below it.
 */
import { type Duration } from 'cdk8s';
import { Construct } from 'constructs';
import {
  Queue as QueueKind,
  type QueueSpec,
  type QueueSpecResourcesCpu,
} from '../../facts/api/types/scheduling.run.ai/v2';
import { parseQuantity, Quantity } from '../../manifests/values/quantity';
import { type Amounts, type AmountsByName, amountsByName } from '../pods/amounts';
import { dependOn } from '../resources/depend-on';
import { optionalDurationText } from '../resources/durations';
import { clusterMetadata, type ClusterObjectProps, type Overridable } from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { type KaiQueueReference, requireQueue } from '../resources/queue-references';
import { Resource } from '../resources/resource';

/** What a queue of KAI counts: CPU, memory, and GPUs. A MIG slice counts as its number of compute slices (`3g.40gb` as 3). */
export type QueueAmounts = Pick<Amounts, 'cpu' | 'memory' | 'accelerators'>;

/** Props of a queue of the KAI scheduler. */
export interface QueueProps extends ClusterObjectProps, Overridable<QueueKind> {
  /** The queue above this one. Workloads go to queues that have none below them. @default - none: a queue of the first level */
  readonly parent?: KaiQueueReference;
  /** What the queue gets whenever it needs it, the `quota` of KAI. @default - nothing: it uses what others leave idle */
  readonly deserved?: QueueAmounts;
  /** The most that the queue may hold, the `limit` of KAI. @default - no limit */
  readonly capability?: QueueAmounts;
  /** Part of what no queue deserves, among queues of the same parent and priority: `overQuotaWeight` of each resource. @default 1 */
  readonly weight?: number;
  /** Queues of higher priority get what is above the deserved shares first. @default - 100, the default of KAI */
  readonly priority?: number;
  /** Time that a job runs before a job of the same queue with a higher priority may preempt it. @default - that of the parent, or none */
  readonly minimumRuntimeBeforePreemption?: Duration;
  /** Time that a job runs before another queue may reclaim its resources. @default - that of the parent, or none */
  readonly minimumRuntimeBeforeReclaim?: Duration;
  /** Name for logs and user interfaces. @default - the name */
  readonly displayName?: string;
}

/**
 * A queue of the KAI scheduler. Queues form a tree, and workloads go to its leaves.
 *
 * KAI counts GPUs in total, without telling products apart, and reads a limit that is not set as 0. The construct therefore writes all three
 * resources, and -1 (no limit) where `capability` sets none.
 *
 * Source: KAI scheduler, docs/queues and pkg/apis/scheduling/v2.
 *
 * @example
 * const ai = new kai.Queue(chart, 'ai', { deserved: { accelerators: Accelerator.nvidia({ count: 64 }) } });
 * const research = ai.addQueue('research', {
 *   deserved: { accelerators: Accelerator.nvidia({ count: 48 }) },
 *   capability: { cpu: 768, memory: '8Ti', accelerators: Accelerator.nvidia({ count: 64 }) },
 * });
 * new kubeflow.PyTorchJob(chart, 'llama', { nodes: 8, image }).submitTo(research);
 */
@publicClass('kai.Queue')
export class Queue extends Construct implements KaiQueueReference {
  /** A queue that exists in the cluster. Workloads go to leaf queues. */
  static fromName(name: string): KaiQueueReference {
    return { engine: 'kai', name };
  }

  /** Marks the queue as one of KAI. */
  readonly engine = 'kai';
  /** Name of the Queue. */
  readonly name: string;
  /** The parent queue; `undefined` on the first level. */
  readonly parent?: KaiQueueReference;
  /** The Queue object. */
  readonly resource: Resource<QueueKind>;

  /** @throws if an amount is not valid, or KAI cannot count it */
  constructor(scope: Construct, id: string, props: QueueProps = {}) {
    super(scope, id);
    const { parent, deserved, capability, weight = 1, priority } = props;
    const at = this.node.path;
    if (parent !== undefined) {
      requireQueue(`${at}: parent`, parent, ['kai']);
    }
    if (!(weight >= 0)) {
      throw new Error(`${at}: weight must be a number greater than or equal to 0, not ${String(weight)}.`);
    }
    this.name = props.name ?? id;
    this.parent = parent;
    const quota = countedBy(`${at}: deserved`, deserved);
    const limit = countedBy(`${at}: capability`, capability);
    const share = (resource: Counted): QueueSpecResourcesCpu => ({
      quota: quota[resource] ?? 0,
      limit: limit[resource] ?? NO_LIMIT,
      overQuotaWeight: weight,
    });
    const spec: QueueSpec = {
      displayName: props.displayName,
      parentQueue: parent?.name,
      priority,
      preemptMinRuntime: optionalDurationText(
        `${at}: minimumRuntimeBeforePreemption`,
        props.minimumRuntimeBeforePreemption,
      ),
      reclaimMinRuntime: optionalDurationText(`${at}: minimumRuntimeBeforeReclaim`, props.minimumRuntimeBeforeReclaim),
      resources: { cpu: share('cpu'), memory: share('memory'), gpu: share('gpu') },
    };
    this.resource = new Resource(
      this,
      'Resource',
      QueueKind,
      { metadata: clusterMetadata(id, props), spec },
      props.overrides,
    );
    dependOn(this.resource, parent);
  }

  /**
   * Adds a queue below this one.
   *
   * @throws as the constructor does
   */
  addQueue(id: string, props: Omit<QueueProps, 'parent'> = {}): Queue {
    return new Queue(this, id, { ...props, parent: this });
  }
}

/** What KAI reads as "no limit". */
const NO_LIMIT = -1;

type Counted = 'cpu' | 'memory' | 'gpu';

/** Cores in milli-CPU, memory in megabytes (10^6 bytes, rounded up), and GPUs, as KAI counts them. */
function countedBy(prop: string, amounts: QueueAmounts = {}): Partial<Record<Counted, number>> {
  const counted: Partial<Record<Counted, number>> = {};
  for (const [name, amount] of Object.entries(amountsByName(prop, amounts))) {
    const [resource, units] = unitsOf(prop, name, amount);
    counted[resource] = (counted[resource] ?? 0) + units;
  }
  return counted;
}

function unitsOf(prop: string, name: string, amount: AmountsByName[string]): readonly [Counted, number] {
  const number = (parseQuantity(amount) ?? Quantity.ZERO).toNumber();
  if (name === 'cpu') {
    return ['cpu', Math.ceil(number * 1000)];
  }
  if (name === 'memory') {
    return ['memory', Math.ceil(number / 1e6)];
  }
  const [, slices] = /^nvidia\.com\/mig-(\d+)g\./.exec(name) ?? [];
  if (slices === undefined && !name.endsWith('/gpu')) {
    throw new Error(
      `${prop}: must be cpu, memory, or GPUs: a queue of KAI does not count ${name}. Remove it, or limit it with a ResourceQuota.`,
    );
  }
  return ['gpu', number * Number(slices ?? 1)];
}
