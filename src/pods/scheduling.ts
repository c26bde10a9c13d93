/**
 * Who schedules a workload, and through which queue: one closed choice that every workload renders in its own fields.
 *
 * A workload asks for `toScheduling()` and puts the parts where its kind has a place for them: a PyTorchJob the queue into its
 * schedulingPolicy, a Volcano Job into its spec, a Deployment into pod annotations.
 */
import { GANTRY_QUEUE_LABEL, GANTRY_SCHEDULER } from '../catalog';
import { type LocalQueueReference, type PriorityClassReference, type QueueReference, referencesIn } from '../resources/references';

export type SchedulingEngine = 'default' | 'volcano' | 'kueue' | 'pod-group' | 'gantry';

/** Annotations by which Volcano reads queue and gang of pods that no controller gives a PodGroup. */
export const VOLCANO_QUEUE_ANNOTATION = 'scheduling.volcano.sh/queue-name';
export const VOLCANO_MIN_MEMBER_ANNOTATION = 'scheduling.volcano.sh/group-min-member';
export const KUEUE_QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
export const KUEUE_PRIORITY_LABEL = 'kueue.x-k8s.io/priority-class';
export const VOLCANO_SCHEDULER = 'volcano';

export interface SchedulingParts {
  /** `schedulerName` of every pod; absent for the cluster's default. */
  readonly schedulerName?: string;
  /** The queue, for workloads that have a field for it. */
  readonly queueName?: string;
  /** On the workload's own metadata. */
  readonly workloadLabels: Readonly<Record<string, string>>;
  readonly workloadAnnotations: Readonly<Record<string, string>>;
  /** On every pod. */
  readonly podLabels: Readonly<Record<string, string>>;
  readonly podAnnotations: Readonly<Record<string, string>>;
  /** Whether a controller makes a PodGroup for the workload, so that it can state how many pods belong together. */
  readonly gang: boolean;
  /** Constructs that must exist before the workload. */
  readonly references: readonly object[];
}

export interface PodGroupAnnotations {
  readonly workload: Readonly<Record<string, string>>;
  readonly pod: Readonly<Record<string, string>>;
}

export interface KueueOptions {
  /** Priority among workloads of the queue, apart from the priority of pods. @default - that of the pods */
  readonly workloadPriorityClass?: PriorityClassReference;
  /** Place all pods of a role within one domain of this level (a node label), or wait. @default - anywhere */
  readonly requiredTopology?: string;
  /** Place all pods of a role within one domain of this level if there is room. @default - anywhere */
  readonly preferredTopology?: string;
}

export interface PodGroupOptions {
  /** Name under which the scheduler with the coscheduling plugin runs. @default scheduler-plugins-scheduler */
  readonly schedulerName?: string;
}

export class Scheduling {
  /** The cluster's own scheduler: every pod by itself. */
  static default(): Scheduling {
    return new Scheduling('default', { gang: false });
  }

  /** Volcano, through a queue. For training jobs the operator must run with `--gang-scheduler-name=volcano`. */
  static volcano(queue: QueueReference): Scheduling {
    return new Scheduling('volcano', {
      schedulerName: VOLCANO_SCHEDULER,
      queueName: queue.queueName,
      gang: true,
      references: referencesIn(queue),
    });
  }

  /**
   * Kueue, through a queue of the workload's namespace: the workload waits suspended until all of it is admitted.
   *
   * @throws if the topology is both required and preferred
   */
  static kueue(queue: LocalQueueReference, options: KueueOptions = {}): Scheduling {
    const { workloadPriorityClass, requiredTopology, preferredTopology } = options;
    if (requiredTopology !== undefined && preferredTopology !== undefined) {
      throw new Error(`requiredTopology "${requiredTopology}" and preferredTopology "${preferredTopology}" exclude each other. Keep one.`);
    }
    return new Scheduling('kueue', {
      gang: false,
      workloadLabels: {
        [KUEUE_QUEUE_LABEL]: queue.localQueueName,
        ...(workloadPriorityClass === undefined ? {} : { [KUEUE_PRIORITY_LABEL]: workloadPriorityClass.priorityClassName }),
      },
      podAnnotations: {
        ...(requiredTopology === undefined ? {} : { 'kueue.x-k8s.io/podset-required-topology': requiredTopology }),
        ...(preferredTopology === undefined ? {} : { 'kueue.x-k8s.io/podset-preferred-topology': preferredTopology }),
      },
      references: referencesIn(queue, workloadPriorityClass),
    });
  }

  /** The coscheduling plugin of scheduler-plugins, for workloads whose controller makes the PodGroup. */
  static podGroup(options: PodGroupOptions = {}): Scheduling {
    return new Scheduling('pod-group', { schedulerName: options.schedulerName ?? 'scheduler-plugins-scheduler', gang: true });
  }

  /** Gantry's own scheduler, through a queue. */
  static gantry(queue: QueueReference): Scheduling {
    const label = { [GANTRY_QUEUE_LABEL]: queue.queueName };
    return new Scheduling('gantry', {
      schedulerName: GANTRY_SCHEDULER, gang: false, workloadLabels: label, podLabels: label, references: referencesIn(queue),
    });
  }

  private constructor(readonly engine: SchedulingEngine, private readonly parts: Partial<SchedulingParts> & Pick<SchedulingParts, 'gang'>) {}

  toScheduling(): SchedulingParts {
    return { workloadLabels: {}, workloadAnnotations: {}, podLabels: {}, podAnnotations: {}, references: [], ...this.parts };
  }

  /**
   * Annotations for a workload whose controller makes no PodGroup (Deployment, plain Job): Volcano makes one of them. It reads the queue
   * on the pods, and how many belong together on the workload alone. Empty for engines that need none.
   *
   * @param minMember how many pods belong together; default: each pod by itself
   */
  toPodGroupAnnotations(minMember?: number): PodGroupAnnotations {
    if (this.engine !== 'volcano') return { workload: {}, pod: {} };
    return {
      workload: minMember === undefined ? {} : { [VOLCANO_MIN_MEMBER_ANNOTATION]: String(minMember) },
      pod: this.parts.queueName === undefined ? {} : { [VOLCANO_QUEUE_ANNOTATION]: this.parts.queueName },
    };
  }
}
