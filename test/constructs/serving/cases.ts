/** Small builders of manifests, and cases of each rule: when it speaks, and when it is silent. */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { knative, type Manifests, type RuleCases } from './knative-builder';
import { knativeCases } from './knative-cases';

export { knative, type Manifests, type RuleCases };

const KPA = 'kpa.autoscaling.knative.dev';
const HPA = 'hpa.autoscaling.knative.dev';

function config(name: string, data: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'knative-serving' }, data };
}

export const gpu: JsonObject = { resources: { limits: { 'nvidia.com/gpu': 2 } } };

export function deployment(container: JsonObject = {}, spec: JsonObject = {}, pod: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'chat', namespace: 'ai' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'chat' } },
      ...spec,
      template: {
        metadata: { labels: { app: 'chat' } },
        spec: { containers: [{ name: 'main', image: 'x', ...container }], ...pod },
      },
    },
  };
}

export function budget(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'chat', namespace: 'ai' },
    spec: { selector: { matchLabels: { app: 'chat' } }, ...spec },
  };
}

function quota(gpus: JsonValue, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'team', namespace: 'ai' },
    spec: { hard: { 'requests.nvidia.com/gpu': gpus }, ...more },
  };
}

const ofPriority = (operator: string, values?: readonly string[]): JsonObject => ({
  scopeSelector: {
    matchExpressions: [
      { scopeName: 'PriorityClass', operator, ...(values === undefined ? {} : { values: [...values] }) },
    ],
  },
});

function priorityClass(name: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value: 10, ...more };
}

function limitRange(item: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'team', namespace: 'ai' },
    spec: { limits: [{ type: 'Container', ...item }] },
  };
}

const cpus = (cpu: string, devices: JsonObject = { 'nvidia.com/gpu': 2 }): JsonObject => ({
  resources: { requests: { cpu }, limits: devices },
});

function autoscaler(target: JsonObject = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'chat' }): JsonObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'chat', namespace: 'ai' },
    spec: { scaleTargetRef: target, maxReplicas: 4 },
  };
}

export function leaderWorkers(spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'big', namespace: 'ai' },
    spec,
  };
}

function service(name: string, spec: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'ai' }, spec };
}

const probe = (more: JsonObject = {}): JsonObject => ({ httpGet: { path: '/health', port: 8000 }, ...more });
const surge = (maxSurge: JsonValue, maxUnavailable: JsonValue): JsonObject => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

export const cases: readonly RuleCases[] = [
  ...knativeCases,
  {
    rule: 'serving/knative-class-known',
    fires: { 'none such': [knative({ class: 'vpa.autoscaling.knative.dev' })] },
    silent: {
      both: [knative({ class: KPA }), { ...knative({ class: HPA }), metadata: { name: 'b' } }],
      'of another domain': [knative({ class: 'keda.example.com' })],
    },
  },
  {
    rule: 'serving/knative-metric-of-class',
    fires: {
      'CPU with kpa': [knative({ metric: 'cpu' })],
      'an average that is none': [knative({ class: KPA, 'metric-aggregation-algorithm': 'mean' })],
      'nothing with hpa': [knative({ class: HPA, metric: '' })],
    },
    silent: {
      rps: [knative({ metric: 'rps' })],
      'custom with hpa': [knative({ class: HPA, metric: 'gpu_busy' })],
      'anything with another': [knative({ class: 'x.example.com', metric: 'y' })],
    },
  },
  {
    rule: 'serving/knative-hpa-metric-stated',
    fires: { 'a target alone': [knative({ class: HPA, target: '10' })], nothing: [knative({ class: HPA })] },
    silent: {
      'with its metric': [knative({ class: HPA, target: '70', metric: 'cpu' })],
      kpa: [knative({ target: '10' })],
    },
  },
  {
    rule: 'serving/knative-hpa-not-to-zero',
    fires: { zero: [knative({ class: HPA, 'min-scale': '0' })], nothing: [knative({ class: HPA })] },
    silent: { one: [knative({ class: HPA, 'min-scale': '1' })], kpa: [knative({ 'min-scale': '0' })] },
  },
  {
    rule: 'serving/knative-scale-bounds-ordered',
    fires: {
      backwards: [knative({ 'min-scale': '3', 'max-scale': '2' })],
      negative: [knative({ 'min-scale': '-1' })],
      'a word': [knative({ 'max-scale': 'many' })],
      'one at activation': [knative({ 'activation-scale': '1' })],
      'activation above the most': [knative({ 'activation-scale': '5', 'max-scale': '4' })],
      'under the older name': [knative({ minScale: '3', maxScale: '2' })],
    },
    silent: {
      'no limit': [knative({ 'min-scale': '3', 'max-scale': '0' })],
      between: [knative({ 'min-scale': '1', 'max-scale': '4', 'activation-scale': '2' })],
    },
  },
  {
    rule: 'serving/knative-scaling-number-in-range',
    fires: {
      target: [knative({ target: '0.001' })],
      utilization: [knative({ 'target-utilization-percentage': '0.7' })],
      capacity: [knative({ 'target-burst-capacity': '-2' })],
      'panic window': [knative({ 'panic-window-percentage': '0' })],
      'panic threshold': [knative({ 'panic-threshold-percentage': '100' })],
      'a word': [knative({ target: 'ten' })],
    },
    silent: {
      'at the edges': [
        knative({
          target: '0.01',
          'target-utilization-percentage': '100',
          'target-burst-capacity': '-1',
          'panic-window-percentage': '1',
          'panic-threshold-percentage': '1000',
        }),
      ],
    },
  },
  {
    rule: 'serving/knative-scaling-duration-in-range',
    fires: {
      short: [knative({ window: '5s' })],
      long: [knative({ 'scale-down-delay': '61m' })],
      'parts of seconds': [knative({ window: '6500ms' })],
      'no unit': [knative({ 'scale-to-zero-pod-retention-period': '60' })],
      'a deadline without unit': [knative({ 'serving.knative.dev/progress-deadline': '600' })],
    },
    silent: {
      'with their units': [
        knative({
          window: '1h',
          'scale-down-delay': '0s',
          'scale-to-zero-pod-retention-period': '1500ms',
          'serving.knative.dev/progress-deadline': '20m',
        }),
      ],
    },
  },
  {
    rule: 'serving/knative-initial-scale-allowed',
    fires: {
      negative: [knative({ 'initial-scale': '-1' })],
      zero: [knative({ 'initial-scale': '0' })],
      'zero where it is not allowed': [knative({ 'initial-scale': '0' }), config('config-autoscaler', {})],
    },
    silent: {
      two: [knative({ 'initial-scale': '2' })],
      'zero where it is allowed': [
        knative({ 'initial-scale': '0' }),
        config('config-autoscaler', { 'allow-zero-initial-scale': 'true' }),
      ],
    },
  },
  {
    rule: 'serving/knative-scaling-on-template',
    fires: {
      'on the service': [
        { ...knative(), metadata: { name: 'chat', annotations: { 'autoscaling.knative.dev/min-scale': '1' } } },
      ],
    },
    silent: {
      'on the template': [knative({ 'min-scale': '1' })],
      'on a revision, which has none': [
        {
          ...knative(),
          kind: 'Revision',
          metadata: { name: 'chat-1', annotations: { 'autoscaling.knative.dev/min-scale': '1' } },
          spec: { containers: [{ image: 'x' }] },
        },
      ],
    },
  },
  {
    rule: 'serving/knative-scaling-annotation-known',
    fires: { 'a wrong word': [knative({ 'minimum-scale': '1' })], 'an old one': [knative({ minScale: '1' })] },
    silent: {
      'known ones': [knative({ 'min-scale': '1', 'metric-aggregation-algorithm': 'linear' })],
      'those of another autoscaler': [knative({ class: 'x.example.com', mine: '1' })],
    },
  },
  {
    rule: 'serving/knative-target-within-concurrency',
    fires: { above: [knative({ target: '30' }, { containerConcurrency: 20 })] },
    silent: {
      equal: [knative({ target: '20' }, { containerConcurrency: 20 })],
      'no limit': [knative({ target: '30' }, { containerConcurrency: 0 })],
      'requests a second': [knative({ target: '30', metric: 'rps' }, { containerConcurrency: 1 })],
    },
  },
  {
    rule: 'serving/knative-one-port',
    fires: {
      two: [knative({}, {}, { ports: [{ containerPort: 8000 }, { containerPort: 8001 }] })],
      'another name': [knative({}, {}, { ports: [{ name: 'http', containerPort: 8000 }] })],
      'of Knative': [knative({}, {}, { ports: [{ containerPort: 8012 }] })],
      UDP: [knative({}, {}, { ports: [{ containerPort: 53, protocol: 'UDP' }] })],
      'none of two': [knative({}, { containers: [{ image: 'a' }, { image: 'b' }] })],
    },
    silent: {
      gRPC: [knative({}, {}, { ports: [{ name: 'h2c', containerPort: 9000 }] })],
      none: [knative()],
      'in one of two': [knative({}, { containers: [{ image: 'a', ports: [{ containerPort: 1 }] }, { image: 'b' }] })],
    },
  },
  {
    rule: 'serving/knative-feature-switched-on',
    fires: {
      'node selection': [knative({}, { nodeSelector: { a: 'b' } })],
      'an empty list, which Go tells from none': [knative({}, { tolerations: [] })],
      'tolerations that stay off': [
        knative({}, { tolerations: [{ operator: 'Exists' }] }),
        config('config-features', {}),
      ],
      'a claim that is written to': [
        knative({}, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
        config('config-features', { 'kubernetes.podspec-persistent-volume-claim': 'enabled' }),
      ],
      'emptyDir turned off': [
        knative({}, { volumes: [{ name: 'v', emptyDir: {} }] }),
        config('config-features', { 'kubernetes.podspec-volumes-emptydir': 'disabled' }),
      ],
      capabilities: [knative({}, {}, { securityContext: { capabilities: { add: ['IPC_LOCK'] } } })],
      "the pod's fields": [knative({}, {}, { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'x' } } }] })],
      'probes of a sidecar': [
        knative(
          {},
          {
            containers: [
              { image: 'a', ports: [{ containerPort: 1 }] },
              { image: 'b', livenessProbe: probe() },
            ],
          },
        ),
      ],
    },
    silent: {
      'switched on': [
        knative({}, { nodeSelector: { a: 'b' } }),
        config('config-features', { 'kubernetes.podspec-nodeselector': 'Enabled' }),
      ],
      'on by default': [knative({}, { volumes: [{ name: 'v', emptyDir: {} }] })],
      'nothing in it': [knative({}, { schedulerName: '', hostNetwork: false, affinity: null })],
    },
  },
  {
    rule: 'serving/knative-limits-in-range',
    fires: {
      negative: [knative({}, { containerConcurrency: -1 })],
      long: [knative({}, { timeoutSeconds: 3600 })],
      'beyond what is allowed': [knative({}, { timeoutSeconds: 3600 }), config('config-defaults', {})],
    },
    silent: {
      'at the edges': [knative({}, { containerConcurrency: 1000, timeoutSeconds: 600 })],
      allowed: [
        knative({}, { timeoutSeconds: 3600 }),
        config('config-defaults', { 'max-revision-timeout-seconds': '7200' }),
      ],
    },
  },
  {
    rule: 'serving/knative-reserved-names-free',
    fires: {
      'the port': [knative({}, {}, { env: [{ name: 'PORT', value: '1' }] })],
      'the container': [knative({}, {}, { name: 'queue-proxy' })],
    },
    silent: {
      'of a sidecar': [
        knative(
          {},
          {
            containers: [
              { image: 'a', ports: [{ containerPort: 1 }] },
              { image: 'b', env: [{ name: 'PORT', value: '1' }] },
            ],
          },
        ),
      ],
      others: [knative({}, {}, { env: [{ name: 'K_OTHER', value: '1' }] })],
    },
  },
  {
    rule: 'serving/knative-field-allowed',
    fires: {
      privileged: [knative({}, {}, { securityContext: { privileged: true } })],
      'a token': [knative({}, { automountServiceAccountToken: true })],
    },
    silent: { not: [knative({}, { automountServiceAccountToken: false }, { securityContext: { privileged: false } })] },
  },
  {
    rule: 'serving/knative-mount-path-free',
    fires: {
      devices: [knative({}, {}, { volumeMounts: [{ name: 'v', mountPath: '/dev/' }] })],
      'passed on': [
        knative({}, {}, { volumeMounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'Bidirectional' }] }),
      ],
    },
    silent: { 'shared memory': [knative({}, {}, { volumeMounts: [{ name: 'v', mountPath: '/dev/shm' }] })] },
  },
  {
    rule: 'serving/knative-probe-valid',
    fires: {
      'another port': [knative({}, {}, { readinessProbe: { tcpSocket: { port: 'metrics' } } })],
      'limits without period': [knative({}, {}, { readinessProbe: { tcpSocket: {}, timeoutSeconds: 1 } })],
    },
    silent: {
      'the name of its port': [
        knative(
          {},
          {},
          { ports: [{ name: 'h2c', containerPort: 9000 }], readinessProbe: { tcpSocket: { port: 'h2c' } } },
        ),
      ],
      'with a period': [
        knative({}, {}, { readinessProbe: { httpGet: { port: 8000 }, periodSeconds: 5, timeoutSeconds: 1 } }),
      ],
    },
  },
  {
    rule: 'serving/knative-volume-mounted',
    fires: {
      'by no container': [knative({}, { volumes: [{ name: 'v', emptyDir: {} }] })],
      'huge pages': [
        knative(
          {},
          { volumes: [{ name: 'v', emptyDir: { medium: 'HugePages' } }] },
          { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
        ),
      ],
    },
    silent: {
      memory: [
        knative(
          {},
          { volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] },
          { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
        ),
      ],
    },
  },
  {
    rule: 'serving/knative-revision-name-prefixed',
    fires: {
      another: [{ ...knative(), spec: { template: { metadata: { name: 'v1' } } } }],
      'no label': [{ ...knative(), spec: { template: { metadata: { name: 'chat-V1' } } } }],
    },
    silent: { 'of the service': [{ ...knative(), spec: { template: { metadata: { name: 'chat-v1' } } } }] },
  },
  {
    rule: 'serving/knative-deadline-covers-startup',
    fires: { 'the default': [knative({}, {}, { startupProbe: probe({ periodSeconds: 10, failureThreshold: 90 }) })] },
    silent: {
      longer: [
        knative(
          { 'serving.knative.dev/progress-deadline': '30m' },
          {},
          { startupProbe: probe({ periodSeconds: 10, failureThreshold: 90 }) },
        ),
      ],
      none: [knative()],
    },
  },
  {
    rule: 'serving/liveness-waits-for-model',
    fires: {
      'at once': [deployment({ ...gpu, livenessProbe: probe() })],
      'of Knative': [knative({}, {}, { ...gpu, livenessProbe: probe() })],
    },
    silent: {
      'after startup': [deployment({ ...gpu, livenessProbe: probe(), startupProbe: probe() })],
      'after minutes': [deployment({ ...gpu, livenessProbe: probe({ initialDelaySeconds: 300 }) })],
      'without a GPU': [deployment({ livenessProbe: probe() })],
    },
  },
  {
    rule: 'serving/deadline-covers-startup',
    fires: {
      'the default': [deployment({ startupProbe: probe({ failureThreshold: 61 }) })],
      stated: [deployment({ startupProbe: probe({ failureThreshold: 20 }) }, { progressDeadlineSeconds: 100 })],
    },
    silent: {
      longer: [deployment({ startupProbe: probe({ failureThreshold: 61 }) }, { progressDeadlineSeconds: 1200 })],
      'no startup': [deployment()],
    },
  },
  {
    rule: 'serving/grace-covers-hook',
    fires: {
      'the default': [deployment({ lifecycle: { preStop: { exec: { command: ['sleep', '30'] } } } })],
      'in a shell': [
        deployment(
          { lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', 'sleep 60'] } } } },
          {},
          { terminationGracePeriodSeconds: 60 },
        ),
      ],
    },
    silent: {
      longer: [
        deployment(
          { lifecycle: { preStop: { exec: { command: ['sleep', '30'] } } } },
          {},
          { terminationGracePeriodSeconds: 90 },
        ),
      ],
      'more than a sleep': [
        deployment({ lifecycle: { preStop: { exec: { command: ['sh', '-c', 'drain && sleep 60'] } } } }),
      ],
    },
  },
  {
    rule: 'serving/disruption-budget-lets-drain',
    fires: {
      'all of them': [budget({ minAvailable: 2 }), deployment()],
      '100%': [budget({ minAvailable: '100%' })],
      'none may go': [budget({ maxUnavailable: 0 })],
      'the share rounds up': [budget({ minAvailable: '51%' }), deployment()],
      'the only one': [budget({ minAvailable: 1 }), deployment({}, { replicas: 1 })],
    },
    silent: {
      'one may go': [budget({ maxUnavailable: 1 }), deployment({}, { replicas: 1 })],
      'one is enough': [budget({ minAvailable: 1 }), deployment()],
      'an autoscaler decides': [budget({ minAvailable: 2 }), deployment(), autoscaler()],
      'pods elsewhere': [budget({ minAvailable: 2 })],
    },
  },
  {
    rule: 'serving/surge-fits-quota',
    fires: {
      'as Kubernetes does it': [deployment(gpu), quota(4)],
      stated: [deployment(gpu, surge(1, 0)), quota('5')],
      'of pods without CPU and memory, whatever devices they request': [
        deployment(gpu),
        quota(4, { scopes: ['BestEffort'] }),
      ],
      'of the scope of its pods': [deployment(gpu), quota(4, { scopes: ['NotTerminating'] })],
      'of the priority class of its pods': [
        deployment(gpu, {}, { priorityClassName: 'serving' }),
        quota(4, ofPriority('In', ['serving', 'training'])),
      ],
      'of the default priority class': [
        deployment(gpu),
        quota(4, ofPriority('In', ['usual'])),
        priorityClass('usual', { globalDefault: true }),
      ],
      'of its CPU': [deployment(cpus('4')), quota(8, { hard: { 'requests.nvidia.com/gpu': 8, 'requests.cpu': '8' } })],
      'of the CPU that a LimitRange gives it': [
        deployment(gpu),
        quota(8, { hard: { 'requests.cpu': '8' } }),
        limitRange({ default: { cpu: '4' } }),
      ],
      'of pods': [deployment(gpu), quota(8, { hard: { pods: 2 } })],
      'of its devices through a LimitRange': [deployment(), quota(2), limitRange({ default: { 'nvidia.com/gpu': 1 } })],
    },
    silent: {
      'one goes first': [deployment(gpu, surge(0, 1)), quota(4)],
      'all go first': [deployment(gpu, { strategy: { type: 'Recreate' } }), quota(4)],
      'room for one more': [deployment(gpu), quota(6)],
      'too small for the replicas': [deployment(gpu), quota(2)],
      'of pods that request CPU or memory': [deployment(gpu), quota(4, { scopes: ['NotBestEffort'] })],
      'of pods that end': [deployment(gpu), quota(4, { scopes: ['Terminating'] })],
      'of another priority class': [
        deployment(gpu, {}, { priorityClassName: 'serving' }),
        quota(4, ofPriority('In', ['training'])),
      ],
      'of no priority class': [
        deployment(gpu, {}, { priorityClassName: 'serving' }),
        quota(4, ofPriority('DoesNotExist')),
      ],
      'of pods with any priority class': [deployment(gpu), quota(4, ofPriority('Exists'))],
      'another namespace': [deployment(gpu), { ...quota(4), metadata: { name: 'team', namespace: 'other' } }],
      'without devices': [deployment(cpus('4', {})), quota(8, { hard: { 'requests.cpu': '8' } })],
      'one amount is too small for the replicas': [
        deployment(cpus('4')),
        quota(8, { hard: { 'requests.nvidia.com/gpu': 4, 'requests.cpu': '6' } }),
      ],
      'four replicas, of which one goes': [deployment(gpu, { replicas: 4 }), quota(8)],
    },
  },
  {
    rule: 'serving/replicas-left-to-autoscaler',
    fires: { stated: [deployment(), autoscaler()] },
    silent: {
      not: [deployment({}, { replicas: null }), autoscaler()],
      'of another': [deployment(), autoscaler({ kind: 'Deployment', name: 'other' })],
    },
  },
  {
    rule: 'serving/leader-worker-set-keeps-its-service',
    fires: { 'an address under its name': [leaderWorkers(), service('big')] },
    silent: {
      'another name': [leaderWorkers(), service('big-leader')],
      headless: [leaderWorkers(), service('big', { clusterIP: 'None' })],
      'a Service for each group': [
        leaderWorkers({ networkConfig: { subdomainPolicy: 'UniquePerReplica' } }),
        service('big'),
      ],
    },
  },
];
