/**
 * Parameters that a function of `keda.Triggers` takes under another name or in another form than KEDA's metadata.
 *
 * The functions that are generated take each parameter as it is. Those that are written by hand are listed here.
 */
import { Call, duration, type Expression, type Fields } from '../expression';
import { oneOf } from '../proposal';

/** Texts of a trigger's metadata. */
export type Texts = Readonly<Record<string, string>>;

/** The properties that say a parameter; `undefined` where none does. */
type Rewrite = (text: string, metadata: Texts) => Fields | undefined;

/** The functions that are written by hand, by scaler, each with the parameters that it does not take as they are. */
const REWRITTEN: Readonly<Record<string, Readonly<Record<string, Rewrite>>>> = {
  cron: {},
  prometheus: {
    identityOwner: (text) => said('identityOwner', oneOf(text, 'operator', 'pod')),
    ignoreNullValues: (text) => said('whenEmpty', { true: 'zero', false: 'failure' }[text]),
    namespace: (tenantNamespace) => ({ tenantNamespace }),
  },
  kafka: {
    partitionLimitation: (text) => ({
      partitions: text.split(',').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    }),
  },
  rabbitmq: {
    protocol: (text) => said('protocol', oneOf(text, 'auto', 'amqp', 'http')),
    operation: (text) => said('operation', oneOf(text, 'sum', 'avg', 'max')),
    mode: (mode, { value = '' }) => said('measure', measureOf(mode, Number(value))),
    // Said with the mode.
    value: () => ({}),
    queueLength: notTaken,
  },
  redis: {
    enableTLS: (text) => said('enableTLS', { true: true, false: false }[text]),
    host: notTaken,
    port: notTaken,
    sentinelMaster: notTaken,
    sentinelUsername: notTaken,
    sentinelPassword: notTaken,
  },
  'kubernetes-workload': { podSelector: (pods) => ({ pods: labelsOf(pods) ?? pods }) },
  'nats-jetstream': {
    account: (name) => ({ account: { name } }),
    accountID: (id) => ({ account: { id } }),
  },
};

/** Whether the function of a scaler is written by hand, and takes KEDA's parameters. */
export function isRewritten(type: string): boolean {
  return Object.hasOwn(REWRITTEN, type);
}

/** How a parameter of a scaler is said in another way; `undefined` where the function takes it as it is. */
export function rewriteOf(type: string, parameter: string): Rewrite | undefined {
  const rewrites = Object.hasOwn(REWRITTEN, type) ? REWRITTEN[type] : undefined;
  return rewrites !== undefined && Object.hasOwn(rewrites, parameter) ? rewrites[parameter] : undefined;
}

function notTaken(): undefined {
  return undefined;
}

function said(property: string, value: Expression): Fields | undefined {
  return value === undefined ? undefined : { [property]: value };
}

function measureOf(mode: string, value: number): Fields | undefined {
  switch (mode) {
    case 'QueueLength':
      return { queueLength: value };
    case 'MessageRate':
      return { messagesPerSecond: value };
    case 'DeliverGetRate':
      return { deliveriesPerSecond: value };
    case 'PublishedToDeliveredRatio':
      return { publishedPerDelivered: value };
    case 'ExpectedQueueConsumptionTime':
      return said('timeToEmpty', duration(value));
    default:
      return undefined;
  }
}

/** The labels of a selector that only compares labels with values. */
function labelsOf(selector: string): Fields | undefined {
  const pairs = selector.split(',').map((pair) => /^([^=!\s]+)=([^=!\s]+)$/.exec(pair));
  const labels = pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? ''] as const]));
  return labels.length < pairs.length ? undefined : Object.fromEntries(labels);
}

/** The share or the amount that `cpu` and `memory` keep pods at. */
export function resourceProps({ value = '', containerName, ...rest }: Texts, metricType: unknown): Fields | undefined {
  if (Object.keys(rest).length > 0) {
    return undefined;
  }
  const container = containerName === undefined ? {} : { container: containerName };
  switch (metricType) {
    case 'Utilization':
      return { utilizationPercent: Number(value), ...container };
    case 'AverageValue':
      return { averageValue: value, ...container };
    default:
      return undefined;
  }
}

/** What `external` and `external-push` pass to the server. */
export function serverParameters(metadata: Texts): Fields {
  const entries = Object.entries(metadata).map(([key, text]): readonly [string, Expression] => {
    const [, name] = /^(.+)FromEnv$/.exec(key) ?? [];
    return name === undefined ? [key, text] : [name, new Call('keda.fromEnv', [text])];
  });
  const parameters: Fields = Object.fromEntries(entries);
  return entries.length === 0 ? {} : { parameters };
}
