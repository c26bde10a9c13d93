/**
 * What a Volcano Job consists of, shared by Job, JobTemplate and CronJob.
 */
import { type JobSpec, type JobSpecTask } from '../api/types/batch.volcano.sh/v1alpha1';
import { type PodTemplateSpec } from '../api/types/core/v1';
import { type PodRenderOptions } from '../pods/pod-template';
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
  /** Seconds after its end at which the job is deleted. @default - it is kept */
  readonly ttlSecondsAfterFinished?: number;
  /** How close the pods must be. @default - anywhere */
  readonly networkTopology?: NetworkTopology;
  /** Mounted in every container. @default - none */
  readonly volumes?: readonly JobVolume[];
}

/** The parts of a job as they stand; more may be added until it is written. */
export class JobSpecification {
  private readonly tasks: TaskProps[];
  private readonly plugins: JobPlugin[] = [];
  private readonly policies: Policy[];
  queue: IQueue | undefined;

  constructor(private readonly props: JobSpecProps) {
    this.tasks = [...props.tasks ?? []];
    this.policies = [...props.policies ?? []];
    this.queue = props.queue;
    for (const plugin of props.plugins ?? []) this.addPlugin(plugin);
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
      throw new Error(`The plugin ${plugin.name} is given twice. Put all its options into one JobPlugin.${plugin.name}(…).`);
    }
    this.plugins.push(plugin);
  }

  /** Everything that must exist before the job. */
  get references(): readonly (object | undefined)[] {
    const { priorityClass, volumes = [] } = this.props;
    const mounted = volumes.flatMap((volume) => volume.references);
    return [this.queue, priorityClass, ...mounted, ...this.tasks.flatMap(referencesOf)];
  }

  toSpec(): JobSpec {
    const { props } = this;
    return {
      minAvailable: props.minAvailable ?? this.tasks.reduce((sum, task) => sum + minAvailableOf(task), 0),
      schedulerName: props.schedulerName ?? VOLCANO_SCHEDULER,
      queue: this.queue?.queueName,
      priorityClassName: props.priorityClass?.priorityClassName,
      maxRetry: props.maxRetry ?? 3,
      minSuccess: props.minSuccess,
      ttlSecondsAfterFinished: props.ttlSecondsAfterFinished,
      networkTopology: props.networkTopology && renderTopology(props.networkTopology),
      plugins: this.plugins.length === 0 ? undefined : Object.fromEntries(this.plugins.map(({ name, args }) => [name, args])),
      policies: this.policies.length === 0 ? undefined : this.policies.map((policy) => policy.toPolicy()),
      volumes: props.volumes?.map((volume) => volume.toVolume()),
      tasks: this.tasks.map(renderTask),
    };
  }
}

function renderTask(task: TaskProps): JobSpecTask {
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
    template: renderTemplate(task),
  };
}

function replicasOf({ replicas, partitions }: TaskProps): number {
  return replicas ?? (partitions === undefined ? 1 : partitions.count * partitions.size);
}

/** As Volcano's webhook fills it in. */
function minAvailableOf(task: TaskProps): number {
  const { partitions, minAvailable } = task;
  if (minAvailable !== undefined) return minAvailable;
  return partitions?.minimum === undefined || partitions.minimum === 0 ? replicasOf(task) : partitions.minimum * partitions.size;
}

function rendersItself(template: TaskProps['template']): template is IPodTemplate {
  return 'toPodTemplate' in template && typeof template.toPodTemplate === 'function';
}

function renderTemplate({ name, template, restartPolicy }: TaskProps): PodTemplateSpec {
  const rendered = rendersItself(template) ? template.toPodTemplate({ containerName: name }) : template;
  if (rendered.spec === undefined) return rendered;
  return { ...rendered, spec: { ...rendered.spec, restartPolicy: rendered.spec.restartPolicy ?? restartPolicy ?? 'OnFailure' } };
}

function referencesOf({ template }: TaskProps): readonly object[] {
  return rendersItself(template) ? template.references ?? [] : [];
}
