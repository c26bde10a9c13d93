/** Parameters that depend on each other, and authentication. */
import { type RuleCase, authentication, deployment, prometheus, QUEUE, scaledObject, byBroker } from './objects';

/** A trigger whose host is a variable of the target, and the target with these variables. */
function fromVariable(variables: string, mode = 'QueueLength', given?: string): string {
  const trigger = `type: rabbitmq\nmetadata: {queueName: q, mode: ${mode}, value: "5", hostFromEnv: RABBIT}`;
  const secret = authentication(`secretTargetRef: [{parameter: ${given}, name: broker, key: uri}]`);
  return (
    scaledObject([given === undefined ? trigger : `${trigger}\nauthenticationRef: {name: broker}`]) +
    deployment(`env: [${variables}]`) +
    (given === undefined ? '' : secret)
  );
}

export const AGREEMENT_CASES: readonly RuleCase[] = [
  [
    'keda/parameters-agree',
    'a rate over AMQP',
    scaledObject([QUEUE.replace('QueueLength', 'MessageRate')]),
    scaledObject([QUEUE.replace('QueueLength', 'MessageRate').replace('amqp:', 'http:')]),
  ],
  [
    'keda/parameters-agree',
    'half a mode',
    scaledObject([QUEUE.replace(', value: "5"', '')]),
    scaledObject([QUEUE.replace(', mode: QueueLength, value: "5"', '')]),
  ],
  [
    'keda/parameters-agree',
    'a length that is out of date',
    scaledObject([QUEUE.replace('value:', 'queueLength:')]),
    scaledObject([QUEUE.replace(', mode: QueueLength, value: "5"', ', queueLength: "5"')]),
  ],
  [
    'keda/parameters-agree',
    'kafka without partitions to limit',
    scaledObject([
      'type: kafka\nmetadata: {bootstrapServers: "k:9092", consumerGroup: g, limitToPartitionsWithLag: "true"}',
    ]),
    scaledObject([
      'type: kafka\nmetadata: {bootstrapServers: "k:9092", consumerGroup: g, topic: t, limitToPartitionsWithLag: "true"}',
    ]),
  ],
  [
    'keda/parameters-agree',
    'redis nowhere',
    scaledObject(['type: redis\nmetadata: {listName: jobs}']),
    scaledObject(['type: redis\nmetadata: {listName: jobs, hostFromEnv: H, portFromEnv: P}']),
  ],
  [
    'keda/parameters-agree',
    'redis with fewer ports than hosts',
    scaledObject(['type: redis-cluster\nmetadata: {listName: jobs, hosts: "a,b", ports: "6379"}']),
    scaledObject(['type: redis-cluster\nmetadata: {listName: jobs, hosts: "a,b", ports: "6379,6379"}']),
  ],
  [
    'keda/parameters-agree',
    'no pods for a replica',
    scaledObject(['type: kubernetes-workload\nmetadata: {podSelector: app=front}']),
    scaledObject(['type: kubernetes-workload\nmetadata: {podSelector: app=front, value: "2"}']),
  ],
  [
    'keda/parameters-agree',
    'no value for a formula',
    scaledObject(['type: kubernetes-workload\nname: front\nmetadata: {podSelector: app=front}']),
    scaledObject(['type: kubernetes-workload\nname: front\nmetadata: {podSelector: app=front}'], {
      spec: 'advanced: {scalingModifiers: {formula: front, target: "5"}}',
    }),
  ],
  [
    'keda/parameters-agree',
    'an account of NATS that is missing',
    scaledObject(['type: nats-jetstream\nmetadata: {natsServerMonitoringEndpoint: "n:8222", stream: s, consumer: c}']),
    scaledObject([
      'type: nats-jetstream\nmetadata: {natsServerMonitoringEndpoint: "n:8222", account: $G, stream: s, consumer: c}',
    ]),
  ],
  [
    'keda/parameters-agree',
    'half a worker deployment of Temporal',
    scaledObject([
      'type: temporal\nmetadata: {endpoint: "t:7233", namespace: n, taskQueue: q, workerDeploymentName: w}',
    ]),
    scaledObject([
      'type: temporal\nmetadata: {endpoint: "t:7233", namespace: n, taskQueue: q, workerDeploymentName: w, workerDeploymentBuildId: b}',
    ]),
  ],
  [
    'keda/parameters-agree',
    'a port of a database that is a word',
    scaledObject([
      'type: postgresql\nmetadata: {query: SELECT 1, targetQueryValue: "5", host: db, port: five, userName: u, dbName: d, sslmode: disable}',
    ]),
    scaledObject([
      'type: postgresql\nmetadata: {query: SELECT 1, targetQueryValue: "5", host: db, port: "5432", userName: u, dbName: d, sslmode: disable}',
    ]),
  ],
  [
    'keda/parameters-agree',
    'a version that Kafka does not have',
    scaledObject(['type: kafka\nmetadata: {bootstrapServers: "k:9092", consumerGroup: g, version: latest}']),
    scaledObject(['type: kafka\nmetadata: {bootstrapServers: "k:9092", consumerGroup: g, version: 2.5.0}']),
  ],
  [
    'keda/parameters-agree',
    'a period of CloudWatch',
    scaledObject([
      'type: aws-cloudwatch\nmetadata: {expression: e, awsRegion: r, targetMetricValue: "5", minMetricValue: "0", metricStatPeriod: "45"}',
    ]),
    scaledObject([
      'type: aws-cloudwatch\nmetadata: {expression: e, awsRegion: r, targetMetricValue: "5", minMetricValue: "0", metricStatPeriod: "60"}',
    ]),
  ],
  [
    'keda/parameters-agree',
    'a place in a number',
    scaledObject([
      'type: kubernetes-resource\nmetadata: {resourceKind: ConfigMap, resourceName: a, key: k, targetValue: "5", format: json}',
    ]),
    scaledObject([
      'type: kubernetes-resource\nmetadata: {resourceKind: ConfigMap, resourceName: a, key: k, targetValue: "5", format: json, valueLocation: x}',
    ]),
  ],
  [
    'keda/parameters-agree',
    'a depth below zero',
    scaledObject([
      'type: nsq\nmetadata: {nsqLookupdHTTPAddresses: "n:4161", topic: t, channel: c, depthThreshold: "-1"}',
    ]),
    scaledObject([
      'type: nsq\nmetadata: {nsqLookupdHTTPAddresses: "n:4161", topic: t, channel: c, depthThreshold: "1"}',
    ]),
  ],
  [
    'keda/parameters-agree',
    'a host without a scheme',
    scaledObject(['type: rabbitmq\nmetadata: {queueName: q, mode: QueueLength, value: "5", host: mq}']),
    scaledObject(['type: rabbitmq\nmetadata: {queueName: q, mode: QueueLength, value: "5", host: "amqp://mq:5672"}']),
  ],
  [
    'keda/parameters-agree',
    'a variable whose value is a host without a scheme',
    fromVariable('{name: RABBIT, value: mq}'),
    fromVariable('{name: RABBIT, value: "amqp://mq:5672"}'),
  ],
  [
    'keda/parameters-agree',
    'a variable whose value is AMQP, in a mode of HTTP',
    fromVariable('{name: RABBIT, value: "amqp://mq:5672"}', 'MessageRate'),
    fromVariable('{name: RABBIT, value: "http://mq:15672"}', 'MessageRate'),
  ],
  [
    'keda/parameters-agree',
    'the last of two variables of one name',
    fromVariable('{name: RABBIT, value: "amqp://mq:5672"}, {name: RABBIT, value: mq}'),
    fromVariable('{name: RABBIT, value: mq}, {name: RABBIT, value: "amqp://mq:5672"}'),
  ],
  [
    'keda/parameters-agree',
    'a variable with another one in it, whose value is not known',
    fromVariable('{name: RABBIT, value: mq}'),
    fromVariable('{name: SCHEME, value: amqp}, {name: RABBIT, value: "$(SCHEME)://mq"}'),
  ],
  [
    'keda/parameters-agree',
    'a variable beside an authentication that gives nothing, and one that gives the host',
    fromVariable('{name: RABBIT, value: mq}', 'QueueLength', 'scopes'),
    fromVariable('{name: RABBIT, value: mq}', 'QueueLength', 'host'),
  ],
  [
    'keda/parameters-agree',
    'a database nowhere',
    scaledObject(['type: postgresql\nmetadata: {query: SELECT 1, targetQueryValue: "5", host: db}']),
    scaledObject(['type: postgresql\nmetadata: {query: SELECT 1, targetQueryValue: "5", connectionFromEnv: DB}']),
  ],
  [
    'keda/parameters-agree',
    'a topic beside its subscription',
    scaledObject(['type: gcp-pubsub\nmetadata: {subscriptionName: a, topicName: b, credentialsFromEnv: G}']),
    scaledObject(['type: gcp-pubsub\nmetadata: {topicName: b, credentialsFromEnv: G}']),
  ],
  [
    'keda/parameters-agree',
    'a token from nowhere',
    scaledObject([prometheus('sum(requests)', 'authModes: bearer')]),
    scaledObject([prometheus('sum(requests)', 'authModes: apiKey\napiKey: "123"')]),
  ],

  [
    'keda/pod-identity-consistent',
    'an empty id',
    authentication('podIdentity: {provider: azure-workload, identityId: ""}'),
    authentication('podIdentity: {provider: azure-workload, identityId: abc}'),
  ],
  [
    'keda/pod-identity-consistent',
    'a host without a tenant',
    authentication('podIdentity: {provider: azure-workload, identityAuthorityHost: "https://login"}'),
    authentication(
      'podIdentity: {provider: azure-workload, identityAuthorityHost: "https://login", identityTenantId: t}',
    ),
  ],
  [
    'keda/pod-identity-consistent',
    'a role of two owners',
    authentication('podIdentity: {provider: aws, roleArn: "arn:aws:iam::1:role/a", identityOwner: workload}'),
    authentication('podIdentity: {provider: aws, roleArn: "arn:aws:iam::1:role/a", identityOwner: keda}'),
  ],
  [
    'keda/pod-identity-consistent',
    'an external id without a role',
    authentication('podIdentity: {provider: aws, externalID: x}', { kind: 'ClusterTriggerAuthentication' }),
    authentication('podIdentity: {provider: gcp}'),
  ],
  [
    'keda/oauth2-complete',
    'a URL that is none',
    authentication('oauth2: {clientId: a, tokenUrl: "ftp://login"}'),
    authentication('oauth2: {clientId: a, tokenUrl: "https://login/token"}'),
  ],
  [
    'keda/oauth2-complete',
    'no client',
    authentication('oauth2: {clientId: "", tokenUrl: "https://login"}'),
    authentication('podIdentity: {provider: gcp}\noauth2: {clientId: "", tokenUrl: ""}'),
  ],
  [
    'keda/file-path-of-cluster',
    'a file in a namespace',
    authentication('filePath: keys'),
    authentication('filePath: keys', { kind: 'ClusterTriggerAuthentication' }),
  ],
  [
    'keda/file-path-of-cluster',
    'a file above',
    authentication('filePath: ../keys', { kind: 'ClusterTriggerAuthentication' }),
    authentication('filePath: a/keys', { kind: 'ClusterTriggerAuthentication' }),
  ],
  [
    'keda/authentication-of-kind',
    "a cluster's, by no kind",
    scaledObject([byBroker]) +
      authentication('secretTargetRef: [{parameter: host, name: s, key: k}]', { kind: 'ClusterTriggerAuthentication' }),
    scaledObject([byBroker.replace('{name: broker}', '{name: broker, kind: ClusterTriggerAuthentication}')]) +
      authentication('secretTargetRef: [{parameter: host, name: s, key: k}]', { kind: 'ClusterTriggerAuthentication' }),
  ],
  [
    'keda/authentication-of-kind',
    'one of another namespace',
    scaledObject([byBroker]) +
      authentication('secretTargetRef: [{parameter: host, name: s, key: k}]', { namespace: 'batch' }),
    scaledObject([byBroker]),
  ],
  [
    'keda/authentication-parameter-read',
    'a parameter that is not read',
    scaledObject([byBroker]) +
      authentication('secretTargetRef: [{parameter: host, name: s, key: k}, {parameter: pasword, name: s, key: p}]'),
    scaledObject([byBroker]) + authentication('secretTargetRef: [{parameter: host, name: s, key: k}]'),
  ],
];
