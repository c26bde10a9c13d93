/**
 * Every typed trigger renders metadata that pass every rule, whatever of its parameters is given.
 */
import { App, Chart, Duration } from 'cdk8s';
import * as fc from 'fast-check';
import { kedaScalers, type KedaScaler, type KedaScalerParameter } from '../../../src/facts/api/keda-scalers';
import { type JsonObject } from '../../../src/facts/api/schema';
import {
  fromEnv,
  ScaledObject,
  Trigger,
  TriggerAuthentication,
  type TriggerOptions,
  Triggers,
} from '../../../src/constructs/keda';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { manifestsOf } from '../../../src/manifests/constructs';
import { check } from '../../../src/checks/engine';

const OPTIONS = { seed: 20261120 };

/** What generated parameters cannot know: texts with a language of their own, and what excludes each other. */
const MEANT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  prometheus: { query: 'sum(requests)', authModes: undefined, authMode: undefined },
  predictkube: { query: 'sum(requests)', authModes: undefined },
  cron: { timezone: 'Etc/UTC', start: '0 8 * * *', end: '0 18 * * *', desiredReplicas: 2 },
  kafka: {
    allowIdleConsumers: undefined,
    ensureEvenDistributionOfPartitions: undefined,
    limitToPartitionsWithLag: undefined,
    lagThreshold: 5,
    activationLagThreshold: 1,
    version: '2.5.0',
    partitionLimitation: undefined,
    sasl: undefined,
  },
  rabbitmq: {
    host: 'amqp://rabbit',
    protocol: 'amqp',
    mode: 'QueueLength',
    value: 5,
    queueLength: undefined,
    timeout: undefined,
    useRegex: false,
    excludeUnacknowledged: false,
    pageSize: 10,
  },
  activemq: {
    restAPITemplate: 'http://broker/api/jolokia/read/org.apache.activemq:brokerName=b,destinationName=d/QueueSize',
  },
  'kubernetes-workload': { value: 3, podSelector: 'app in (a, b)' },
  'aws-cloudwatch': {
    expression: 'SELECT AVG(depth)',
    metricStatPeriod: Duration.minutes(5),
    metricCollectionTime: Duration.minutes(10),
    metricUnit: undefined,
  },
  'apache-kafka': {
    topic: ['jobs'],
    allowIdleConsumers: undefined,
    limitToPartitionsWithLag: undefined,
    lagThreshold: 5,
    activationLagThreshold: 1,
    sasl: undefined,
  },
  'artemis-queue': {
    managementEndpoint: 'artemis:8161',
    queueName: 'jobs',
    brokerName: 'broker',
    brokerAddress: 'jobs',
    restApiTemplate: undefined,
  },
  'azure-app-insights': {
    metricAggregationTimespan: Duration.minutes(5),
    cloud: undefined,
    activeDirectoryClientId: 'id',
    activeDirectoryClientPassword: fromEnv('VALUE'),
  },
  'azure-monitor': {
    resourceURI: 'Microsoft.Compute/virtualMachines/vm',
    metricAggregationType: 'Average',
    metricAggregationInterval: Duration.minutes(5),
    cloud: undefined,
    activeDirectoryClientId: 'id',
    activeDirectoryClientPassword: fromEnv('VALUE'),
  },
  'azure-pipelines': {
    organizationURL: 'https://dev.azure.com/example',
    poolName: 'pool',
    jobsToFetch: undefined,
    personalAccessToken: fromEnv('VALUE'),
  },
  datadog: {
    useClusterAgentProxy: undefined,
    query: 'avg:depth{app:jobs}',
    queryValue: 5,
    type: 'average',
    authMode: undefined,
  },
  'kubernetes-resource': { format: 'json', valueLocation: 'x', targetValue: 5 },
  temporal: { workerDeploymentName: undefined, workerDeploymentBuildId: undefined },
  'azure-servicebus': { queueName: 'jobs', topicName: undefined, subscriptionName: undefined },
  dynatrace: { metricSelector: 'depth', query: undefined },
  elasticsearch: { query: '{}', searchTemplateName: undefined },
  opensearch: { query: '{}', searchTemplateName: undefined },
  'gcp-pubsub': { subscriptionName: 'jobs', topicName: undefined },
  ...Object.fromEntries(
    ['redis', 'redis-cluster', 'redis-sentinel']
      .flatMap((type) => [type, `${type}-streams`])
      .map((type) => [type, { address: ['redis:6379'], enableTLS: 'true', host: undefined, port: undefined }]),
  ),
};

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);

function valueOf(parameter: KedaScalerParameter): fc.Arbitrary<unknown> {
  const { name, value, time, allowedValues, exclusiveValues, fromMetadata, fromEnv: byVariable } = parameter;
  if (!fromMetadata) {
    return byVariable ? fc.constant(fromEnv('VALUE')) : fc.constant(undefined);
  }
  if (name === 'identityOwner') {
    return fc.constantFrom('pod', 'operator');
  }
  if (exclusiveValues !== undefined) {
    return fc.constant(undefined);
  }
  if (allowedValues !== undefined) {
    return value === 'texts' ? fc.subarray([...allowedValues], { minLength: 1 }) : fc.constantFrom(...allowedValues);
  }
  const plain: Readonly<Record<typeof value, fc.Arbitrary<unknown>>> = {
    text: word,
    integer: fc.integer({ min: 1, max: 1e9 }),
    number: fc.double({ min: 1e-3, max: 1e12, noNaN: true }),
    boolean: fc.boolean(),
    duration: fc.constantFrom(Duration.seconds(30), Duration.minutes(5), Duration.millis(500), Duration.hours(1.5)),
    texts: fc.array(word, { minLength: 1, maxLength: 3 }),
    integers: fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 3 }),
    map: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2 }),
    query: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2 }),
  };
  const stated = time === undefined ? plain[value] : fc.constantFrom(Duration.minutes(1), Duration.hours(2));
  return byVariable ? fc.oneof(stated, fc.constant(fromEnv('VALUE'))) : stated;
}

function propsOf({ type, parameters }: KedaScaler): fc.Arbitrary<TriggerOptions> {
  const shown = parameters.filter(
    ({ name, deprecated, fromMetadata, fromEnv: byVariable }) =>
      deprecated !== 'removed' && !name.includes('.') && (fromMetadata || byVariable),
  );
  const isRequired = ({ target, optional, default: standard }: KedaScalerParameter): boolean =>
    target === true || (!optional && standard === undefined);
  const propertyOf = ({ name, property = name }: KedaScalerParameter): string => property;
  const required = shown.filter(isRequired).map(propertyOf);
  const values = fc.record(Object.fromEntries(shown.map((parameter) => [propertyOf(parameter), valueOf(parameter)])), {
    requiredKeys: required,
  });
  return values.map((given) => {
    const props: Record<string, unknown> = { ...given, ...MEANT[type] };
    if ('awsAccessKeyID' in props) {
      props.awsSecretAccessKey = fromEnv('VALUE');
    }
    return props;
  });
}

/** All but those that HorizontalPodAutoscalers read: they have metric types of their own. */
const scalers = kedaScalers().filter(({ type }) => type !== 'cpu' && type !== 'memory');

test.each(scalers.map((scaler) => [scaler.type, scaler] as const))('%s passes every rule', (type, scaler) => {
  fc.assert(
    fc.property(propsOf(scaler), (props) => {
      const chart = new Chart(new App(), 'test', { namespace: 'serving' });
      const secrets = everySecret(scaler);
      const authentication = secrets && new TriggerAuthentication(chart, 'secrets', { secrets });
      new ScaledObject(chart, 'scaled', {
        target: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'elsewhere' },
        triggers: [Trigger.of(type, { ...props, authentication })],
      });
      const { findings } = check(manifestsOf(chart), { rules: kedaRules });
      expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    }),
    { ...OPTIONS, numRuns: 6 },
  );
});

function everySecret({ parameters }: KedaScaler): Record<string, { name: string; key: string }> | undefined {
  const names = parameters.filter(({ fromAuthentication }) => fromAuthentication).map(({ name }) => name);
  return names.length === 0
    ? undefined
    : Object.fromEntries(names.map((name) => [name, { name: 'secret', key: 'key' }]));
}

test('there is a function for every scaler', () => {
  const camel = (type: string): string => type.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const functions = Triggers as unknown as Readonly<Record<string, unknown>>;
  expect(
    kedaScalers()
      .map(({ type }) => camel(type))
      .filter((name) => typeof functions[name] !== 'function'),
  ).toEqual([]);
});

function metadataOf(trigger: Trigger): JsonObject {
  return trigger.toSpec().metadata;
}

test('values are written as KEDA reads them', () => {
  expect(
    metadataOf(
      Triggers.apacheKafka({
        bootstrapServers: ['a:9092', 'b:9092'],
        consumerGroup: fromEnv('GROUP'),
        topic: ['t'],
        lagThreshold: 5,
        allowIdleConsumers: true,
        partitionLimitation: [1, '4-6'],
      }),
    ),
  ).toEqual({
    bootstrapServers: 'a:9092,b:9092',
    consumerGroupFromEnv: 'GROUP',
    topic: 't',
    lagThreshold: '5',
    allowIdleConsumers: 'true',
    partitionLimitation: '1,4-6',
  });
  expect(
    metadataOf(
      Triggers.awsCloudwatch({
        awsRegion: 'eu-west-1',
        dimensionName: ['QueueName', 'Other'],
        dimensionValue: ['jobs', 'x'],
        namespace: 'AWS/SQS',
        metricName: 'Depth',
        targetMetricValue: 0.5,
        minMetricValue: 0,
      }),
    ),
  ).toMatchObject({ dimensionName: 'QueueName;Other', targetMetricValue: '0.5' });
});

test.each<[string, Trigger, JsonObject]>([
  [
    'seconds',
    Triggers.solarwinds({
      host: 'h',
      filter: 'f',
      aggregation: 'SUM',
      metricName: 'm',
      targetValue: 1,
      activationValue: 1,
      interval: Duration.minutes(2),
      authentication: TriggerAuthentication.fromName('solarwinds'),
    }),
    { intervalS: '120' },
  ],
  [
    'seconds in a text',
    Triggers.huaweiCloudeye({
      dimensionName: 'd',
      dimensionValue: 'v',
      metricName: 'm',
      namespace: 'n',
      targetMetricValue: 1,
      metricPeriod: Duration.minutes(20),
      authentication: TriggerAuthentication.fromName('cloud'),
    }),
    { metricPeriod: '1200' },
  ],
  [
    'minutes',
    Triggers.gcpStackdriver({
      projectId: 'p',
      filter: 'f',
      filterDuration: Duration.hours(1),
      alignmentPeriod: Duration.minutes(3),
      credentialsFromEnvFile: 'KEY',
    }),
    { filterDuration: '60', alignmentPeriodSeconds: '180' },
  ],
  [
    'hours and minutes',
    Trigger.of('azure-app-insights', {
      metricAggregationTimespan: Duration.minutes(65),
      metricAggregationType: 'avg',
      metricId: 'm',
      targetValue: 1,
      authentication: TriggerAuthentication.fromName('azure'),
    }),
    { metricAggregationTimespan: '01:05' },
  ],
  [
    'hours, minutes, and seconds',
    Trigger.of('azure-monitor', {
      metricAggregationInterval: Duration.seconds(90),
      metricAggregationType: 'Average',
      metricName: 'm',
      resourceGroupName: 'r',
      resourceURI: 'u/v/w',
      subscriptionId: 's',
      targetValue: 1,
      tenantId: 't',
      authentication: TriggerAuthentication.fromName('azure'),
    }),
    { metricAggregationInterval: '00:01:30' },
  ],
  [
    'a duration of Go',
    Trigger.of('predictkube', {
      historyTimeWindow: Duration.days(7),
      predictHorizon: Duration.hours(2),
      queryStep: Duration.minutes(2),
      prometheusAddress: 'http://p',
      query: 'sum(x)',
      threshold: 1,
      authentication: TriggerAuthentication.fromName('predictkube'),
    }),
    { historyTimeWindow: '168h', predictHorizon: '2h', queryStep: '2m' },
  ],
])('a time is written in %s', (_, trigger, metadata) => {
  expect(metadataOf(trigger)).toMatchObject(metadata);
});

test('finished ones know what belongs together', () => {
  expect(Triggers.cpu({ utilizationPercent: 60, container: 'server' }).toSpec()).toMatchObject({
    type: 'cpu',
    metricType: 'Utilization',
    metadata: { value: '60', containerName: 'server' },
  });
  expect(Triggers.memory({ averageValue: '2Gi' }).toSpec()).toMatchObject({
    metricType: 'AverageValue',
    metadata: { value: '2Gi' },
  });
  expect(
    metadataOf(Triggers.cron({ timezone: 'Europe/Berlin', start: '0 8 * * *', end: '0 18 * * *', desiredReplicas: 3 })),
  ).toEqual({
    timezone: 'Europe/Berlin',
    start: '0 8 * * *',
    end: '0 18 * * *',
    desiredReplicas: '3',
  });
  expect(
    metadataOf(Triggers.rabbitmq({ queueName: 'jobs', host: 'http://r', measure: { messagesPerSecond: 100 } })),
  ).toEqual({
    queueName: 'jobs',
    host: 'http://r',
    mode: 'MessageRate',
    value: '100',
  });
  expect(
    metadataOf(Triggers.kafka({ bootstrapServers: ['k:9092'], consumerGroup: 'g', partitions: [1, '3-5'] })),
  ).toMatchObject({ partitionLimitation: '1,3-5' });
  expect(metadataOf(Triggers.kubernetesWorkload({ pods: { app: 'front' }, value: 2 }))).toEqual({
    podSelector: 'app=front',
    value: '2',
  });
  expect(
    metadataOf(
      Triggers.prometheus({
        serverAddress: 'http://p',
        query: 'sum(x)',
        threshold: 5,
        whenEmpty: 'failure',
        tenantNamespace: 'a',
      }),
    ),
  ).toMatchObject({
    ignoreNullValues: 'false',
    namespace: 'a',
  });
  expect(
    metadataOf(Triggers.externalPush({ scalerAddress: 'a:1', parameters: { depth: '3', token: fromEnv('TOKEN') } })),
  ).toEqual({
    scalerAddress: 'a:1',
    depth: '3',
    tokenFromEnv: 'TOKEN',
  });
  expect(
    metadataOf(
      Triggers.natsJetstream({
        natsServerMonitoringEndpoint: 'nats:8222',
        account: { name: '$G' },
        stream: 's',
        consumer: 'c',
      }),
    ),
  ).toMatchObject({ account: '$G' });
  expect(metadataOf(Triggers.redis({ address: ['redis:6379'], listName: 'jobs', enableTLS: true }))).toEqual({
    address: 'redis:6379',
    listName: 'jobs',
    enableTLS: 'true',
  });
});

test.each<[string, () => unknown, string]>([
  [
    'a parameter that is not given',
    () => Triggers.rabbitmq({ queueName: 'q', measure: { queueLength: 1 } }),
    'host is required',
  ],
  [
    'an item with the separator in it',
    () => Triggers.apacheKafka({ bootstrapServers: ['a,b'], consumerGroup: 'g' }),
    'expected items without ",", which separates them',
  ],
  [
    'a fraction of a message',
    () => Triggers.kafka({ bootstrapServers: ['a'], consumerGroup: 'g', lagThreshold: 0.5 }),
    'lagThreshold 0.5: expected a whole number',
  ],
  [
    'an empty text',
    () => Triggers.kafka({ bootstrapServers: ['a'], consumerGroup: '' }),
    'expected a non-empty string',
  ],
  [
    'a schedule of a word',
    () => Triggers.cron({ timezone: 'Etc/UTC', start: '@daily', end: '0 1 * * *', desiredReplicas: 1 }),
    'have five fields',
  ],
  [
    'an unknown time zone',
    () => Triggers.cron({ timezone: 'Middle/Earth', start: '0 1 * * *', end: '0 2 * * *', desiredReplicas: 1 }),
    'IANA',
  ],
  [
    'an end at the start',
    () => Triggers.cron({ timezone: 'Etc/UTC', start: '0 1 * * *', end: '0 1 * * *', desiredReplicas: 1 }),
    'start and end must differ',
  ],
  [
    'a rate over AMQP',
    () => Triggers.rabbitmq({ queueName: 'q', host: 'amqp://r', measure: { messagesPerSecond: 1 } }),
    'requires HTTP',
  ],
  ['redis nowhere', () => Triggers.redis({ listName: 'jobs' }), 'the address is required'],
  [
    'a scheme of NATS',
    () =>
      Triggers.natsJetstream({
        natsServerMonitoringEndpoint: 'http://n:8222',
        account: { id: 'A' },
        stream: 's',
        consumer: 'c',
      }),
    'without a scheme',
  ],
  ['no pods', () => Triggers.kubernetesWorkload({ pods: 'app=front', value: 0 }), 'must be a number greater than 0'],
  ['a scaler that is none', () => Trigger.of('gpu', {}), 'unknown KEDA scaler "gpu"'],
])('%s is refused', (_, make, message) => {
  expect(make).toThrow(message);
});
