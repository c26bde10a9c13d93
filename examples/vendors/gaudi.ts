/**
 * Intel Gaudi 3: the base operator with settings of our own, and a job on two nodes with huge pages.
 */
import { App } from 'cdk8s';
import { batch, GpuPlatform, Plan } from 'cdk8s-gantry';

export function gaudiPool(app: App): App {
  const platform = new GpuPlatform(app, 'gaudi', {
    pools: { gaudi3: { nodes: 2, accelerator: 'Gaudi 3', devices: 8, cpu: 160, memory: '1Ti' } },
    teams: { research: { deserved: { gaudi3: 2 } } },
    vendors: { gaudi: { containerEngine: 'containerd', driver: { hugePages: 48_000, externalPorts: true } } },
    delivery: { through: 'flux' },
  });

  const { research } = platform.teams;
  new batch.Job(research.chart, 'finetune', {
    ...research.wholeNode('gaudi3'),
    parallelism: 2,
    peers: true,
    image: 'registry.example.com/finetune-gaudi:1.0.0',
    command: ['torchrun', 'finetune.py'],
    scheduling: research.scheduling,
  });
  Plan.against(platform.cluster).on(app);
  return app;
}

if (require.main === module) {
  gaudiPool(new App()).synth();
}
