/**
 * A platform with accelerators of four vendors: each pool has its operator and its monitoring, and one team holds several kinds at once.
 */
import { App } from 'cdk8s';
import { GpuPlatform, kubeflow } from 'cdk8s-gantry';

export function mixedVendors(app: App): App {
  const platform = new GpuPlatform(app, 'mixed', {
    pools: {
      h100: { nodes: 16, accelerator: 'H100 SXM5', devices: 8, cpu: 160, memory: '1536Gi' },
      mi300x: { nodes: 8, accelerator: 'MI300X', devices: 8, cpu: 160, memory: '2Ti' },
      slices: {
        nodes: 2,
        accelerator: 'MI300X',
        devices: 8,
        cpu: 160,
        memory: '2Ti',
        partition: 'CPX/NPS4',
        tier: 'inference',
      },
      gaudi: { nodes: 4, accelerator: 'Gaudi 3', devices: 8, cpu: 160, memory: '1Ti' },
      trainium: { nodes: 4, accelerator: 'trn1', devices: 16, cpu: 120, memory: '480Gi' },
    },
    teams: {
      research: { deserved: { h100: 12, mi300x: 4, gaudi: 4 }, capability: { h100: 16, mi300x: 8, gaudi: 4 } },
      serving: { deserved: { slices: 2, mi300x: 4, trainium: 4, h100: 4 } },
    },
    vendors: { neuron: { monitorVersion: '1.0.0' } },
    monitoring: { labels: { release: 'prometheus' } },
    tuning: false,
    delivery: { through: 'flux' },
  });

  const { research } = platform.teams;
  new kubeflow.PyTorchJob(research.chart, 'pretrain-amd', {
    ...research.wholeNode('mi300x'),
    nodes: 4,
    image: 'registry.example.com/research/pretrain-rocm:2.4.1',
    command: ['torchrun', 'pretrain.py'],
    scheduling: research.scheduling,
  });
  return app;
}

if (require.main === module) {
  mixedVendors(new App()).synth();
}
