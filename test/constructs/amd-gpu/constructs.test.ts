import { Chart } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { DeviceConfig, PartitionProfiles } from '../../../src/constructs/amd-gpu';
import { Testing } from '../../../src/interfaces/testing';

const chart = (): Chart => new Chart(Testing.app(), 'c');
const render = (scope: Chart): readonly JsonObject[] => Testing.synth(scope);

test('a DeviceConfig runs driver, plugin, labeller, and exporter on AMD nodes, all with the toleration of their taint', () => {
  const scope = chart();
  new DeviceConfig(scope, 'gpus', { driver: { version: '7.0.2' } });
  const [{ metadata, spec }] = render(scope) as unknown as [{ metadata: JsonObject; spec: Record<string, JsonObject> }];
  const toleration = { key: 'amd.com/gpu', operator: 'Exists', effect: 'NoSchedule' };
  expect(metadata).toMatchObject({ name: 'gpus', namespace: 'kube-amd-gpu' });
  expect(spec).toMatchObject({
    selector: { 'feature.node.kubernetes.io/amd-gpu': 'true' },
    driver: { enable: true, version: '7.0.2', tolerations: [toleration] },
    devicePlugin: {
      enableDevicePlugin: true,
      enableNodeLabeller: true,
      devicePluginTolerations: [toleration],
      nodeLabellerTolerations: [toleration],
    },
    metricsExporter: { enable: true, tolerations: [toleration] },
  });
  expect(spec).not.toHaveProperty('draDriver');
  expect(spec).not.toHaveProperty('configManager');
});

test('the DRA driver takes the place of the device plugin', () => {
  const scope = chart();
  new DeviceConfig(scope, 'gpus', { allocation: 'dra', exporter: false });
  expect(render(scope)[0]).toMatchObject({
    spec: {
      devicePlugin: { enableDevicePlugin: false },
      draDriver: { enable: true },
      metricsExporter: { enable: false },
    },
  });
});

test('partition profiles become the ConfigMap of the device config manager, and nodes choose one by a label', () => {
  const scope = chart();
  const profiles = new PartitionProfiles(scope, 'partitions', {
    gpu: 'mi300x',
    namespace: 'kube-amd-gpu',
    profiles: { whole: { partition: 'SPX/NPS1' }, slices: { partition: 'CPX/NPS4', gpus: 6, skipped: [6, 7] } },
  });
  new DeviceConfig(scope, 'gpus', { partitions: profiles, resourceNaming: 'mixed' });
  const [map, config] = render(scope) as unknown as [{ data: Record<string, string> }, JsonObject];
  expect(JSON.parse(map.data['config.json'])).toEqual({
    'gpu-config-profiles': {
      whole: { profiles: [{ computePartition: 'SPX', memoryPartition: 'NPS1' }] },
      slices: {
        skippedGPUs: { ids: [6, 7] },
        profiles: [{ computePartition: 'CPX', memoryPartition: 'NPS4', numGPUsAssigned: 6 }],
      },
    },
    gpuClientSystemdServices: { names: ['amd-metrics-exporter', 'gpuagent'] },
  });
  expect(config).toMatchObject({
    spec: {
      configManager: { enable: true, config: { name: 'partitions' } },
      devicePlugin: {
        devicePluginArguments: { resource_naming_strategy: 'mixed' },
        nodeLabellerArguments: [
          'compute-memory-partition',
          'compute-partitioning-supported',
          'memory-partitioning-supported',
        ],
      },
    },
  });
  expect(profiles.nodeLabels('slices')).toEqual({ 'dcm.amd.com/gpu-config-profile': 'slices' });
  expect(profiles.partition('slices')).toMatchObject({ devices: 8, resource: 'amd.com/cpx_nps4' });
  expect(() => profiles.nodeLabels('slice')).toThrow('unknown profile "slice"; must be whole or slices.');
});

test.each([
  ['MI355X', 'CPX/NPS4', 'MI355X has the modes SPX/NPS1, DPX/NPS1'],
  ['MI210', 'SPX/NPS1', 'MI210 cannot be partitioned'],
  ['MI300', 'SPX/NPS1', 'ambiguous: use MI300A or MI300X'],
] as const)('modes that a %s does not have are refused', (gpu, partition, message) => {
  expect(() => new PartitionProfiles(chart(), 'p', { gpu, profiles: { p: { partition } } })).toThrow(message);
});
