/**
 * What the validating code of single scalers demands of their parameters, beyond the types of the values.
 *
 * Source: keda, pkg/scalers: Validate of each scaler, and what its builder checks after it.
 */
import { selectorTextComplaint } from '../../../checks/server/selector-text';
import { oneOf } from '../../../facts/words';
import { type Complaint, type Demand, type Given } from './given-parameters';

const AZURE_CLOUDS = ['AZUREPUBLICCLOUD', 'AZUREUSGOVERNMENTCLOUD', 'AZURECHINACLOUD', 'PRIVATE'];
const AGGREGATIONS = ['Average', 'Count', 'Maximum', 'Minimum', 'None', 'Total'];
const CLOUDWATCH_UNITS: ReadonlySet<string> = new Set(
  ['', '/Second'].flatMap((rate) => [
    ...['Bytes', 'Kilobytes', 'Megabytes', 'Gigabytes', 'Terabytes'].map((unit) => `${unit}${rate}`),
    ...['Bits', 'Kilobits', 'Megabits', 'Gigabits', 'Terabits', 'Count'].map((unit) => `${unit}${rate}`),
    ...(rate === '' ? ['Seconds', 'Microseconds', 'Milliseconds', 'Percent', 'None'] : []),
  ]),
);
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
/** Scalers whose numbers must be above zero, or at least zero. */
const BOUNDS: ReadonlyMap<string, { readonly positive?: readonly string[]; readonly notNegative?: readonly string[] }> =
  new Map([
    ['apache-kafka', { positive: ['lagThreshold'], notNegative: ['activationLagThreshold'] }],
    ['datadog', { notNegative: ['age', 'timeWindowOffset', 'lastAvailablePointOffset'] }],
    ['etcd', { positive: ['watchProgressNotifyInterval'] }],
    ['liiklus', { notNegative: ['groupVersion'] }],
    ['nsq', { positive: ['depthThreshold'], notNegative: ['activationDepthThreshold'] }],
    ['temporal', { notNegative: ['targetQueueSize', 'activationTargetQueueSize'] }],
  ]);

/** The numbers of a scaler that must not be zero or below. */
export function* bounds(type: string, { text }: Given): Iterable<Complaint> {
  const { positive = [], notNegative = [] } = BOUNDS.get(type) ?? {};
  for (const key of [...positive, ...notNegative]) {
    const least = positive.includes(key) ? 1 : 0;
    if (text(key) !== '' && Number(text(key)) < least) {
      yield {
        key,
        message: `${key} must be greater than or equal to ${least}, but is ${text(key)}`,
        fix: `Set ${key} to at least ${least}.`,
      };
    }
  }
}

function needed(key: string): Complaint {
  return { message: `${key} must be set`, fix: `Set ${key}, or provide it with a TriggerAuthentication.` };
}

function hasBraces(text: string): boolean {
  const open = text.indexOf('{');
  return open >= 0 && text.lastIndexOf('}') > open;
}

function format(key: string, text: string, expected: string): Complaint {
  const isForm = /^\w+[/:]\w+[/:\w]*$/.test(expected);
  return {
    key,
    message: `${key} must ${isForm ? 'have the form' : 'be'} ${expected}, but is ${JSON.stringify(text)}`,
    fix: `Set ${key} to ${isForm ? 'a value of the form ' : ''}${expected}.`,
  };
}

function together(one: string, other: string): Complaint {
  return {
    key: one,
    message: `${one} must not be set when ${other} is set`,
    fix: `Remove ${one} or ${other}.`,
  };
}

function* cloud({ text, lacks }: Given, ...own: readonly string[]): Iterable<Complaint> {
  const name = text('cloud');
  if (name !== '' && !AZURE_CLOUDS.includes(name.toUpperCase())) {
    yield format('cloud', name, 'AzurePublicCloud, AzureUSGovernmentCloud, AzureChinaCloud, or Private');
  } else if (name.toUpperCase() === 'PRIVATE') {
    yield* own.filter((key) => lacks(key)).map(needed);
  }
}

function* azureCredentials({ text, lacks, isIdentified }: Given): Iterable<Complaint> {
  if (!isIdentified && /[^\w.-]|_/.test(text('tenantId'))) {
    yield format('tenantId', text('tenantId'), 'a tenant ID or a domain name');
  }
  for (const key of isIdentified ? [] : ['activeDirectoryClientId', 'activeDirectoryClientPassword']) {
    if (lacks(key)) {
      yield needed(key);
    }
  }
}

function* azureMonitor(given: Given): Iterable<Complaint> {
  const { text } = given;
  if (text('resourceURI') !== '' && text('resourceURI').split('/').length !== 3) {
    yield format('resourceURI', text('resourceURI'), 'namespace/resource_type/resource_name');
  }
  if (text('metricAggregationType') !== '' && !AGGREGATIONS.includes(text('metricAggregationType'))) {
    yield format('metricAggregationType', text('metricAggregationType'), oneOf(AGGREGATIONS));
  }
  if (text('metricAggregationInterval') !== '' && text('metricAggregationInterval').split(':').length !== 3) {
    yield format('metricAggregationInterval', text('metricAggregationInterval'), 'hh:mm:ss');
  }
  yield* cloud(given, 'azureResourceManagerEndpoint');
  yield* azureCredentials(given);
}

function* azureAppInsights(given: Given): Iterable<Complaint> {
  const { text } = given;
  if (text('metricAggregationTimespan') !== '' && text('metricAggregationTimespan').split(':').length !== 2) {
    yield format('metricAggregationTimespan', text('metricAggregationTimespan'), 'hh:mm');
  }
  yield* cloud(given, 'appInsightsResourceURL', 'activeDirectoryEndpoint');
  yield* azureCredentials(given);
}

function* azurePipelines({ text, lacks, isIdentified }: Given): Iterable<Complaint> {
  for (const key of ['fetchUnfinishedJobsOnly', 'parent']) {
    if (text('jobsToFetch') !== '' && text(key) !== '') {
      yield together(key, 'jobsToFetch');
    }
  }
  if (!isIdentified && lacks('personalAccessToken')) {
    yield needed('personalAccessToken');
  }
  if (lacks('poolName') && (lacks('poolID') || text('poolID') === '0')) {
    yield { message: 'poolName or poolID must be set', fix: 'Set poolName or poolID.' };
  }
  if (text('organizationURL').endsWith('/')) {
    yield format('organizationURL', text('organizationURL'), 'a URL that ends with the name of the organization');
  }
}

/** The default of the target of datadog, by which KEDA recognizes that none is set. */
const DATADOG_UNSET = -1;

function* datadog({ text, has, lacks, isTrue, isModified }: Given): Iterable<Complaint> {
  const own = isTrue('useClusterAgentProxy')
    ? ['datadogMetricsService', 'datadogMetricName', 'datadogNamespace', 'datadogMetricNamespace']
    : ['appKey', 'apiKey', 'query'];
  yield* own.filter((key) => lacks(key)).map(needed);
  if (!isModified && !has('targetValue') && !has('queryValue') && lacks('targetValue', 'queryValue')) {
    yield needed('queryValue');
  }
  const target = text('targetValue') === '' ? 'queryValue' : 'targetValue';
  if (!isModified && text(target) !== '' && Number(text(target)) === DATADOG_UNSET) {
    yield {
      key: target,
      message: `${target} must not be ${DATADOG_UNSET}, which KEDA reads as unset`,
      fix: `Set ${target} to the load that one replica can handle.`,
    };
  }
  if (text('type') !== '' && !['global', 'average'].includes(text('type').toLowerCase())) {
    yield format('type', text('type'), 'global or average');
  }
  if (text('query') !== '' && !hasBraces(text('query'))) {
    yield format('query', text('query'), 'a query with a scope, such as avg:metric{scope}');
  }
  if (text('authMode') !== '' && text('authMode') !== 'bearer') {
    yield format('authMode', text('authMode'), 'bearer');
  }
}

function* awsCloudwatch({ text }: Given): Iterable<Complaint> {
  const [period, time] = [text('metricStatPeriod') || '300', text('metricCollectionTime') || '300'].map(Number);
  if (Number.isInteger(period) && !isPeriod(period)) {
    yield format('metricStatPeriod', text('metricStatPeriod'), '1, 5, 10, 30, or a multiple of 60');
  } else if (Number.isInteger(period) && Number.isInteger(time) && (time < 0 || time % period !== 0)) {
    yield format('metricCollectionTime', String(time), `a multiple of metricStatPeriod (${period})`);
  }
  if (text('expression') !== '') {
    return;
  }
  if (text('metricUnit') !== '' && !CLOUDWATCH_UNITS.has(text('metricUnit'))) {
    yield format('metricUnit', text('metricUnit'), 'a CloudWatch unit, such as Count or Bytes/Second');
  }
  const [names, values] = ['dimensionName', 'dimensionValue'].map((key) => text(key));
  if (names !== '' && values !== '' && names.split(';').length !== values.split(';').length) {
    yield format('dimensionValue', values, `one value for each name in dimensionName (${names})`);
  }
}

function isPeriod(seconds: number): boolean {
  return [1, 5, 10, 30].includes(seconds) || (seconds >= 60 && seconds % 60 === 0);
}

function* kubernetesResource({ text, has }: Given): Iterable<Complaint> {
  const kind = text('format') || 'number';
  if (kind === 'number' && has('valueLocation')) {
    yield {
      key: 'valueLocation',
      message: 'valueLocation must not be set when format is number',
      fix: 'Set format to json or yaml, or remove valueLocation.',
    };
  } else if ((kind === 'json' || kind === 'yaml') && !has('valueLocation')) {
    yield {
      message: `valueLocation must be set when format is ${kind}`,
      fix: 'Set valueLocation to the path of the value, such as status.replicas.',
    };
  }
}

function* temporal({ has, isTrue }: Given): Iterable<Complaint> {
  const [name, build] = [has('workerDeploymentName'), has('workerDeploymentBuildId')];
  if (name !== build) {
    const [set, unset] = name
      ? ['workerDeploymentName', 'workerDeploymentBuildId']
      : ['workerDeploymentBuildId', 'workerDeploymentName'];
    yield { key: set, message: `${unset} must be set when ${set} is set`, fix: `Set ${unset}, or remove ${set}.` };
  } else if (name) {
    const others = [...(has('buildId') ? ['buildId'] : []), ...['selectAllActive', 'selectUnversioned'].filter(isTrue)];
    yield* others.map((key) => together(key, 'workerDeploymentName'));
  }
}

function* apacheKafka({ has, lacks, text, isTrue }: Given): Iterable<Complaint> {
  if (isTrue('limitToPartitionsWithLag') && isTrue('allowIdleConsumers')) {
    yield together('allowIdleConsumers', 'limitToPartitionsWithLag');
  }
  if (isTrue('limitToPartitionsWithLag') && !has('topic')) {
    yield needed('topic');
  }
  if (text('sasl') === 'plaintext') {
    yield* ['username', 'password'].filter((key) => lacks(key)).map(needed);
  } else if (text('sasl') === 'aws_msk_iam') {
    yield* ['awsRegion', 'tls'].filter((key) => lacks(key)).map(needed);
  }
}

/** Sarama reads 0.x.y.z and x.y.z. */
const KAFKA_VERSION = /^(0\.\d+\.\d+\.\d+|[1-9]\d*\.\d+\.\d+)$/;

function* kafkaSettings({ text, lacks, has, isTrue }: Given): Iterable<Complaint> {
  if (text('version') !== '' && !KAFKA_VERSION.test(text('version'))) {
    yield format('version', text('version'), 'a version such as 2.5.0');
  }
  const partitions = text('partitionLimitation');
  const isList = partitions.split(',').every((item) => /^\s*\d+\s*(-\s*\d+\s*)?$/.test(item));
  if (partitions !== '' && !isList) {
    yield format('partitionLimitation', partitions, 'numbers and ranges such as 1,2,10-12');
  }
  if (isTrue('ensureEvenDistributionOfPartitions')) {
    if (isTrue('limitToPartitionsWithLag')) {
      yield together('ensureEvenDistributionOfPartitions', 'limitToPartitionsWithLag');
    }
    if (!has('topic')) {
      yield needed('topic');
    }
  }
  if (['plaintext', 'scram_sha256', 'scram_sha512'].includes(text('sasl'))) {
    yield* ['username', 'password'].filter((key) => lacks(key)).map(needed);
  }
}

/** The REST template of a broker names what is measured in the part of its path after the first colon: `type=Broker,brokerName=a,…`. */
function managementTemplate(key: string, names: readonly string[]): Demand {
  return function* ({ text }) {
    const part = /^[a-z][a-z0-9+.-]*:\/\/[^/]*\/[^:]*:([^/]*)/i.exec(text(key))?.[1];
    const given = new Map((part ?? '').split(/[,&]/).map((pair) => pair.split('=', 2) as [string, string | undefined]));
    if (text(key) !== '' && names.some((name) => (given.get(name) ?? '') === '')) {
      yield format(
        key,
        text(key),
        `a URL whose path contains ${names.map((name) => `${name}=...`).join(', ')} after ":"`,
      );
    }
  };
}

/** A host that is a URL, or that has characters that no host has, cannot be part of the connection string. */
function* mssql({ text, lacks }: Given): Iterable<Complaint> {
  const host = text('host');
  if (!lacks('connectionString')) {
    return;
  }
  if (/[\s#/?@\\^`{|}]|:(?!\d*$)/.test(host.replace(/^\[[\da-f:.]+\]/i, ''))) {
    yield format('host', host, 'a host name, without a scheme or path');
  } else if (host.includes(':') && Number(text('port')) > 0) {
    yield format('host', host, 'a host name without a port when port is set');
  }
}

function* kubernetesWorkload({ text }: Given): Iterable<Complaint> {
  const complaint = selectorTextComplaint(text('podSelector'));
  if (complaint !== undefined) {
    yield {
      key: 'podSelector',
      message: `podSelector must ${complaint}`,
      fix: 'Set podSelector to a label selector such as app=worker or app in (a, b).',
    };
  }
}

function* postgresql({ text, lacks }: Given): Iterable<Complaint> {
  if (!lacks('connection')) {
    return;
  }
  if (text('sslmode') !== '' && !SSL_MODES.includes(text('sslmode'))) {
    yield format('sslmode', text('sslmode'), oneOf(SSL_MODES));
  }
  if (
    text('port') !== '' &&
    (!/^\d+$/.test(text('port')) || Number(text('port')) < 1 || Number(text('port')) > 65535)
  ) {
    yield format('port', text('port'), 'a number from 1 to 65535');
  }
}

function* natsJetStream({ lacks }: Given): Iterable<Complaint> {
  if (lacks('account') && lacks('accountID')) {
    yield {
      message: 'account or accountID must be set',
      fix: 'Set account to the name of the NATS account, or accountID to its ID.',
    };
  }
}

export const SCALER_DEMANDS: ReadonlyMap<string, Demand> = new Map<string, Demand>([
  ['activemq', managementTemplate('restAPITemplate', ['brokerName', 'destinationName'])],
  ['apache-kafka', apacheKafka],
  ['artemis-queue', managementTemplate('restApiTemplate', ['address', 'queue', 'broker'])],
  ['aws-cloudwatch', awsCloudwatch],
  ['azure-app-insights', azureAppInsights],
  ['azure-monitor', azureMonitor],
  ['azure-pipelines', azurePipelines],
  ['datadog', datadog],
  ['kafka', kafkaSettings],
  ['kubernetes-resource', kubernetesResource],
  ['kubernetes-workload', kubernetesWorkload],
  ['mssql', mssql],
  ['nats-jetstream', natsJetStream],
  ['postgresql', postgresql],
  ['temporal', temporal],
]);
