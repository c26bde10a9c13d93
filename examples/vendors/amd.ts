/**
 * AMD: whole MI300X for training, and MI300X in CPX/NPS4 partitions for evaluations, with the ROCm GPU operator.
 */
import { App } from 'cdk8s';
import { batch, charts, GpuPlatform, kubeflow, Plan } from 'cdk8s-gantry';

export function amdPool(app: App): App {
  const platform = new GpuPlatform(app, 'amd', {
    pools: {
      mi300x: { nodes: 2, accelerator: 'MI300X', devices: 8, cpu: 160, memory: '2Ti' },
      slices: { nodes: 1, accelerator: 'MI300X', devices: 8, cpu: 160, memory: '2Ti', partition: 'CPX/NPS4' },
    },
    teams: { research: { deserved: { mi300x: 2, slices: 1 } } },
    vendors: { amd: { driver: { version: '7.0.2' } } },
    delivery: { through: 'flux' },
  });
  new charts.TrainingOperatorRelease(platform.nodes, 'training-operator');

  const { research } = platform.teams;
  new kubeflow.PyTorchJob(research.chart, 'pretrain', {
    ...research.wholeNode('mi300x'),
    nodes: 2,
    image: 'registry.example.com/pretrain-rocm:1.0.0',
    command: ['torchrun', 'pretrain.py'],
    scheduling: research.scheduling,
  });
  new batch.Job(research.chart, 'evaluate', {
    ...research.share('slices'),
    parallelism: 16,
    completions: 16,
    resources: { cpu: 2, memory: '24Gi' },
    image: 'registry.example.com/evaluate-rocm:1.0.0',
    scheduling: research.scheduling,
  });
  Plan.against(platform.cluster).on(app);
  return app;
}

if (require.main === module) {
  amdPool(new App()).synth();
}
