/**
 * Who schedules a workload, and through which queue: one closed choice that every workload renders in its own fields.
 *
 * A workload asks for `toScheduling(gang)` and puts the parts where its kind has a place for them: a PyTorchJob the queue into its
 * schedulingPolicy, a Volcano Job into its spec, a Deployment into pod annotations. What a kind has no place for it refuses
 * (`workload/scheduling-means.ts`).
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import {
  GANTRY_CHECKPOINT_SECONDS,
  GANTRY_EXPECTED_SECONDS,
  GANTRY_GANG_LABEL,
  GANTRY_GANG_MIN_MEMBER,
  GANTRY_GANG_PER_LABEL,
  GANTRY_MINIMUM_RUNTIME,
  GANTRY_PLACEMENT_GATE,
  GANTRY_PREEMPTIBLE,
  GANTRY_QUEUE_LABEL,
  GANTRY_SCHEDULER,
  GANTRY_TOPOLOGY_PREFERRED,
  GANTRY_TOPOLOGY_REQUIRED,
} from '../../facts/catalog';
import { type KubernetesMinor } from '../../facts/api/schema';
import { type PodSpec } from '../../facts/api/types/core/v1';
import {
  type GantryQueueReference,
  type KaiQueueReference,
  type KueueQueueReference,
  type QueueEngine,
  type QueueReference,
  queueTitle,
  requireQueue,
  type VolcanoQueueReference,
} from '../resources/queue-references';
import { referencesIn } from '../resources/references';
import {
  elasticGang,
  type ElasticRange,
  type Gang,
  type GantryOptions,
  type KaiOptions,
  type KueueOptions,
  type PodGroupOptions,
  type SchedulerPluginsOptions,
  type TopologyChoice,
  type VolcanoOptions,
} from './scheduling-options';
import {
  KAI_QUEUE_LABEL,
  KAI_SCHEDULER,
  KUEUE_PRIORITY_LABEL,
  KUEUE_QUEUE_LABEL,
  SCHEDULER_PLUGINS_GROUP_LABEL,
  VOLCANO_GROUP_ANNOTATION,
  VOLCANO_MIN_MEMBER_ANNOTATION,
  VOLCANO_QUEUE_ANNOTATION,
  VOLCANO_SCHEDULER,
} from './scheduling-names';
import { publicClass } from '../resources/public-class';

/** `pod-group` is Kubernetes' own PodGroup, `scheduler-plugins` the one of the coscheduling plugin; the others have queues. */
export type SchedulingEngine = 'default' | 'pod-group' | 'scheduler-plugins' | QueueEngine;

const KAI_PREEMPTIBILITY_LABEL = 'kai.scheduler/preemptibility';
const VOLCANO_COOLDOWN = 'volcano.sh/cooldown-time';
const VOLCANO_TOPOLOGY_MODE = 'volcano.sh/network-topology-mode';
const VOLCANO_TOPOLOGY_TIER = 'volcano.sh/network-topology-highest-tier';

/** Strings by key: labels, annotations. */
type Strings = Readonly<Record<string, string>>;

/** What a scheduling engine needs on a workload and its pods. */
export interface SchedulingParts {
  /** `schedulerName` of every pod; absent for the cluster's default. */
  readonly schedulerName?: string;
  /** Name of the queue, for workloads with a field for it. Absent where no queue is set. */
  readonly queueName?: string;
  /** On the workload's own metadata. */
  readonly workloadLabels: Strings;
  /** Annotations of the workload. */
  readonly workloadAnnotations: Strings;
  /** On every pod. */
  readonly podLabels: Strings;
  /** Annotations of the pods. */
  readonly podAnnotations: Strings;
  /** Fields of every pod. */
  readonly pod: Partial<PodSpec>;
  /** Whether a controller makes a PodGroup for the workload, so that it can state how many pods belong together. */
  readonly gang: boolean;
  /** Constructs that must exist before the workload. */
  readonly references: readonly object[];
}

/** Annotations by which Volcano creates the PodGroup of a workload. */
export interface PodGroupAnnotations {
  /** Annotations of the workload. */
  readonly workload: Strings;
  /** Annotations of the pods. */
  readonly pod: Strings;
}

/** What a choice says beside the engine and its queue. */
export interface SchedulingWishes {
  /** Levels whose domains the pods must or should share. Absent where they may be anywhere. */
  readonly topology?: {
    /** The required level. Absent where there is none. */
    readonly required?: string | number;
    /** The preferred level. Absent where there is none. */
    readonly preferred?: string | number;
  };
  /** The number of pods with which the workload may start. Absent where all start together. */
  readonly elastic?: ElasticRange;
  /** Time that a pod runs before it may be evicted. Absent where it may be evicted at once. */
  readonly minimumRuntime?: Duration;
  /** For Gantry: whether the pods carry its scheduling gate. Absent for other engines. */
  readonly handOver?: boolean;
  /** For a native PodGroup: what is evicted together. Absent for other engines. */
  readonly disruption?: 'pod' | 'group';
  /** For a native PodGroup: the Kubernetes minor version whose API is written. Absent for other engines. */
  readonly kubernetes?: KubernetesMinor;
  /** For a PodGroup of scheduler-plugins: time to wait for all pods. Absent for other engines. */
  readonly scheduleTimeout?: Duration;
}

type Stated = Partial<SchedulingParts> & Pick<SchedulingParts, 'gang'>;

/**
 * Who schedules a workload, through which queue, and what is asked of that scheduler. Every workload takes it as
 * `scheduling`; where nothing but the queue has to be said, `submitTo(queue)` makes it.
 *
 * The type parameter is the engine, so that a workload whose kind an engine cannot schedule does not compile with it.
 *
 * @example
 * new kubeflow.PyTorchJob(chart, 'llama', {
 *   nodes: 8,
 *   image,
 *   scheduling: Scheduling.gantry(GantryQueue.fromName('research'), { minimumRuntime: Duration.minutes(30) }),
 * });
 */
@publicClass('Scheduling')
export class Scheduling<Engine extends SchedulingEngine = SchedulingEngine> {
  /** The cluster's own scheduler: every pod by itself. */
  static default(): Scheduling<'default'> {
    return new Scheduling('default', { gang: false });
  }

  /** The engine of the queue, without options: what `submitTo(queue)` chooses. @throws if the value is not a queue reference */
  static of<Queue extends QueueReference>(queue: Queue): Scheduling<Queue['engine']> {
    requireQueue('Scheduling.of', queue, ['volcano', 'kueue', 'kai', 'gantry']);
    return Scheduling.ofReference(queue);
  }

  private static ofReference(queue: QueueReference): Scheduling<QueueEngine> {
    switch (queue.engine) {
      case 'volcano':
        return Scheduling.volcano(queue);
      case 'kueue':
        return Scheduling.kueue(queue);
      case 'kai':
        return Scheduling.kai(queue);
      case 'gantry':
        return Scheduling.gantry(queue);
    }
  }

  /**
   * Volcano, through a queue. For training jobs the operator must run with `--gang-scheduler-name=volcano`.
   *
   * @throws if the queue is one of another engine, or the minimum runtime is not a whole number of seconds
   */
  static volcano(queue: VolcanoQueueReference, options: VolcanoOptions = {}): Scheduling<'volcano'> {
    requireQueue('Scheduling.volcano', queue, ['volcano']);
    const minimumRuntimeSeconds = optionalSecondsOf('minimumRuntime', options.minimumRuntime);
    return new Scheduling(
      'volcano',
      {
        schedulerName: VOLCANO_SCHEDULER,
        queueName: queue.name,
        gang: true,
        podAnnotations: minimumRuntimeSeconds === undefined ? {} : { [VOLCANO_COOLDOWN]: `${minimumRuntimeSeconds}s` },
        references: referencesIn(queue),
      },
      options,
      queue,
    );
  }

  /**
   * Kueue, through a queue of the workload's namespace: the workload waits suspended until all of it is admitted.
   *
   * @throws if the queue is one of another engine
   */
  static kueue(queue: KueueQueueReference, options: KueueOptions = {}): Scheduling<'kueue'> {
    requireQueue('Scheduling.kueue', queue, ['kueue']);
    const { workloadPriorityClass, topology } = options;
    return new Scheduling(
      'kueue',
      {
        gang: false,
        workloadLabels: statedAsText({
          [KUEUE_QUEUE_LABEL]: queue.name,
          [KUEUE_PRIORITY_LABEL]: workloadPriorityClass?.name,
        }),
        podAnnotations: statedAsText({
          'kueue.x-k8s.io/podset-required-topology': topology?.required,
          'kueue.x-k8s.io/podset-preferred-topology': topology?.preferred,
        }),
        references: referencesIn(queue, workloadPriorityClass),
      },
      options,
      queue,
    );
  }

  /**
   * The KAI scheduler, through a queue. Its pod grouper makes the gang out of the workload.
   *
   * @throws if the queue is one of another engine
   */
  static kai(queue: KaiQueueReference, options: KaiOptions = {}): Scheduling<'kai'> {
    requireQueue('Scheduling.kai', queue, ['kai']);
    const { preemptible } = options;
    const labels = statedAsText({
      [KAI_QUEUE_LABEL]: queue.name,
      [KAI_PREEMPTIBILITY_LABEL]:
        preemptible === undefined ? undefined : preemptible ? 'preemptible' : 'non-preemptible',
    });
    return new Scheduling(
      'kai',
      {
        schedulerName: KAI_SCHEDULER,
        gang: false,
        workloadLabels: labels,
        podLabels: labels,
        references: referencesIn(queue),
      },
      {},
      queue,
    );
  }

  /**
   * Kubernetes' own gangs: a PodGroup of `scheduling.k8s.io` that is written beside the workload, in the form of the target minor, and
   * the cluster's own scheduler. Alpha up to 1.36, beta in 1.37: the API and the feature gate `GangScheduling` have to be switched on.
   */
  static podGroup(options: PodGroupOptions = {}): Scheduling<'pod-group'> {
    return new Scheduling('pod-group', { gang: false }, options);
  }

  /** The coscheduling plugin of scheduler-plugins: its PodGroup is made by the workload's controller, or written beside the workload. */
  static schedulerPlugins(options: SchedulerPluginsOptions = {}): Scheduling<'scheduler-plugins'> {
    return new Scheduling(
      'scheduler-plugins',
      { schedulerName: options.schedulerName ?? 'scheduler-plugins-scheduler', gang: true },
      options,
    );
  }

  /**
   * Gantry's own scheduler, through a queue.
   *
   * @throws if the queue is one of another engine, or a duration is not a whole number of seconds
   */
  static gantry(queue: GantryQueueReference, options: GantryOptions = {}): Scheduling<'gantry'> {
    requireQueue('Scheduling.gantry', queue, ['gantry']);
    const { topology, preemptible, handOver } = options;
    const minimumRuntimeSeconds = optionalSecondsOf('minimumRuntime', options.minimumRuntime);
    const expectedSeconds = optionalSecondsOf('expectedDuration', options.expectedDuration);
    const checkpointSeconds = optionalSecondsOf('checkpointInterval', options.checkpointInterval);
    const label = { [GANTRY_QUEUE_LABEL]: queue.name };
    return new Scheduling(
      'gantry',
      {
        ...(handOver === true
          ? { pod: { schedulingGates: [{ name: GANTRY_PLACEMENT_GATE }] } }
          : { schedulerName: queue.schedulerName ?? GANTRY_SCHEDULER }),
        gang: false,
        workloadLabels: label,
        podLabels: label,
        podAnnotations: statedAsText({
          [GANTRY_TOPOLOGY_REQUIRED]: topology?.required,
          [GANTRY_TOPOLOGY_PREFERRED]: topology?.preferred,
          [GANTRY_MINIMUM_RUNTIME]: minimumRuntimeSeconds,
          [GANTRY_EXPECTED_SECONDS]: expectedSeconds,
          [GANTRY_CHECKPOINT_SECONDS]: checkpointSeconds,
          [GANTRY_PREEMPTIBLE]: preemptible,
        }),
        references: referencesIn(queue),
      },
      options,
      queue,
    );
  }

  private constructor(
    /** The engine that schedules the pods. */
    readonly engine: Engine,
    private readonly parts: Stated,
    /** What was asked beside the queue, for kinds that have fields for it. */
    readonly wishes: SchedulingWishes = {},
    /** Absent for engines without queues. */
    readonly queue?: QueueReference,
  ) {}

  /** What it is, for messages: `Volcano queue "research"`, `the default scheduler`. */
  get title(): string {
    if (this.queue !== undefined) {
      return `the ${queueTitle(this.queue)}`;
    }
    const { engine } = this;
    return engine === 'default'
      ? 'the default scheduler'
      : engine === 'pod-group'
        ? 'a native PodGroup'
        : 'scheduler-plugins';
  }

  /**
   * The gang that a workload becomes under this choice.
   *
   * @throws if the elastic range does not fit the workload
   */
  toGang(gang: Gang): Gang {
    return elasticGang(gang, this.wishes.elastic);
  }

  /**
   * Returns what the engine needs on a workload and its pods.
   * @param gang the pods that start together; default: each pod by itself
   * @throws if the elastic range does not fit the gang
   */
  toScheduling(gang?: Gang): SchedulingParts {
    const empty = {
      workloadLabels: {},
      workloadAnnotations: {},
      podLabels: {},
      podAnnotations: {},
      pod: {},
      references: [],
    };
    const stated = { ...empty, ...this.parts };
    if (gang === undefined) {
      return stated;
    }
    const { labels = {}, annotations = {}, pod = {} } = this.membership(this.toGang(gang));
    return {
      ...stated,
      podLabels: { ...stated.podLabels, ...labels },
      podAnnotations: { ...stated.podAnnotations, ...annotations },
      pod: { ...stated.pod, ...pod },
    };
  }

  /** How a pod says to which gang it belongs. */
  private membership({ name, minMember, perLabel, written }: Gang): {
    readonly labels?: Strings;
    readonly annotations?: Strings;
    readonly pod?: Partial<PodSpec> & { readonly workloadRef?: object };
  } {
    switch (this.engine) {
      case 'gantry':
        return {
          labels: { [GANTRY_GANG_LABEL]: name },
          annotations: statedAsText({ [GANTRY_GANG_MIN_MEMBER]: minMember, [GANTRY_GANG_PER_LABEL]: perLabel }),
        };
      case 'volcano':
        return written === true ? { annotations: { [VOLCANO_GROUP_ANNOTATION]: name } } : {};
      case 'scheduler-plugins':
        return written === true ? { labels: { [SCHEDULER_PLUGINS_GROUP_LABEL]: name } } : {};
      case 'pod-group':
        if (written !== true) {
          return {};
        }
        return {
          pod:
            this.wishes.kubernetes === '1.35'
              ? { workloadRef: { name, podGroup: 'pods' } }
              : { schedulingGroup: { podGroupName: name } },
        };
      case 'default':
      case 'kueue':
      case 'kai':
        // Kueue goes by the workload, KAI's pod grouper by its owner.
        return {};
    }
  }

  /** The same choice with the pods this close. */
  withTopology(topology: TopologyChoice<string | number>): Scheduling<Engine> {
    const wishes = { ...this.wishes, topology };
    const label = (value: string | number | undefined): string | undefined => value?.toString();
    const annotations =
      this.engine === 'kueue'
        ? {
            'kueue.x-k8s.io/podset-required-topology': label(topology.required),
            'kueue.x-k8s.io/podset-preferred-topology': label(topology.preferred),
          }
        : this.engine === 'gantry'
          ? {
              [GANTRY_TOPOLOGY_REQUIRED]: label(topology.required),
              [GANTRY_TOPOLOGY_PREFERRED]: label(topology.preferred),
            }
          : {};
    return new Scheduling(
      this.engine,
      { ...this.parts, podAnnotations: { ...this.parts.podAnnotations, ...statedAsText(annotations) } },
      wishes,
      this.queue,
    );
  }

  /** The same choice for a Kubernetes minor, where none was named. */
  forMinor(kubernetes: KubernetesMinor): Scheduling<Engine> {
    return this.wishes.kubernetes === undefined
      ? new Scheduling(this.engine, this.parts, { ...this.wishes, kubernetes }, this.queue)
      : this;
  }

  /**
   * Annotations for a workload whose controller makes no PodGroup (Deployment, plain Job): Volcano makes one of them. It reads the queue
   * and the topology on the pods, and how many belong together on the workload alone. Empty for engines that need none.
   *
   * @param minMember how many pods belong together; default: each pod by itself
   * @throws if the topology is a tier by its name, which pods cannot say
   */
  toPodGroupAnnotations(minMember?: number): PodGroupAnnotations {
    if (this.engine !== 'volcano') {
      return { workload: {}, pod: {} };
    }
    const { topology } = this.wishes;
    const tier = topology?.required ?? topology?.preferred;
    if (typeof tier === 'string') {
      throw new Error(
        `topology tier "${tier}": must be the number of a HyperNode tier, because pods cannot refer to a tier by name.`,
      );
    }
    return {
      workload: statedAsText({ [VOLCANO_MIN_MEMBER_ANNOTATION]: minMember }),
      pod: statedAsText({
        [VOLCANO_QUEUE_ANNOTATION]: this.parts.queueName,
        [VOLCANO_TOPOLOGY_MODE]: tier === undefined ? undefined : topology?.required === undefined ? 'soft' : 'hard',
        [VOLCANO_TOPOLOGY_TIER]: tier,
      }),
    };
  }

  /** How close pods must be, in the words of a PodGroup of Volcano; `undefined` where nothing was asked, or of another engine. */
  toNetworkTopology(): NetworkTopologyFields | undefined {
    const { topology } = this.wishes;
    const tier = topology?.required ?? topology?.preferred;
    if (this.engine !== 'volcano' || tier === undefined) {
      return undefined;
    }
    const highest = typeof tier === 'number' ? { highestTierAllowed: tier } : { highestTierName: tier };
    return { mode: topology?.required === undefined ? 'soft' : 'hard', ...highest };
  }
}

/** The field `networkTopology` of Volcano's objects. */
export interface NetworkTopologyFields {
  /** `hard`: required; `soft`: preferred. */
  readonly mode: 'hard' | 'soft';
  /** Widest tier of hyper nodes that the pods may span. Absent where the tier is named. */
  readonly highestTierAllowed?: number;
  /** Name of the widest tier that the pods may span. Absent where the tier is a number. */
  readonly highestTierName?: string;
}

/** The entries that have a value, as text. */
function statedAsText(values: Readonly<Record<string, string | number | boolean | undefined>>): Strings {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  );
}
