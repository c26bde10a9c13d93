/**
 * Queue: a share of the cluster, alone or in a tree.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { Queue as QueueKind, type QueueSpec } from '../../facts/api/types/scheduling.volcano.sh/v1beta1';
import { Resource } from '../resources/resource';
import { parseQuantity, Quantity } from '../../manifests/values/quantity';
import { dependOn } from '../resources/depend-on';
import { type VolcanoQueueReference } from '../resources/queue-references';
import { type ClusterObjectProps, clusterMetadata, type Overridable } from '../resources/object-props';
import { type Amounts, type AmountsByName, amountsByName, productsAnnotation } from '../pods/amounts';
import { publicClass } from '../resources/public-class';

const CHILDREN = Symbol.for('gantry.volcano.queue.children');

/** Groups of nodes that a queue may use. */
export interface NodeGroups {
  /** Names of node groups (the node label `volcano.sh/nodegroup-name`). @default - none */
  readonly required?: readonly string[];
  /** Groups that the pods of the queue should run on. @default - none */
  readonly preferred?: readonly string[];
}

/** Props of a Volcano Queue. */
export interface QueueProps extends ClusterObjectProps, Overridable<QueueKind> {
  /** The queue that this one takes its share from. @default - Volcano's root queue */
  readonly parent?: VolcanoQueueReference;
  /**
   * Share of what is free, against other queues; 1 to 65535. The plugin `proportion` reads it, `capacity` does not.
   * @default 1
   */
  readonly weight?: number;
  /** Whether others may take back what the queue holds above its deserved share. @default true */
  readonly reclaimable?: boolean;
  /** The most that the queue may hold. At most the capability of the parent. @default - no limit of its own */
  readonly capability?: Amounts;
  /**
   * What the queue gets back whenever it asks for it. What children deserve must not add up to more than their parent's.
   *
   * Volcano refuses a guarantee above the deserved share, so each guaranteed resource that is not named here is taken from `guarantee`.
   * A queue with children that names none has what its children deserve together, which is the least that Volcano takes.
   * @default - the guarantee, or the sum of the children's
   */
  readonly deserved?: Amounts;
  /**
   * What is kept for the queue even while it is idle.
   * @default - nothing, or the sum of the children's guarantees
   */
  readonly guarantee?: Amounts;
  /** Order among queues of one parent, 0 or more; the higher goes first. @default 0 */
  readonly priority?: number;
  /**
   * What happens when the first job of the queue does not fit: `fifo` waits for it, `traverse` looks at the next.
   * @default 'traverse'
   */
  readonly dequeueStrategy?: 'fifo' | 'traverse';
  /** Free text that distinguishes queues. @default - none */
  readonly type?: string;
  /** Node groups that the queue's pods go to; needs the plugin `nodegroup`. @default - any node */
  readonly nodeGroupAffinity?: NodeGroups;
  /** Node groups that the queue's pods keep away from; needs the plugin `nodegroup`. @default - none */
  readonly nodeGroupAntiAffinity?: NodeGroups;
}

/**
 * A queue of Volcano. Children come after their parent in the output, and workloads after their queue, as Volcano's webhook demands.
 *
 * Rules: `volcano/queue-*` (docs/volcano.md). Source: volcano, pkg/webhooks/admission/queues/validate/validate_queue.go.
 *
 * @example
 * const ai = new volcano.Queue(chart, 'ai', { capability: { accelerators: Accelerator.nvidia({ count: 64 }) } });
 * const research = ai.addQueue('research', {
 *   guarantee: { accelerators: Accelerator.nvidia({ count: 16 }) },
 *   capability: { cpu: 768, accelerators: [Accelerator.nvidia({ count: 48 }), Accelerator.amd({ count: 16 })] },
 * });
 */
@publicClass('volcano.Queue')
export class Queue extends Construct implements VolcanoQueueReference {
  /** A queue that exists in the cluster. */
  static fromName(name: string): VolcanoQueueReference {
    return { engine: 'volcano', name };
  }

  /** Marks the queue as one of Volcano. */
  readonly engine = 'volcano';
  /** Name of the Queue. */
  readonly name: string;
  /** The parent queue; `undefined` for a child of the root. */
  readonly parent?: VolcanoQueueReference;
  /** The Queue object. */
  readonly resource: Resource<QueueKind>;
  private readonly [CHILDREN]: Queue[] = [];

  /** @throws if an amount is not valid */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: QueueProps = {},
  ) {
    super(scope, id);
    this.name = props.name ?? id;
    this.parent = props.parent;
    for (const share of ['capability', 'deserved', 'guarantee'] as const) {
      this.stated(share);
    }
    const spec: QueueSpec = {
      parent: props.parent?.name,
      weight: props.weight ?? 1,
      reclaimable: props.reclaimable ?? true,
      priority: props.priority,
      capability: this.stated('capability'),
      deserved: Lazy.any({ produce: () => orNothing(this.deserved()) }) as QueueSpec['deserved'],
      guarantee: Lazy.any({ produce: () => guaranteeOf(this.guaranteed()) }) as QueueSpec['guarantee'],
      dequeueStrategy: props.dequeueStrategy,
      type: props.type,
      affinity: affinityOf(props),
    };
    this.resource = new Resource(
      this,
      'Resource',
      QueueKind,
      { metadata: clusterMetadata(id, { ...props, annotations: this.annotations }), spec },
      props.overrides,
    );
    dependOn(this.resource, props.parent);
    if (hasChildren(props.parent)) {
      props.parent[CHILDREN].push(this);
    }
  }

  /**
   * Adds a queue below this one.
   *
   * @throws as the constructor does
   */
  addQueue(id: string, props: Omit<QueueProps, 'parent'> = {}): Queue {
    return new Queue(this, id, { ...props, parent: this });
  }

  /** The queues that were made with this one as parent. */
  get childQueues(): readonly Queue[] {
    return [...this[CHILDREN]];
  }

  private stated(share: 'capability' | 'deserved' | 'guarantee'): AmountsByName | undefined {
    const amounts = this.props[share];
    return amounts && amountsByName(`${this.node.path}: ${share}`, amounts);
  }

  private get annotations(): QueueProps['annotations'] {
    const { capability, deserved, guarantee, annotations } = this.props;
    return { ...productsAnnotation(capability, deserved, guarantee), ...annotations };
  }

  private guaranteed(): Readonly<Record<string, string>> {
    return this.stated('guarantee') ?? sumOf(this[CHILDREN].map((child) => child.guaranteed()));
  }

  private deserved(): Readonly<Record<string, string>> {
    const stated = this.stated('deserved') ?? sumOf(this[CHILDREN].map((child) => child.deserved()));
    const missing = Object.entries(this.guaranteed()).filter(([resource]) => stated[resource] === undefined);
    return { ...stated, ...Object.fromEntries(missing) };
  }
}

function hasChildren(queue: VolcanoQueueReference | undefined): queue is Queue {
  return queue !== undefined && CHILDREN in queue;
}

/** The sum by resource. An amount that cannot be read is left to the check, at the queue that states it. */
function sumOf(amounts: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const sums = new Map<string, Quantity>();
  for (const [resource, amount] of amounts.flatMap((one) => Object.entries(one))) {
    sums.set(resource, (sums.get(resource) ?? Quantity.ZERO).add(parseQuantity(amount) ?? Quantity.ZERO));
  }
  return Object.fromEntries([...sums].map(([resource, sum]) => [resource, sum.toString()]));
}

function orNothing(amounts: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  return Object.keys(amounts).length === 0 ? undefined : amounts;
}

function guaranteeOf(amounts: Readonly<Record<string, string>>): QueueSpec['guarantee'] {
  return Object.keys(amounts).length === 0 ? undefined : { resource: amounts };
}

function affinityOf({ nodeGroupAffinity, nodeGroupAntiAffinity }: QueueProps): QueueSpec['affinity'] {
  if (nodeGroupAffinity === undefined && nodeGroupAntiAffinity === undefined) {
    return undefined;
  }
  const terms = (groups: NodeGroups | undefined): NonNullable<QueueSpec['affinity']>['nodeGroupAffinity'] =>
    groups && {
      requiredDuringSchedulingIgnoredDuringExecution: groups.required,
      preferredDuringSchedulingIgnoredDuringExecution: groups.preferred,
    };
  return { nodeGroupAffinity: terms(nodeGroupAffinity), nodeGroupAntiAffinity: terms(nodeGroupAntiAffinity) };
}
