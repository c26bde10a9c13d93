/**
 * A platform on one page: two pools, two teams, Volcano, InfiniBand, and a job.
 */
import { App } from 'cdk8s';
import { charts, gpuOperator, GpuPlatform, kubeflow, PlatformNetwork } from 'cdk8s-gantry';

export function platformOnOnePage(app: App): App {
  const platform = new GpuPlatform(app, 'platform', {
    pools: {
      training: { nodes: 64, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi', nodesPerRack: 8 },
      notebooks: {
        nodes: 4,
        accelerator: 'L40S',
        devices: 4,
        cpu: 96,
        memory: '768Gi',
        tier: 'interactive',
        sharing: gpuOperator.Sharing.timeSlicing({ replicas: 4 }),
      },
    },
    teams: {
      research: {
        deserved: { training: 40, notebooks: 2 },
        guarantee: { training: 8 },
        members: [{ kind: 'Group', name: 'research' }],
      },
      applied: {
        deserved: { training: 24, notebooks: 2 },
        capability: { training: 48, notebooks: 4 },
        members: [{ kind: 'Group', name: 'applied' }],
      },
    },
    network: PlatformNetwork.infiniband({
      interfaces: ['ibp24s0', 'ibp64s0', 'ibp79s0', 'ibp94s0', 'ibp154s0', 'ibp192s0', 'ibp206s0', 'ibp220s0'],
    }),
    monitoring: { labels: { release: 'prometheus' } },
    delivery: { through: 'flux' },
  });

  // It has no chart, so the platform does not deliver it.
  new charts.TrainingOperatorRelease(platform.nodes, 'training-operator');

  const { research } = platform.teams;
  new kubeflow.PyTorchJob(research.chart, 'llama-70b', {
    ...research.wholeNode('training'),
    nodes: 8,
    image: 'registry.example.com/research/pretrain:2.4.1',
    command: ['torchrun', 'pretrain.py'],
    priorityClass: platform.priorities.at('production'),
    scheduling: research.scheduling,
  });
  return app;
}

if (require.main === module) {
  platformOnOnePage(new App()).synth();
}
