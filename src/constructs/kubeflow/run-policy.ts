/**
 * The run policy that the training-operator's kinds share: what happens while a job runs and after, and how it is scheduled as a gang.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type JAXJobSpecRunPolicy } from '../../facts/api/types/kubeflow.org/v1';
import { type Scheduling } from '../pods';
import { type Amounts, optionalAmountsByName } from '../pods/amounts';
import { type PriorityClassReference } from '../resources/references';
import { type CleanPodPolicy, type JobManager } from './frameworks';

/** The same in every kind. */
export type RunPolicy = JAXJobSpecRunPolicy;

/** How a job runs and ends. */
export interface RunPolicyProps {
  /** Which pods are deleted when the job has ended; `None` keeps them and their logs. @default - the operator's: None */
  readonly cleanPodPolicy?: CleanPodPolicy;
  /** Time after its end at which the job is deleted. @default - it stays */
  readonly ttlAfterFinished?: Duration;
  /** Time from its start after which the job fails. @default - no deadline */
  readonly activeDeadline?: Duration;
  /** Restarts of containers, over all pods, after which the job fails. @default - no limit */
  readonly backoffLimit?: number;
  /** Makes no pods yet, and deletes those that there are. @default false */
  readonly suspend?: boolean;
  /** Who reconciles the job; cannot be changed later. @default - the training-operator */
  readonly managedBy?: JobManager;
  /** Pods that must have room together. @default - all of a static job, the least of an elastic one */
  readonly minAvailable?: number;
  /** Resources that must be free together. @default - those of the first `minAvailable` pods */
  readonly minResources?: Amounts;
  /** Time that a gang may wait; heeded by scheduler-plugins only. @default - the scheduler's */
  readonly scheduleTimeout?: Duration;
}

export interface Gang {
  /** Fewest pods with which the job can start. */
  readonly pods: number;
  readonly scheduling: Scheduling | undefined;
  readonly priorityClass: PriorityClassReference | undefined;
}

/**
 * The run policy, with a scheduling policy where the engine schedules gangs; `undefined` where nothing is stated.
 *
 * The operator acts on the scheduling policy only where it runs with `--gang-scheduler-name`.
 */
export function runPolicyOf(props: RunPolicyProps, gang: Gang): RunPolicy | undefined {
  const schedulingPolicy = schedulingPolicyOf(props, gang);
  const policy = {
    cleanPodPolicy: props.cleanPodPolicy,
    ttlSecondsAfterFinished: optionalSecondsOf('ttlAfterFinished', props.ttlAfterFinished),
    activeDeadlineSeconds: optionalSecondsOf('activeDeadline', props.activeDeadline),
    backoffLimit: props.backoffLimit,
    suspend: props.suspend,
    managedBy: props.managedBy,
    schedulingPolicy,
  };
  return Object.values(policy).some((value) => value !== undefined) ? policy : undefined;
}

function schedulingPolicyOf(props: RunPolicyProps, gang: Gang): RunPolicy['schedulingPolicy'] {
  const { minAvailable, minResources, scheduleTimeout } = props;
  const scheduling = gang.scheduling?.toScheduling();
  const stated = minAvailable !== undefined || minResources !== undefined || scheduleTimeout !== undefined;
  if (scheduling?.gang !== true && !stated) {
    return undefined;
  }
  return {
    queue: scheduling?.queueName,
    minAvailable: minAvailable ?? gang.pods,
    minResources: optionalAmountsByName('minResources', minResources),
    priorityClass: gang.priorityClass?.name,
    scheduleTimeoutSeconds: optionalSecondsOf('scheduleTimeout', scheduleTimeout),
  };
}
