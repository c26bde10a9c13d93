/**
 * What research and applied made, for others to ask: a chat model on the inference nodes. Requests that wait bring more copies, and a copy
 * has four minutes to load.
 */
import { Chart, Duration } from 'cdk8s';
import { Accelerator, keda, Mount, Namespace, serving } from 'cdk8s-gantry';
import { type Construct } from 'constructs';
import { INFERENCE_GPU } from './cluster';
import { type Nodes } from './nodes';

const LOADING = Duration.minutes(4).toSeconds();

export class Serving extends Chart {
  readonly chat: serving.InferenceService;

  constructor(scope: Construct, id: string, nodes: Nodes) {
    super(scope, id, { namespace: 'serving' });
    this.node.addDependency(nodes);
    new Namespace(this, 'serving');
    this.chat = new serving.InferenceService(this, 'chat', {
      image: 'vllm/vllm-openai:v0.14.0',
      args: ['--model', '/model', '--tensor-parallel-size', '4'],
      port: 8000,
      model: Mount.claim('llama-70b-sft', '/model', { readOnly: true }),
      accelerators: Accelerator.nvidia({ count: 4, product: INFERENCE_GPU }),
      resources: { cpu: 16, memory: '160Gi' },
      sharedMemory: '16Gi',
      loadingTime: Duration.seconds(LOADING),
      drainTime: Duration.minutes(3),
      as: serving.ServingEngine.deployment({
        scaling: {
          maxReplicas: 6,
          ...keda.LlmScaling.queueDepth({
            server: 'vllm',
            serverAddress: 'http://prometheus.monitoring:9090',
            labels: { namespace: 'serving', service: 'chat' },
            minReplicas: 2,
            modelLoadingTime: Duration.seconds(LOADING),
          }),
        },
      }),
    });
  }
}
