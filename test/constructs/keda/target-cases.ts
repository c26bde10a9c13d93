/** Targets, replicas, and the strategies of ScaledObjects and ScaledJobs. */
import { type RuleCase, CPU, CRON, deployment, hpa, limitRange, QUEUE, scaledJob, scaledObject } from './objects';

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

export const TARGET_CASES: readonly RuleCase[] = [
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
];
