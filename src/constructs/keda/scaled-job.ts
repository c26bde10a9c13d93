/**
 * ScaledJob: one Job for each piece of work that triggers count.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { ScaledJob as ScaledJobKind, type ScaledJobSpec } from '../../facts/api/types/keda.sh/v1alpha1';
import { PodTemplate, type PodProps } from '../pods';
import { dependOn } from '../resources/depend-on';
import { requireWholeNumber } from '../workload/whole-number';
import { type SinglePodsEngine } from '../workload/scheduling-means';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { DEFAULT_MAX_REPLICAS, PAUSED } from './keda-facts';
import { type Trigger } from './trigger';
import { publicClass } from '../resources/public-class';

/** How many new Jobs a poll makes out of what triggers count. */
export type JobScaling =
  /** The count, less those that run, up to `maxReplicas`. */
  | { readonly strategy: 'default' }
  /** The queue length minus the pending Jobs: for queues that report only messages that no consumer has taken yet. */
  | {
      readonly strategy: 'accurate';
      /** Pod conditions with which a Job no longer counts as pending. @default - a pod that runs or has ended */ readonly pendingPodConditions?: readonly string[];
    }
  /** As many as `maxReplicas` leaves, whatever runs already. */
  | { readonly strategy: 'eager' }
  | {
      readonly strategy: 'custom';
      /** Taken off the count. @default 0 */
      readonly queueLengthDeduction?: number;
      /** Share of running Jobs that is taken off the count, 0 to 1. @default 0 */
      readonly runningJobShare?: number;
    };

/** Props of a ScaledJob. */
export interface ScaledJobProps extends PodProps, WorkloadProps<ScaledJobSpec, SinglePodsEngine> {
  /** One at least, here or with `addTrigger`. @default - none yet */
  readonly triggers?: readonly Trigger[];
  /** Number of jobs that run without any work. @default 0 */
  readonly minReplicas?: number;
  /** Jobs at a time. @default 100 */
  readonly maxReplicas?: number;
  /** Time between looks at the triggers. @default - 30 seconds */
  readonly pollingInterval?: Duration;
  /** How many jobs are created for the work that waits. @default - KEDA's `default` */
  readonly scaling?: JobScaling;
  /** How the counts of several triggers become one. @default 'max' */
  readonly multipleTriggers?: 'min' | 'avg' | 'sum' | 'max';
  /** Whether a change of the ScaledJob ends running Jobs. @default 'immediate': it does */
  readonly rollout?: 'gradual' | 'immediate';
  /** Jobs that are kept after success. @default 100 */
  readonly successfulJobsHistoryLimit?: number;
  /** Jobs that are kept after failure. @default 100 */
  readonly failedJobsHistoryLimit?: number;
  /** Container whose variables `fromEnv` reads. @default - the first */
  readonly envSourceContainer?: string;
  /** Whether no Jobs are made. @default false */
  readonly paused?: boolean;
  /** Pods of each Job at a time. @default 1 */
  readonly parallelism?: number;
  /** Pods of each Job that must succeed. @default 1 */
  readonly completions?: number;
  /** Failures of pods before the Job counts as failed. @default - Kubernetes' 6 */
  readonly backoffLimit?: number;
  /** Time that a Job may take. @default - any */
  readonly activeDeadline?: Duration;
  /** Time that a Job is kept after its end. @default - by the history limits alone */
  readonly ttlAfterFinished?: Duration;
  /** What happens to a container that fails. @default 'Never': its pod is replaced */
  readonly restartPolicy?: 'Never' | 'OnFailure';
  /** Name of the main container. @default main */
  readonly containerName?: string;
}

/**
 * A ScaledJob (`keda.sh/v1alpha1`): for work that takes long and must not be cut off when replicas go.
 *
 * @example
 * new keda.ScaledJob(chart, 'embed', {
 *   image,
 *   accelerators: Accelerator.nvidia({ count: 1 }),
 *   triggers: [keda.Triggers.awsSqsQueue({
 *     queueURL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/jobs',
 *     awsRegion: 'eu-west-1',
 *     queueLength: 5,
 *     identityOwner: 'operator',
 *   })],
 * });
 */
@publicClass('keda.ScaledJob')
export class ScaledJob extends Workload<ScaledJobKind, ScaledJobSpec, SinglePodsEngine> {
  private readonly triggers: Trigger[];

  /** @throws if a count is not a whole number, or minReplicas is more than maxReplicas */
  constructor(scope: Construct, id: string, props: ScaledJobProps) {
    const triggers = [...(props.triggers ?? [])];
    super(scope, id, {
      kind: ScaledJobKind,
      props: {
        ...props,
        annotations: { ...(props.paused === true ? { [PAUSED]: 'true' } : {}), ...props.annotations },
      },
      render: (choice) => specOf(props, triggers, choice),
      references: [...new PodTemplate(props).references, ...triggers.map(({ authentication }) => authentication)],
    });
    this.triggers = triggers;
  }

  /** A further trigger. */
  addTrigger(trigger: Trigger): this {
    this.triggers.push(trigger);
    dependOn(this, trigger.authentication);
    return this;
  }
}

function specOf(props: ScaledJobProps, triggers: readonly Trigger[], choice: WorkloadChoice): ScaledJobSpec {
  const { minReplicas = 0, maxReplicas = DEFAULT_MAX_REPLICAS, rollout, scaling } = props;
  requireWholeNumber('minReplicas', minReplicas, 0);
  requireWholeNumber('maxReplicas', maxReplicas);
  if (minReplicas > maxReplicas) {
    throw new Error(
      `minReplicas must be less than or equal to maxReplicas (${minReplicas} > ${maxReplicas}). Raise maxReplicas.`,
    );
  }
  return {
    jobTargetRef: {
      parallelism: props.parallelism,
      completions: props.completions,
      backoffLimit: props.backoffLimit,
      activeDeadlineSeconds: optionalSecondsOf('activeDeadline', props.activeDeadline),
      ttlSecondsAfterFinished: optionalSecondsOf('ttlAfterFinished', props.ttlAfterFinished),
      template: new PodTemplate(props).toPodTemplate({
        ...choice,
        containerName: props.containerName,
        restartPolicy: props.restartPolicy ?? 'Never',
      }),
    },
    pollingInterval: optionalSecondsOf('pollingInterval', props.pollingInterval),
    minReplicaCount: props.minReplicas,
    maxReplicaCount: props.maxReplicas,
    successfulJobsHistoryLimit: props.successfulJobsHistoryLimit,
    failedJobsHistoryLimit: props.failedJobsHistoryLimit,
    envSourceContainerName: props.envSourceContainer,
    rollout: rollout && { strategy: rollout },
    scalingStrategy:
      scaling === undefined && props.multipleTriggers === undefined
        ? undefined
        : { ...(scaling && strategyOf(scaling)), multipleScalersCalculation: props.multipleTriggers },
    triggers: triggers.map((trigger) => trigger.toSpec()),
  };
}

function strategyOf(scaling: JobScaling): NonNullable<ScaledJobSpec['scalingStrategy']> {
  switch (scaling.strategy) {
    case 'accurate':
      return { strategy: 'accurate', pendingPodConditions: scaling.pendingPodConditions };
    case 'custom': {
      const { runningJobShare: share = 0 } = scaling;
      if (!(share >= 0 && share <= 1)) {
        throw new Error(`scaling.runningJobShare ${share}: must be between 0 and 1.`);
      }
      return {
        strategy: 'custom',
        customScalingQueueLengthDeduction: scaling.queueLengthDeduction,
        // Without a number here KEDA falls back to its default strategy.
        customScalingRunningJobPercentage: String(share),
      };
    }
    case 'default':
    case 'eager':
      return { strategy: scaling.strategy };
  }
}
