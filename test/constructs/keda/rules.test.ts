import { check } from '../../../src/checks/engine';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { ManifestSet } from '../../../src/manifests/manifest-set';
import { parseYaml } from '../../../src/manifests/yaml';
import { findingsOf, rulesFiring } from '../../support/findings';
import { expectRuleFacts } from '../../support/rules-survive';
import {
  authentication,
  CPU,
  CRON,
  deployment,
  hpa,
  indented,
  limitRange,
  prometheus,
  QUEUE,
  scaledJob,
  scaledObject,
} from './objects';

function named(name: string, hpaName: string): string {
  return scaledObject([QUEUE], {
    name,
    target: `{name: ${name}}`,
    spec: `advanced: {horizontalPodAutoscalerConfig: {name: ${hpaName}}}`,
  });
}

function taken(spec: string): string {
  return scaledObject([QUEUE], { annotations: '{scaledobject.keda.sh/transfer-hpa-ownership: "true"}', spec });
}

function vpa(updateMode: string): string {
  return `---
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: {name: chat, namespace: serving}
spec: {targetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}, updatePolicy: {updateMode: ${updateMode}}}
`;
}

const fromHost = QUEUE.replace(/host: "[^"]*"/, 'hostFromEnv: RABBIT');
const byBroker = `authenticationRef: {name: broker}\n${QUEUE.replace(/, host: "[^"]*"/, '')}`;

function modified(modifiers: string, more: readonly string[] = []): string {
  return scaledObject([`name: q\n${QUEUE}`, ...more], {
    spec: `advanced:\n${indented(`scalingModifiers: ${modifiers}`, 2)}`,
  });
}

/** What is wrong, by rule: each fires on the first and is silent on the second. */
const SEARCH = `type: elasticsearch
metadata: {addresses: "http://search:9200", index: a, searchTemplateName: t, valueLocation: hits, targetValue: ten}
authenticationRef: {name: broker}`;

const CASES: readonly (readonly [rule: string, what: string, wrong: string, right: string])[] = [
  [
    'keda/target-scaled-once',
    'two ScaledObjects of one target',
    scaledObject([QUEUE]) + scaledObject([CRON], { name: 'chat-by-day' }),
    scaledObject([QUEUE]) + scaledObject([CRON], { name: 'other', target: '{name: other}' }),
  ],
  [
    'keda/target-scaled-once',
    'the same target, once by default and once in words',
    scaledObject([QUEUE]) +
      scaledObject([CRON], { name: 'b', target: '{apiVersion: apps/v1, kind: Deployment, name: chat}' }),
    scaledObject([QUEUE]) +
      scaledObject([CRON], { name: 'b', target: '{apiVersion: apps/v1, kind: StatefulSet, name: chat}' }),
  ],
  [
    'keda/target-scaled-once',
    'a target of one name in two namespaces is two',
    scaledObject([QUEUE]) + scaledObject([QUEUE], { name: 'b' }),
    scaledObject([QUEUE]) + scaledObject([QUEUE], { namespace: 'batch' }),
  ],
  [
    'keda/target-scaled-once',
    'two of one autoscaler',
    named('a', 'shared') + named('b', 'shared'),
    named('a', 'one') + named('b', 'two'),
  ],
  [
    'keda/target-scaled-once',
    'an autoscaler made by hand',
    scaledObject([QUEUE]) + hpa(),
    scaledObject([QUEUE]) + hpa('{validations.keda.sh/hpa-ownership: "false"}'),
  ],
  [
    'keda/target-scaled-once',
    'a takeover without a name',
    taken('') + hpa(),
    taken('advanced: {horizontalPodAutoscalerConfig: {name: by-hand}}') + hpa(),
  ],
  [
    'keda/vertical-autoscaler-apart',
    'a VerticalPodAutoscaler beside cpu',
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }) + vpa('Recreate'),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }) + vpa('"Off"'),
  ],
  [
    'keda/resource-trigger-has-requests',
    'a container without a request',
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }) + deployment(' '),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }) + deployment(),
  ],
  [
    'keda/resource-trigger-has-requests',
    'a request that is zero',
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }) + deployment('resources: {requests: {cpu: "0"}}'),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }) + deployment('resources: {limits: {cpu: 100m}}'),
  ],
  [
    'keda/resource-trigger-has-requests',
    'a default of other things',
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }) +
      deployment(' ') +
      limitRange('{type: Container, default: {memory: 1Gi}}'),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }) +
      deployment(' ') +
      limitRange('{type: Container, defaultRequest: {cpu: 100m}}'),
  ],
  [
    'keda/container-of-target',
    'a container that is not there',
    scaledObject(['type: cpu\nmetricType: Utilization\nmetadata: {value: "70", containerName: nobody}'], {
      spec: 'minReplicaCount: 1',
    }) + deployment(),
    scaledObject(['type: cpu\nmetricType: Utilization\nmetadata: {value: "70", containerName: server}'], {
      spec: 'minReplicaCount: 1',
    }) + deployment(),
  ],
  [
    'keda/container-of-target',
    'a source of variables that is not there',
    scaledObject([QUEUE], { target: '{name: chat, envSourceContainerName: nobody}' }) + deployment(),
    scaledObject([QUEUE], { target: '{name: chat, envSourceContainerName: server}' }) + deployment(),
  ],
  [
    'keda/variable-of-target',
    'a variable that is not there',
    scaledObject([fromHost]) + deployment(),
    scaledObject([fromHost]) + deployment('env: [{name: RABBIT, value: "amqp://r"}]'),
  ],
  [
    'keda/variable-of-target',
    'a variable that a ConfigMap may hold',
    scaledObject([fromHost]) + deployment('env: [{name: OTHER, value: x}]'),
    scaledObject([fromHost]) + deployment('envFrom: [{configMapRef: {name: settings}}]'),
  ],
  [
    'keda/target-has-scale',
    'a DaemonSet',
    scaledObject([QUEUE], { target: '{apiVersion: apps/v1, kind: DaemonSet, name: chat}' }),
    scaledObject([QUEUE], { target: '{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: chat}' }),
  ],
  [
    'keda/target-has-scale',
    'an apiVersion that is no group and version',
    scaledObject([QUEUE], { target: '{apiVersion: apps/v1/beta, kind: Deployment, name: chat}' }),
    scaledObject([QUEUE], { target: '{apiVersion: apps/v1, kind: Deployment, name: chat}' }),
  ],
  [
    'keda/target-in-namespace',
    'a target elsewhere',
    scaledObject([QUEUE]) + deployment(undefined, { namespace: 'batch' }),
    scaledObject([QUEUE]) + deployment(),
  ],
  [
    'keda/target-in-namespace',
    'a StatefulSet that is not called one',
    scaledObject([QUEUE]) + deployment(undefined, { kind: 'StatefulSet' }),
    scaledObject([QUEUE], { target: '{apiVersion: apps/v1, kind: StatefulSet, name: chat}' }) +
      deployment(undefined, { kind: 'StatefulSet' }),
  ],
  [
    'keda/target-leaves-replicas',
    'a target with replicas',
    scaledObject([QUEUE]) + deployment(undefined, { spec: 'replicas: 2' }),
    scaledObject([QUEUE]) + deployment(),
  ],
  ['keda/scaled-job-counts-work', 'Jobs by CPU', scaledJob([CPU]), scaledJob([QUEUE])],

  [
    'keda/idle-below-min',
    'idle at the minimum',
    scaledObject([QUEUE], { spec: 'minReplicaCount: 2\nidleReplicaCount: 2' }),
    scaledObject([QUEUE], { spec: 'minReplicaCount: 2\nidleReplicaCount: 0' }),
  ],
  [
    'keda/idle-below-min',
    'idle without a minimum',
    scaledObject([QUEUE], { spec: 'idleReplicaCount: 0' }),
    scaledObject([QUEUE], { spec: 'idleReplicaCount: 0\nminReplicaCount: 0' }),
  ],
  [
    'keda/scaled-job-min-within-max',
    'more than the maximum',
    scaledJob([QUEUE], { spec: 'minReplicaCount: 101' }),
    scaledJob([QUEUE], { spec: 'minReplicaCount: 100' }),
  ],
  [
    'keda/resource-triggers-keep-one',
    'nothing but CPU, to zero',
    scaledObject([CPU]),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }),
  ],
  [
    'keda/resource-triggers-keep-one',
    'zero in words',
    scaledObject([CPU], { spec: 'minReplicaCount: 0' }),
    scaledObject([CPU, QUEUE], { spec: 'minReplicaCount: 0' }),
  ],
  [
    'keda/name-fits-label',
    'a name that is too long with its prefix',
    scaledObject([QUEUE], { name: 'n'.repeat(55) }),
    scaledObject([QUEUE], { name: 'n'.repeat(54) }),
  ],
  [
    'keda/name-fits-label',
    'a name that is too long by itself',
    scaledObject([QUEUE], { name: 'n'.repeat(64), spec: 'advanced: {horizontalPodAutoscalerConfig: {name: short}}' }),
    scaledObject([QUEUE], { name: 'n'.repeat(63), spec: 'advanced: {horizontalPodAutoscalerConfig: {name: short}}' }),
  ],
  [
    'keda/name-fits-label',
    'a ScaledJob',
    scaledJob([QUEUE], { name: 'n'.repeat(64) }),
    scaledJob([QUEUE], { name: 'n'.repeat(63) }),
  ],
  [
    'keda/fallback-has-trigger',
    'nothing that can fail',
    scaledObject([CPU], { spec: 'minReplicaCount: 1\nfallback: {failureThreshold: 3, replicas: 2}' }),
    scaledObject([CPU, QUEUE], { spec: 'fallback: {failureThreshold: 3, replicas: 2}' }),
  ],
  [
    'keda/fallback-has-formula',
    'a formula that is not there',
    scaledObject([QUEUE], { spec: 'fallback: {failureThreshold: 3, replicas: 2, behavior: scalingModifiers}' }),
    scaledObject([`name: q\n${QUEUE}`], {
      spec: 'fallback: {failureThreshold: 3, replicas: 2, behavior: scalingModifiers}\nadvanced: {scalingModifiers: {formula: "q ?? 3", target: "5"}}',
    }),
  ],
  [
    'keda/cooldown-has-effect',
    'never to zero',
    scaledObject([QUEUE], { spec: 'minReplicaCount: 1\ncooldownPeriod: 60' }),
    scaledObject([QUEUE], { spec: 'minReplicaCount: 0\ncooldownPeriod: 60' }),
  ],
  [
    'keda/cooldown-has-effect',
    'never idle',
    scaledObject([QUEUE], { spec: 'minReplicaCount: 2\nidleReplicaCount: 1\ninitialCooldownPeriod: 60' }),
    scaledObject([QUEUE], { spec: 'minReplicaCount: 2\nidleReplicaCount: 0\ninitialCooldownPeriod: 60' }),
  ],
  [
    'keda/polling-interval-has-effect',
    'never to zero',
    scaledObject([QUEUE], { spec: 'minReplicaCount: 1\npollingInterval: 5' }),
    scaledObject([`useCachedMetrics: true\n${QUEUE}`], { spec: 'minReplicaCount: 1\npollingInterval: 5' }),
  ],
  [
    'keda/pause-annotation-value',
    '"no" pauses',
    scaledObject([QUEUE], { annotations: '{autoscaling.keda.sh/paused: "no"}' }),
    scaledObject([QUEUE], { annotations: '{autoscaling.keda.sh/paused: "false"}' }),
  ],
  [
    'keda/pause-annotation-value',
    'a count that is none',
    scaledObject([QUEUE], { annotations: '{autoscaling.keda.sh/paused-replicas: "all"}' }),
    scaledObject([QUEUE], { annotations: '{autoscaling.keda.sh/paused-replicas: "0"}' }),
  ],
  [
    'keda/pause-annotation-value',
    'a ScaledJob has no replicas',
    scaledJob([QUEUE], { annotations: '{autoscaling.keda.sh/paused-replicas: "0"}' }),
    scaledJob([QUEUE], { annotations: '{autoscaling.keda.sh/paused: "true"}' }),
  ],
  [
    'keda/scaled-job-strategy-complete',
    'custom without a share',
    scaledJob([QUEUE], { spec: 'scalingStrategy: {strategy: custom, customScalingQueueLengthDeduction: 1}' }),
    scaledJob([QUEUE], { spec: 'scalingStrategy: {strategy: custom, customScalingRunningJobPercentage: "0.5"}' }),
  ],
  [
    'keda/scaled-job-strategy-complete',
    'fields of another strategy',
    scaledJob([QUEUE], { spec: 'scalingStrategy: {strategy: accurate, customScalingRunningJobPercentage: "0.5"}' }),
    scaledJob([QUEUE], { spec: 'scalingStrategy: {strategy: accurate}' }),
  ],

  [
    'keda/trigger-names-unique',
    'one name twice',
    scaledObject([`name: q\n${QUEUE}`, `name: q\n${CRON}`]),
    scaledObject([`name: q\n${QUEUE}`, `name: r\n${CRON}`]),
  ],
  [
    'keda/cached-metrics-supported',
    'cron',
    scaledObject([`useCachedMetrics: true\n${CRON}`]),
    scaledObject([`useCachedMetrics: true\n${QUEUE}`]),
  ],
  [
    'keda/metric-type-fits',
    'cpu without one',
    scaledObject(['type: cpu\nmetadata: {value: "70"}'], { spec: 'minReplicaCount: 1' }),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }),
  ],
  [
    'keda/metric-type-fits',
    'a share of a queue',
    scaledObject([`metricType: Utilization\n${QUEUE}`]),
    scaledObject([`metricType: Value\n${QUEUE}`]),
  ],
  [
    'keda/resource-trigger-value',
    'a sign for percent',
    scaledObject(['type: cpu\nmetricType: Utilization\nmetadata: {value: "70%"}'], { spec: 'minReplicaCount: 1' }),
    scaledObject([CPU], { spec: 'minReplicaCount: 1' }),
  ],
  [
    'keda/resource-trigger-value',
    'no quantity',
    scaledObject(['type: memory\nmetricType: AverageValue\nmetadata: {value: 2GB}'], { spec: 'minReplicaCount: 1' }),
    scaledObject(['type: memory\nmetricType: AverageValue\nmetadata: {value: 2Gi}'], { spec: 'minReplicaCount: 1' }),
  ],
  ['keda/cron-window', 'a word', scaledObject([CRON.replace('0 8 * * 1-5', '"@daily"')]), scaledObject([CRON])],
  [
    'keda/cron-window',
    'six fields',
    scaledObject([CRON.replace('0 8 * * 1-5', '0 0 8 * * 1-5')]),
    scaledObject([CRON.replace('0 8 * * 1-5', '0/15 8 * jan mon')]),
  ],
  ['keda/cron-window', 'an end at the start', scaledObject([CRON.replace('0 18', '0 8')]), scaledObject([CRON])],
  [
    'keda/cron-window',
    'a zone that is none',
    scaledObject([CRON.replace('Europe/Berlin', 'Middle/Earth')]),
    scaledObject([CRON.replace('Europe/Berlin', 'Etc/UTC')]),
  ],
  ['keda/cron-window', 'no replicas', scaledObject([CRON.replace('"3"', '"0"')]), scaledObject([CRON])],
  ['keda/formula-has-target', 'no target', modified('{formula: q}'), modified('{formula: q, target: "5"}')],
  [
    'keda/formula-has-target',
    'a target of zero',
    modified('{formula: q, target: "0"}'),
    modified('{formula: q, target: "0.5"}'),
  ],
  [
    'keda/formula-has-target',
    'no formula',
    modified('{metricType: Value}'),
    modified('{formula: q, target: "5", metricType: Value}'),
  ],
  [
    'keda/formula-has-target',
    'an activation that is no number',
    modified('{formula: q, target: "5", activationTarget: some}'),
    modified('{formula: q, target: "5", activationTarget: "0.5"}'),
  ],
  [
    'keda/formula-compiles',
    'half a sum',
    modified('{formula: q +, target: "5"}'),
    modified('{formula: q + 1, target: "5"}'),
  ],
  [
    'keda/formula-compiles',
    'a truth',
    modified('{formula: q > 5, target: "5"}'),
    modified('{formula: "q > 5 ? q : 0", target: "5"}'),
  ],
  [
    'keda/formula-names-triggers',
    'a name without an owner',
    modified('{formula: q + other, target: "5"}'),
    modified('{formula: q + 1, target: "5"}'),
  ],
  [
    'keda/formula-names-triggers',
    'the name of cpu',
    modified('{formula: q + load, target: "5"}', [`name: load\n${CPU}`]),
    modified('{formula: q + load, target: "5"}', [`name: load\n${CRON}`]),
  ],
  [
    'keda/formula-names-triggers',
    'a dash',
    modified('{formula: by-day, target: "5"}', [`name: by-day\n${CRON}`]),
    modified('{formula: by_day, target: "5"}', [`name: by_day\n${CRON}`]),
  ],

  [
    'keda/prometheus-query-valid',
    'no PromQL',
    scaledObject([prometheus('sum(rate(requests_total[5m])')]),
    scaledObject([prometheus('sum(rate(requests_total[5m]))')]),
  ],
  [
    'keda/prometheus-query-valid',
    'a scalar',
    scaledObject([prometheus('scalar(sum(requests))')]),
    scaledObject([prometheus('vector(scalar(sum(requests)))')]),
  ],
  [
    'keda/prometheus-query-valid',
    'a range',
    scaledObject([prometheus('requests[5m]')]),
    scaledObject([prometheus('sum(rate(requests[5m]))')]),
  ],
  [
    'keda/prometheus-query-gives-one-value',
    'a value for each series',
    scaledObject([prometheus('rate(requests_total{app="chat"}[1m])')]),
    scaledObject([prometheus('sum(rate(requests_total{app="chat"}[1m])) or vector(0)')]),
  ],
  [
    'keda/prometheus-query-gives-one-value',
    'a value for each pod',
    scaledObject([prometheus('avg by (pod) (requests)')]),
    scaledObject([prometheus('max(avg by (pod) (requests))')]),
  ],
  [
    'keda/first-replica-has-signal',
    'a queue of servers that do not run',
    scaledObject([prometheus('sum(vllm:num_requests_waiting{namespace="serving"}) or vector(0)')]),
    scaledObject([
      prometheus('sum(vllm:num_requests_waiting{namespace="serving"}) or vector(0)'),
      prometheus('sum(rate(gateway_requests_total[1m]))'),
    ]),
  ],
  [
    'keda/first-replica-has-signal',
    'idle at zero',
    scaledObject([prometheus('sum(sglang:num_queue_reqs)')], { spec: 'minReplicaCount: 2\nidleReplicaCount: 0' }),
    scaledObject([prometheus('sum(sglang:num_queue_reqs)')], { spec: 'minReplicaCount: 1' }),
  ],

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

describe.each(CASES)('%s: %s', (rule, _what, wrong, right) => {
  test('fires', () => {
    expect(rulesFiring(wrong, kedaRules)).toContain(rule);
  });

  test('is silent, and nothing else is an error', () => {
    const findings = findingsOf(right, kedaRules);
    expect(findings.filter((finding) => finding.rule === rule || finding.severity === 'error')).toEqual([]);
  });
});

test('every rule has a case', () => {
  expect(kedaRules.map(({ id }) => id).filter((id) => !CASES.some(([rule]) => rule === id))).toEqual([]);
});

test('every rule has an id of its own, a row, a source and a remedy', () => {
  expectRuleFacts(kedaRules, 'keda', /^KE\d+$/);
});

test('a missing request is certain only where the namespace is part of the manifests', () => {
  const manifests = scaledObject([CPU], { spec: 'minReplicaCount: 1' }) + deployment(' ');
  const severityOf = (yaml: string): string | undefined =>
    findingsOf(yaml, kedaRules).find(({ rule }) => rule === 'keda/resource-trigger-has-requests')?.severity;
  expect(severityOf(manifests)).toBe('warning');
  expect(severityOf(`${manifests}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: serving}\n`)).toBe('error');
});

test('a scalar is made a vector by the fix, a range is not', () => {
  const fixOf = (query: string): string | undefined => findingsOf(scaledObject([prometheus(query)]), kedaRules)[0]?.fix;
  expect(fixOf('scalar(sum(requests))')).toBe('Set metadata.query to vector(scalar(sum(requests))).');
  expect(fixOf('requests[5m]')).not.toContain('vector(requests');
});

test('a misspelled scaler or parameter is reported with the name that was meant', () => {
  const [scaler] = findingsOf(scaledObject(['type: promethues\nmetadata: {}']), kedaRules);
  expect(scaler?.expected).toBe('prometheus');
  const [parameter] = findingsOf(scaledObject([prometheus('sum(requests)', 'treshold: "1"')]), kedaRules);
  expect(parameter?.expected).toBe('threshold');
});

test('what KEDA is about to remove is information, and what it has removed an error', () => {
  const temporal = 'type: temporal\nmetadata: {endpoint: "t:7233", taskQueue: q, selectUnversioned: "true"}';
  expect(findingsOf(scaledObject([temporal]), kedaRules)).toMatchObject([
    { rule: 'keda/parameter-current', severity: 'info', tier: 'advice' },
  ]);
});

test('more replicas at least than at most are refused by the CRD itself', () => {
  const { manifests } = parseYaml(scaledObject([QUEUE], { spec: 'minReplicaCount: 101' }), 'test.yaml');
  expect(check(new ManifestSet(manifests), { rules: kedaRules }).findings).toMatchObject([
    { rule: 'cel/rule', path: '/spec' },
  ]);
});
