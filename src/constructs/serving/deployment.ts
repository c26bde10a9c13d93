/**
 * Deployment: replicas of a pod that run indefinitely, with the props of the other workloads.
 */
import type { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { type Construct } from 'constructs';
import { Deployment as DeploymentKind, type DeploymentSpec } from '../../facts/api/types/apps/v1';
import { PodTemplate, type PodProps } from '../pods';
import { requireWholeNumber } from '../workload/whole-number';
import { type SinglePodsEngine } from '../workload/scheduling-means';
import { scaledContainers, type ScalableWorkload, type ScalingTargetDescription } from '../workload/interop';
import { Workload, type WorkloadChoice, type WorkloadProps } from '../workload/workload';
import { publicClass } from '../resources/public-class';

/** Copies more and fewer than wanted while they are replaced: numbers, or shares of them. */
export interface Rollout {
  /** Pods above the number of replicas during a rollout, as a number or a percentage. */
  readonly maxSurge: number | `${number}%`;
  /** Pods that may be missing during a rollout, as a number or a percentage. */
  readonly maxUnavailable: number | `${number}%`;
}

/** Props of a Deployment. */
export interface DeploymentProps extends PodProps, WorkloadProps<DeploymentSpec, SinglePodsEngine> {
  /** `'autoscaler'` states none, so that an update does not set back what an autoscaler set. @default 1 */
  readonly replicas?: number | 'autoscaler';
  /**
   * How copies are replaced, or `'recreate'`: all stop, then all start.
   * @default - with accelerators one goes before one comes, since there is rarely a free device; else Kubernetes' 25% and 25%
   */
  readonly rollout?: Rollout | 'recreate';
  /** Time after which a rollout that does not come on is called failed. @default - Kubernetes' 600 */
  readonly progressDeadline?: Duration;
  /** Labels that choose the pods, and that they get. They can never change. @default `{ app: <name> }` */
  readonly selector?: Readonly<Record<string, string>>;
  /** Name of the main container. @default main */
  readonly containerName?: string;
}

/**
 * A Deployment (`apps/v1`).
 *
 * @example
 * new serving.Deployment(chart, 'gateway', { image, replicas: 3, resources: { cpu: 2, memory: '4Gi' } });
 */
@publicClass('serving.Deployment')
export class Deployment extends Workload<DeploymentKind, DeploymentSpec, SinglePodsEngine> implements ScalableWorkload {
  hasAutoscaler = false;
  /** Labels that choose the pods: for Services, disruption budgets and monitors. */
  readonly selector: Readonly<Record<string, string>>;
  private readonly statedReplicas: number | undefined;
  private readonly markScaled: () => void;

  /** @throws if the number of replicas is not a whole number */
  constructor(scope: Construct, id: string, props: DeploymentProps) {
    const selector = props.selector ?? { app: props.metadata?.name ?? props.name ?? id };
    const scaled = { is: false };
    super(scope, id, {
      kind: DeploymentKind,
      selects: () => selector,
      props,
      render: (choice) => specOf(props, selector, choice, scaled.is),
      references: new PodTemplate(props).references,
    });
    this.selector = selector;
    this.statedReplicas = typeof props.replicas === 'number' ? props.replicas : undefined;
    this.markScaled = () => {
      scaled.is = true;
    };
  }

  /** Leaves the replicas to an autoscaler: the manifest states none, unless they are stated. */
  markHasAutoscaler(): void {
    this.hasAutoscaler = true;
    this.markScaled();
  }

  /** `IScalable` of cdk8s-plus: `new kplus.HorizontalPodAutoscaler(chart, 'web', { target: deployment, maxReplicas: 8 })`. */
  toScalingTarget(): ScalingTargetDescription {
    const { apiVersion, kind, name } = this.resource;
    const { containers = [] } = this.currentSpec.template.spec ?? {};
    return { apiVersion, kind, name, containers: scaledContainers(containers), replicas: this.statedReplicas };
  }
}

function specOf(
  props: DeploymentProps,
  selector: Readonly<Record<string, string>>,
  choice: WorkloadChoice,
  isScaled: boolean,
): DeploymentSpec {
  const {
    replicas = isScaled ? 'autoscaler' : 1,
    rollout = defaultRollout(props),
    progressDeadline,
    containerName,
  } = props;
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
    progressDeadlineSeconds: optionalSecondsOf('progressDeadline', progressDeadline),
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
