import { ApiObject, App, Chart, Duration } from 'cdk8s';
import { Deployment } from 'cdk8s-plus-28';
import {
  ClusterTriggerAuthentication,
  LlmScaling,
  type LlmServer,
  ScaledJob,
  ScaledObject,
  type ScaledObjectProps,
  type ScalingPlan,
  TriggerAuthentication,
  type TriggerAuthenticationProps,
  Triggers,
} from '../../../src/constructs/keda';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { manifestsOf } from '../../../src/manifests/constructs';
import { Accelerator, Scheduling } from '../../../src/constructs/pods';
import { check } from '../../../src/checks/engine';
import { allRules } from '../../../src/interfaces/checks';

let chart: Chart;
beforeEach(() => {
  chart = new Chart(new App(), 'test', { namespace: 'serving' });
});

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'chat' };
const queue = Triggers.rabbitmq({ queueName: 'jobs', host: 'amqp://rabbit', measure: { queueLength: 5 } });

interface Written {
  readonly spec: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

function written(kind: string): Written {
  return (chart.toJson() as { kind: string }[]).find((object) => object.kind === kind) as unknown as Written;
}

function scaled(props: Partial<ScaledObjectProps>): Written {
  new ScaledObject(chart, 'chat', { target, triggers: [queue], ...props });
  return written('ScaledObject');
}

describe('a ScaledObject', () => {
  test('writes what it was given, and no more', () => {
    expect(scaled({})).toEqual({
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: { name: 'chat', namespace: 'serving' },
      spec: {
        scaleTargetRef: { name: 'chat' },
        triggers: [
          { type: 'rabbitmq', metadata: { queueName: 'jobs', host: 'amqp://rabbit', mode: 'QueueLength', value: '5' } },
        ],
      },
    });
  });

  test("names counts, times and the rest by KEDA's names", () => {
    const { spec, metadata } = scaled({
      triggers: [Triggers.redis({ name: 'q', address: ['redis:6379'], listName: 'jobs' })],
      minReplicas: 2,
      maxReplicas: 8,
      idleReplicas: 0,
      pollingInterval: Duration.seconds(15),
      cooldownPeriod: Duration.seconds(60),
      initialCooldownPeriod: Duration.minutes(2),
      fallback: { failureThreshold: 3, replicas: 4, behavior: 'currentReplicasIfHigher' },
      horizontalPodAutoscaler: { name: 'chat', behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } },
      scalingModifiers: { formula: 'q', target: 5, activationTarget: 1, metricType: 'Value' },
      restoreToOriginalReplicas: true,
      envSourceContainer: 'server',
      pause: { atReplicas: 3 },
      forceActivation: true,
      transferHpaOwnership: true,
    });
    expect(spec).toMatchObject({
      minReplicaCount: 2,
      maxReplicaCount: 8,
      idleReplicaCount: 0,
      pollingInterval: 15,
      cooldownPeriod: 60,
      initialCooldownPeriod: 120,
      fallback: { failureThreshold: 3, replicas: 4, behavior: 'currentReplicasIfHigher' },
      scaleTargetRef: { name: 'chat', envSourceContainerName: 'server' },
      advanced: {
        restoreToOriginalReplicaCount: true,
        horizontalPodAutoscalerConfig: { name: 'chat', behavior: { scaleDown: { stabilizationWindowSeconds: 600 } } },
        scalingModifiers: { formula: 'q', target: '5', activationTarget: '1', metricType: 'Value' },
      },
    });
    expect(metadata.annotations).toEqual({
      'autoscaling.keda.sh/paused-replicas': '3',
      'autoscaling.keda.sh/force-activation': 'true',
      'scaledobject.keda.sh/transfer-hpa-ownership': 'true',
    });
  });

  test.each([
    ['now', 'paused'],
    ['scale-in', 'paused-scale-in'],
    ['scale-out', 'paused-scale-out'],
  ] as const)('pauses %s', (pause, annotation) => {
    expect(scaled({ pause }).metadata.annotations).toEqual({ [`autoscaling.keda.sh/${annotation}`]: 'true' });
  });

  test('scales a Deployment of cdk8s-plus, any object, and what lies in the cluster, and comes after it', () => {
    const deployment = new Deployment(chart, 'web', { containers: [{ image: 'registry.example.com/web:1' }] });
    const set = new ApiObject(chart, 'set', {
      apiVersion: 'example.com/v1',
      kind: 'Store',
      metadata: { name: 'store' },
    });
    const other = new ApiObject(chart, 'other', {
      apiVersion: 'example.com/v1',
      kind: 'Store',
      metadata: { name: 'other' },
    });
    new ScaledObject(chart, 'a', { target: set, triggers: [queue] });
    new ScaledObject(chart, 'b', { target: deployment, triggers: [queue] });
    new ScaledObject(chart, 'c', { target: { resource: other }, triggers: [queue] });
    const objects = chart.toJson() as { kind: string; metadata: { name: string }; spec: { scaleTargetRef: unknown } }[];
    const place = (name: string): number => objects.findIndex(({ metadata }) => metadata.name === name);
    const scaledBy = (name: string): unknown => objects[place(name)]?.spec.scaleTargetRef;
    expect([scaledBy('a'), scaledBy('b'), scaledBy('c')]).toEqual([
      { apiVersion: 'example.com/v1', kind: 'Store', name: 'store' },
      { name: deployment.name },
      { apiVersion: 'example.com/v1', kind: 'Store', name: 'other' },
    ]);
    expect(place('store')).toBeLessThan(place('a'));
    expect(place('other')).toBeLessThan(place('c'));
    expect(place(deployment.name)).toBeLessThan(place('b'));
  });

  test('takes triggers later, and is written after what authenticates them', () => {
    const object = new ScaledObject(chart, 'chat', { target });
    const authentication = new TriggerAuthentication(chart, 'broker', {
      secrets: { host: { name: 'rabbitmq', key: 'uri' } },
    });
    object.addTrigger(Triggers.rabbitmq({ queueName: 'jobs', measure: { queueLength: 5 }, authentication }));
    const cluster = ClusterTriggerAuthentication.fromName('aws');
    object.addTrigger(
      Triggers.awsSqsQueue({ queueURL: 'https://sqs/1', awsRegion: 'eu-west-1', authentication: cluster }),
    );
    expect((chart.toJson() as { kind: string }[]).map(({ kind }) => kind)).toEqual([
      'TriggerAuthentication',
      'ScaledObject',
    ]);
    expect(written('ScaledObject').spec.triggers).toMatchObject([
      { authenticationRef: { name: 'broker' } },
      { authenticationRef: { name: 'aws', kind: 'ClusterTriggerAuthentication' } },
    ]);
  });

  test.each<[string, Partial<ScaledObjectProps>, string]>([
    [
      'more at least than at most',
      { minReplicas: 5, maxReplicas: 4 },
      'minReplicas must be less than or equal to maxReplicas (5 > 4)',
    ],
    ['more than the maximum that is not stated', { minReplicas: 101 }, 'less than or equal to maxReplicas (101 > 100)'],
    ['idle at the minimum', { idleReplicas: 0 }, 'idleReplicas 0 must be less than minReplicas 0'],
    ['half a replica', { maxReplicas: 1.5 }, 'maxReplicas must be a whole number greater than or equal to 1, not 1.5'],
    [
      'a target of nothing',
      { scalingModifiers: { formula: 'q', target: 0 } },
      'scalingModifiers.target must be greater than 0, not 0',
    ],
    ['a takeover without a name', { transferHpaOwnership: true }, 'horizontalPodAutoscaler.name'],
  ])('refuses %s', (_, props, message) => {
    expect(() => scaled(props)).toThrow(message);
  });
});

describe('a ScaledJob', () => {
  test('makes Jobs of a pod template, and is scheduled like any workload', () => {
    new ScaledJob(chart, 'embed', {
      image: 'registry.example.com/embed:1',
      accelerators: Accelerator.nvidia({ count: 1 }),
      triggers: [queue],
      maxReplicas: 4,
      backoffLimit: 2,
      scheduling: Scheduling.kueue({ engine: 'kueue', name: 'batch' }),
      scaling: { strategy: 'custom' },
      multipleTriggers: 'sum',
      rollout: 'gradual',
      paused: true,
      overrides: { envSourceContainerName: 'main' },
    });
    const { spec, metadata } = written('ScaledJob');
    expect(spec).toMatchObject({
      maxReplicaCount: 4,
      rollout: { strategy: 'gradual' },
      envSourceContainerName: 'main',
      scalingStrategy: {
        strategy: 'custom',
        customScalingRunningJobPercentage: '0',
        multipleScalersCalculation: 'sum',
      },
      jobTargetRef: {
        backoffLimit: 2,
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'main', resources: { limits: { 'nvidia.com/gpu': 1 } } }],
          },
        },
      },
    });
    expect(metadata.labels).toEqual({ 'kueue.x-k8s.io/queue-name': 'batch' });
    expect(metadata.annotations).toEqual({ 'autoscaling.keda.sh/paused': 'true' });
  });

  test('takes triggers later', () => {
    new ScaledJob(chart, 'embed', { image: 'registry.example.com/embed:1' }).addTrigger(queue);
    expect(written('ScaledJob').spec.triggers).toHaveLength(1);
  });

  test.each([
    [
      'more at least than at most',
      { minReplicas: 2, maxReplicas: 1 },
      'minReplicas must be less than or equal to maxReplicas (2 > 1)',
    ],
    ['more than all running Jobs', { scaling: { strategy: 'custom', runningJobShare: 2 } }, 'runningJobShare 2'],
  ] as const)('refuses %s', (_, props, message) => {
    expect(() => new ScaledJob(chart, 'embed', { image: 'registry.example.com/embed:1', ...props })).toThrow(message);
  });
});

describe('an authentication', () => {
  function authenticated(props: TriggerAuthenticationProps): unknown {
    new TriggerAuthentication(chart, 'auth', props);
    return written('TriggerAuthentication').spec;
  }

  test('says where each parameter comes from', () => {
    expect(
      authenticated({
        secrets: { password: { name: 'db', key: 'password' } },
        configMaps: { host: { name: 'db', key: 'host' } },
        environment: { user: 'DB_USER', port: { variable: 'DB_PORT', container: 'main' } },
        oauth2: {
          clientId: 'a',
          tokenUrl: 'https://login/token',
          clientSecret: { name: 'oauth', key: 'secret' },
          scopes: ['read'],
        },
        hashiCorpVault: {
          address: 'https://vault',
          authentication: 'token',
          secrets: [{ parameter: 'x', path: 'y', key: 'z' }],
        },
      }),
    ).toEqual({
      secretTargetRef: [{ parameter: 'password', name: 'db', key: 'password' }],
      configMapTargetRef: [{ parameter: 'host', name: 'db', key: 'host' }],
      env: [
        { parameter: 'user', name: 'DB_USER' },
        { parameter: 'port', name: 'DB_PORT', containerName: 'main' },
      ],
      oauth2: {
        type: 'clientCredentials',
        clientId: 'a',
        tokenUrl: 'https://login/token',
        scopes: ['read'],
        clientSecret: { valueFrom: { secretKeyRef: { name: 'oauth', key: 'secret' } } },
      },
      hashiCorpVault: {
        address: 'https://vault',
        authentication: 'token',
        secrets: [{ parameter: 'x', path: 'y', key: 'z' }],
      },
    });
  });

  test.each<[TriggerAuthenticationProps['podIdentity'], unknown]>([
    [
      { provider: 'aws', roleArn: 'arn:aws:iam::1:role/a', externalId: 'x' },
      { provider: 'aws', roleArn: 'arn:aws:iam::1:role/a', externalID: 'x' },
    ],
    [
      { provider: 'aws', identityOwner: 'workload' },
      { provider: 'aws', identityOwner: 'workload' },
    ],
    [
      { provider: 'azure-workload', identityId: 'i', tenantId: 't', authorityHost: 'h' },
      { provider: 'azure-workload', identityId: 'i', identityTenantId: 't', identityAuthorityHost: 'h' },
    ],
    [{ provider: 'gcp' }, { provider: 'gcp' }],
  ])('knows the pod identity %j', (podIdentity, expected) => {
    expect(authenticated({ podIdentity })).toEqual({ podIdentity: expected });
  });

  test('of the cluster lives in no namespace, and may read a file', () => {
    new ClusterTriggerAuthentication(chart, 'files', { filePath: 'kafka/keys' });
    expect(written('ClusterTriggerAuthentication')).toMatchObject({
      metadata: { name: 'files' },
      spec: { filePath: 'kafka/keys' },
    });
    expect(written('ClusterTriggerAuthentication').metadata.namespace).toBeUndefined();
  });

  test.each<[string, TriggerAuthenticationProps, string]>([
    ['nothing', {}, 'must set at least one source'],
    ['an external id without a role', { podIdentity: { provider: 'aws', externalId: 'x' } }, 'requires roleArn'],
    [
      'an authority without a tenant',
      { podIdentity: { provider: 'azure-workload', authorityHost: 'x' } },
      'requires tenantId',
    ],
  ])('refuses %s', (_, props, message) => {
    expect(() => authenticated(props)).toThrow(message);
  });
});

describe('scaling of language models', () => {
  const common = { serverAddress: 'http://prometheus.monitoring:9090', labels: { namespace: 'serving', model: 'a"b' } };
  const servers: readonly LlmServer[] = ['vllm', 'sglang', 'tgi', 'triton', 'triton-tensorrt-llm'];

  test.each(servers)('by the queue of %s passes every rule there is', (server) => {
    new ScaledObject(chart, 'chat', { target, maxReplicas: 8, ...LlmScaling.queueDepth({ ...common, server }) });
    expect(check(manifestsOf(chart), { rules: allRules() }).findings).toEqual([]);
    expect(written('ScaledObject').spec).toMatchObject({
      minReplicaCount: 1,
      fallback: { behavior: 'currentReplicasIfHigher' },
    });
  });

  test('counts what waits, what runs and what the cache holds, each as one value', () => {
    const queryOf = ({ triggers = [] }: ScalingPlan): string | undefined => triggers[0]?.metadata.query;
    const labels = { namespace: 'serving' };
    expect(queryOf(LlmScaling.queueDepth({ ...common, labels, server: 'vllm' }))).toBe(
      'sum(vllm:num_requests_waiting{namespace="serving"})',
    );
    expect(queryOf(LlmScaling.requestsInFlight({ ...common, labels, server: 'sglang', requestsPerReplica: 32 }))).toBe(
      'sum(sglang:num_queue_reqs{namespace="serving"}) + sum(sglang:num_running_reqs{namespace="serving"})',
    );
    expect(queryOf(LlmScaling.kvCacheUse({ ...common, labels, server: 'triton-tensorrt-llm' }))).toBe(
      'sum(max by (instance) (nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",namespace="serving"}))',
    );
  });

  test('to zero needs a signal from outside, and then takes no server for no queue', () => {
    const wakeUp = Triggers.prometheus({
      serverAddress: common.serverAddress,
      query: 'sum(rate(gateway_requests_total[1m]))',
      threshold: 10,
    });
    const plan = LlmScaling.queueDepth({ ...common, server: 'vllm', wakeUp, modelLoadingTime: Duration.seconds(400) });
    new ScaledObject(chart, 'chat', { target, ...plan });
    expect(plan.minReplicas).toBe(0);
    expect([plan.cooldownPeriod, plan.initialCooldownPeriod].map((time) => time?.toSeconds())).toEqual([800, 800]);
    expect(plan.triggers?.[0]?.metadata.query).toContain(' or vector(0)');
    expect(check(manifestsOf(chart), { rules: kedaRules }).findings).toEqual([]);
    expect(() => LlmScaling.queueDepth({ ...common, server: 'vllm', minReplicas: 0 })).toThrow('wakeUp');
  });

  test('goes in steps of the time that a model takes to load', () => {
    const { horizontalPodAutoscaler } = LlmScaling.queueDepth({
      ...common,
      server: 'vllm',
      modelLoadingTime: Duration.minutes(50),
    });
    expect(horizontalPodAutoscaler?.behavior).toMatchObject({
      scaleUp: {
        policies: [
          { type: 'Pods', value: 2, periodSeconds: 1800 },
          { type: 'Percent', value: 100, periodSeconds: 1800 },
        ],
      },
      scaleDown: { stabilizationWindowSeconds: 3600 },
    });
  });

  test.each<[string, () => unknown, string]>([
    [
      'the cache of a server that does not show it',
      () => LlmScaling.kvCacheUse({ ...common, server: 'tgi' }),
      'does not expose how much of the KV cache',
    ],
    [
      'running requests of Triton',
      () => LlmScaling.requestsInFlight({ ...common, server: 'triton', requestsPerReplica: 4 }),
      'does not expose how many requests run',
    ],
    [
      'every server that Prometheus knows',
      () => LlmScaling.queueDepth({ ...common, labels: {}, server: 'vllm' }),
      'labels',
    ],
    ['a full cache', () => LlmScaling.kvCacheUse({ ...common, server: 'vllm', targetUse: 1 }), 'targetUse 1'],
    [
      'no requests',
      () => LlmScaling.queueDepth({ ...common, server: 'vllm', waitingPerReplica: 0 }),
      'must be a number greater than 0',
    ],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(message);
  });
});
