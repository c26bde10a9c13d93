/**
 * Scaling of language model servers by their own metrics. A preset is the part of a ScaledObject that follows from the signal:
 * the trigger with a query that returns one value, and a scaling behavior for replicas that take minutes to load a model.
 */
import { Duration } from 'cdk8s';
import { optionalSecondsOf } from '../resources/durations';
import { requireWholeNumber } from '../workload/whole-number';
import { LLM_METRICS, type LlmMetric, type LlmMetrics, type LlmServer } from './llm-servers';
import { type ScaledObjectProps } from './scaled-object';
import { type Trigger, type TriggerOptions } from './trigger';
import { type PrometheusTrigger, Triggers } from './triggers';
import { publicClass } from '../resources/public-class';

export { type LlmServer } from './llm-servers';

/** Options of every function of `LlmScaling`. */
export interface LlmScalingProps
  extends
    Pick<TriggerOptions, 'name' | 'authentication'>,
    Pick<PrometheusTrigger, 'authModes' | 'timeout' | 'unsafeSsl'> {
  /** The model server, which decides the names of the metrics. */
  readonly server: LlmServer;
  /** URL of the Prometheus that scrapes the servers. */
  readonly serverAddress: string;
  /** Labels by which Prometheus knows the servers of this one target: `{ namespace: 'chat', model_name: 'llama' }`. */
  readonly labels: Readonly<Record<string, string>>;
  /** Time from a pod's start to its first answer; replicas come and go in steps of it. @default - 180 seconds */
  readonly modelLoadingTime?: Duration;
  /** Smallest number of replicas. @default - 1; 0 with `wakeUp` */
  readonly minReplicas?: number;
  /**
   * A signal from outside the servers, such as the request rate of the gateway, that starts the first replica: servers that do not run
   * report no queue. With this signal, the target can scale to zero.
   * @default - none: one replica at least always runs
   */
  readonly wakeUp?: Trigger;
}

/** Spread into the props of a ScaledObject. */
export type ScalingPlan = Pick<
  ScaledObjectProps,
  'triggers' | 'minReplicas' | 'fallback' | 'horizontalPodAutoscaler' | 'cooldownPeriod' | 'initialCooldownPeriod'
>;

/** An HPA policy looks back this far at most. */
const LONGEST_PERIOD_SECONDS = 1800;
const LONGEST_WINDOW_SECONDS = 3600;

/**
 * Scales a model server by its own metrics, which Prometheus collects.
 *
 * @example
 * new keda.ScaledObject(chart, 'chat', {
 *   target: deployment,
 *   maxReplicas: 8,
 *   ...keda.LlmScaling.queueDepth({
 *     server: 'vllm',
 *     serverAddress: 'http://prometheus-operated.monitoring.svc:9090',
 *     labels: { namespace: 'chat' },
 *     waitingPerReplica: 4,
 *   }),
 * });
 */
@publicClass('keda.LlmScaling')
export class LlmScaling {
  /**
   * Replicas by the requests that wait.
   *
   * @throws if waitingPerReplica is not above zero, or no labels are given
   */
  static queueDepth(
    props: LlmScalingProps & {
      /** Waiting requests that are worth a replica. @default 5 */
      readonly waitingPerReplica?: number;
    },
  ): ScalingPlan {
    return plan(
      props,
      `sum(${selector(LLM_METRICS[props.server].waiting, props.labels)})`,
      props.waitingPerReplica ?? 5,
    );
  }

  /**
   * Replicas by the requests that wait or run: steadier than the queue alone, which is empty as soon as all requests run.
   *
   * @throws if the server does not say how many requests run, requestsPerReplica is not above zero, or no labels are given
   */
  static requestsInFlight(
    props: LlmScalingProps & {
      /** Requests that one replica is to work on at a time. */
      readonly requestsPerReplica: number;
    },
  ): ScalingPlan {
    const { waiting, running } = metricsWith(props.server, 'running');
    return plan(
      props,
      `sum(${selector(waiting, props.labels)}) + sum(${selector(running, props.labels)})`,
      props.requestsPerReplica,
    );
  }

  /**
   * Replicas by the use of the KV cache: the memory that bounds how many requests run together.
   *
   * @throws if the server does not say how much of its cache is in use, the share is not above 0 and below 1, or no labels are given
   */
  static kvCacheUse(
    props: LlmScalingProps & {
      /** Share of the cache that is to be in use on average, 0 to 1. @default 0.7 */
      readonly targetUse?: number;
    },
  ): ScalingPlan {
    const { targetUse = 0.7 } = props;
    if (!(targetUse > 0 && targetUse < 1)) {
      throw new Error(`targetUse ${targetUse}: must be greater than 0 and less than 1.`);
    }
    const { kvCacheUse } = metricsWith(props.server, 'kvCacheUse');
    // A server with several engines shows one value for each; the fullest is what requests wait for.
    return plan(props, `sum(max by (instance) (${selector(kvCacheUse, props.labels)}))`, targetUse);
  }
}

function metricsWith<K extends 'running' | 'kvCacheUse'>(
  server: LlmServer,
  metric: K,
): LlmMetrics & Record<K, LlmMetric> {
  const metrics = LLM_METRICS[server];
  const found = metrics[metric];
  if (found !== undefined) {
    return { ...metrics, [metric]: found } as LlmMetrics & Record<K, LlmMetric>;
  }
  const what = metric === 'running' ? 'how many requests run' : 'how much of the KV cache is in use';
  throw new Error(`server "${server}" does not expose ${what}. Scale by LlmScaling.queueDepth.`);
}

function selector({ name, labels: own = {} }: LlmMetric, labels: Readonly<Record<string, string>>): string {
  if (Object.keys(labels).length === 0) {
    throw new Error('labels must contain at least one label; otherwise the query counts every server in Prometheus.');
  }
  const matchers = Object.entries({ ...own, ...labels }).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${matchers.join(',')}}`;
}

function plan(props: LlmScalingProps, query: string, threshold: number): ScalingPlan {
  const { modelLoadingTime, minReplicas, wakeUp } = props;
  const loading = optionalSecondsOf('modelLoadingTime', modelLoadingTime) ?? 180;
  requireWholeNumber('modelLoadingTime in seconds', loading);
  if (!(threshold > 0)) {
    throw new Error(`load per replica ${threshold}: must be a number greater than 0.`);
  }
  const least = minReplicas ?? (wakeUp === undefined ? 1 : 0);
  if (least === 0 && wakeUp === undefined) {
    throw new Error(
      'minReplicas 0: servers that do not run report no load, so nothing would start the first one. Set a wakeUp trigger, or keep one replica.',
    );
  }
  const { serverAddress, name, authentication, authModes, timeout, unsafeSsl } = props;
  const toZero = least === 0;
  const own = Triggers.prometheus({
    serverAddress,
    name,
    authentication,
    authModes,
    timeout,
    unsafeSsl,
    threshold,
    // Where replicas always run, no value means that Prometheus does not scrape them: a failure, not an empty queue.
    query: toZero ? `${query} or vector(0)` : query,
    whenEmpty: toZero ? undefined : 'failure',
    activationThreshold: 0,
  });
  const step = Math.min(loading, LONGEST_PERIOD_SECONDS);
  const calm = Math.min(Math.max(300, 2 * loading), LONGEST_WINDOW_SECONDS);
  return {
    triggers: wakeUp === undefined ? [own] : [own, wakeUp],
    minReplicas: least,
    // Servers without a signal keep their replicas.
    fallback: { failureThreshold: 3, replicas: Math.max(1, least), behavior: 'currentReplicasIfHigher' },
    ...(toZero ? { cooldownPeriod: Duration.seconds(calm), initialCooldownPeriod: Duration.seconds(calm) } : {}),
    horizontalPodAutoscaler: {
      behavior: {
        // A new replica serves only after loading; until then, the queue does not justify more replicas.
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [
            { type: 'Pods', value: 2, periodSeconds: step },
            { type: 'Percent', value: 100, periodSeconds: step },
          ],
        },
        scaleDown: { stabilizationWindowSeconds: calm, policies: [{ type: 'Pods', value: 1, periodSeconds: step }] },
      },
    },
  };
}
