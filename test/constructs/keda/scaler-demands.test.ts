/**
 * KE20: what single scalers demand of several parameters together, scaler by scaler.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { findingsOf } from '../../support/findings';

type Texts = Readonly<Record<string, string>>;

const METADATA = { name: 'a', namespace: 'ai' };

/** What is said of a trigger with these parameters, some of which a TriggerAuthentication provides. */
function said(type: string, metadata: Texts, provided: readonly string[] = []): readonly string[] {
  const secretTargetRef = provided.map((parameter) => ({ parameter, name: 'secret', key: parameter }));
  const objects: readonly JsonObject[] = [
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: METADATA,
      spec: {
        scaleTargetRef: { name: 'server' },
        triggers: [{ type, metadata: { ...metadata }, authenticationRef: { name: 'a' } }],
      },
    },
    { apiVersion: 'keda.sh/v1alpha1', kind: 'TriggerAuthentication', metadata: METADATA, spec: { secretTargetRef } },
  ];
  return findingsOf(objects.map((object) => JSON.stringify(object)).join('\n---\n'), kedaRules)
    .filter(({ rule }) => rule === 'keda/parameters-agree')
    .map(({ message }) => message.replace(`${type}: `, ''));
}

describe('one parameter instead of several', () => {
  const CHOICES: readonly (readonly [type: string, whole: string, ...parts: readonly string[]])[] = [
    ['activemq', 'restAPITemplate', 'managementEndpoint', 'destinationName', 'brokerName'],
    ['artemis-queue', 'restApiTemplate', 'managementEndpoint', 'queueName', 'brokerName', 'brokerAddress'],
    ['aws-cloudwatch', 'expression', 'namespace', 'metricName', 'dimensionName', 'dimensionValue'],
    ['couchdb', 'connectionString', 'host', 'port', 'username', 'password', 'dbName'],
    ['dynatrace', 'query', 'metricSelector'],
    ['elasticsearch', 'searchTemplateName', 'query'],
    ['gcp-pubsub', 'topicName', 'subscriptionName'],
    ['mongodb', 'connectionString', 'host', 'username', 'password'],
    ['mssql', 'connectionString', 'host'],
    ['opensearch', 'searchTemplateName', 'query'],
    ['postgresql', 'connection', 'host', 'port', 'userName', 'dbName', 'sslmode'],
    ['azure-servicebus', 'queueName', 'topicName', 'subscriptionName'],
  ];
  const missing = (messages: readonly string[]): readonly string[] =>
    messages.filter((message) => / or .* must be set$/.test(message));

  test.each(CHOICES)('%s: %s is enough', (type, whole) => {
    expect(missing(said(type, {}, [whole]))).toEqual([]);
  });

  test.each(CHOICES)('%s: without %s, all of the others are needed', (type, whole, ...parts) => {
    expect(missing(said(type, {}, parts))).toEqual([]);
    for (const part of parts) {
      const others = parts.filter((other) => other !== part);
      expect([part, ...missing(said(type, {}, others))]).toEqual([
        part,
        expect.stringMatching(`^${whole},? or .*${part}`),
      ]);
    }
  });

  test.each([
    ['dynatrace', 'query', 'metricSelector'],
    ['elasticsearch', 'searchTemplateName', 'query'],
    ['gcp-pubsub', 'subscriptionName', 'topicName'],
    ['opensearch', 'searchTemplateName', 'query'],
    ['azure-servicebus', 'queueName', 'topicName'],
  ])('%s: %s and %s exclude each other', (type, one, other) => {
    const together = `${one} and ${other} must not be set together`;
    expect(said(type, { [one]: 'a', [other]: 'b' })).toContain(together);
    expect(said(type, { [one]: 'a' })).not.toContain(together);
  });
});

test.each([
  ['bearer', ['bearerToken']],
  ['basic', ['username']],
  ['tls', ['cert', 'key']],
  ['oauth', ['oauthTokenURI', 'clientID']],
  ['custom', ['customAuthHeader', 'customAuthValue']],
  ['apiKey', ['apiKey']],
])('the mode %s needs its parameters', (mode, parameters) => {
  const metadata = { serverAddress: 'http://p', query: 'sum(a)', threshold: '1', authModes: mode };
  const needs = (provided: readonly string[]): readonly string[] => said('prometheus', metadata, provided);
  expect(needs(parameters)).toEqual([]);
  for (const parameter of parameters) {
    const others = parameters.filter((other) => other !== parameter);
    expect(needs(others)).toEqual([expect.stringMatching(`^the authentication mode "${mode}" requires ${parameter}`)]);
  }
});

describe('values of a parameter', () => {
  /** Of each parameter, values that are taken and values that are not, beside what else the scaler needs. */
  const VALUES: readonly (readonly [
    type: string,
    parameter: string,
    values: { readonly taken: readonly string[]; readonly refused: readonly string[]; readonly beside?: Texts },
  ])[] = [
    ['apache-kafka', 'lagThreshold', { taken: ['1'], refused: ['0'] }],
    ['apache-kafka', 'activationLagThreshold', { taken: ['0', '1'], refused: ['-1'] }],
    ['kafka', 'lagThreshold', { taken: ['1'], refused: ['0', '-1'] }],
    ['kafka', 'activationLagThreshold', { taken: ['0', '1'], refused: ['-1'] }],
    ['kafka', 'version', { taken: ['0.10.2.0', '2.5.0'], refused: ['2.5', '0.10.2', 'v2.5.0'] }],
    ['kafka', 'partitionLimitation', { taken: ['1', '1,2,10-12', ' 1 , 2 - 3 '], refused: ['a', '1,b', '1-'] }],
    ['etcd', 'watchProgressNotifyInterval', { taken: ['1'], refused: ['0', '-1'] }],
    [
      'activemq',
      'restAPITemplate',
      {
        taken: [
          'http://{{.ManagementEndpoint}}/api/jolokia/read/org.apache.activemq:type=Broker,brokerName=b,destinationName=d/Q',
        ],
        refused: ['broker', 'a:1', 'http://h/q', 'http://h/r:brokerName=b', 'http://h/r:brokerName=,destinationName=d'],
      },
    ],
    [
      'artemis-queue',
      'restApiTemplate',
      {
        taken: ['http://h/read/org.apache:broker="b",address="a",queue="q"/MessageCount'],
        refused: ['1', 'localhost:8443', 'http://h/read/org.apache:broker="b",address="a"/MessageCount'],
      },
    ],
    [
      'mssql',
      'host',
      {
        taken: ['db', 'db.example.com:1433', '10.0.0.1', '[::1]:1433'],
        refused: ['http://db', 'db/x', 'a b', 'db:port'],
      },
    ],
    [
      'kubernetes-workload',
      'podSelector',
      { taken: ['app=worker', 'app in (a, b)'], refused: ['a:1', 'app=worker pod=x'] },
    ],
    ['azure-monitor', 'tenantId', { taken: ['a.onmicrosoft.com', '72f988bf-86f1'], refused: ['://x', 'a_b'] }],
    ['datadog', 'age', { taken: ['0', '90'], refused: ['-1'] }],
    ['datadog', 'timeWindowOffset', { taken: ['0'], refused: ['-1'] }],
    ['datadog', 'lastAvailablePointOffset', { taken: ['0'], refused: ['-1'] }],
    ['datadog', 'queryValue', { taken: ['1', '-2', '-1.5'], refused: ['-1', '-1.0', '-1e0'] }],
    ['datadog', 'targetValue', { taken: ['1', '-2'], refused: ['-1'], beside: { queryValue: '5' } }],
    ['datadog', 'queryValue', { taken: ['-1'], refused: [], beside: { targetValue: '5' } }],
    ['datadog', 'type', { taken: ['global', 'Average'], refused: ['sum'] }],
    ['datadog', 'query', { taken: ['avg:a{b}', 'avg:a{*}.rollup(60)'], refused: ['avg:a'] }],
    ['liiklus', 'groupVersion', { taken: ['0', '1'], refused: ['-1'] }],
    ['nsq', 'depthThreshold', { taken: ['1'], refused: ['0'] }],
    ['nsq', 'activationDepthThreshold', { taken: ['0'], refused: ['-1'] }],
    ['temporal', 'targetQueueSize', { taken: ['0'], refused: ['-1'] }],
    ['temporal', 'activationTargetQueueSize', { taken: ['0'], refused: ['-1'] }],
    ['azure-monitor', 'resourceURI', { taken: ['a/b/c'], refused: ['a/b', 'a/b/c/d'] }],
    [
      'azure-monitor',
      'metricAggregationType',
      { taken: ['Average', 'Count', 'Maximum', 'Minimum', 'None', 'Total'], refused: ['average', 'Sum'] },
    ],
    ['azure-monitor', 'metricAggregationInterval', { taken: ['0:5:0'], refused: ['0:5', '5'] }],
    [
      'azure-monitor',
      'cloud',
      { taken: ['AzurePublicCloud', 'azureusgovernmentcloud', 'AzureChinaCloud'], refused: ['AWS'] },
    ],
    ['azure-app-insights', 'metricAggregationTimespan', { taken: ['0:5'], refused: ['5', '0:5:0'] }],
    [
      'azure-pipelines',
      'organizationURL',
      { taken: ['https://dev.azure.com/a'], refused: ['https://dev.azure.com/a/'] },
    ],
    [
      'aws-cloudwatch',
      'metricStatPeriod',
      { taken: ['1', '5', '10', '30', '60', '300'], refused: ['2', '6', '31', '90'] },
    ],
    ['aws-cloudwatch', 'metricCollectionTime', { taken: ['300', '600', '0'], refused: ['301', '-300', '59'] }],
    [
      'aws-cloudwatch',
      'metricUnit',
      {
        taken: [
          ...['Seconds', 'Microseconds', 'Milliseconds', 'Bytes', 'Kilobytes', 'Megabytes', 'Gigabytes', 'Terabytes'],
          ...['Bits', 'Kilobits', 'Megabits', 'Gigabits', 'Terabits', 'Percent', 'Count', 'None'],
          ...['Bytes/Second', 'Kilobytes/Second', 'Megabytes/Second', 'Gigabytes/Second', 'Terabytes/Second'],
          ...[
            'Bits/Second',
            'Kilobits/Second',
            'Megabits/Second',
            'Gigabits/Second',
            'Terabits/Second',
            'Count/Second',
          ],
        ],
        refused: ['count', 'Percent/Second', 'Seconds/Second'],
      },
    ],
    ['aws-cloudwatch', 'dimensionValue', { taken: ['a', 'a;b', ''], refused: [] }],
    ['aws-cloudwatch', 'dimensionValue', { taken: ['a;b'], refused: ['a', 'a;b;c'], beside: { dimensionName: 'x;y' } }],
    [
      'postgresql',
      'sslmode',
      { taken: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'], refused: ['on', 'Require'] },
    ],
    ['postgresql', 'port', { taken: ['1', '5432', '65535'], refused: ['0', '65536', 'a', '-1'] }],
    ['rabbitmq', 'protocol', { taken: ['amqp', 'http', 'auto'], refused: ['amqps'] }],
    ['rabbitmq', 'pageSize', { taken: ['1'], refused: ['0', '-1'] }],
    ['rabbitmq', 'mode', { taken: ['QueueLength'], refused: ['queueLength'], beside: { value: '1' } }],
    [
      'rabbitmq',
      'mode',
      {
        taken: ['MessageRate', 'DeliverGetRate', 'PublishedToDeliveredRatio', 'ExpectedQueueConsumptionTime'],
        refused: ['Rate'],
        beside: { value: '1', host: 'https://rabbit' },
      },
    ],
    [
      'rabbitmq',
      'host',
      { taken: ['amqp://a', 'AMQPS://a', 'http://a', 'https://a'], refused: ['tcp://a', 'rabbit', '1amqp://a'] },
    ],
  ];
  /** Findings that name the parameter or its value. */
  const about = (type: string, parameter: string, value: string, beside: Texts): readonly string[] =>
    said(type, { ...beside, [parameter]: value }).filter(
      (message) => message.startsWith(`${parameter} must `) || message.startsWith('unsupported '),
    );

  test.each(VALUES)('%s: %s', (type, parameter, { taken, refused, beside = {} }) => {
    expect(taken.filter((value) => about(type, parameter, value, beside).length > 0)).toEqual([]);
    expect(refused.filter((value) => about(type, parameter, value, beside).length === 0)).toEqual([]);
  });
});

describe('parameters together', () => {
  test.each<[string, Texts, string]>([
    ['azure-pipelines', { jobsToFetch: '10', parent: 'a' }, 'parent must not be set when jobsToFetch is set'],
    ['kafka', { ensureEvenDistributionOfPartitions: 'true' }, 'topic must be set'],
    [
      'kafka',
      { topic: 't', ensureEvenDistributionOfPartitions: 'true', limitToPartitionsWithLag: 'true' },
      'ensureEvenDistributionOfPartitions must not be set when limitToPartitionsWithLag is set',
    ],
    ['azure-app-insights', { cloud: 'Private', appInsightsResourceURL: 'u' }, 'activeDirectoryEndpoint must be set'],
    ['mssql', { host: 'a:1', port: '1433' }, 'host must be a host name without a port when port is set, but is "a:1"'],
    [
      'azure-pipelines',
      { jobsToFetch: '10', fetchUnfinishedJobsOnly: 'true' },
      'fetchUnfinishedJobsOnly must not be set when jobsToFetch is set',
    ],
    ['azure-pipelines', { poolID: '0' }, 'poolName or poolID must be set'],
    ['azure-monitor', { cloud: 'Private' }, 'azureResourceManagerEndpoint must be set'],
    ['azure-app-insights', { cloud: 'Private' }, 'appInsightsResourceURL must be set'],
    ['azure-monitor', {}, 'activeDirectoryClientId must be set'],
    ['azure-monitor', {}, 'activeDirectoryClientPassword must be set'],
    ['datadog', {}, 'appKey must be set'],
    ['datadog', { query: 'avg:a{b}' }, 'queryValue must be set'],
    ['datadog', { useClusterAgentProxy: 'true' }, 'datadogMetricsService must be set'],
    ['datadog', { authMode: 'basic' }, 'authMode must be bearer, but is "basic"'],
    ['kubernetes-resource', { valueLocation: 'a' }, 'valueLocation must not be set when format is number'],
    ['kubernetes-resource', { format: 'json' }, 'valueLocation must be set when format is json'],
    ['kubernetes-resource', { format: 'yaml' }, 'valueLocation must be set when format is yaml'],
    ['temporal', { workerDeploymentName: 'a' }, 'workerDeploymentBuildId must be set when workerDeploymentName is set'],
    [
      'temporal',
      { workerDeploymentBuildId: 'a' },
      'workerDeploymentName must be set when workerDeploymentBuildId is set',
    ],
    [
      'temporal',
      { workerDeploymentName: 'a', workerDeploymentBuildId: 'b', selectAllActive: 'true' },
      'selectAllActive must not be set when workerDeploymentName is set',
    ],
    [
      'apache-kafka',
      { topic: 't', limitToPartitionsWithLag: 'true', allowIdleConsumers: 'true' },
      'allowIdleConsumers must not be set when limitToPartitionsWithLag is set',
    ],
    ['apache-kafka', { limitToPartitionsWithLag: 'true' }, 'topic must be set'],
    ['apache-kafka', { sasl: 'plaintext' }, 'password must be set'],
    ['apache-kafka', { sasl: 'aws_msk_iam' }, 'awsRegion must be set'],
    ['kafka', { sasl: 'scram_sha512' }, 'username must be set'],
    ['nats-jetstream', {}, 'account or accountID must be set'],
    ['rabbitmq', { queueLength: '5', mode: 'QueueLength' }, 'queueLength must not be set when mode or value is set'],
    ['rabbitmq', { mode: 'QueueLength' }, 'mode requires "value", which is not set'],
    ['rabbitmq', { value: '5' }, '"value" requires mode, which is not set'],
    [
      'rabbitmq',
      { host: 'amqps://a', excludeUnacknowledged: 'true' },
      'excludeUnacknowledged true requires HTTP, but the protocol is AMQP',
    ],
    ['rabbitmq', { protocol: 'amqp', useRegex: 'true' }, 'useRegex true requires HTTP, but the protocol is AMQP'],
    ['rabbitmq', { host: 'amqp://a', timeout: '5' }, 'timeout 5 requires HTTP, but the protocol is AMQP'],
  ])('%s with %j: %s', (type, metadata, message) => {
    expect(said(type, metadata)).toContain(message);
  });

  test.each<[string, Texts, readonly string[]]>([
    ['azure-pipelines', { poolID: '1', organizationURL: 'https://dev.azure.com/a' }, ['personalAccessToken']],
    [
      'azure-monitor',
      { cloud: 'AzurePublicCloud', targetValue: '1' },
      ['activeDirectoryClientId', 'activeDirectoryClientPassword'],
    ],
    ['datadog', { query: 'avg:a{b}', queryValue: '1', authMode: 'bearer' }, ['appKey', 'apiKey']],
    ['kubernetes-resource', { format: 'json', valueLocation: 'a', targetValue: '1' }, []],
    ['temporal', { workerDeploymentName: 'a', workerDeploymentBuildId: 'b' }, []],
    ['apache-kafka', { topic: 't', limitToPartitionsWithLag: 'true', sasl: 'plaintext' }, ['username', 'password']],
    ['kafka', { topic: 't', sasl: 'plaintext' }, ['username', 'password']],
    ['rabbitmq', { host: 'https://a', mode: 'MessageRate', value: '5', useRegex: 'true', timeout: '5' }, []],
    ['rabbitmq', { host: 'amqp://a', queueLength: '5' }, []],
  ])('nothing is said of %s with %j', (type, metadata, provided) => {
    expect(said(type, metadata, provided)).toEqual([]);
  });
});
