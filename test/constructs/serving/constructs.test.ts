import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, keda, Mount, NodeSelection, serving, type SharedMemory, volcano } from '../../../src';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject } from '../../../src/manifests/read';
import { Testing } from '../../../src/interfaces/testing';

const { Deployment, Health, InferenceService, KnativeFeatureSwitches, KnativeScaling, MultiNode, ServingEngine } =
  serving;

const server: Omit<serving.InferenceServiceProps, 'sharedMemory'> & { readonly sharedMemory: string | SharedMemory } = {
  image: 'vllm/vllm-openai:v0.14.0',
  port: 8000,
  loadingTime: Duration.minutes(4),
  accelerators: Accelerator.nvidia({ count: 8 }),
  model: Mount.claim('llama', '/model', { readOnly: true }),
  sharedMemory: '16Gi',
  resources: { cpu: 16, memory: '200Gi' },
};
const queueDepth = keda.LlmScaling.queueDepth({
  server: 'vllm',
  serverAddress: 'http://prometheus.monitoring:9090',
  labels: { namespace: 'ai' },
  modelLoadingTime: Duration.minutes(4),
});

function chart(): Chart {
  return new Chart(new App(), 'stack', { namespace: 'ai' });
}

const manifestsOf = (scope: Chart): readonly JsonObject[] => Testing.synth(scope);
function one(scope: Chart, kind: string): JsonObject {
  const found = manifestsOf(scope).find((manifest) => manifest.kind === kind);
  if (found === undefined) {
    throw new Error(`no ${kind}`);
  }
  return found;
}
const specOf = (scope: Chart, kind: string): JsonObject => asObject(one(scope, kind).spec);
const podOf = (spec: JsonObject): JsonObject => asObject(asObject(spec.template).spec);
const mainOf = (pod: JsonObject): JsonObject => asObject(asArray(pod.containers)[0]);
const complaints = (scope: Chart): readonly string[] =>
  Testing.check(scope)
    .findings.filter(({ severity }) => severity !== 'info')
    .map(({ rule, object, message }) => `${rule} ${object}: ${message}`);

describe('as a Deployment', () => {
  test('probes, deadlines and grace follow from the times of loading and of the longest answer', () => {
    const scope = chart();
    new InferenceService(scope, 'chat', { ...server, replicas: 2, drainTime: Duration.minutes(2) });
    const spec = specOf(scope, 'Deployment');
    expect(spec).toMatchObject({
      replicas: 2,
      progressDeadlineSeconds: 1080,
      strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      selector: { matchLabels: { app: 'chat' } },
    });
    expect(podOf(spec)).toMatchObject({
      terminationGracePeriodSeconds: 130,
      topologySpreadConstraints: [
        {
          topologyKey: 'kubernetes.io/hostname',
          maxSkew: 1,
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app: 'chat' } },
        },
      ],
      volumes: [{ name: 'model' }, { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '16Gi' } }],
    });
    expect(mainOf(podOf(spec))).toMatchObject({
      startupProbe: { httpGet: { path: '/health', port: 'http' }, periodSeconds: 10, failureThreshold: 48 },
      readinessProbe: { periodSeconds: 5 },
      livenessProbe: { failureThreshold: 6 },
      lifecycle: { preStop: { sleep: { seconds: 10 } } },
      ports: [{ name: 'http', containerPort: 8000 }],
    });
    expect(complaints(scope)).toEqual([]);
  });

  test('a Service and a budget that never blocks a drain go around it, and all can be read back', () => {
    const scope = chart();
    const service = new InferenceService(scope, 'chat', server);
    expect(specOf(scope, 'Service')).toEqual({
      selector: { app: 'chat' },
      ports: [{ name: 'http', port: 8000, targetPort: 'http' }],
    });
    expect(specOf(scope, 'PodDisruptionBudget')).toEqual({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { app: 'chat' } },
    });
    expect([
      service.deployment?.name,
      service.service?.name,
      service.disruptionBudget?.name,
      service.scaledObject,
      service.podLabels,
    ]).toEqual(['chat', 'chat', 'chat', undefined, { app: 'chat' }]);
    expect([service.knativeService, service.leaderWorkerSet, service.requiredFeatures, service.host]).toEqual([
      undefined,
      undefined,
      [],
      'chat',
    ]);
  });

  test('an autoscaler has the replicas to itself, and is written last', () => {
    const scope = chart();
    const service = new InferenceService(scope, 'chat', {
      ...server,
      as: ServingEngine.deployment({ scaling: { maxReplicas: 8, ...queueDepth } }),
    });
    expect('replicas' in specOf(scope, 'Deployment')).toBe(false);
    expect(specOf(scope, 'ScaledObject')).toMatchObject({
      scaleTargetRef: { name: 'chat' },
      minReplicaCount: 1,
      maxReplicaCount: 8,
    });
    expect(manifestsOf(scope).at(-1)?.kind).toBe('ScaledObject');
    expect(service.scaledObject?.name).toBe('chat');
    expect(complaints(scope)).toEqual([]);
  });

  test('health is asked in other ways, levels and rollouts are chosen, a budget is left out', () => {
    const scope = chart();
    new InferenceService(scope, 'triton', {
      ...server,
      ready: Health.grpc('model'),
      alive: Health.tcp(),
      maxUnavailable: false,
      as: ServingEngine.deployment({
        rollout: 'recreate',
        spread: ['topology.kubernetes.io/zone'],
        overrides: { minReadySeconds: 30 },
      }),
    });
    const spec = specOf(scope, 'Deployment');
    expect(spec).toMatchObject({ strategy: { type: 'Recreate' }, minReadySeconds: 30 });
    expect(podOf(spec)).toMatchObject({ topologySpreadConstraints: [{ topologyKey: 'topology.kubernetes.io/zone' }] });
    expect(mainOf(podOf(spec))).toMatchObject({
      readinessProbe: { grpc: { port: 8000, service: 'model' } },
      livenessProbe: { tcpSocket: { port: 'http' } },
    });
    expect(manifestsOf(scope).some(({ kind }) => kind === 'PodDisruptionBudget')).toBe(false);
  });

  test('what the user says of the container wins over what follows', () => {
    const scope = chart();
    new InferenceService(scope, 'chat', {
      ...server,
      terminationGracePeriod: Duration.minutes(5),
      podOverrides: { container: { readinessProbe: { periodSeconds: 1 } } },
    });
    expect(podOf(specOf(scope, 'Deployment')).terminationGracePeriodSeconds).toBe(300);
    expect(mainOf(podOf(specOf(scope, 'Deployment'))).readinessProbe).toMatchObject({
      httpGet: { path: '/health' },
      periodSeconds: 1,
    });
  });

  test('scheduling choices reach the pods', () => {
    const scope = chart();
    new InferenceService(scope, 'chat', server).submitTo(volcano.Queue.fromName('serving'));
    const template = asObject(specOf(scope, 'Deployment').template);
    expect(asObject(template.spec).schedulerName).toBe('volcano');
    expect(asObject(template.metadata).annotations).toMatchObject({ 'scheduling.volcano.sh/queue-name': 'serving' });
  });

  test('numbers that are none are refused with the path of the service', () => {
    expect(() => new InferenceService(chart(), 'chat', { ...server, port: 0 })).toThrow('stack/chat: port 0');
    expect(() => new InferenceService(chart(), 'chat', { ...server, loadingTime: Duration.seconds(0.5) })).toThrow(
      'stack/chat: loadingTime 500ms: must be a whole number of seconds.',
    );
    expect(() => new InferenceService(chart(), 'chat', { ...server, replicas: -1 })).toThrow(
      'replicas must be a whole number greater than or equal to 0, not -1.',
    );
  });

  test("a plain Deployment without devices keeps Kubernetes' rollout", () => {
    const scope = chart();
    const gateway = new Deployment(scope, 'gateway', {
      image: 'registry.example.com/gateway:1',
      replicas: 3,
      selector: { role: 'gateway' },
    });
    expect(specOf(scope, 'Deployment')).toMatchObject({
      replicas: 3,
      selector: { matchLabels: { role: 'gateway' } },
      template: { metadata: { labels: { role: 'gateway' } } },
    });
    expect([specOf(scope, 'Deployment').strategy, gateway.selector]).toEqual([undefined, { role: 'gateway' }]);
  });
});

describe('as a Knative Service', () => {
  const scaling = KnativeScaling.concurrency(10, { maxReplicas: 8, scaleDownDelay: Duration.minutes(15) });

  test("annotations, port and limits are Knative's, and the switches that it needs are named", () => {
    const scope = chart();
    const service = new InferenceService(scope, 'chat', {
      ...server,
      drainTime: Duration.minutes(15),
      nodeSelection: NodeSelection.labels({ pool: 'inference' }),
      as: ServingEngine.knative({ scaling, containerConcurrency: 20, protocol: 'h2c' }),
    });
    const template = asObject(specOf(scope, 'Service').template);
    expect(asObject(template.metadata).annotations).toEqual({
      'autoscaling.knative.dev/class': 'kpa.autoscaling.knative.dev',
      'autoscaling.knative.dev/metric': 'concurrency',
      'autoscaling.knative.dev/target': '10',
      'autoscaling.knative.dev/min-scale': '0',
      'autoscaling.knative.dev/max-scale': '8',
      'autoscaling.knative.dev/scale-down-delay': '900s',
      'serving.knative.dev/progress-deadline': '1080s',
    });
    expect(template.spec).toMatchObject({ containerConcurrency: 20, timeoutSeconds: 600 });
    expect(mainOf(asObject(template.spec))).toMatchObject({
      ports: [{ name: 'h2c', containerPort: 8000 }],
      startupProbe: { httpGet: { port: 8000 }, failureThreshold: 48 },
    });
    expect('name' in mainOf(asObject(template.spec))).toBe(false);
    expect(service.requiredFeatures).toEqual([
      'kubernetes.podspec-nodeselector',
      'kubernetes.podspec-persistent-volume-claim',
      'kubernetes.podspec-tolerations',
    ]);
    expect([service.service, service.disruptionBudget, service.deployment, service.knativeService?.name]).toEqual([
      undefined,
      undefined,
      undefined,
      'chat',
    ]);
  });

  test('the switches are one ConfigMap, with which nothing is left to complain of', () => {
    const scope = chart();
    const service = new InferenceService(scope, 'chat', { ...server, as: ServingEngine.knative({ scaling }) });
    expect(complaints(scope).map((complaint) => complaint.split(' ')[0])).toEqual([
      'serving/knative-feature-switched-on',
      'serving/knative-feature-switched-on',
    ]);
    const switches = new KnativeFeatureSwitches(scope, 'features', {
      features: ['kubernetes.podspec-fieldref'],
    }).addService(service);
    expect(one(scope, 'ConfigMap')).toMatchObject({
      metadata: { name: 'config-features', namespace: 'knative-serving' },
      data: switches.patch.data,
    });
    expect(switches.data).toEqual({
      'kubernetes.podspec-fieldref': 'enabled',
      'kubernetes.podspec-persistent-volume-claim': 'enabled',
      'kubernetes.podspec-tolerations': 'enabled',
    });
    expect(complaints(scope)).toEqual([]);
  });

  test('what has no place there is refused', () => {
    const as = ServingEngine.knative();
    expect(() => new InferenceService(chart(), 'chat', { ...server, replicas: 2, as })).toThrow(
      'replicas must not be set for Knative, which scales automatically',
    );
    expect(
      () => new InferenceService(chart(), 'chat', { ...server, terminationGracePeriod: Duration.seconds(9), as }),
    ).toThrow('Set drainTime');
  });

  test.each([
    [KnativeScaling.requestsPerSecond(50), { class: 'kpa.autoscaling.knative.dev', metric: 'rps', 'min-scale': '0' }],
    [
      KnativeScaling.horizontalPodAutoscaler('cpu', 70),
      { class: 'hpa.autoscaling.knative.dev', metric: 'cpu', 'min-scale': '1' },
    ],
    [
      KnativeScaling.concurrency(4, {
        minReplicas: 1,
        activationReplicas: 2,
        targetUtilization: 80,
        window: Duration.minutes(2),
        lastReplicaRetention: Duration.minutes(10),
        targetBurstCapacity: -1,
        initialReplicas: 2,
      }),
      {
        'activation-scale': '2',
        'target-utilization-percentage': '80',
        window: '120s',
        'scale-to-zero-pod-retention-period': '600s',
        'target-burst-capacity': '-1',
        'initial-scale': '2',
      },
    ],
  ])('scaling %#', (choice, annotations) => {
    const wanted = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`autoscaling.knative.dev/${key}`, value]),
    );
    expect(choice.toAnnotations()).toMatchObject(wanted);
  });
});

describe('as a LeaderWorkerSet', () => {
  const commands = (scope: Chart): readonly (readonly unknown[])[] => {
    const template = asObject(specOf(scope, 'LeaderWorkerSet').leaderWorkerTemplate);
    return ['leaderTemplate', 'workerTemplate'].map((name) =>
      asArray(mainOf(asObject(asObject(template[name]).spec)).command),
    );
  };

  test('nodes follow from devices, only the leader is asked, and requests go to it under a name of their own', () => {
    const scope = chart();
    const service = new InferenceService(scope, 'big', {
      ...server,
      replicas: 2,
      as: ServingEngine.leaderWorkerSet({
        devices: 16,
        start: MultiNode.vllm({ model: '/model', args: ['--max-model-len', '8192'] }),
      }),
    });
    const spec = specOf(scope, 'LeaderWorkerSet');
    const { leaderTemplate, workerTemplate, size } = asObject(spec.leaderWorkerTemplate);
    expect([spec.replicas, size]).toEqual([2, 2]);
    const leaderPod = asObject(asObject(leaderTemplate).spec);
    expect(mainOf(leaderPod)).toMatchObject({
      startupProbe: { failureThreshold: 48 },
      ports: [{ containerPort: 8000 }],
    });
    expect(mainOf(asObject(asObject(workerTemplate).spec)).startupProbe).toBeUndefined();
    const [leader = [], worker = []] = commands(scope);
    expect(leader.join(' ')).toBe(
      'vllm serve /model --port 8000 --tensor-parallel-size 8 --pipeline-parallel-size 2 --max-model-len 8192 --nnodes $(LWS_GROUP_SIZE) --node-rank $(LWS_WORKER_INDEX) --master-addr $(LWS_LEADER_ADDRESS)',
    );
    expect(worker).toEqual([...leader, '--headless']);
    expect(specOf(scope, 'Service').selector).toEqual({
      'leaderworkerset.sigs.k8s.io/name': 'big',
      'leaderworkerset.sigs.k8s.io/worker-index': '0',
    });
    expect([service.host, service.service?.name, service.leaderWorkerSet?.name]).toEqual([
      'big-leader',
      'big-leader',
      'big',
    ]);
    expect(specOf(scope, 'PodDisruptionBudget')).toMatchObject({
      selector: { matchLabels: { 'leaderworkerset.sigs.k8s.io/name': 'big' } },
    });
    expect(complaints(scope)).toEqual([]);
  });

  test('SGLang splits over all devices; Ray is started by the script of the image', () => {
    const sglang = chart();
    new InferenceService(sglang, 'big', {
      ...server,
      as: ServingEngine.leaderWorkerSet({ nodes: 4, start: MultiNode.sglang({ model: '/model', tensorParallel: 16 }) }),
    });
    const [launch = [], same] = commands(sglang);
    expect(launch.join(' ')).toBe(
      'python3 -m sglang.launch_server --model-path /model --tp 16 --pp-size 2 --dist-init-addr $(LWS_LEADER_ADDRESS):20000 --nnodes $(LWS_GROUP_SIZE) --node-rank $(LWS_WORKER_INDEX) --host 0.0.0.0 --port 8000',
    );
    expect(same).toEqual(launch);
    const ray = chart();
    new InferenceService(ray, 'big', {
      ...server,
      as: ServingEngine.leaderWorkerSet({ devices: 16, start: MultiNode.vllmRay({ model: 'org/a b' }) }),
    });
    const [leader = [], worker = []] = commands(ray);
    expect(leader[2]).toBe(
      "bash /vllm-workspace/examples/online_serving/multi-node-serving.sh leader --ray_cluster_size=$(LWS_GROUP_SIZE) && exec vllm serve 'org/a b' --port 8000 --tensor-parallel-size 8 --pipeline-parallel-size 2 --distributed-executor-backend ray",
    );
    expect(worker[2]).toContain('worker --ray_address=$(LWS_LEADER_ADDRESS)');
    expect(complaints(ray)).toEqual([]);
  });

  test('KEDA scales whole copies', () => {
    const scope = chart();
    new InferenceService(scope, 'big', {
      ...server,
      as: ServingEngine.leaderWorkerSet({
        devices: 16,
        start: MultiNode.commands({ leader: ['a'], worker: ['b'] }),
        scaling: { maxReplicas: 4, ...queueDepth },
      }),
    });
    expect('replicas' in specOf(scope, 'LeaderWorkerSet')).toBe(false);
    expect(specOf(scope, 'ScaledObject').scaleTargetRef).toEqual({
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      name: 'big',
    });
    expect(complaints(scope)).toEqual([]);
  });

  test('devices that do not fill nodes are refused', () => {
    const make = (options: Omit<serving.LeaderWorkerEngineOptions, 'start'>, tensorParallel?: number) => () =>
      new InferenceService(chart(), 'big', {
        ...server,
        as: ServingEngine.leaderWorkerSet({ ...options, start: MultiNode.vllm({ model: 'm', tensorParallel }) }),
      });
    expect(make({ devices: 12 })).toThrow('devices 12: must be a multiple of 8, the devices of each pod');
    expect(make({ devices: 8 })).toThrow('for at least two pods');
    expect(make({})).toThrow('devices or nodes is required');
    expect(make({ nodes: 2, devices: 32 })).toThrow('have 16. Set only one of the two');
    expect(make({ nodes: 1 })).toThrow('nodes must be a whole number greater than or equal to 2, not 1.');
    expect(make({ devices: 16 }, 3)).toThrow('tensorParallel 3: must be a divisor of 16, the number of devices');
  });
});
