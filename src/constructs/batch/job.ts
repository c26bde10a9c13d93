/**
 * Job: pods that run to their end, one or many, each for itself or all together.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import {
  Job as JobKind,
  type JobSpec,
  type PodFailurePolicy,
  type SuccessPolicyRule,
} from '../../facts/api/types/batch/v1';
import { Service, type ServiceSpec } from '../../facts/api/types/core/v1';
import { type Gang, PodTemplate, type PodProps, type Scheduling } from '../pods';
import { nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { type EnginesOf, type SchedulingMeans } from '../workload/scheduling-means';
import { requireWholeNumber } from '../workload/whole-number';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { allOf } from '../../facts/words';
import { publicClass } from '../resources/public-class';

/** What is run, and how it ends: of a Job, and of those that a CronJob makes. */
export interface JobTemplateProps extends PodProps {
  /** Pods that run at the same time. @default 1 */
  readonly parallelism?: number;
  /** Pods that have to succeed. With more than run at a time, pods are independent tasks. @default - as many as `parallelism` */
  readonly completions?: number;
  /**
   * Whether each pod has an index of its own: in its name, its host name and `JOB_COMPLETION_INDEX`.
   * @default - where several pods run at the same time
   */
  readonly indexed?: boolean;
  /** Restarts after which the Job fails. @default - Kubernetes' 6; with a limit for each index none */
  readonly backoffLimit?: number;
  /** Restarts of each index. Only indexed. @default - none of its own */
  readonly backoffLimitPerIndex?: number;
  /** Failed indexes after which the Job fails. Needs `backoffLimitPerIndex`. @default - all are tried */
  readonly maxFailedIndexes?: number;
  /** What certain ends of pods mean, for example that a disruption does not count; with `Never` only. @default - each failure counts */
  readonly podFailurePolicy?: PodFailurePolicy;
  /** When the Job has succeeded before all pods have. Only indexed. @default - with all */
  readonly succeedsWith?: readonly SuccessPolicyRule[];
  /** Time from its start after which the Job fails. @default - no deadline */
  readonly activeDeadline?: Duration;
  /** Time after its end at which the Job is deleted. @default - it stays */
  readonly ttlAfterFinished?: Duration;
  /** Whether a pod is replaced once it is going, or once it has failed. @default - Kubernetes': as soon as it is going */
  readonly podReplacement?: 'TerminatingOrFailed' | 'Failed';
  /** What happens to a container that fails. @default 'Never': its pod is replaced */
  readonly restartPolicy?: 'Never' | 'OnFailure';
  /** Name of the main container. @default main */
  readonly containerName?: string;
}

/** Props of a Job. */
export interface JobProps extends JobTemplateProps, WorkloadProps<JobSpec, JobEngine> {
  /** Makes a headless Service, so that pods reach each other as `<job>-<index>.<job>`, ready or not. Only indexed. @default false */
  readonly peers?: boolean;
  /** Makes no pods yet. @default false */
  readonly suspend?: boolean;
  /** Who reconciles the Job; cannot be changed later. @default - the Job controller */
  readonly managedBy?: string;
}

/**
 * A Job (`batch/v1`).
 *
 * Where all of its pods run at the same time they are a gang: schedulers that know gangs start them together. Volcano makes a PodGroup of
 * them by itself.
 *
 * @example
 * new batch.Job(chart, 'train', {
 *   parallelism: 8, peers: true, image, command: ['torchrun', 'train.py'], accelerators: Accelerator.nvidia({ count: 8 }),
 * });
 */
@publicClass('batch.Job')
export class Job extends Workload<JobKind, JobSpec, JobEngine> {
  /** @throws if a number is none, or something is stated that needs an index in a Job without */
  constructor(scope: Construct, id: string, props: JobProps) {
    const name = props.metadata?.name ?? props.name ?? id;
    super(scope, id, {
      kind: JobKind,
      selects: (name) => ({ 'batch.kubernetes.io/job-name': name }),
      props,
      render: (choice) => {
        const { suspend, managedBy, peers } = props;
        return jobSpec(props, choice, { suspend, managedBy, subdomain: peers === true ? name : undefined });
      },
      means: isTogether(props) ? JOB_SCHEDULING : TASKS_SCHEDULING,
      gangs: () => gangOfJob(name, props),
      metadataOf: (scheduling) => ({ annotations: jobAnnotations(name, props, scheduling) }),
      references: new PodTemplate(props).references,
    });
    if (props.peers === true) {
      this.resource.addDependency(this.peers(name, props));
    }
  }

  private peers(name: string, { namespace }: JobProps): Resource<Service> {
    const spec: ServiceSpec = {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { 'batch.kubernetes.io/job-name': name },
    };
    return new Resource(this, 'Peers', Service, {
      metadata: { name, ...(namespace === undefined ? {} : { namespace: nameOf(namespace) }) },
      spec,
    });
  }
}

/** The engines that can schedule a Job whose pods run together, and the options that each accepts. */
const JOB_SCHEDULING = {
  volcano: { group: 'controller', queueOnPods: true },
  kueue: {},
  kai: {},
  'pod-group': { group: 'beside' },
  'scheduler-plugins': { group: 'beside' },
  gantry: {},
} as const satisfies SchedulingMeans;

/** Engines that can schedule a Job. */
export type JobEngine = EnginesOf<typeof JOB_SCHEDULING>;

const TASKS = 'its pods run one after the other, so they are not a gang. Set completions to the value of parallelism';

/** Of independent tasks; Kueue can still admit fewer of them at a time. */
const TASKS_SCHEDULING: SchedulingMeans = {
  volcano: { group: 'controller', queueOnPods: true, refuses: { topology: TASKS, elastic: TASKS } },
  kueue: {},
  kai: {},
  'pod-group': TASKS,
  'scheduler-plugins': { refuses: { elastic: TASKS } },
  gantry: { refuses: { elastic: TASKS } },
};

function isTogether({ parallelism = 1, completions = parallelism }: JobTemplateProps): boolean {
  return parallelism >= completions;
}

/** The gang of a Job; none of independent tasks. */
export function gangOfJob(name: string, props: JobTemplateProps, perLabel?: string): readonly Gang[] {
  if (!isTogether(props)) {
    return [];
  }
  const pods = podsOf(props);
  return [{ name, minMember: pods, members: pods, perLabel }];
}

function podsOf({ parallelism = 1, completions = parallelism }: JobTemplateProps): number {
  return Math.min(parallelism, completions);
}

/** KAI starts each pod of a Job by itself, unless the Job says how many belong together. */
const KAI_MIN_MEMBER = 'kai.scheduler/batch-min-member';

/** By which Kueue knows with how few pods a Job may start, and Volcano and KAI how many belong together. */
export function jobAnnotations(
  name: string,
  props: JobTemplateProps,
  scheduling: Scheduling,
): Readonly<Record<string, string>> {
  const { elastic } = scheduling.wishes;
  const pods = podsOf(props);
  if (scheduling.engine === 'kueue') {
    if (elastic === undefined) {
      return {};
    }
    const { minMember } = scheduling.toGang({ name, minMember: pods, members: pods });
    return minMember < pods ? { 'kueue.x-k8s.io/job-min-parallelism': String(minMember) } : {};
  }
  const [gang] = gangOfJob(name, props);
  if (gang === undefined) {
    return {};
  }
  const { minMember } = scheduling.toGang(gang);
  return scheduling.engine === 'kai'
    ? { [KAI_MIN_MEMBER]: String(minMember) }
    : scheduling.toPodGroupAnnotations(minMember).workload;
}

interface JobExtras {
  readonly suspend?: boolean;
  readonly managedBy?: string;
  readonly subdomain?: string;
}

/** @throws if a number is none, or something is stated that needs an index in a Job without */
export function jobSpec(props: JobTemplateProps, choice: WorkloadChoice, extras: JobExtras = {}): JobSpec {
  const { parallelism = 1, completions = parallelism, indexed = parallelism > 1 } = props;
  requireWholeNumber('parallelism', parallelism, 0);
  requireWholeNumber('completions', completions, 0);
  if (!indexed) {
    requireNoIndex({ ...props, peers: extras.subdomain });
  }
  const { subdomain } = extras;
  const { podOverrides } = props;
  const pods =
    subdomain === undefined
      ? props
      : { ...props, podOverrides: { ...podOverrides, pod: { subdomain, ...podOverrides?.pod } } };
  return {
    completionMode: indexed ? 'Indexed' : undefined,
    parallelism,
    completions,
    backoffLimit: props.backoffLimit,
    backoffLimitPerIndex: props.backoffLimitPerIndex,
    maxFailedIndexes: props.maxFailedIndexes,
    podFailurePolicy: props.podFailurePolicy,
    successPolicy: props.succeedsWith && { rules: props.succeedsWith },
    activeDeadlineSeconds: optionalSecondsOf('activeDeadline', props.activeDeadline),
    ttlSecondsAfterFinished: optionalSecondsOf('ttlAfterFinished', props.ttlAfterFinished),
    podReplacementPolicy: props.podReplacement,
    suspend: extras.suspend,
    managedBy: extras.managedBy,
    template: new PodTemplate(pods).toPodTemplate({
      ...choice,
      containerName: props.containerName,
      restartPolicy: props.restartPolicy ?? 'Never',
    }),
  };
}

function requireNoIndex(props: JobTemplateProps & { readonly peers?: string }): void {
  const fields = ['backoffLimitPerIndex', 'maxFailedIndexes', 'succeedsWith', 'peers'] as const;
  const stated = fields.filter((field) => props[field] !== undefined);
  if (stated.length > 0) {
    throw new Error(
      `${allOf(stated)} ${stated.length === 1 ? 'requires' : 'require'} an Indexed Job. Set indexed: true.`,
    );
  }
}
