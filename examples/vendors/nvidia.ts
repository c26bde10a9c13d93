/**
 * NVIDIA: whole H100s for training under Volcano, and time-shared L40S for evaluations, delivered by Flux.
 */
import { App } from 'cdk8s';
import { batch, charts, gpuOperator, GpuPlatform, kubeflow, Plan } from 'cdk8s-gantry';

export function nvidiaPool(app: App): App {
  const platform = new GpuPlatform(app, 'nvidia', {
    pools: {
      h100: { nodes: 4, accelerator: 'H100 SXM', devices: 8, cpu: 160, memory: '1536Gi' },
      shared: {
        nodes: 1,
        accelerator: 'L40S',
        devices: 4,
        cpu: 96,
        memory: '768Gi',
        tier: 'interactive',
        sharing: gpuOperator.Sharing.timeSlicing({ replicas: 4 }),
      },
    },
    teams: { research: { deserved: { h100: 4, shared: 1 } } },
    delivery: { through: 'flux' },
  });
  new charts.TrainingOperatorRelease(platform.nodes, 'training-operator');

  const { research } = platform.teams;
  new kubeflow.PyTorchJob(research.chart, 'pretrain', {
    ...research.wholeNode('h100'),
    nodes: 4,
    image: 'registry.example.com/pretrain-cuda:1.0.0',
    command: ['torchrun', 'pretrain.py'],
    scheduling: research.scheduling,
  });
  new batch.Job(research.chart, 'evaluate', {
    ...research.share('shared'),
    resources: { cpu: 8, memory: '64Gi' },
    image: 'registry.example.com/evaluate-cuda:1.0.0',
    scheduling: research.scheduling,
  });
  Plan.against(platform.cluster).on(app);
  return app;
}

if (require.main === module) {
  nvidiaPool(new App()).synth();
}
