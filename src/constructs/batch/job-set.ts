/**
 * JobSet: Jobs that belong together, start in an order, find each other by name, and are restarted together.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { type JobSpec, type PodFailurePolicy } from '../../facts/api/types/batch/v1';
import {
  JobSet as JobSetKind,
  type JobSetSpec,
  type JobSetSpecReplicatedJob,
} from '../../facts/api/types/jobset.x-k8s.io/v1alpha2';
import { type Gang, PodTemplate, type PodProps } from '../pods';
import { merged, type OpenPartial } from '../resources/merge';
import { type EnginesOf, KUEUE_WHOLE_OR_NOT, type SchedulingMeans, writesGroup } from '../workload/scheduling-means';
import { requireWholeNumber } from '../workload/whole-number';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { publicClass } from '../resources/public-class';

const EXCLUSIVE_TOPOLOGY = 'alpha.jobset.sigs.k8s.io/exclusive-topology';

/** A job of a JobSet, and the number of its copies. */
export interface ReplicatedJobProps extends PodProps {
  /** Pods are called `<set>-<name>-<replica>-<pod>`. */
  readonly jobName: string;
  /** Pods of each Job, which run at the same time. @default 1 */
  readonly nodes?: number;
  /** Jobs of this kind. @default 1 */
  readonly replicas?: number;
  /** Name of the main container. @default - the name of the job */
  readonly containerName?: string;
  /** Jobs that must be ready, or complete, before this one is made; they are earlier in the list. @default - none */
  readonly dependsOn?: readonly { readonly job: string; readonly status: 'Ready' | 'Complete' }[];
  /** Restarts of pods before the Job fails, and with it the set restarts. @default 0 */
  readonly backoffLimit?: number;
  /** Restart policy of the pods. @default Never */
  readonly restartPolicy?: 'Never' | 'OnFailure';
  /** What to do about certain ends of pods, for example to ignore disruptions. @default - each failure counts */
  readonly podFailurePolicy?: PodFailurePolicy;
  /** Whatever of the Job's spec has no property of its own. @default - none */
  readonly jobOverrides?: OpenPartial<JobSpec>;
}

/** Props of a JobSet. */
export interface JobSetProps extends WorkloadProps<JobSetSpec, JobSetEngine> {
  /** The jobs of the set. */
  readonly jobs: readonly ReplicatedJobProps[];
  /** When the set has succeeded: with all of the jobs, or with any of them. @default 'all' */
  readonly succeedsWith?: 'all' | 'any';
  /** Only these jobs count for success. @default - every job */
  readonly successTargets?: readonly string[];
  /** How many times all Jobs are recreated after one fails. @default - never: the set fails */
  readonly maxRestarts?: number;
  /** Whether all old pods must have terminated before Jobs are recreated. @default - the controller's: Recreate, which does not wait */
  readonly restartStrategy?: 'Recreate' | 'BlockingRecreate';
  /** Start jobs one after the other, each when the one before is ready. Excludes `dependsOn`. @default false */
  readonly startInOrder?: boolean;
  /** The pod whose address every pod finds in the label `jobset.sigs.k8s.io/coordinator`. @default - none */
  readonly coordinator?: {
    /** Name of the job that the pod belongs to. */
    readonly job: string;
    /** Index of the copy of the job, from 0. @default 0 */
    readonly jobIndex?: number;
    /** Index of the pod in that copy, from 0. @default 0 */
    readonly podIndex?: number;
  };
  /** Name of the Service by which pods find each other. @default - the name of the set */
  readonly subdomain?: string;
  /** Each Job gets a domain of this level (a node label) for itself. @default - anywhere */
  readonly exclusiveTopology?: string;
  /** Time after its end at which the set is deleted. @default - it stays */
  readonly ttlAfterFinished?: Duration;
  /** Whether the JobSet is created suspended. @default false */
  readonly suspend?: boolean;
  /** Who reconciles the set. @default - the JobSet controller */
  readonly managedBy?: string;
}

/**
 * A JobSet (`jobset.x-k8s.io/v1alpha2`).
 *
 * JobSet makes no gangs. For schedulers that go by PodGroups, one of all pods is written beside the set (of each job, where jobs come one
 * after the other); Kueue admits the set as a whole.
 *
 * @example
 * new batch.JobSet(chart, 'pretrain', { maxRestarts: 3, jobs: [{ jobName: 'node', nodes: 8, image, command: ['torchrun', 'train.py'] }] });
 */
@publicClass('batch.JobSet')
export class JobSet extends Workload<JobSetKind, JobSetSpec, JobSetEngine> {
  /** @throws if a count is not a whole number, two jobs have one name, or a job waits for none before it */
  constructor(scope: Construct, id: string, props: JobSetProps) {
    const name = props.metadata?.name ?? props.name ?? id;
    super(scope, id, {
      kind: JobSetKind,
      selects: (name) => ({ 'jobset.sigs.k8s.io/jobset-name': name }),
      props:
        props.exclusiveTopology === undefined
          ? props
          : { ...props, annotations: { [EXCLUSIVE_TOPOLOGY]: props.exclusiveTopology, ...props.annotations } },
      render: (choice) => specOf(name, props, choice),
      references: props.jobs.flatMap((job) => new PodTemplate(job).references),
      means: isInOrder(props) ? IN_ORDER_SCHEDULING : JOB_SET_SCHEDULING,
      gangs: () => gangsOf(name, props).map(toGang),
    });
  }
}

/** The engines that can schedule a JobSet, and the options that each accepts. */
const JOB_SET_SCHEDULING = {
  volcano: { group: 'beside' },
  kueue: KUEUE_WHOLE_OR_NOT,
  kai: {},
  'pod-group': { group: 'beside', membership: 'schedulingGroup' },
  'scheduler-plugins': { group: 'beside' },
  gantry: {},
} as const satisfies SchedulingMeans;

/** Engines that can schedule a JobSet. */
export type JobSetEngine = EnginesOf<typeof JOB_SET_SCHEDULING>;

const EACH_A_GANG = { elastic: 'its jobs start one after the other, and each of them is a separate gang' };

const IN_ORDER_SCHEDULING: SchedulingMeans = {
  volcano: { group: 'beside', refuses: EACH_A_GANG },
  kueue: KUEUE_WHOLE_OR_NOT,
  kai: {},
  'pod-group': { group: 'beside', membership: 'schedulingGroup', refuses: EACH_A_GANG },
  'scheduler-plugins': { group: 'beside', refuses: EACH_A_GANG },
  gantry: { refuses: EACH_A_GANG },
};

interface JobGang {
  readonly name: string;
  readonly jobs: readonly ReplicatedJobProps[];
}

function isInOrder({ jobs, startInOrder }: JobSetProps): boolean {
  return startInOrder === true || jobs.some(({ dependsOn = [] }) => dependsOn.length > 0);
}

/**
 * All pods of the set, or those of each job where jobs come one after the other: a gang must not wait for pods that are made only when
 * others of it have run.
 */
function gangsOf(name: string, props: JobSetProps): readonly JobGang[] {
  const { jobs } = props;
  return isInOrder(props) ? jobs.map((job) => ({ name: `${name}-${job.jobName}`, jobs: [job] })) : [{ name, jobs }];
}

function toGang({ name, jobs }: JobGang): Gang {
  const members = jobs.reduce((sum, { nodes = 1, replicas = 1 }) => sum + nodes * replicas, 0);
  return { name, minMember: members, members };
}

function specOf(name: string, props: JobSetProps, choice: WorkloadChoice): JobSetSpec {
  const { coordinator, maxRestarts, restartStrategy } = props;
  requireOrder(props.jobs);
  return {
    suspend: props.suspend,
    managedBy: props.managedBy,
    ttlSecondsAfterFinished: optionalSecondsOf('ttlAfterFinished', props.ttlAfterFinished),
    network: props.subdomain === undefined ? undefined : { subdomain: props.subdomain },
    startupPolicy: props.startInOrder === true ? { startupPolicyOrder: 'InOrder' } : undefined,
    successPolicy:
      props.succeedsWith === undefined && props.successTargets === undefined
        ? undefined
        : { operator: props.succeedsWith === 'any' ? 'Any' : 'All', targetReplicatedJobs: props.successTargets },
    failurePolicy:
      maxRestarts === undefined && restartStrategy === undefined ? undefined : { maxRestarts, restartStrategy },
    coordinator: coordinator && {
      replicatedJob: coordinator.job,
      jobIndex: coordinator.jobIndex ?? 0,
      podIndex: coordinator.podIndex ?? 0,
    },
    replicatedJobs: gangsOf(name, props).flatMap((gang) => {
      const written = writesGroup(JOB_SET_SCHEDULING, choice.scheduling);
      return gang.jobs.map((job) => replicatedJob(job, { ...choice, gang: { ...toGang(gang), written } }));
    }),
  };
}

function requireOrder(jobs: readonly ReplicatedJobProps[]): void {
  if (jobs.length === 0) {
    throw new Error('jobs must contain at least one job.');
  }
  const before = new Set<string>();
  for (const { jobName, nodes = 1, replicas = 1, dependsOn = [] } of jobs) {
    requireWholeNumber(`nodes of job ${jobName}`, nodes);
    requireWholeNumber(`replicas of job ${jobName}`, replicas);
    if (before.has(jobName)) {
      throw new Error(`Duplicate job "${jobName}". Give each job a unique name.`);
    }
    const missing = dependsOn.find(({ job }) => !before.has(job));
    if (missing !== undefined) {
      throw new Error(
        `Job ${jobName} depends on "${missing.job}", which is not listed before it. List "${missing.job}" before ${jobName}, or remove the dependency.`,
      );
    }
    before.add(jobName);
  }
}

function replicatedJob(props: ReplicatedJobProps, choice: WorkloadChoice): JobSetSpecReplicatedJob {
  const { jobName, nodes = 1, replicas = 1, dependsOn = [], backoffLimit = 0, restartPolicy = 'Never' } = props;
  const template = new PodTemplate(props).toPodTemplate({
    ...choice,
    containerName: props.containerName ?? jobName,
    restartPolicy,
  });
  const spec: JobSpec = {
    completionMode: 'Indexed',
    parallelism: nodes,
    completions: nodes,
    backoffLimit,
    podFailurePolicy: props.podFailurePolicy,
    template,
  };
  return {
    name: jobName,
    replicas,
    dependsOn: dependsOn.length === 0 ? undefined : dependsOn.map(({ job, status }) => ({ name: job, status })),
    template: { spec: merged(spec, props.jobOverrides) },
  };
}
