/**
 * How Knative scales a service: a closed choice, rendered as annotations of its revisions.
 *
 * Source: Knative Serving, pkg/apis/autoscaling.
 */
import type { Duration } from 'cdk8s';
import { secondsOf } from '../resources/durations';
import { type ByteSize, bytesOf } from '../resources/quantities';
import { publicClass } from '../resources/public-class';

/** Options of every kind of scaling on Knative. */
export interface KnativeScalingOptions {
  /** Smallest number of replicas. @default 0: the service scales to zero when it has no requests */
  readonly minReplicas?: number;
  /** Greatest number of replicas. @default 0: no limit */
  readonly maxReplicas?: number;
  /** Replicas that a new revision starts with. @default - the cluster's: 1 */
  readonly initialReplicas?: number;
  /** Replicas that the first request after zero brings, 2 or more. @default - one */
  readonly activationReplicas?: number;
  /** Percentage of the target that is aimed at, 1 to 100. @default - the cluster's: 70 */
  readonly targetUtilization?: number;
  /** Time over which the metric is averaged, 6 seconds to 1 hour. @default - the cluster's: 60 seconds */
  readonly window?: Duration;
  /** Time that fewer replicas must have sufficed, up to 1 hour: a loaded model is worth keeping. @default - none */
  readonly scaleDownDelay?: Duration;
  /** Time that the last replica stays, up to 1 hour. @default - none */
  readonly lastReplicaRetention?: Duration;
  /** Requests that are kept back for bursts; -1 keeps Knative's activator in the path always. @default - the cluster's: 200 */
  readonly targetBurstCapacity?: number;
}

const GROUP = 'autoscaling.knative.dev';
const KPA = `kpa.${GROUP}`;
const HPA = `hpa.${GROUP}`;

/**
 * How Knative scales a service.
 *
 * @example
 * new serving.InferenceService(chart, 'chat', {
 *   image: 'vllm/vllm-openai:v0.14.0',
 *   port: 8000,
 *   loadingTime: Duration.minutes(4),
 *   accelerators: Accelerator.nvidia({ count: 1 }),
 *   as: serving.ServingEngine.knative({ scaling: serving.KnativeScaling.concurrency(16, { maxReplicas: 8 }) }),
 * });
 */
@publicClass('serving.KnativeScaling')
export class KnativeScaling {
  /** By requests that are under way in one replica, which fits servers that answer several at a time. Goes to zero. */
  static concurrency(target: number, options: KnativeScalingOptions = {}): KnativeScaling {
    return new KnativeScaling(KPA, 'concurrency', target, options);
  }

  /** By requests a second. Goes to zero. */
  static requestsPerSecond(target: number, options: KnativeScalingOptions = {}): KnativeScaling {
    return new KnativeScaling(KPA, 'rps', target, options);
  }

  /**
   * By a HorizontalPodAutoscaler: `cpu` in percent, `memory` as an amount such as `4Gi`, or a custom metric. Never to zero, and of no use to
   * GPUs.
   *
   * @throws if memory has no unit, or is not a whole number of mebibytes
   */
  static horizontalPodAutoscaler<M extends string>(
    metric: M,
    target: M extends 'memory' ? ByteSize : number,
    options: KnativeScalingOptions = {},
  ): KnativeScaling {
    const amount = metric === 'memory' ? mebibytesOf('target', target as ByteSize) : (target as number);
    return new KnativeScaling(HPA, metric, amount, options);
  }

  private constructor(
    private readonly autoscaler: string,
    private readonly metric: string,
    private readonly target: number,
    private readonly options: KnativeScalingOptions,
  ) {}

  /** Returns the annotations of the revision. */
  toAnnotations(): Readonly<Record<string, string>> {
    const { minReplicas = this.autoscaler === KPA ? 0 : 1, maxReplicas = 0, ...more } = this.options;
    const seconds = (prop: string, value: Duration | undefined): string | undefined =>
      value === undefined ? undefined : `${secondsOf(prop, value)}s`;
    const all: Readonly<Record<string, string | number | undefined>> = {
      class: this.autoscaler,
      metric: this.metric,
      target: this.target,
      'min-scale': minReplicas,
      'max-scale': maxReplicas,
      'initial-scale': more.initialReplicas,
      'activation-scale': more.activationReplicas,
      'target-utilization-percentage': more.targetUtilization,
      window: seconds('window', more.window),
      'scale-down-delay': seconds('scaleDownDelay', more.scaleDownDelay),
      'scale-to-zero-pod-retention-period': seconds('lastReplicaRetention', more.lastReplicaRetention),
      'target-burst-capacity': more.targetBurstCapacity,
    };
    const stated = Object.entries(all).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
    return Object.fromEntries(stated.map(([key, value]) => [`${GROUP}/${key}`, String(value)]));
  }
}

/** Knative reads the target of memory in mebibytes. */
function mebibytesOf(prop: string, memory: ByteSize): number {
  const bytes = bytesOf(prop, memory);
  if (bytes % MEBIBYTE !== 0n) {
    throw new Error(`${prop} ${bytes} bytes: must be a whole number of mebibytes.`);
  }
  return Number(bytes / MEBIBYTE);
}

const MEBIBYTE = 1024n * 1024n;
