/**
 * Deployment: copies of a pod that run for ever, as a workload like the others.
 */
import { type Construct } from 'constructs';
import { Deployment as DeploymentKind, type DeploymentSpec } from '../../facts/api/types/apps/v1';
import { PodTemplate, type PodProps } from '../pods';
import { requireWholeNumber } from '../workload/whole-number';
import { type SinglePodsEngine } from '../workload/scheduling-means';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';

/** Copies more and fewer than wanted while they are replaced: numbers, or shares of them. */
export interface Rollout {
  readonly maxSurge: number | `${number}%`;
  readonly maxUnavailable: number | `${number}%`;
}

export interface DeploymentProps extends PodProps, WorkloadProps<DeploymentSpec, SinglePodsEngine> {
  /** `'autoscaler'` states none, so that an update does not set back what an autoscaler set. @default 1 */
  readonly replicas?: number | 'autoscaler';
  /**
   * How copies are replaced, or `'recreate'`: all stop, then all start.
   * @default - with accelerators one goes before one comes, since there is rarely a free device; else Kubernetes' 25% and 25%
   */
  readonly rollout?: Rollout | 'recreate';
  /** Seconds after which a rollout that does not come on is called failed. @default - Kubernetes' 600 */
  readonly progressDeadlineSeconds?: number;
  /** Labels that choose the pods, and that they get. They can never change. @default `{ app: <name> }` */
  readonly selector?: Readonly<Record<string, string>>;
  /** @default main */
  readonly containerName?: string;
}

/**
 * A Deployment (`apps/v1`).
 *
 * @example
 * new Deployment(chart, 'gateway', { image, replicas: 3, resources: { cpu: 2, memory: '4Gi' } });
 */
export class Deployment extends Workload<DeploymentKind, DeploymentSpec, SinglePodsEngine> {
  /** Labels that choose the pods: for Services, disruption budgets and monitors. */
  readonly selector: Readonly<Record<string, string>>;

  /** @throws if the replicas are no whole number */
  constructor(scope: Construct, id: string, props: DeploymentProps) {
    const selector = props.selector ?? { app: props.metadata?.name ?? props.name ?? id };
    super(scope, id, {
      kind: DeploymentKind,
      props,
      render: (choice) => specOf(props, selector, choice),
      references: new PodTemplate(props).references,
    });
    this.selector = selector;
  }
}

function specOf(
  props: DeploymentProps,
  selector: Readonly<Record<string, string>>,
  choice: WorkloadChoice,
): DeploymentSpec {
  const { replicas = 1, rollout = defaultRollout(props), progressDeadlineSeconds, containerName } = props;
  if (replicas !== 'autoscaler') {
    requireWholeNumber('replicas', replicas, 0);
  }
  return {
    ...(replicas === 'autoscaler' ? {} : { replicas }),
    selector: { matchLabels: selector },
    strategy:
      rollout === undefined
        ? undefined
        : rollout === 'recreate'
          ? { type: 'Recreate' }
          : { type: 'RollingUpdate', rollingUpdate: rollout },
    progressDeadlineSeconds,
    template: new PodTemplate(props).toPodTemplate({
      ...choice,
      containerName,
      podLabels: selector,
    }),
  };
}

function defaultRollout({ accelerators }: DeploymentProps): Rollout | undefined {
  return accelerators === undefined ? undefined : { maxSurge: 0, maxUnavailable: 1 };
}
