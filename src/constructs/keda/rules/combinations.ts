/**
 * KE20: what single scalers demand of several parameters together.
 */
import { kedaScaler } from '../../../facts/api/keda-scalers';
import { type Rule } from '../../../checks/rules/rule';
import { KEDA_PROJECT } from '../keda-facts';
import { authenticationOf } from './authentication-view';
import { type Complaint, type Demand, type Given, givenIn, isTrue } from './given-parameters';
import { bounds, SCALER_DEMANDS } from './scaler-demands';
import { variableOfTarget } from './target-environment';
import { triggerRule, usesModifiers } from './view';
import { allOf, oneOf } from '../../../facts/words';

const RABBITMQ_MODES = [
  'QueueLength',
  'MessageRate',
  'DeliverGetRate',
  'PublishedToDeliveredRatio',
  'ExpectedQueueConsumptionTime',
];

function isZero(text: string): boolean {
  return text !== '' && Number(text) === 0;
}

function* rabbitmq(given: Given): Iterable<Complaint> {
  yield* rabbitmqProtocol(given);
  yield* rabbitmqMode(given);
  const { text } = given;
  if (/^-?\d+$/.test(text('pageSize')) && Number(text('pageSize')) < 1) {
    yield {
      key: 'pageSize',
      message: `pageSize must be greater than or equal to 1, but is ${text('pageSize')}`,
      fix: 'Set pageSize to at least 1.',
    };
  }
}

/** What the protocol of the host does not offer. */
function* rabbitmqProtocol({ text, resolved, has }: Given): Iterable<Complaint> {
  const [mode, protocol] = [text('mode'), text('protocol')];
  const host = resolved('host');
  const scheme = /^([a-z]+):/i.exec(host)?.[1]?.toLowerCase();
  if (protocol !== '' && !['amqp', 'http', 'auto'].includes(protocol)) {
    yield {
      key: 'protocol',
      message: `unsupported protocol "${protocol}"`,
      fix: 'Set protocol to amqp, http, or auto.',
    };
  }
  if (
    (protocol === '' || protocol === 'auto') &&
    host !== '' &&
    (scheme === undefined || !['amqp', 'amqps', 'http', 'https'].includes(scheme))
  ) {
    yield {
      key: text('host') === '' ? 'hostFromEnv' : 'host',
      message: scheme === undefined ? 'host must be a URI with a scheme' : `unsupported scheme "${scheme}" in host`,
      fix: 'Set host to a URI with the scheme amqp, amqps, http, or https, such as amqp://rabbitmq.example.com:5672.',
    };
  }
  const isAmqp = protocol === 'amqp' || (protocol !== 'http' && scheme !== undefined && scheme.startsWith('amqp'));
  if (!isAmqp) {
    return;
  }
  const httpOnly = [
    ...(RABBITMQ_MODES.slice(1).includes(mode) ? ['mode'] : []),
    ...['useRegex', 'excludeUnacknowledged'].filter((key) => isTrue(text(key))),
    ...(has('timeout') ? ['timeout'] : []),
  ];
  for (const key of httpOnly) {
    yield {
      key,
      message: `${[key, text(key)].join(' ').trim()} requires HTTP, but the protocol is AMQP`,
      fix: 'Set host to the URI of the management API, and set protocol: http.',
    };
  }
}

/** Mode and value belong together, and replace queueLength. */
function* rabbitmqMode({ text, has }: Given): Iterable<Complaint> {
  const mode = text('mode');
  if (mode === 'Unknown') {
    return;
  }
  const hasValue = has('value') && !isZero(text('value'));
  if (has('queueLength') && (has('mode') || hasValue)) {
    yield {
      key: 'queueLength',
      message: 'queueLength must not be set when mode or value is set',
      fix: 'Replace queueLength with mode: QueueLength and value.',
    };
  } else if (has('mode') !== hasValue && !has('queueLength')) {
    yield {
      key: has('mode') ? 'mode' : 'value',
      message: has('mode') ? 'mode requires "value", which is not set' : '"value" requires mode, which is not set',
      fix: 'Set both mode and value in triggers[].metadata, for example mode: QueueLength and value: "20".',
    };
  }
  if (mode !== '' && !RABBITMQ_MODES.includes(mode)) {
    yield {
      key: 'mode',
      message: `unsupported mode "${mode}"`,
      fix: `Set mode to ${oneOf(RABBITMQ_MODES)}.`,
    };
  }
}

function* kafka({ text, has }: Given): Iterable<Complaint> {
  if (/^-?\d+$/.test(text('lagThreshold')) && Number(text('lagThreshold')) <= 0) {
    yield {
      key: 'lagThreshold',
      message: `lagThreshold must be greater than or equal to 1, but is ${text('lagThreshold')}`,
      fix: 'Set lagThreshold to at least 1.',
    };
  }
  if (/^-\d+$/.test(text('activationLagThreshold'))) {
    yield {
      key: 'activationLagThreshold',
      message: `activationLagThreshold must be greater than or equal to 0, but is ${text('activationLagThreshold')}`,
      fix: 'Set activationLagThreshold to at least 0.',
    };
  }
  const [withLag, even] = [
    isTrue(text('limitToPartitionsWithLag')),
    isTrue(text('ensureEvenDistributionOfPartitions')),
  ];
  if (withLag && isTrue(text('allowIdleConsumers'))) {
    yield {
      key: 'allowIdleConsumers',
      message: 'allowIdleConsumers must not be set when limitToPartitionsWithLag is set',
      fix: 'Remove allowIdleConsumers or limitToPartitionsWithLag.',
    };
  }
  if (withLag && even) {
    yield {
      key: 'ensureEvenDistributionOfPartitions',
      message: 'limitToPartitionsWithLag must not be set when ensureEvenDistributionOfPartitions is set',
      fix: 'Remove limitToPartitionsWithLag or ensureEvenDistributionOfPartitions.',
    };
  }
  if ((withLag || even) && !has('topic')) {
    yield {
      key: withLag ? 'limitToPartitionsWithLag' : 'ensureEvenDistributionOfPartitions',
      message: `topic must be set when ${withLag ? 'limitToPartitionsWithLag' : 'ensureEvenDistributionOfPartitions'} is set`,
      fix: 'Set metadata.topic to the topic of the consumer group.',
    };
  }
}

function* redis({ text, resolved, has, lacks }: Given): Iterable<Complaint> {
  if (lacks('address', 'addresses') && (lacks('host', 'hosts') || lacks('port', 'ports'))) {
    yield {
      message: 'address, or host and port, must be set',
      fix: 'Set address to host:port, or provide it with a TriggerAuthentication.',
    };
  }
  // The first of the names that is set counts, and the metadata comes before the variables.
  const first = (...keys: readonly string[]): string =>
    [...keys.map(text), ...keys.map(resolved)].find((value) => value !== '') ?? '';
  const [hosts, ports] = [first('host', 'hosts'), first('port', 'ports')];
  if (hosts !== '' && ports !== '' && hosts.split(',').length !== ports.split(',').length) {
    yield {
      key: has('ports') ? 'ports' : 'port',
      message: 'hosts and ports must have the same number of entries',
      fix: 'List one port in ports for each entry in hosts.',
    };
  }
  const tls = text('enableTLS');
  if (tls !== '' && !/^(1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(tls)) {
    yield {
      key: 'enableTLS',
      message: `enableTLS must be true or false, but is ${JSON.stringify(tls)}`,
      fix: 'Set enableTLS to "true" or "false".',
    };
  }
}

/** Those that refuse what is below zero, too. */
const ABOVE_ZERO: ReadonlySet<string> = new Set(['kubernetes-resource', 'kubernetes-workload']);

function* target(type: string, { text, isModified }: Given): Iterable<Complaint> {
  const key = kedaScaler(type)?.parameters.find((parameter) => parameter.target === true)?.name;
  if (key === undefined || isModified) {
    return;
  }
  const value = text(key);
  if (value === '') {
    yield { message: `${key} must be set`, fix: `Set ${key} to the load that one replica can handle.` };
  } else if ((isZero(value) && type !== 'aws-dynamodb') || (ABOVE_ZERO.has(type) && value.startsWith('-'))) {
    yield {
      key,
      message: `${key} must be greater than zero, but is ${value}`,
      fix: `Set ${key} to the load that one replica can handle, greater than zero.`,
    };
  }
}

function* awsKeys({ text, has, lacks }: Given): Iterable<Complaint> {
  const owner = text('identityOwner');
  if (
    has('awsAccessKeyID') &&
    lacks('awsRoleArn') &&
    (owner === '' || owner === 'pod') &&
    lacks('awsSecretAccessKey')
  ) {
    yield {
      key: 'awsAccessKeyID',
      message: 'awsAccessKeyID must not be set without awsSecretAccessKey',
      fix: 'Provide awsSecretAccessKey from the same source, or remove awsAccessKeyID.',
    };
  }
}

/** One parameter that says it all, or several that say it together. */
const INSTEAD: ReadonlyMap<string, readonly (readonly [whole: string, ...parts: readonly string[]])[]> = new Map([
  ['activemq', [['restAPITemplate', 'managementEndpoint', 'destinationName', 'brokerName']]],
  ['artemis-queue', [['restApiTemplate', 'managementEndpoint', 'queueName', 'brokerName', 'brokerAddress']]],
  ['aws-cloudwatch', [['expression', 'namespace', 'metricName', 'dimensionName', 'dimensionValue']]],
  ['couchdb', [['connectionString', 'host', 'port', 'username', 'password', 'dbName']]],
  ['dynatrace', [['query', 'metricSelector']]],
  ['elasticsearch', [['searchTemplateName', 'query']]],
  ['gcp-pubsub', [['topicName', 'subscriptionName']]],
  ['mongodb', [['connectionString', 'host', 'username', 'password']]],
  ['mssql', [['connectionString', 'host']]],
  ['opensearch', [['searchTemplateName', 'query']]],
  ['postgresql', [['connection', 'host', 'port', 'userName', 'dbName', 'sslmode']]],
  ['azure-servicebus', [['queueName', 'topicName', 'subscriptionName']]],
]);

/** Parameters that exclude each other: a trigger can set at most one of them. */
const EXCLUSIVE: ReadonlyMap<string, readonly string[]> = new Map([
  ['dynatrace', ['query', 'metricSelector']],
  ['elasticsearch', ['searchTemplateName', 'query']],
  ['gcp-pubsub', ['subscriptionName', 'topicName']],
  ['opensearch', ['searchTemplateName', 'query']],
  ['azure-servicebus', ['queueName', 'topicName']],
]);

function* choices(type: string, { text, lacks }: Given): Iterable<Complaint> {
  for (const [whole, ...parts] of INSTEAD.get(type) ?? []) {
    const missing = lacks(whole) ? parts.filter((part) => lacks(part)) : [];
    if (missing.length > 0) {
      yield {
        message:
          parts.length === 1
            ? `${whole} or ${parts[0]} must be set`
            : `${whole}, or all of ${allOf(parts)}, must be set`,
        fix: `Set ${whole}, or set ${allOf(parts)}.`,
      };
    }
  }
  const both = EXCLUSIVE.get(type)?.filter((key) => text(key) !== '') ?? [];
  if (both.length > 1) {
    yield {
      key: both[1],
      message: `${allOf(both)} must not be set together`,
      fix: `Remove ${oneOf(both)}.`,
    };
  }
}

const DEMANDS: ReadonlyMap<string, Demand> = new Map<string, Demand>([
  ['rabbitmq', rabbitmq],
  ['kafka', kafka],
  ...[
    'redis',
    'redis-streams',
    'redis-cluster',
    'redis-cluster-streams',
    'redis-sentinel',
    'redis-sentinel-streams',
  ].map((type) => [type, redis] as const),
]);

function* demandsOf(type: string, given: Given): Iterable<Complaint> {
  yield* DEMANDS.get(type)?.(given) ?? [];
  yield* SCALER_DEMANDS.get(type)?.(given) ?? [];
  yield* bounds(type, given);
  yield* target(type, given);
  yield* choices(type, given);
  if (type.startsWith('aws-')) {
    yield* awsKeys(given);
  }
  const modes = given.text('authModes') || given.text('authMode');
  if (modes !== '' && kedaScaler(type)?.parameters.some(({ name }) => name === 'authModes') === true) {
    yield* authModes(
      modes.split(',').map((mode) => mode.trim()),
      given,
    );
  }
}

/** What each mode of authentication needs; pkg/scalers/authentication/authentication_types.go. */
const NEEDED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  bearer: [['bearerToken', 'token']],
  basic: [['username']],
  tls: [['cert'], ['key']],
  oauth: [['oauthTokenURI'], ['clientID']],
  custom: [['customAuthHeader'], ['customAuthValue']],
  apiKey: [['apiKey']],
};

function* authModes(modes: readonly string[], { lacks }: Given): Iterable<Complaint> {
  for (const mode of modes) {
    for (const names of NEEDED[mode] ?? []) {
      if (lacks(...names)) {
        yield {
          key: 'authModes',
          message: `the authentication mode "${mode}" requires ${oneOf(names)}, which is not set`,
          fix: `Set authenticationRef to a TriggerAuthentication that provides ${oneOf(names)}.`,
        };
      }
    }
  }
}

const parametersAgree = triggerRule(
  {
    id: 'keda/parameters-agree',
    row: 'KE20',
    tier: 'webhook',
    severity: 'error',
    summary:
      'The parameters of a trigger must be complete and must not conflict (rabbitmq, kafka, redis, database connections and other alternatives, AWS credentials, authentication modes).',
    why: 'The webhook does not check this; the controller cannot create the scaler, and the workload is not scaled.',
    source: `${KEDA_PROJECT}, pkg/scalers: Validate of each scaler`,
    fix: 'Set the missing parameter in triggers[].metadata, or remove the one that conflicts.',
  },
  function* ({ type, trigger, metadata, path }, view, { set }) {
    const given = givenIn(
      type,
      metadata,
      authenticationOf(trigger, view.manifest, set),
      usesModifiers(view.spec),
      (name) => variableOfTarget(view, set, name),
    );
    for (const { key, message, fix } of demandsOf(type, given)) {
      yield {
        path: key === undefined ? `${path}/metadata` : `${path}/metadata/${key}`,
        message: `${type}: ${message}`,
        fix,
      };
    }
  },
);

export const combinationRules: readonly Rule[] = [parametersAgree];
