/**
 * SpotJob: a Job on nodes that can be reclaimed at any time. A pod that is lost with its node is recreated and does not count as a failure.
 *
 * Each pod must be able to go on from a checkpoint. A gang is another matter: one lost node ends all of its pods, and no budget for
 * disruptions helps against a node that is taken away. Let it be elastic, or keep it on nodes that stay.
 */
import type { Duration } from 'cdk8s';
import { secondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { Job, type JobSpec } from '../../facts/api/types/batch/v1';
import { type SpotProvider } from '../../facts/catalog';
import { NodeSelection, PodTemplate, type PodProps } from '../pods';
import { type SinglePodsEngine } from '../workload/scheduling-means';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { NodeProfile } from './node-profile';
import { publicClass } from '../resources/public-class';

/** Props of a SpotJob. */
export interface SpotJobProps extends PodProps, WorkloadProps<JobSpec, SinglePodsEngine> {
  /** The nodes: a profile of spot nodes, or all spot nodes of a provider. */
  readonly on: NodeProfile | SpotProvider;
  /** Pods that must end well. @default 1 */
  readonly completions?: number;
  /** Pods at a time. @default - all of them */
  readonly parallelism?: number;
  /** Failures of the program itself before the Job gives up. @default 20 */
  readonly backoffLimit?: number;
  /** Time after which the finished Job is deleted. @default - the Job remains until it is deleted */
  readonly ttlAfterFinished?: Duration;
  /** Name of the main container. @default main */
  readonly containerName?: string;
}

/**
 * The grace period is what the notice leaves, unless it is stated.
 *
 * Rules: `node-tuning/spot-*`, `pods/spot-pod-is-replaced`. Source: kubernetes 1.36, Job podFailurePolicy (DisruptionTarget).
 *
 * @example
 * new nodeTuning.SpotJob(chart, 'sweep', {
 *   on: 'gke',
 *   image,
 *   command: ['python', 'sweep.py', '--resume'],
 *   accelerators: Accelerator.nvidia({ count: 1 }),
 * });
 */
@publicClass('nodeTuning.SpotJob')
export class SpotJob extends Workload<Job, JobSpec, SinglePodsEngine> {
  /** @throws if the profile is of nodes that stay, a pod asks for more than a node has, or needs longer to end than the notice leaves */
  constructor(scope: Construct, id: string, props: SpotJobProps) {
    super(scope, id, {
      kind: Job,
      selects: (name) => ({ 'batch.kubernetes.io/job-name': name }),
      props,
      render: (choice) => specOf(props, choice),
      references: new PodTemplate(props).references,
    });
  }
}

function specOf(props: SpotJobProps, choice: WorkloadChoice): JobSpec {
  const { completions = 1, backoffLimit = 20, ttlAfterFinished } = props;
  return {
    backoffLimit,
    ...(completions === 1 ? {} : { completions }),
    ...(completions === 1 && props.parallelism === undefined ? {} : { parallelism: props.parallelism ?? completions }),
    ...(ttlAfterFinished === undefined
      ? {}
      : { ttlSecondsAfterFinished: secondsOf('ttlAfterFinished', ttlAfterFinished) }),
    podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
    template: placed(props).toPodTemplate({ ...choice, containerName: props.containerName, restartPolicy: 'Never' }),
  };
}

function placed(props: SpotJobProps): PodTemplate {
  const template = new PodTemplate(props);
  if (props.on instanceof NodeProfile) {
    if (props.on.props.spot === undefined) {
      throw new Error(
        `on: the profile ${props.on.name} is not for spot nodes. Set spot in the profile, or use another kind of job.`,
      );
    }
    return props.on.place(template);
  }
  const { nodeSelection = [] } = props;
  const before: readonly NodeSelection[] = 'toPod' in nodeSelection ? [nodeSelection] : nodeSelection;
  return NodeProfile.withinNotice(props.on, template).with({
    nodeSelection: [...before, NodeSelection.spot(props.on)],
  });
}
