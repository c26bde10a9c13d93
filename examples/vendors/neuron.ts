/**
 * AWS Trainium: the Neuron chart with its scheduler extension, neuron-monitor, and a JobSet under Kueue.
 */
import { App } from 'cdk8s';
import { batch, GpuPlatform, KueueSystem, Plan } from 'cdk8s-gantry';

export function neuronPool(app: App): App {
  const platform = new GpuPlatform(app, 'neuron', {
    pools: {
      trainium: { nodes: 4, accelerator: 'trn1', devices: 16, cpu: 120, memory: '480Gi' },
    },
    teams: { research: { deserved: { trainium: 4 } } },
    scheduling: new KueueSystem(),
    vendors: { neuron: { monitorVersion: '1.0.0' } },
    delivery: { through: 'flux', also: [{ chart: 'jobset' }] },
  });

  const { research } = platform.teams;
  new batch.JobSet(research.chart, 'pretrain', {
    jobs: [
      {
        ...research.wholeNode('trainium'),
        jobName: 'node',
        nodes: 4,
        image: 'registry.example.com/pretrain-neuron:1.0.0',
        command: ['torchrun', 'pretrain.py'],
      },
    ],
    scheduling: research.scheduling,
  });
  Plan.against(platform.cluster).on(app);
  return app;
}

if (require.main === module) {
  neuronPool(new App()).synth();
}
