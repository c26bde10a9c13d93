/**
 * What a Volcano Job consists of, shared by Job, JobTemplate and CronJob.
 */
import { type Duration } from 'cdk8s';
import { optionalSecondsOf, refuseSeconds } from '../resources/durations';
import { type JobSpec, type JobSpecTask } from '../../facts/api/types/batch.volcano.sh/v1alpha1';
import { type PodTemplateSpec } from '../../facts/api/types/core/v1';
import { type ObjectMeta } from '../../facts/api/types/meta/v1';
import { type Gang, type PodRenderOptions, type Scheduling, type SchedulingParts } from '../pods';
import { merged } from '../pods/merge';
import { requireMeans, type SchedulingMeans } from '../workload/scheduling-means';
import { type PriorityClassReference } from '../resources/references';
import { type JobPlugin } from './job-plugin';
import { type JobVolume } from './job-volume';
import { type NetworkTopology, renderTopology } from './network-topology';
import { type Policy } from './policy';
import { type IQueue } from './queue';
import { VOLCANO_SCHEDULER } from './volcano-pods';

/** Whatever renders a pod template: the `PodTemplate` of the pod model, or a value of one's own. */
export interface IPodTemplate {
  toPodTemplate(options?: PodRenderOptions): PodTemplateSpec;
  /** Constructs that must exist before the workload. @default - none */
  readonly references?: readonly object[];
}

export type RestartPolicy = 'OnFailure' | 'Never' | 'Always';

export interface TaskPartitions {
  /** How many partitions; the task has `count` × `size` pods. */
  readonly count: number;
  /** Pods of each partition. */
  readonly size: number;
  /** Partitions that must fit before the task starts. @default - all */
  readonly minimum?: number;
  /** How close the pods of one partition must be. @default - anywhere */
  readonly networkTopology?: NetworkTopology;
}

export interface TaskProps {
  /** Lower case letters, digits and `-`. Pods are named `<job>-<task>-<index>`. */
  readonly name: string;
  /** @default - 1, or what `partitions` give */
  readonly replicas?: number;
  /** The pods: the pod model's `PodTemplate`, or a template as Kubernetes has it. */
  readonly template: PodTemplateSpec | IPodTemplate;
  /** Pods of the task that must fit before the job starts. @default - all, or the minimum of `partitions` */
  readonly minAvailable?: number;
  /**
   * Used where the template states none. With Kubernetes' own default, Always, a task never completes.
   * @default 'OnFailure'
   */
  readonly restartPolicy?: RestartPolicy;
  /** How often the task is restarted. @default - Volcano's default, 3 */
  readonly maxRetry?: number;
  /** @default - the job's policies alone */
  readonly policies?: readonly Policy[];
  /** Names of tasks that must run first. @default - none */
  readonly dependsOn?: readonly string[];
  /** Whether all of `dependsOn` or any is waited for. @default 'all' */
  readonly dependsOnIteration?: 'all' | 'any';
  /** NUMA placement; each container must ask for whole CPUs. @default - none */
  readonly topologyPolicy?: 'none' | 'best-effort' | 'restricted' | 'single-numa-node';
  /** Groups of pods within the task, for example one model replica each. @default - none */
  readonly partitions?: TaskPartitions;
}

export interface JobSpecProps {
  /** @default - none; add them with `addTask` */
  readonly tasks?: readonly TaskProps[];
  /** @default - Volcano's queue `default` */
  readonly queue?: IQueue;
  /**
   * Who schedules the pods, through which queue and how: `Scheduling.volcano(queue, …)` in place of `queue`, or `Scheduling.gantry(queue)`.
   * Volcano's scheduler runs in any case: pods are made only once it has let the job's PodGroup in.
   * @default - Volcano
   */
  readonly scheduling?: Scheduling;
  /** Pods that must fit before the job starts. @default - the sum over the tasks */
  readonly minAvailable?: number;
  /** @default - none */
  readonly plugins?: readonly JobPlugin[];
  /** @default - none */
  readonly policies?: readonly Policy[];
  /** Restarts before the job fails. @default 3 */
  readonly maxRetry?: number;
  /** @default 'volcano' */
  readonly schedulerName?: string;
  /** For the job and its pods. @default - none */
  readonly priorityClass?: PriorityClassReference;
  /** Pods that must succeed for the job to be complete. @default - all */
  readonly minSuccess?: number;
  /** Time after its end at which the job is deleted. @default - it is kept */
  readonly ttlAfterFinished?: Duration;
  /** How close the pods must be. @default - anywhere */
  readonly networkTopology?: NetworkTopology;
  /** Mounted in every container. @default - none */
  readonly volumes?: readonly JobVolume[];
}

/** Who can schedule a Volcano Job, and what it can be told. */
export const VOLCANO_JOB_SCHEDULING: SchedulingMeans = {
  volcano: { group: 'controller' },
  kueue: 'Kueue does not know its kind. Use a JobSet, or a Job of batch/v1',
  'pod-group': 'its controller makes a PodGroup of Volcano. Use a JobSet',
  'scheduler-plugins': 'its controller makes a PodGroup of Volcano. Use a JobSet',
  gantry: {},
};

/** By which the pods of a job are told from those of others that one object makes. */
export interface JobIdentity {
  readonly name: string;
  /** Label whose value tells the jobs of one object apart. @default - it makes one job */
  readonly perLabel?: string;
}

/** Label of every pod of a Volcano Job. */
export const JOB_NAME_LABEL = 'volcano.sh/job-name';

/** The parts of a job as they stand; more may be added until it is written. */
export class JobSpecification {
  private readonly tasks: TaskProps[];
  private readonly plugins: JobPlugin[] = [];
  private readonly policies: Policy[];
  private scheduling: Scheduling | undefined;
  queue: IQueue | undefined;

  /** @throws if the job cannot be scheduled as its props say */
  constructor(
    private readonly props: JobSpecProps,
    private readonly identity: JobIdentity,
  ) {
    refuseSeconds(props);
    this.tasks = [...(props.tasks ?? [])];
    this.policies = [...(props.policies ?? [])];
    this.queue = props.queue;
    for (const plugin of props.plugins ?? []) {
      this.addPlugin(plugin);
    }
    if (props.scheduling !== undefined) {
      this.scheduleBy(props.scheduling);
    }
  }

  /** @throws if the job has a queue already, or cannot be scheduled so */
  scheduleBy(scheduling: Scheduling): void {
    if (scheduling.engine === 'default') {
      throw new Error(
        'Volcano Job cannot be scheduled by default: its pods are made once Volcano has let its PodGroup in. Use a JobSet, or a Job of batch/v1.',
      );
    }
    requireMeans('Volcano Job', VOLCANO_JOB_SCHEDULING, scheduling);
    const { queueName } = scheduling.toScheduling();
    const given = this.scheduling?.toScheduling().queueName ?? this.queue?.queueName;
    if (given !== undefined) {
      throw new Error(`The queue ${given} is given already. Say queue and scheduler once, in scheduling or in queue.`);
    }
    if (this.props.minAvailable !== undefined && scheduling.wishes.elastic !== undefined) {
      throw new Error(`minAvailable ${this.props.minAvailable} and elastic say the same. Keep one.`);
    }
    if (scheduling.engine === 'volcano' && queueName !== undefined) {
      this.queue = { queueName };
    }
    this.scheduling = scheduling;
  }

  addTask(task: TaskProps): void {
    this.tasks.push(task);
  }

  addPolicy(policy: Policy): void {
    this.policies.push(policy);
  }

  /** @throws if the job has the plugin already */
  addPlugin(plugin: JobPlugin): void {
    if (this.plugins.some(({ name }) => name === plugin.name)) {
      throw new Error(
        `The plugin ${plugin.name} is given twice. Put all its options into one JobPlugin.${plugin.name}(…).`,
      );
    }
    this.plugins.push(plugin);
  }

  /** Everything that must exist before the job. */
  get references(): readonly (object | undefined)[] {
    const { priorityClass, volumes = [] } = this.props;
    const mounted = volumes.flatMap((volume) => volume.references);
    const scheduled = this.scheduling?.toScheduling().references ?? [];
    return [this.queue, ...scheduled, priorityClass, ...mounted, ...this.tasks.flatMap(referencesOf)];
  }

  toSpec(): JobSpec {
    const { props, scheduling } = this;
    const gang = scheduling?.toGang(this.gang());
    return {
      minAvailable:
        props.minAvailable ?? (scheduling?.wishes.elastic && gang?.minMember) ?? sumOf(this.tasks, minAvailableOf),
      schedulerName: props.schedulerName ?? schedulerOf(scheduling),
      queue: this.queue?.queueName,
      priorityClassName: props.priorityClass?.priorityClassName,
      maxRetry: props.maxRetry ?? 3,
      minSuccess: props.minSuccess,
      ttlSecondsAfterFinished: optionalSecondsOf('ttlAfterFinished', props.ttlAfterFinished),
      networkTopology:
        props.networkTopology === undefined ? scheduling?.toNetworkTopology() : renderTopology(props.networkTopology),
      plugins:
        this.plugins.length === 0 ? undefined : Object.fromEntries(this.plugins.map(({ name, args }) => [name, args])),
      policies: this.policies.length === 0 ? undefined : this.policies.map((policy) => policy.toPolicy()),
      volumes: props.volumes?.map((volume) => volume.toVolume()),
      tasks: this.tasks.map((task) => renderTask(task, scheduling?.toScheduling(gang))),
    };
  }

  /** Tasks that wait for others are made later, so that no gang can wait for them. */
  private gang(): Gang {
    const first = this.tasks.filter(({ dependsOn = [] }) => dependsOn.length === 0);
    return {
      ...this.identity,
      minMember: this.props.minAvailable ?? sumOf(first, minAvailableOf),
      members: sumOf(this.tasks, replicasOf),
    };
  }
}

function sumOf(tasks: readonly TaskProps[], count: (task: TaskProps) => number): number {
  return tasks.reduce((sum, task) => sum + count(task), 0);
}

/** The webhook gives the name of Volcano to a job that states none. */
function schedulerOf(scheduling: Scheduling | undefined): string {
  if (scheduling?.engine !== 'gantry') {
    return VOLCANO_SCHEDULER;
  }
  return scheduling.toScheduling().schedulerName ?? 'default-scheduler';
}

function renderTask(task: TaskProps, scheduling: SchedulingParts | undefined): JobSpecTask {
  const { partitions } = task;
  return {
    name: task.name,
    replicas: replicasOf(task),
    minAvailable: task.minAvailable,
    maxRetry: task.maxRetry,
    dependsOn: task.dependsOn && { name: task.dependsOn, iteration: task.dependsOnIteration },
    topologyPolicy: task.topologyPolicy,
    partitionPolicy: partitions && {
      totalPartitions: partitions.count,
      partitionSize: partitions.size,
      minPartitions: partitions.minimum,
      networkTopology: partitions.networkTopology && renderTopology(partitions.networkTopology),
    },
    policies: task.policies?.map((policy) => policy.toPolicy()),
    template: scheduled(renderTemplate(task), scheduling),
  };
}

function replicasOf({ replicas, partitions }: TaskProps): number {
  return replicas ?? (partitions === undefined ? 1 : partitions.count * partitions.size);
}

/** As Volcano's webhook fills it in. */
function minAvailableOf(task: TaskProps): number {
  const { partitions, minAvailable } = task;
  if (minAvailable !== undefined) {
    return minAvailable;
  }
  return partitions?.minimum === undefined || partitions.minimum === 0
    ? replicasOf(task)
    : partitions.minimum * partitions.size;
}

function rendersItself(template: TaskProps['template']): template is IPodTemplate {
  return 'toPodTemplate' in template && typeof template.toPodTemplate === 'function';
}

function renderTemplate({ name, template, restartPolicy }: TaskProps): PodTemplateSpec {
  const rendered = rendersItself(template) ? template.toPodTemplate({ containerName: name }) : template;
  if (rendered.spec === undefined) {
    return rendered;
  }
  return {
    ...rendered,
    spec: { ...rendered.spec, restartPolicy: rendered.spec.restartPolicy ?? restartPolicy ?? 'OnFailure' },
  };
}

/** The pods of a template, whoever rendered it, with what the choice says of each; the job says Volcano's name. */
function scheduled(template: PodTemplateSpec, parts: SchedulingParts | undefined): PodTemplateSpec {
  if (parts === undefined) {
    return template;
  }
  const metadata: ObjectMeta = {
    ...(Object.keys(parts.podLabels).length === 0 ? {} : { labels: parts.podLabels }),
    ...(Object.keys(parts.podAnnotations).length === 0 ? {} : { annotations: parts.podAnnotations }),
  };
  const { schedulerName } = parts;
  const pod = {
    ...parts.pod,
    ...(schedulerName === undefined || schedulerName === VOLCANO_SCHEDULER ? {} : { schedulerName }),
  };
  const spec = Object.keys(pod).length === 0 ? {} : { spec: pod };
  return merged<PodTemplateSpec>(
    { ...(Object.keys(metadata).length === 0 ? {} : { metadata }), ...spec } as PodTemplateSpec,
    template,
  );
}

function referencesOf({ template }: TaskProps): readonly object[] {
  return rendersItself(template) ? (template.references ?? []) : [];
}
