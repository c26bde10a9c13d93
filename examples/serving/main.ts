/**
 * Four ways to serve: a chat model that scales by its queue, a ranking model that Knative takes to zero, a model that spans nodes, and the
 * gateway before them.
 */
import { App, Chart, Duration } from 'cdk8s';
import { Accelerator, keda, Mount, Namespace, NodeSelection, serving } from 'cdk8s-gantry';

const { Deployment, InferenceService, KnativeFeatureSwitches, KnativeScaling, MultiNode, ServingEngine } = serving;

const PROMETHEUS = 'http://prometheus.monitoring:9090';
const minutes = (count: number): number => Duration.minutes(count).toSeconds();

export class Serving extends Chart {
  readonly chat: serving.InferenceService;
  readonly ranking: serving.InferenceService;
  readonly frontier: serving.InferenceService;

  constructor(app: App, id: string) {
    super(app, id, { namespace: 'serving' });
    new Namespace(this, 'serving');
    const nodes = NodeSelection.labels({ 'example.com/pool': 'inference' });

    // A copy is a pod. Waiting requests bring more of them; each has four minutes to load before anybody gives it up.
    this.chat = new InferenceService(this, 'chat', {
      image: 'vllm/vllm-openai:v0.14.0',
      args: ['--model', '/model', '--tensor-parallel-size', '4'],
      port: 8000,
      model: Mount.claim('llama-70b', '/model', { readOnly: true }),
      accelerators: Accelerator.nvidia({ count: 4 }),
      nodeSelection: nodes,
      resources: { cpu: 16, memory: '160Gi' },
      sharedMemory: '16Gi',
      loadingTime: Duration.seconds(minutes(4)),
      drainTime: Duration.seconds(minutes(3)),
      as: ServingEngine.deployment({
        scaling: {
          maxReplicas: 8,
          ...keda.LlmScaling.queueDepth({
            server: 'vllm',
            serverAddress: PROMETHEUS,
            labels: { namespace: 'serving', service: 'chat' },
            minReplicas: 2,
            modelLoadingTime: Duration.seconds(minutes(4)),
          }),
        },
      }),
    });

    // Asked now and then: no GPU is in use without requests. The switches that Knative needs for it are written beside it.
    this.ranking = new InferenceService(this, 'ranking', {
      image: 'registry.example.com/ranking:4.2',
      port: 8080,
      loadingTime: Duration.seconds(20),
      drainTime: Duration.seconds(30),
      accelerators: Accelerator.nvidia({ count: 1 }),
      nodeSelection: nodes,
      resources: { cpu: 4, memory: '16Gi' },
      as: ServingEngine.knative({
        scaling: KnativeScaling.concurrency(8, { maxReplicas: 6, scaleDownDelay: Duration.seconds(minutes(10)) }),
        containerConcurrency: 16,
      }),
    });
    new KnativeFeatureSwitches(this, 'switches', { services: [this.ranking] });

    // A copy is two nodes of eight GPUs. Copies are replaced one by one, and each stays within one rack.
    this.frontier = new InferenceService(this, 'frontier', {
      image: 'lmsysorg/sglang:v0.5.6',
      port: 30000,
      replicas: 2,
      loadingTime: Duration.seconds(minutes(15)),
      drainTime: Duration.seconds(minutes(5)),
      model: Mount.claim('deepseek', '/model', { readOnly: true }),
      accelerators: Accelerator.nvidia({ count: 8 }),
      nodeSelection: nodes,
      resources: { cpu: 64, memory: '900Gi' },
      sharedMemory: '64Gi',
      as: ServingEngine.leaderWorkerSet({
        devices: 16,
        exclusiveTopology: 'example.com/rack',
        start: MultiNode.sglang({ model: '/model' }),
      }),
    });

    new Deployment(this, 'gateway', {
      image: 'registry.example.com/gateway:2.0',
      replicas: 3,
      resources: { cpu: 2, memory: '2Gi' },
      env: { CHAT: `http://${this.chat.host}:8000`, FRONTIER: `http://${this.frontier.host}:30000` },
    });
  }
}

export function modelServers(app: App): App {
  new Serving(app, 'serving');
  return app;
}

if (require.main === module) {
  modelServers(new App()).synth();
}
