/**
 * Google TPU v6e on GKE: a slice of 4x4 chips as a pool of four nodes, and a JobSet that takes all of it.
 */
import { App } from 'cdk8s';
import { batch, GpuPlatform, KueueSystem, Plan } from 'cdk8s-gantry';

export function tpuPool(app: App): App {
  const platform = new GpuPlatform(app, 'tpu', {
    pools: {
      v6e: { nodes: 4, accelerator: 'TPU v6e', devices: 4, topology: '4x4', cpu: 160, memory: '700Gi' },
    },
    teams: { research: { deserved: { v6e: 4 } } },
    scheduling: new KueueSystem(),
    monitoring: false,
    tuning: false,
    delivery: { through: 'flux', also: [{ chart: 'jobset' }] },
  });

  const { research } = platform.teams;
  new batch.JobSet(research.chart, 'pretrain', {
    jobs: [
      {
        ...research.wholeNode('v6e'),
        jobName: 'slice',
        nodes: 4,
        image: 'registry.example.com/pretrain-jax:1.0.0',
        command: ['python', 'pretrain.py'],
      },
    ],
    scheduling: research.scheduling,
  });
  Plan.against(platform.cluster).on(app);
  return app;
}

if (require.main === module) {
  tpuPool(new App()).synth();
}
