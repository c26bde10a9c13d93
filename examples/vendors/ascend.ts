/**
 * Huawei Ascend 910B: device plugin and exporter from a registry of our own, and Volcano with the NPU plugin.
 */
import { App } from 'cdk8s';
import { ascend, batch, GpuPlatform, Plan, volcano, VolcanoSystem } from 'cdk8s-gantry';

export function ascendPool(app: App): App {
  const npu = ascend.volcanoNpu();
  const platform = new GpuPlatform(app, 'ascend', {
    pools: {
      npus: {
        nodes: 2,
        accelerator: '910B3',
        devices: 8,
        cpu: 160,
        memory: '1Ti',
        labels: { 'accelerator-type': 'module-910b-8' },
      },
    },
    teams: { research: { deserved: { npus: 2 } } },
    scheduling: new VolcanoSystem({
      plugins: [volcano.SchedulerPlugin.of(npu.plugin)],
      configurations: [npu.configuration],
    }),
    vendors: {
      ascend: {
        devicePluginImage: 'registry.example.com/ascend-k8sdeviceplugin:v26.1',
        exporterImage: 'registry.example.com/npu-exporter:v26.1',
      },
    },
    delivery: { through: 'flux' },
  });

  const { research } = platform.teams;
  new batch.Job(research.chart, 'pretrain', {
    ...research.wholeNode('npus'),
    parallelism: 2,
    peers: true,
    image: 'registry.example.com/pretrain-cann:1.0.0',
    command: ['torchrun', 'pretrain.py'],
    scheduling: research.scheduling,
  });
  Plan.against(platform.cluster).on(app);
  return app;
}

if (require.main === module) {
  ascendPool(new App()).synth();
}
