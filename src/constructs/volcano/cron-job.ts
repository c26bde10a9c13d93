/**
 * CronJob: a Volcano Job at set times.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { CronJob as CronJobKind, type CronJobSpec } from '../../facts/api/types/batch.volcano.sh/v1alpha1';
import { Workload, type WorkloadProps } from '../workload/workload';
import {
  JOB_NAME_LABEL,
  JobSpecification,
  type JobSpecProps,
  VOLCANO_JOB_SCHEDULING,
  type VolcanoJobEngine,
} from './job-specification';
import { publicClass } from '../resources/public-class';

/** Props of a Volcano CronJob. */
export interface CronJobProps extends WorkloadProps<CronJobSpec, VolcanoJobEngine> {
  /** Minute, hour, day of month, month and day of week, or a word such as `@daily`. No time zone in it. */
  readonly schedule: string;
  /** IANA name, `Europe/Berlin`. @default - that of Volcano's controller */
  readonly timeZone?: string;
  /** What happens when the last job still runs. @default 'Forbid': GPUs are not asked for twice */
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  /** Time by which a start may be late. @default - any */
  readonly startingDeadline?: Duration;
  /** Whether no further job is made. @default false */
  readonly suspend?: boolean;
  /** Jobs that are kept after success. @default 3 */
  readonly successfulJobsHistoryLimit?: number;
  /** Jobs that are kept after failure. @default 1 */
  readonly failedJobsHistoryLimit?: number;
  /** The job that is made. */
  readonly job: JobSpecProps;
}

/**
 * A Volcano CronJob (`batch.volcano.sh/v1alpha1`). Queue, priority, and gang are those of each job that it makes.
 *
 * Rules: `volcano/cron-job-*`, and those of jobs. Source: volcano, pkg/webhooks/admission/cronjobs.
 *
 * @example
 * new volcano.CronJob(chart, 'nightly', {
 *   schedule: '0 2 * * *', timeZone: 'Etc/UTC', job: { tasks: [{ name: 'eval', template }] },
 * }).submitTo(queue);
 */
@publicClass('volcano.CronJob')
export class CronJob extends Workload<CronJobKind, CronJobSpec, VolcanoJobEngine> {
  /** @throws if a plugin is given twice, or the job cannot be scheduled as it says */
  constructor(scope: Construct, id: string, props: CronJobProps) {
    const name = props.metadata?.name ?? props.name ?? id;
    const job = new JobSpecification(props.job, { name, perLabel: JOB_NAME_LABEL });
    super(scope, id, {
      kind: CronJobKind,
      title: 'Volcano CronJob',
      props,
      render: (choice) => ({
        schedule: props.schedule,
        timeZone: props.timeZone,
        concurrencyPolicy: props.concurrencyPolicy ?? 'Forbid',
        startingDeadlineSeconds: optionalSecondsOf('startingDeadline', props.startingDeadline),
        suspend: props.suspend,
        successfulJobsHistoryLimit: props.successfulJobsHistoryLimit,
        failedJobsHistoryLimit: props.failedJobsHistoryLimit,
        jobTemplate: { spec: job.toSpec(choice) },
      }),
      means: VOLCANO_JOB_SCHEDULING,
      choiceStands: 'inside',
      references: job.references,
    });
  }
}
