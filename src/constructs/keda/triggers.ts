/**
 * All of KEDA's triggers: one function for each scaler. Most are generated from KEDA's own code; those that platforms of this kind live on
 * are finished by hand here: units, closed choices, and what KEDA would refuse is refused at once.
 */
import type { Duration } from 'cdk8s';
import { type Carried, type CarriedList } from '../../manifests/values/deferred';
import { secondsOf } from '../resources/durations';
import { type ByteSize, bytesText, type Cores, coresText } from '../resources/quantities';
import { scheduleComplaint, timeZoneComplaint } from '../../checks/server/workloads/schedule';
import { requireWholeNumber } from '../workload/whole-number';
import {
  type ExternalTriggerProps,
  GeneratedTriggers,
  type KafkaTriggerProps,
  type NatsJetstreamTriggerProps,
  type PrometheusTriggerProps,
  type RabbitmqTriggerProps,
  type RedisTriggerProps,
} from './generated-triggers';
import { EnvironmentVariable, Trigger, type TriggerOptions } from './trigger';
import { publicClass } from '../resources/public-class';

/** Parameters of `Triggers.prometheus`. */
export interface PrometheusTrigger extends Omit<
  PrometheusTriggerProps,
  'identityOwner' | 'ignoreNullValues' | 'namespace'
> {
  /** URL of Prometheus, or of anything that speaks its HTTP API: `http://prometheus.monitoring:9090`. */
  readonly serverAddress: Carried<string>;
  /** PromQL that gives one value, for example `sum(rate(http_requests_total{app="chat"}[1m]))`; several values are an error to KEDA. */
  readonly query: Carried<string>;
  /** Value that one replica is good for. */
  readonly threshold: number;
  /** Above it the target is scaled up from zero. @default 0 */
  readonly activationThreshold?: number;
  /** What an empty result, an infinite one or NaN means: zero, or a failure, for which there is `fallback`. @default 'zero' */
  readonly whenEmpty?: 'zero' | 'failure';
  /** Sent along as `namespace`, for queriers with tenants. @default - none */
  readonly tenantNamespace?: Carried<string>;
  /** Whose identity of the cloud is used: KEDA's operator's, or the workload's. @default 'pod' */
  readonly identityOwner?: 'operator' | 'pod';
}

/** Parameters of `Triggers.cron`. */
export interface CronTrigger extends Pick<TriggerOptions, 'name'> {
  /** IANA name, `Europe/Berlin`. */
  readonly timezone: string;
  /** Beginning, in five fields: minute, hour, day of month, month, day of week. */
  readonly start: string;
  /** End, likewise; not the same as the beginning. */
  readonly end: string;
  /** Replicas in between, at least; other triggers may want more. */
  readonly desiredReplicas: number;
}

/** Share of the request, or an amount, that pods are kept at on average. */
export type ResourceTarget<A extends Cores | ByteSize> =
  /** Percent of what the containers request. */
  | { readonly utilizationPercent: number }
  /** Cores such as `0.5` or `500m`, or memory such as `2Gi`. */
  | { readonly averageValue: A };

/** Parameters of `Triggers.cpu`, with an amount of `Cores`, and of `Triggers.memory`, with a `ByteSize`. */
export type ResourceTrigger<A extends Cores | ByteSize> = ResourceTarget<A> & {
  /** The one container that counts. @default - all containers of the pod together */
  readonly container?: string;
  /** Name by which a formula of `scalingModifiers` refers to the value. @default - none */
  readonly name?: string;
};

/** Parameters of `Triggers.kafka`. */
export interface KafkaTrigger extends Omit<KafkaTriggerProps, 'partitionLimitation'> {
  /** Brokers as `host:port`. */
  readonly bootstrapServers: CarriedList<string> | EnvironmentVariable;
  /** The consumer group whose lag is measured. */
  readonly consumerGroup: Carried<string> | EnvironmentVariable;
  /** The topic whose lag is measured. @default - all topics of the group */
  readonly topic?: Carried<string> | EnvironmentVariable;
  /** Messages behind that one replica is good for. No more replicas are made than there are partitions. @default 10 */
  readonly lagThreshold?: number;
  /** Only these partitions of the topic. @default - all */
  readonly partitions?: readonly (number | `${number}-${number}`)[];
}

/** What of a queue counts, and how much of it one replica is good for. */
export type RabbitmqMeasure =
  | { readonly queueLength: number }
  /** Messages published a second; over HTTP only. */
  | { readonly messagesPerSecond: number }
  /** Messages delivered a second; over HTTP only. */
  | { readonly deliveriesPerSecond: number }
  /** Messages published for each that is delivered; over HTTP only. */
  | { readonly publishedPerDelivered: number }
  /** Time until the queue would be empty; over HTTP only. */
  | { readonly timeToEmpty: Duration };

/** Parameters of `Triggers.rabbitmq`. */
export interface RabbitmqTrigger extends Omit<
  RabbitmqTriggerProps,
  'mode' | 'value' | 'queueLength' | 'protocol' | 'operation'
> {
  /** Name of the queue. */
  readonly queueName: Carried<string>;
  /** What is measured, and how much of it one replica handles. */
  readonly measure: RabbitmqMeasure;
  /** URI with credentials and vhost, `amqp://…` or `http://…`; a secret, so better left to the authentication. @default - from the authentication */
  readonly host?: Carried<string> | EnvironmentVariable;
  /** Protocol of `host`. @default 'auto': by the URI */
  readonly protocol?: 'auto' | 'amqp' | 'http';
  /** What becomes of several queues that a regular expression meets. @default 'sum' */
  readonly operation?: 'sum' | 'avg' | 'max';
}

/** Parameters of `Triggers.redis`. */
export interface RedisTrigger extends Omit<
  RedisTriggerProps,
  'enableTLS' | 'host' | 'port' | 'sentinelMaster' | 'sentinelUsername' | 'sentinelPassword'
> {
  /** `host:port`. @default - from the authentication */
  readonly address?: CarriedList<string> | EnvironmentVariable;
  /** Name of a list, set, sorted set or hash. */
  readonly listName: Carried<string>;
  /** Items that one replica is good for. @default 5 */
  readonly listLength?: number;
  /** Whether the connection uses TLS. @default false */
  readonly enableTLS?: boolean;
}

/** Parameters of `Triggers.kubernetesWorkload`. */
export interface KubernetesWorkloadTrigger extends TriggerOptions {
  /** Pods of the namespace that are counted: labels, or a selector as kubectl takes it. Pods that have ended do not count. */
  readonly pods: Readonly<Record<string, string>> | string;
  /** Pods that one replica is good for; above zero. */
  readonly value: number;
  /** Number of pods up to which the target stays at zero. @default 0 */
  readonly activationValue?: number;
  /** Whether nodes with such pods are counted, instead of the pods. @default false */
  readonly groupByNode?: boolean;
}

/** Parameters of `Triggers.external` and `Triggers.externalPush`. */
export interface ExternalTrigger extends ExternalTriggerProps {
  /** `host:port` of the gRPC server that implements KEDA's scaler interface. */
  readonly scalerAddress: Carried<string>;
  /** The data that is sent to the server. @default - none */
  readonly parameters?: Readonly<Record<string, Carried<string> | EnvironmentVariable>>;
}

/** Parameters of `Triggers.natsJetstream`. */
export interface NatsJetstreamTrigger extends Omit<
  NatsJetstreamTriggerProps,
  'account' | 'accountID' | 'natsServerMonitoringEndpoint'
> {
  /** `host:port` of the monitoring server, without a scheme: `nats.messaging:8222`. @default - from the authentication */
  readonly natsServerMonitoringEndpoint?: Carried<string>;
  /** The account, by name or by id. @default - from the authentication */
  readonly account?: { readonly name: Carried<string> } | { readonly id: Carried<string> };
  /** Name of the stream. */
  readonly stream: Carried<string>;
  /** Name of the consumer. */
  readonly consumer: Carried<string>;
  /** Messages behind that one replica is good for. @default 10 */
  readonly lagThreshold?: number;
}

/**
 * One function for each scaler of KEDA; parameters bear KEDA's own names.
 *
 * @example
 * keda.Triggers.awsSqsQueue({
 *   queueURL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/jobs',
 *   awsRegion: 'eu-west-1',
 *   queueLength: 5,
 *   identityOwner: 'operator',
 * });
 */
@publicClass('keda.Triggers')
export class Triggers extends GeneratedTriggers {
  /** Scaler `prometheus`. */
  static prometheus(props: PrometheusTrigger): Trigger {
    const { whenEmpty, tenantNamespace, ...rest } = props;
    return Trigger.of('prometheus', {
      ...rest,
      ...(whenEmpty === undefined ? {} : { ignoreNullValues: whenEmpty === 'zero' }),
      ...(tenantNamespace === undefined ? {} : { namespace: tenantNamespace }),
    });
  }

  /**
   * Scaler `cron`: a fixed number of replicas at set times.
   *
   * @throws if a schedule or the time zone cannot be read, or both schedules are the same
   */
  static cron({ timezone, start, end, desiredReplicas, name }: CronTrigger): Trigger {
    for (const [prop, schedule] of [
      ['start', start],
      ['end', end],
    ] as const) {
      const complaint = schedule.startsWith('@')
        ? 'have five fields; KEDA does not support macros such as @daily'
        : scheduleComplaint(schedule);
      if (complaint !== undefined) {
        throw new Error(`cron trigger, ${prop} ${JSON.stringify(schedule)}: must ${complaint}.`);
      }
    }
    if (start === end) {
      throw new Error(`cron trigger: start and end must differ, but both are ${JSON.stringify(start)}.`);
    }
    const complaint = timeZoneComplaint(timezone);
    if (complaint !== undefined) {
      throw new Error(`cron trigger, timezone ${JSON.stringify(timezone)}: must ${complaint}.`);
    }
    requireWholeNumber('cron trigger, desiredReplicas', desiredReplicas);
    return Trigger.of('cron', { timezone, start, end, desiredReplicas, name });
  }

  /** Scaler `cpu`. Alone it cannot scale to zero: the ScaledObject needs `minReplicas` of 1 or more. */
  static cpu(props: ResourceTrigger<Cores>): Trigger {
    return resourceTrigger('cpu', props, coresText);
  }

  /** Scaler `memory`. Alone it cannot scale to zero: the ScaledObject needs `minReplicas` of 1 or more. */
  static memory(props: ResourceTrigger<ByteSize>): Trigger {
    return resourceTrigger('memory', props, bytesText);
  }

  /** Scaler `kafka`. */
  static kafka(props: KafkaTrigger): Trigger {
    const { partitions, ...rest } = props;
    if (rest.allowIdleConsumers === true && rest.limitToPartitionsWithLag === true) {
      throw new Error(
        'kafka trigger: allowIdleConsumers must not be set with limitToPartitionsWithLag. Keep one of the two.',
      );
    }
    return Trigger.of('kafka', {
      ...rest,
      ...(partitions === undefined ? {} : { partitionLimitation: partitions.join(',') }),
    });
  }

  /**
   * Scaler `rabbitmq`.
   *
   * @throws if a measure needs HTTP and the protocol is AMQP
   */
  static rabbitmq(props: RabbitmqTrigger): Trigger {
    const { measure, ...rest } = props;
    const [mode, value] = rabbitmqMode(measure);
    const overAmqp =
      rest.protocol === 'amqp' ||
      (rest.protocol !== 'http' && typeof rest.host === 'string' && /^amqps?:/.test(rest.host));
    if (overAmqp && mode !== 'QueueLength') {
      throw new Error(`rabbitmq trigger: ${mode} requires HTTP. Set host to the URI of the management API.`);
    }
    return Trigger.of('rabbitmq', { ...rest, mode, value });
  }

  /** Scaler `redis`. */
  static redis(props: RedisTrigger): Trigger {
    const { address, authentication } = props;
    if (address === undefined && authentication === undefined) {
      throw new Error('redis trigger: the address is required. Set it here, or in an authentication.');
    }
    return Trigger.of('redis', props);
  }

  /**
   * Scaler `kubernetes-workload`.
   *
   * @throws if the value is not above zero, or no label is given
   */
  static kubernetesWorkload(props: KubernetesWorkloadTrigger): Trigger {
    const { pods, ...rest } = props;
    if (!(props.value > 0)) {
      throw new Error(`kubernetes-workload trigger, value ${props.value}: must be a number greater than 0.`);
    }
    const podSelector =
      typeof pods === 'string'
        ? pods
        : Object.entries(pods)
            .map(([key, value]) => `${key}=${value}`)
            .join(',');
    return Trigger.of('kubernetes-workload', { ...rest, podSelector });
  }

  /** Scaler `external`: a gRPC server of one's own, which is asked. */
  static external(props: ExternalTrigger): Trigger {
    return externalTrigger('external', props);
  }

  /** Scaler `external-push`: a gRPC server of one's own, which also tells by itself when there is work. */
  static externalPush(props: ExternalTrigger): Trigger {
    return externalTrigger('external-push', props);
  }

  /** Scaler `nats-jetstream`. */
  static natsJetstream(props: NatsJetstreamTrigger): Trigger {
    const { account, ...rest } = props;
    const { natsServerMonitoringEndpoint: endpoint } = rest;
    if (typeof endpoint === 'string' && endpoint.includes('://')) {
      throw new Error(
        `nats-jetstream trigger, natsServerMonitoringEndpoint ${JSON.stringify(endpoint)}: must be host:port without a scheme; set useHttps for HTTPS.`,
      );
    }
    return Trigger.of('nats-jetstream', {
      ...rest,
      ...(account === undefined ? {} : 'id' in account ? { accountID: account.id } : { account: account.name }),
    });
  }
}

function resourceTrigger<A extends Cores | ByteSize>(
  type: 'cpu' | 'memory',
  props: ResourceTrigger<A>,
  amountText: (prop: string, amount: A) => string,
): Trigger {
  if ('utilizationPercent' in props) {
    requireWholeNumber(`${type} trigger, utilizationPercent`, props.utilizationPercent);
  }
  return Trigger.custom({
    type,
    name: props.name,
    metricType: 'utilizationPercent' in props ? 'Utilization' : 'AverageValue',
    metadata: {
      value:
        'utilizationPercent' in props
          ? String(props.utilizationPercent)
          : amountText(`${type} trigger, averageValue`, props.averageValue),
      ...(props.container === undefined ? {} : { containerName: props.container }),
    },
  });
}

function rabbitmqMode(measure: RabbitmqMeasure): readonly [mode: string, value: number] {
  if ('queueLength' in measure) {
    return ['QueueLength', measure.queueLength];
  }
  if ('messagesPerSecond' in measure) {
    return ['MessageRate', measure.messagesPerSecond];
  }
  if ('deliveriesPerSecond' in measure) {
    return ['DeliverGetRate', measure.deliveriesPerSecond];
  }
  if ('publishedPerDelivered' in measure) {
    return ['PublishedToDeliveredRatio', measure.publishedPerDelivered];
  }
  return ['ExpectedQueueConsumptionTime', secondsOf('timeToEmpty', measure.timeToEmpty)];
}

function externalTrigger(type: 'external' | 'external-push', props: ExternalTrigger): Trigger {
  const { parameters, ...rest } = props;
  const told = Object.entries(parameters ?? {}).map(([key, value]) =>
    value instanceof EnvironmentVariable ? ([`${key}FromEnv`, value.variable] as const) : ([key, value] as const),
  );
  return Trigger.of(type, { ...rest, moreMetadata: { ...Object.fromEntries(told), ...props.moreMetadata } });
}
