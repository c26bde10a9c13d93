/**
 * CronJob: a Volcano Job at set times.
 */
import { optionalSecondsOf } from '../resources/durations';
import { type Duration, type ApiObject, Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { CronJob as CronJobKind, type JobSpec } from '../../facts/api/types/batch.volcano.sh/v1alpha1';
import { Resource } from '../resources/resource';
import { JOB_NAME_LABEL, JobSpecification, type JobSpecProps } from './job-specification';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';

export interface CronJobProps extends NamespacedObjectProps {
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
 * Rules: `volcano/cron-job-*`, and those of jobs. Source: volcano, pkg/webhooks/admission/cronjobs.
 *
 * @example
 * new CronJob(chart, 'nightly', { schedule: '0 2 * * *', timeZone: 'Etc/UTC', job: { queue, tasks: [{ name: 'eval', template }] } });
 */
export class CronJob extends Construct {
  readonly cronJobName: string;
  readonly resource: ApiObject;

  /** @throws if a plugin is given twice, or the job cannot be scheduled as it says */
  constructor(scope: Construct, id: string, props: CronJobProps) {
    super(scope, id);
    this.cronJobName = props.name ?? id;
    const job = new JobSpecification(props.job, { name: this.cronJobName, perLabel: JOB_NAME_LABEL });
    this.resource = new Resource(this, 'Resource', CronJobKind, {
      metadata: namespacedMetadata(id, props),
      spec: {
        schedule: props.schedule,
        timeZone: props.timeZone,
        concurrencyPolicy: props.concurrencyPolicy ?? 'Forbid',
        startingDeadlineSeconds: optionalSecondsOf('startingDeadline', props.startingDeadline),
        suspend: props.suspend,
        successfulJobsHistoryLimit: props.successfulJobsHistoryLimit,
        failedJobsHistoryLimit: props.failedJobsHistoryLimit,
        jobTemplate: { spec: Lazy.any({ produce: () => job.toSpec() }) as JobSpec },
      },
    });
    dependOn(this.resource, props.namespace, ...job.references);
  }
}
