/**
 * What a Volcano Job consists of, shared by Job, JobTemplate and CronJob.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type JobSpec, type JobSpecTask } from '../../facts/api/types/batch.volcano.sh/v1alpha1';
import { type PodTemplateSpec } from '../../facts/api/types/core/v1';
import { type ObjectMeta } from '../../facts/api/types/meta/v1';
import { type Gang, type PodRenderOptions, type Scheduling, type SchedulingParts } from '../pods';
import { merged } from '../resources/merge';
import { type EnginesOf, type SchedulingMeans } from '../workload/scheduling-means';
import { type WorkloadChoice } from '../workload/workload';
import { type JobPlugin } from './job-plugin';
import { type JobVolume } from './job-volume';
import { type NetworkTopology, renderTopology } from './network-topology';
import { type Policy } from './policy';
import { VOLCANO_SCHEDULER } from './volcano-pods';

/** Whatever renders a pod template: the `PodTemplate` of the pod model, or a value of one's own. */
export interface IPodTemplate {
  /** Returns the pod template as a workload has it. */
  toPodTemplate(options?: PodRenderOptions): PodTemplateSpec;
  /** Constructs that must exist before the workload. @default - none */
  readonly references?: readonly object[];
}

/** Restart policy of the pods of a task. */
export type RestartPolicy = 'OnFailure' | 'Never' | 'Always';

/** How the pods of a task are divided into partitions, which are placed one by one. */
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

/** A task of a Volcano Job: pods that are alike. */
export interface TaskProps {
  /** Lower case letters, digits and `-`. Pods are named `<job>-<task>-<index>`. */
  readonly name: string;
  /** Number of pods. @default - 1, or what `partitions` give */
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
  /** What Volcano does on events of the task. @default - the job's policies alone */
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

/** Props that a Job, a JobTemplate, and the jobs of a CronJob share. */
export interface JobSpecProps {
  /** Tasks of the job. @default - none; add them with `addTask` */
  readonly tasks?: readonly TaskProps[];
  /** Pods that must fit before the job starts. @default - the sum over the tasks */
  readonly minAvailable?: number;
  /** Plugins of the job controller. @default - none */
  readonly plugins?: readonly JobPlugin[];
  /** What Volcano does on events of the job. @default - none */
  readonly policies?: readonly Policy[];
  /** Restarts before the job fails. @default 3 */
  readonly maxRetry?: number;
  /** Pods that must succeed for the job to be complete. @default - all */
  readonly minSuccess?: number;
  /** Time after its end at which the job is deleted. @default - it is kept */
  readonly ttlAfterFinished?: Duration;
  /** How close the pods must be. @default - anywhere */
  readonly networkTopology?: NetworkTopology;
  /** Mounted in every container. @default - none */
  readonly volumes?: readonly JobVolume[];
}

const USE_JOB_SET = 'its controller creates a PodGroup of Volcano. Use a JobSet';

/** The engines that can schedule a Volcano Job, and the options that each accepts. */
export const VOLCANO_JOB_SCHEDULING = {
  default: 'its pods are created only when Volcano has admitted its PodGroup. Use a JobSet, or a Job of batch/v1',
  volcano: { group: 'controller' },
  kueue: 'Kueue does not manage this kind. Use a JobSet, or a Job of batch/v1',
  kai: USE_JOB_SET,
  'pod-group': USE_JOB_SET,
  'scheduler-plugins': USE_JOB_SET,
  gantry: {},
} as const satisfies SchedulingMeans;

/** Engines that can schedule a Volcano Job. */
export type VolcanoJobEngine = EnginesOf<typeof VOLCANO_JOB_SCHEDULING>;

/** Distinguishes the pods of a job from those of other jobs that one object creates. */
export interface JobIdentity {
  readonly name: string;
  /** Label whose value tells the jobs of one object apart. @default - it makes one job */
  readonly perLabel?: string;
}

/** Label of every pod of a Volcano Job. */
export const JOB_NAME_LABEL = 'volcano.sh/job-name';

/** The parts of a job. More may be added until it is written. */
export class JobSpecification {
  private readonly tasks: TaskProps[];
  private readonly plugins: JobPlugin[] = [];
  private readonly policies: Policy[];

  /** @throws if a plugin is given twice */
  constructor(
    private readonly props: JobSpecProps,
    private readonly identity: JobIdentity,
  ) {
    this.tasks = [...(props.tasks ?? [])];
    this.policies = [...(props.policies ?? [])];
    for (const plugin of props.plugins ?? []) {
      this.addPlugin(plugin);
    }
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
        `The plugin ${plugin.name} is listed twice. Put all its options into one JobPlugin.${plugin.name}(…).`,
      );
    }
    this.plugins.push(plugin);
  }

  /** Everything that must exist before the job. */
  get references(): readonly object[] {
    const { volumes = [] } = this.props;
    const mounted = volumes.flatMap((volume) => volume.references);
    return [...mounted, ...this.tasks.flatMap(referencesOf)];
  }

  /** @throws if what is asked of the scheduler does not fit the tasks */
  toSpec(choice: WorkloadChoice): JobSpec {
    const { props } = this;
    const { scheduling } = choice;
    const elastic = scheduling?.wishes.elastic;
    if (props.minAvailable !== undefined && elastic !== undefined) {
      throw new Error(
        `minAvailable ${props.minAvailable} and elastic.min ${elastic.min} must not be set together, because both set the minimum. Keep one of the two.`,
      );
    }
    // Tasks may be added to a draft, so that its range cannot be compared with them yet.
    const isWhole = elastic === undefined || choice.draft !== true;
    const gang = isWhole ? scheduling?.toGang(this.gang()) : undefined;
    return {
      minAvailable: props.minAvailable ?? (elastic && gang?.minMember) ?? sumOf(this.tasks, minAvailableOf),
      schedulerName: schedulerOf(scheduling),
      queue: scheduling?.engine === 'volcano' ? scheduling.queue?.name : undefined,
      priorityClassName: choice.priorityClass?.name,
      maxRetry: props.maxRetry ?? 3,
      minSuccess: props.minSuccess,
      ttlSecondsAfterFinished: optionalSecondsOf('ttlAfterFinished', props.ttlAfterFinished),
      networkTopology:
        props.networkTopology === undefined ? scheduling?.toNetworkTopology() : renderTopology(props.networkTopology),
      ...this.behavior(),
      volumes: props.volumes?.map((volume) => volume.toVolume()),
      tasks: this.tasks.map((task) => renderTask(task, scheduling?.toScheduling(gang), choice)),
    };
  }

  private behavior(): Pick<JobSpec, 'plugins' | 'policies'> {
    const { plugins, policies } = this;
    return {
      plugins: plugins.length === 0 ? undefined : Object.fromEntries(plugins.map(({ name, args }) => [name, args])),
      policies: policies.length === 0 ? undefined : policies.map((policy) => policy.toPolicy()),
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

/** The webhook gives the name of Volcano to a job that states none, also where Gantry hands over. */
function schedulerOf(scheduling: Scheduling | undefined): string {
  if (scheduling?.engine !== 'gantry') {
    return VOLCANO_SCHEDULER;
  }
  return scheduling.toScheduling().schedulerName ?? 'default-scheduler';
}

function renderTask(task: TaskProps, scheduling: SchedulingParts | undefined, choice: WorkloadChoice): JobSpecTask {
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
    template: scheduled(renderTemplate(task, choice), scheduling),
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

function renderTemplate(
  { name, template, restartPolicy }: TaskProps,
  { workload, namespace }: WorkloadChoice,
): PodTemplateSpec {
  const rendered = rendersItself(template)
    ? template.toPodTemplate({ containerName: name, workload, namespace })
    : template;
  if (rendered.spec === undefined) {
    return rendered;
  }
  return {
    ...rendered,
    spec: { ...rendered.spec, restartPolicy: rendered.spec.restartPolicy ?? restartPolicy ?? 'OnFailure' },
  };
}

/** The pods of a template with the fields of the scheduling choice; the job itself names Volcano. */
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
