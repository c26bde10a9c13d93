/**
 * A platform whose pools have accelerators of several vendors.
 */
import { Testing as Cdk8sTesting } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { GpuPlatform, type GpuPlatformProps, type UsualRung } from '../../../src/constructs/platform';
import { valueAt } from '../../../src/manifests/pointer';
import { asString } from '../../../src/manifests/read';
import { Testing } from '../../../src/interfaces/testing';

const POOLS = {
  h100: { nodes: 4, accelerator: 'H100 SXM', devices: 8, cpu: 160, memory: '1536Gi' },
  mi300x: { nodes: 2, accelerator: 'MI300X', devices: 8, cpu: 160, memory: '2Ti' },
  slices: { nodes: 1, accelerator: 'MI300X', devices: 8, cpu: 160, memory: '2Ti', partition: 'CPX/NPS4' },
  gaudi: { nodes: 2, accelerator: 'Gaudi3', devices: 8, cpu: 160, memory: '1Ti' },
  npus: { nodes: 2, accelerator: '910B3', devices: 8, cpu: 160, memory: '1Ti' },
  trn: { nodes: 2, accelerator: 'trn1', devices: 16, cpu: 120, memory: '480Gi' },
  tpu: { nodes: 4, accelerator: 'TPU v6e', devices: 4, cpu: 160, memory: '700Gi', topology: '4x4' },
} as const;
type PoolName = keyof typeof POOLS;

const platform = (
  more: Partial<GpuPlatformProps<PoolName, 'research', UsualRung, 'volcano'>> = {},
): GpuPlatform<PoolName, 'research'> =>
  new GpuPlatform(Cdk8sTesting.app(), 'platform', {
    pools: POOLS,
    teams: { research: { deserved: { h100: 4, mi300x: 1, slices: 1, gaudi: 2, npus: 1, trn: 2, tpu: 4 } } },
    ...more,
  });

const objects = (one: GpuPlatform<PoolName, 'research'>): readonly JsonObject[] =>
  Testing.synth(one.nodes).concat(Testing.synth(one.queues), Testing.synth(one.teams.research.chart));

test('a team holds accelerators of every vendor at once: its quota counts each by its own resource', () => {
  const quota = objects(platform()).find(({ kind }) => kind === 'ResourceQuota');
  expect(quota).toMatchObject({
    spec: {
      hard: {
        'requests.nvidia.com/gpu': '32',
        // A whole node of 8 GPUs and a node whose GPUs are 8 partitions each.
        'requests.amd.com/gpu': '72',
        'requests.habana.ai/gaudi': '16',
        'requests.huawei.com/Ascend910': '8',
        'requests.aws.amazon.com/neuron': '32',
        'requests.google.com/tpu': '16',
      },
    },
  });
});

test.each([
  ['h100', 'nvidia.com/gpu', 8, 'nvidia.com/gpu'],
  ['mi300x', 'amd.com/gpu', 8, 'amd.com/gpu'],
  ['gaudi', 'habana.ai/gaudi', 8, 'habana.ai/gaudi'],
  ['npus', 'huawei.com/Ascend910', 8, 'huawei.com/Ascend910'],
  ['trn', 'aws.amazon.com/neuron', 16, 'aws.amazon.com/neuron'],
  ['tpu', 'google.com/tpu', 4, 'google.com/tpu'],
] as const)(
  'a pod with a whole node of %s requests all of its devices, and its nodes have that taint',
  (pool, resource, count, taint) => {
    const one = platform();
    const { accelerators } = one.teams.research.wholeNode(pool);
    expect([accelerators.resource, accelerators.count]).toEqual([resource, count]);
    expect(one.pools[pool].profile.taints.map(({ key }) => key)).toContain(taint);
  },
);

test('a partitioned pool gives out partitions', () => {
  const one = platform();
  expect(one.teams.research.share('slices').accelerators).toMatchObject({ resource: 'amd.com/gpu', count: 1 });
  expect(() => one.teams.research.wholeNode('slices')).toThrow('exposes amd.com/gpu, not whole GPUs');
  const map = objects(one).find(
    ({ kind, metadata }) => kind === 'ConfigMap' && (metadata as JsonObject).name === 'amd-partitions',
  );
  expect(JSON.stringify(map)).toContain('slices');
});

test('each vendor gets its operator, its monitoring, and its charts; TPUs need no operator', () => {
  const one = platform({
    vendors: { neuron: { monitorVersion: '1.0.0' }, ascend: { devicePluginImage: 'r/p:1', exporterImage: 'r/e:1' } },
  });
  expect(one.charts.map(({ facts }) => facts.name)).toEqual([
    'gpu-operator',
    'gpu-operator-charts',
    'habana-ai-operator',
    'neuron-helm-chart',
    'volcano',
  ]);
  expect([...one.vendors.monitoring.keys()]).toEqual(['amd', 'gaudi', 'ascend', 'neuron', 'tpu']);
  const kinds = objects(one).map(
    ({ kind, metadata }) => `${asString(kind) ?? ''} ${asString(valueAt(metadata, '/name')) ?? ''}`,
  );
  for (const expected of ['DeviceConfig amd-gpus', 'DaemonSet ascend-device-plugin-910', 'DaemonSet npu-exporter']) {
    expect(kinds).toContain(expected);
  }
});

test('a Gaudi pool keeps the ClusterPolicy of the chart, unless settings replace it', () => {
  expect(platform().vendors.clusterPolicy).toBeUndefined();
  const one = platform({ vendors: { gaudi: { containerEngine: 'crio' } } });
  expect(one.vendors.clusterPolicy?.name).toBe('habana-ai');
  expect(objects(one).find(({ kind }) => kind === 'ClusterPolicy')).toMatchObject({
    spec: { runtime: { configuration: { container_engine: 'crio' } } },
  });
});

test('a platform without NVIDIA has no GPU operator, and says so when asked for it', () => {
  const one = new GpuPlatform(Cdk8sTesting.app(), 'platform', {
    pools: { mi300x: POOLS.mi300x },
    teams: { research: { deserved: { mi300x: 2 } } },
  });
  expect(one.charts.map(({ facts }) => facts.name)).toEqual(['gpu-operator-charts', 'volcano']);
  expect(() => one.gpuOperator).toThrow('gpuOperator requires a pool with NVIDIA GPUs');
  expect(one.monitoring).toBeUndefined();
});

test('the plan knows the devices of every pool', () => {
  const { cluster } = platform();
  const models = new Map(cluster.nodes.map((node) => [node.devices?.[0]?.model, node.devices?.length]));
  expect(models.get('H100-SXM-80GB')).toBe(8);
  expect(models.get('Gaudi3')).toBe(8);
  expect(models.get('Ascend-910B3')).toBe(8);
  expect(models.get('Trainium1')).toBe(16);
  expect(models.get('TPU-v6e')).toBe(4);
  const partitioned = cluster.nodes.find(({ devices = [] }) => devices.length === 64);
  expect(partitioned?.devices?.[0]).toMatchObject({ model: 'MI300X', memoryMiB: 24 * 1024 });
});

test('what is not installed is listed, each with what adds it', () => {
  const names = (one: { readonly notInstalled: readonly { readonly name: string }[] }): readonly string[] =>
    one.notInstalled.map(({ name }) => name);
  const bare = platform();
  expect(names(bare)).toEqual(
    expect.arrayContaining([
      'Ascend device plugin',
      'npu-exporter',
      'neuron-monitor',
      'the chart gpu-operator',
      'KEDA',
      'KubeRay',
      'JobSet',
      'training-operator',
    ]),
  );
  expect(bare.notInstalled.every(({ add, neededBy }) => add !== '' && neededBy !== '')).toBe(true);
  const delivered = platform({
    delivery: {
      through: 'flux',
      also: [
        { chart: 'keda' },
        {
          chart: { name: 'jobset', repository: 'oci://r.example.com/c', version: '1.0.0', namespace: 'jobset-system' },
        },
      ],
    },
    vendors: { ascend: { devicePluginImage: 'r/p:1', exporterImage: 'r/e:1' } },
  });
  for (const absent of ['KEDA', 'JobSet', 'Ascend device plugin', 'npu-exporter', 'the chart gpu-operator']) {
    expect(names(delivered)).not.toContain(absent);
  }
  expect(names(delivered)).toContain('KubeRay');
});

test.each([
  [
    'sharing of another vendor',
    { pools: { p: { ...POOLS.h100, partition: 'CPX/NPS4' } } },
    'pool p: partition must not be set for H100-SXM-80GB (NVIDIA).',
  ],
  [
    'a TPU without a topology',
    { pools: { p: { ...POOLS.tpu, topology: undefined } } },
    'pool p: topology is required for TPU-v6e.',
  ],
  ['an ambiguous accelerator', { pools: { p: { ...POOLS.gaudi, accelerator: 'Gaudi' } } }, 'use Gaudi2 or Gaudi3'],
] as const)('%s is refused', (_, { pools }, message) => {
  expect(
    () => new GpuPlatform(Cdk8sTesting.app(), 'platform', { pools, teams: { t: { deserved: { p: 1 } } } }),
  ).toThrow(message);
});
