/** Parameters of scalers, one by one. */
import { type RuleCase, authentication, CPU, CRON, prometheus, QUEUE, scaledObject, byBroker } from './objects';

const SEARCH = `type: elasticsearch
metadata: {addresses: "http://search:9200", index: a, searchTemplateName: t, valueLocation: hits, targetValue: ten}
authenticationRef: {name: broker}`;

export const PARAMETER_CASES: readonly RuleCase[] = [
  [
    'keda/scaler-known',
    'a scaler that is misspelled',
    scaledObject(['type: promethues\nmetadata: {}']),
    scaledObject([QUEUE]),
  ],
  [
    'keda/metric-name-ignored',
    'a metricName',
    scaledObject([prometheus('sum(requests)', 'metricName: requests')]),
    scaledObject([`name: requests\n${prometheus('sum(requests)')}`]),
  ],
  [
    'keda/metric-name-ignored',
    'a scaler that reads one',
    scaledObject([prometheus('sum(requests)', 'metricName: requests')]),
    scaledObject([
      'type: aws-cloudwatch\nmetadata: {awsRegion: eu-west-1, metricName: ApproximateNumberOfMessages, namespace: AWS/SQS, dimensionName: QueueName, dimensionValue: jobs, targetMetricValue: "5", minMetricValue: "0", identityOwner: operator}',
    ]),
  ],
  [
    'keda/parameter-known',
    'a parameter that is misspelled',
    scaledObject([prometheus('sum(requests)', 'activationTreshold: "1"')]),
    scaledObject([prometheus('sum(requests)', 'activationThreshold: "1"')]),
  ],
  [
    'keda/parameter-known',
    'a variable that is not read',
    scaledObject([prometheus('sum(requests)', 'namespaceFromEnv: NS')]),
    scaledObject([
      prometheus('sum(requests)', 'authModes: bearer\nawsAccessKeyIDFromEnv: KEY').replace(
        'metadata:',
        'authenticationRef: {name: elsewhere}\nmetadata:',
      ),
    ]),
  ],
  [
    'keda/parameter-known',
    'an external scaler takes anything',
    scaledObject([prometheus('sum(requests)', 'what: ever')]),
    scaledObject(['type: external\nmetadata: {scalerAddress: "scaler:9090", what: ever}']),
  ],
  [
    'keda/parameter-left-to-authentication',
    'a secret in the open',
    scaledObject([QUEUE.replace('{queueName', '{password: hunter2, queueName')]),
    scaledObject([QUEUE]),
  ],
  [
    'keda/parameter-given',
    'no host',
    scaledObject([QUEUE.replace(/, host: "[^"]*"/, '')]),
    scaledObject([QUEUE.replace(/, host: "[^"]*"/, ', hostFromEnv: RABBIT')]),
  ],
  [
    'keda/parameter-given',
    "a number is there, and the schema's to refuse",
    scaledObject([CRON.replace(/, desiredReplicas: "\d+"/, '')]),
    scaledObject([CRON.replace(/desiredReplicas: "(\d+)"/, 'desiredReplicas: $1')]),
  ],
  [
    'keda/parameter-given',
    'an authentication that gives something else',
    scaledObject([byBroker]) +
      authentication(
        'secretTargetRef: [{parameter: username, name: s, key: k}, {parameter: password, name: s, key: p}]',
      ),
    scaledObject([byBroker]) + authentication('secretTargetRef: [{parameter: host, name: s, key: k}]'),
  ],
  [
    'keda/parameter-given',
    'an authentication that is elsewhere may give it',
    scaledObject([QUEUE.replace(/, host: "[^"]*"/, '')]),
    scaledObject([byBroker]),
  ],
  [
    'keda/parameter-value',
    'no number',
    scaledObject([prometheus('sum(requests)').replace('"10"', '"ten"')]),
    scaledObject([prometheus('sum(requests)').replace('"10"', '"1e1"')]),
  ],
  [
    'keda/parameter-value',
    'none of the choices',
    scaledObject([
      'type: kafka\nmetadata: {bootstrapServers: "k:9092", consumerGroup: g, topic: t, offsetResetPolicy: oldest}',
    ]),
    scaledObject([
      'type: kafka\nmetadata: {bootstrapServers: "k:9092", consumerGroup: g, topic: t, offsetResetPolicy: earliest}',
    ]),
  ],
  [
    'keda/parameter-value',
    'neither true nor false',
    scaledObject([prometheus('sum(requests)', 'unsafeSsl: "yes"')]),
    scaledObject([prometheus('sum(requests)', 'unsafeSsl: "T"')]),
  ],
  [
    'keda/parameter-value',
    'a number that the authentication does not replace',
    scaledObject([SEARCH]) + authentication('secretTargetRef: [{parameter: username, name: search, key: user}]'),
    scaledObject([SEARCH]) + authentication('secretTargetRef: [{parameter: targetValue, name: search, key: target}]'),
  ],
  [
    'keda/parameter-value',
    'no duration',
    scaledObject([prometheus('sum(requests)', 'timeout: "5 s"')]),
    scaledObject([prometheus('sum(requests)', 'timeout: "3000"')]),
  ],
  [
    'keda/parameter-value',
    'no pairs',
    scaledObject([prometheus('sum(requests)', 'customHeaders: X-Scope-OrgID')]),
    scaledObject([prometheus('sum(requests)', 'customHeaders: X-Scope-OrgID=serving,X-Other=1')]),
  ],
  [
    'keda/parameter-value',
    'two that exclude each other',
    scaledObject([prometheus('sum(requests)', 'authModes: "bearer,basic"')]),
    scaledObject([
      prometheus('sum(requests)', 'authModes: "bearer, tls"').replace(
        'metadata:',
        'authenticationRef: {name: elsewhere}\nmetadata:',
      ),
    ]),
  ],
  [
    'keda/parameter-current',
    'the type of cpu',
    scaledObject(['type: cpu\nmetadata: {type: Utilization, value: "70"}'], { spec: 'minReplicaCount: 1' }),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }),
  ],
];
