/**
 * PodGroup: pods that start together or not at all, for workloads to which no controller gives a group.
 */
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { PodGroup as PodGroupKind, type PodGroupSpec } from '../../facts/api/types/scheduling.volcano.sh/v1beta1';
import { type LabelSelector } from '../../facts/api/types/meta/v1';
import { Resource } from '../resources/resource';
import { podPart, type PodPart } from '../pods/pod-part';
import { type PriorityClassReference } from '../resources/references';
import { type NetworkTopology, renderTopology } from './network-topology';
import { queueTitle, requireQueue, type VolcanoQueueReference } from '../resources/queue-references';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { type Amounts, optionalAmountsByName } from '../pods/amounts';
import { GROUP_NAME_ANNOTATION, TASK_ANNOTATION } from './volcano-pods';
import { type Scheduled, type Unscheduled } from '../workload/scheduled';
import { publicClass } from '../resources/public-class';

/** Pods of a group that belong closer together. */
export interface SubGroup {
  /** Name of the subgroup, unique in the PodGroup. */
  readonly name: string;
  /** Pods of each sub group. @default 1 */
  readonly size?: number;
  /** How many sub groups must be complete before any starts. @default 0 */
  readonly minimum?: number;
  /** Which pods of the group. @default - all */
  readonly selector?: LabelSelector;
  /** Labels whose values tell the sub groups apart. @default - none */
  readonly matchLabelKeys?: readonly string[];
  /** How close the pods of a sub group must be. @default - anywhere */
  readonly networkTopology?: NetworkTopology;
}

/** Props of a Volcano PodGroup. */
export interface PodGroupProps extends NamespacedObjectProps, Overridable<PodGroupKind> {
  /** The queue that the pods use. @default - Volcano's queue `default` */
  readonly queue?: VolcanoQueueReference;
  /**
   * How many pods must fit before the first starts.
   * @default - the sum of `minTaskMember`; without that, Volcano's own default
   */
  readonly minMember?: number;
  /**
   * How many pods of each task must fit. Pods say their task by an annotation, which `member(task)` brings along.
   * @default - tasks are not told apart
   */
  readonly minTaskMember?: Readonly<Record<string, number>>;
  /** Resources that must be free before the group is admitted. @default - Volcano uses the requests of the pods */
  readonly minResources?: Amounts;
  /** The priority class that orders the group in its queue. @default - none */
  readonly priorityClass?: PriorityClassReference;
  /** How close the pods must be. @default - anywhere */
  readonly networkTopology?: NetworkTopology;
  /** Parts of the group with a topology of their own. @default - none */
  readonly subGroups?: readonly SubGroup[];
}

/**
 * A group for bare pods and for controllers that leave grouping to the user. Volcano Jobs and training jobs make their own.
 *
 * Rules: `volcano/pod-group-*`. Source: volcano, pkg/scheduler/api/job_info.go.
 *
 * @example
 * const group = new volcano.PodGroup(chart, 'eval', { queue, minTaskMember: { leader: 1, worker: 4 } });
 * new PodTemplate({ image, parts: [group.member('worker')], scheduling: Scheduling.volcano(queue) });
 */
@publicClass('volcano.PodGroup')
export class PodGroup extends Construct {
  /** Name of the PodGroup. */
  readonly name: string;
  /** The PodGroup object. */
  readonly resource: Resource<PodGroupKind>;
  private queue?: VolcanoQueueReference;

  constructor(scope: Construct, id: string, props: PodGroupProps = {}) {
    super(scope, id);
    if (props.queue !== undefined) {
      requireQueue(`${this.node.path}: queue`, props.queue, ['volcano']);
    }
    this.name = props.name ?? id;
    this.queue = props.queue;
    const { minTaskMember } = props;
    const spec: PodGroupSpec = {
      minMember:
        props.minMember ?? (minTaskMember && Object.values(minTaskMember).reduce((sum, count) => sum + count, 0)),
      minTaskMember,
      minResources: optionalAmountsByName(`${this.node.path}: minResources`, props.minResources),
      queue: Lazy.any({ produce: () => this.queue?.name }) as string,
      priorityClassName: props.priorityClass?.name,
      networkTopology: props.networkTopology && renderTopology(props.networkTopology),
      subGroupPolicy: props.subGroups?.map((group) => ({
        name: group.name,
        subGroupSize: group.size,
        minSubGroups: group.minimum,
        labelSelector: group.selector,
        matchLabelKeys: group.matchLabelKeys,
        networkTopology: group.networkTopology && renderTopology(group.networkTopology),
      })),
    };
    this.resource = new Resource(
      this,
      'Resource',
      PodGroupKind,
      { metadata: namespacedMetadata(id, props), spec },
      props.overrides,
    );
    dependOn(this.resource, props.namespace, props.queue, props.priorityClass);
  }

  /**
   * Sends the group to a queue of Volcano.
   *
   * @throws if the group has a queue already, or the queue is one of another engine
   */
  submitTo(this: Unscheduled, queue: VolcanoQueueReference): this & Scheduled;
  submitTo(queue: VolcanoQueueReference): this {
    requireQueue(`${this.node.path}: submitTo`, queue, ['volcano']);
    if (this.queue !== undefined) {
      throw new Error(
        `${this.node.path}: must not be submitted to the ${queueTitle(queue)}: it is in the ${queueTitle(this.queue)}. Keep one of the two.`,
      );
    }
    dependOn(this.resource, queue);
    this.queue = queue;
    return this;
  }

  /** What makes a pod a member, as a part of a pod template. The pods must be in the group's namespace and name Volcano as scheduler. */
  member(task?: string): PodPart {
    return podPart({ annotations: this.memberAnnotations(task), references: [this] });
  }

  /** What makes a pod a member, as annotations. */
  memberAnnotations(task?: string): Readonly<Record<string, string>> {
    return { [GROUP_NAME_ANNOTATION]: this.name, ...(task === undefined ? {} : { [TASK_ANNOTATION]: task }) };
  }
}
