/**
 * CronJob: a Job at certain times.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { CronJob as CronJobKind, type CronJobSpec } from '../../facts/api/types/batch/v1';
import { PodTemplate } from '../pods';
import { type EnginesOf, type SchedulingMeans } from '../workload/scheduling-means';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { gangOfJob, jobAnnotations, jobSpec, type JobTemplateProps } from './job';
import { publicClass } from '../resources/public-class';

/** Props of a CronJob. */
export interface CronJobProps extends JobTemplateProps, WorkloadProps<CronJobSpec, CronJobEngine> {
  /** Minute, hour, day of month, month, day of week; or a macro such as `@daily`. */
  readonly schedule: string;
  /** Name of a zone, for example `Etc/UTC`. @default - that of the controller manager */
  readonly timeZone?: string;
  /** What happens when it is time and the last Job still runs. @default 'Forbid': the time is left out */
  readonly concurrency?: 'Allow' | 'Forbid' | 'Replace';
  /** Time that a Job may start too late before its time is left out. @default - any */
  readonly startingDeadline?: Duration;
  /** Whether no further Job is made. @default false */
  readonly suspend?: boolean;
  /** Jobs that are kept after success. @default - Kubernetes' 3 */
  readonly successfulJobsHistoryLimit?: number;
  /** Jobs that are kept after failure. @default - Kubernetes' 1 */
  readonly failedJobsHistoryLimit?: number;
}

const EACH_RUN = 'each Job is a separate gang, but all pods of a template name the same PodGroup';

/** The engines that can schedule the Jobs of a CronJob, and the options that each accepts. */
const CRON_JOB_SCHEDULING = {
  volcano: { group: 'controller', queueOnPods: true },
  kueue: {},
  kai: {},
  'pod-group': EACH_RUN,
  'scheduler-plugins': EACH_RUN,
  gantry: {},
} as const satisfies SchedulingMeans;

/** Engines that can schedule the Jobs of a CronJob. */
export type CronJobEngine = EnginesOf<typeof CRON_JOB_SCHEDULING>;

/**
 * A CronJob (`batch/v1`). Queue and gang are those of each Job that it makes.
 *
 * @example
 * new batch.CronJob(chart, 'evaluate', { schedule: '0 2 * * *', timeZone: 'Etc/UTC', image, accelerators: Accelerator.nvidia({ count: 1 }) });
 */
@publicClass('batch.CronJob')
export class CronJob extends Workload<CronJobKind, CronJobSpec, CronJobEngine> {
  /** @throws if a number is none, or something is stated that needs an index in a Job without */
  constructor(scope: Construct, id: string, props: CronJobProps) {
    const name = props.metadata?.name ?? props.name ?? id;
    super(scope, id, {
      kind: CronJobKind,
      props,
      render: (choice) => specOf(name, props, choice),
      means: CRON_JOB_SCHEDULING,
      gangs: () => gangOfJob(name, props, 'batch.kubernetes.io/job-name'),
      choiceStands: 'inside',
      references: new PodTemplate(props).references,
    });
  }
}

function specOf(name: string, props: CronJobProps, choice: WorkloadChoice): CronJobSpec {
  const { scheduling } = choice;
  const labels = scheduling?.toScheduling().workloadLabels ?? {};
  const annotations = scheduling === undefined ? {} : jobAnnotations(name, props, scheduling);
  const metadata = {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  return {
    schedule: props.schedule,
    timeZone: props.timeZone,
    concurrencyPolicy: props.concurrency ?? 'Forbid',
    startingDeadlineSeconds: optionalSecondsOf('startingDeadline', props.startingDeadline),
    suspend: props.suspend,
    successfulJobsHistoryLimit: props.successfulJobsHistoryLimit,
    failedJobsHistoryLimit: props.failedJobsHistoryLimit,
    jobTemplate: {
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      spec: jobSpec(props, choice),
    },
  };
}
