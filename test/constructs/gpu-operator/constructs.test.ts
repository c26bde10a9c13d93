import { App, Chart, Duration } from 'cdk8s';
import { parse } from 'yaml';
import { PodTemplate } from '../../../src/constructs/pods';
import * as gpuOperator from '../../../src/constructs/gpu-operator';
import { readDcgmCounters } from '../../../src/constructs/gpu-operator/dcgm-counters-text';
import { readDevicePluginConfig } from '../../../src/constructs/gpu-operator/device-plugin-text';
import { readMigConfig } from '../../../src/constructs/gpu-operator/mig-parted-text';
import { Testing } from '../../../src/interfaces/testing';

const { DcgmCounters, GpuCluster, GpuOperator, MigConfiguration, NvidiaDriver, Sharing, USUAL_DCGM_COUNTERS } =
  gpuOperator;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Record<string, Record<string, unknown>>;
  readonly data: Record<string, string>;
}

const chart = (): Chart => new Chart(new App(), 'test', { namespace: 'elsewhere' });
const synth = (scope: Chart): readonly Manifest[] => Testing.synth(scope) as unknown as readonly Manifest[];
const only = (scope: Chart): Manifest => synth(scope)[0];

test('an operator of which nothing is said is a ClusterPolicy with every part that the schema demands', () => {
  const scope = chart();
  new GpuOperator(scope, 'gpu');
  expect(only(scope)).toEqual({
    apiVersion: 'nvidia.com/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'cluster-policy' },
    spec: {
      operator: {},
      driver: {},
      toolkit: {},
      devicePlugin: {},
      gfd: {},
      dcgm: {},
      dcgmExporter: {},
      nodeStatusExporter: {},
      daemonsets: {
        tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
        priorityClassName: 'system-node-critical',
      },
    },
  });
});

test('what is said of the parts is where the operator reads it', () => {
  const scope = chart();
  new GpuOperator(scope, 'gpu', {
    driver: {
      version: '595.91.07',
      kernelModuleType: 'open',
      rdma: 'host',
      env: { A: 'b' },
      repoConfig: 'repos',
      certConfig: 'certs',
      fromNvidiaDrivers: false,
      upgrade: {
        maxParallel: 2,
        maxUnavailable: '10%',
        waitFor: { podSelector: 'app=train', timeout: Duration.hours(1) },
        podDeletion: { force: true, timeout: Duration.minutes(2) },
        drain: { deleteEmptyDir: true },
      },
      licensing: { secret: 'licence', nls: true },
    },
    toolkit: { installDir: '/opt/nvidia', resources: { limits: { cpu: '1' } } },
    cdi: { nriPlugin: true },
    dcgmExporter: { counters: 'counters', serviceMonitor: { labels: { release: 'prometheus' } }, podLabels: true },
    gds: { enabled: true },
    gdrcopy: { enabled: true, version: 'v2.5' },
    migManager: { gpuClients: 'clients' },
    validator: { env: { WITH_WORKLOAD: 'false' } },
    daemonSets: { tolerations: [{ key: 'gpu-node', operator: 'Exists' }], maxUnavailable: '25%' },
    overrides: { hostPaths: { rootFS: '/' } },
  });
  expect(only(scope).spec).toMatchObject({
    driver: {
      version: '595.91.07',
      kernelModuleType: 'open',
      rdma: { enabled: true, useHostMofed: true },
      env: [{ name: 'A', value: 'b' }],
      repoConfig: { configMapName: 'repos' },
      certConfig: { name: 'certs' },
      useNvidiaDriverCRD: false,
      upgradePolicy: {
        autoUpgrade: true,
        maxParallelUpgrades: 2,
        maxUnavailable: '10%',
        waitForCompletion: { podSelector: 'app=train', timeoutSeconds: 3600 },
        podDeletion: { force: true, timeoutSeconds: 120 },
        drain: { enable: true, deleteEmptyDir: true },
      },
      licensingConfig: { secretName: 'licence', nlsEnabled: true },
    },
    toolkit: { installDir: '/opt/nvidia', resources: { limits: { cpu: '1' } } },
    cdi: { enabled: true, nriPluginEnabled: true },
    dcgmExporter: {
      config: { name: 'counters' },
      enablePodLabels: true,
      serviceMonitor: { enabled: true, interval: '15s', additionalLabels: { release: 'prometheus' } },
    },
    gds: { enabled: true },
    gdrcopy: { enabled: true, version: 'v2.5' },
    migManager: { gpuClientsConfig: { name: 'clients' } },
    validator: { env: [{ name: 'WITH_WORKLOAD', value: 'false' }] },
    daemonsets: { tolerations: [{ key: 'gpu-node', operator: 'Exists' }], rollingUpdate: { maxUnavailable: '25%' } },
    hostPaths: { rootFS: '/' },
  });
});

test('node pools are configurations by name, labels of their nodes and requests of their pods', () => {
  const scope = chart();
  const operator = new GpuOperator(scope, 'gpu', { namespace: 'gpu-operator' });
  const shared = operator.addNodePool('inference', Sharing.timeSlicing({ replicas: 4 }));
  const cut = operator.addNodePool(
    'notebooks',
    Sharing.mig({ gpu: 'H100-SXM-80GB', layout: { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 } }),
  );
  expect(shared.nodeLabels).toEqual({ 'nvidia.com/device-plugin.config': 'inference' });
  expect(cut.nodeLabels).toEqual({
    'nvidia.com/device-plugin.config': 'notebooks',
    'nvidia.com/mig.config': 'notebooks',
  });
  expect([shared.resources, cut.resources]).toEqual([
    ['nvidia.com/gpu.shared'],
    ['nvidia.com/mig-1g.10gb', 'nvidia.com/mig-2g.20gb', 'nvidia.com/mig-3g.40gb'],
  ]);

  const manifests = synth(scope);
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`)).toEqual([
    'ConfigMap gpu-operator/device-plugin-config',
    'ConfigMap gpu-operator/mig-config',
    'ClusterPolicy /cluster-policy',
  ]);
  expect(manifests[2]?.spec).toMatchObject({
    devicePlugin: { config: { name: 'device-plugin-config', default: 'default' } },
    migManager: { config: { name: 'mig-config' } },
  });
  // A strategy here would win over those of the configurations.
  expect(manifests[2]?.spec).not.toHaveProperty('mig');
  const plugin = manifests[0].data;
  expect(parse(plugin.default)).toEqual({ version: 'v1', flags: { migStrategy: 'none' } });
  expect(parse(plugin.inference)).toEqual({
    version: 'v1',
    flags: { migStrategy: 'none' },
    sharing: {
      timeSlicing: {
        renameByDefault: true,
        failRequestsGreaterThanOne: true,
        resources: [{ name: 'nvidia.com/gpu', replicas: 4 }],
      },
    },
  });
  expect(parse(plugin.notebooks)).toEqual({ version: 'v1', flags: { migStrategy: 'mixed' } });
  expect(parse(manifests[1].data['config.yaml'])).toEqual({
    version: 'v1',
    'mig-configs': {
      'all-disabled': [{ devices: 'all', 'mig-enabled': false }],
      notebooks: [{ devices: 'all', 'mig-enabled': true, 'mig-devices': { '1g.10gb': 2, '2g.20gb': 1, '3g.40gb': 1 } }],
    },
  });
  for (const text of Object.values(plugin)) {
    expect(readDevicePluginConfig(text).problems).toEqual([]);
  }
  expect(readMigConfig(manifests[1].data['config.yaml']).problems).toEqual([]);
});

test('a pod asks a pool for what it offers, and is kept on its nodes', () => {
  const operator = new GpuOperator(chart(), 'gpu');
  const pool = operator.addNodePool(
    'notebooks',
    Sharing.mig({ gpu: 'A100-SXM-40GB', layout: { '1g.5gb': 3, '4g.20gb': 1 } }),
  );
  const pod = (accelerator = pool.accelerator()): unknown =>
    new PodTemplate({ image: 'x', accelerators: accelerator, parts: [pool.nodes] }).toPodTemplate().spec;
  expect(pod()).toMatchObject({
    nodeSelector: pool.nodeLabels,
    containers: [{ resources: { limits: { 'nvidia.com/mig-1g.5gb': 1 } } }],
  });
  expect(pod(pool.accelerator('4g.20gb'))).toMatchObject({
    containers: [{ resources: { limits: { 'nvidia.com/mig-4g.20gb': 1 } } }],
  });
  expect(pod(pool.accelerator('nvidia.com/mig-4g.20gb'))).toMatchObject({
    containers: [{ resources: { limits: { 'nvidia.com/mig-4g.20gb': 1 } } }],
  });
  expect(() => pool.accelerator('7g.40gb')).toThrow(
    '"7g.40gb" is not a resource of these nodes. Their resources are 1g.5gb, 4g.20gb.',
  );
});

test('nodes without a label share as the operator is configured, and a strategy for all nodes can be stated', () => {
  const scope = chart();
  const operator = new GpuOperator(scope, 'gpu', {
    sharing: Sharing.timeSlicing({ replicas: 2, rename: false }),
    migStrategy: 'single',
  });
  const [map, policy] = synth(scope);
  expect(parse(map?.data.default ?? '')).toMatchObject({
    sharing: { timeSlicing: { renameByDefault: false, resources: [{ replicas: 2 }] } },
  });
  expect(policy?.spec.mig).toEqual({ strategy: 'single' });
  expect(operator.values.mig).toEqual({ strategy: 'single' });
});

test("through the chart there is no ClusterPolicy, and the values say the same under the chart's names", () => {
  const scope = chart();
  const operator = new GpuOperator(scope, 'gpu', {
    through: 'chart',
    driver: { fromNvidiaDrivers: true, upgrade: { podDeletion: { force: true } } },
    dcgmExporter: { serviceMonitor: {} },
  });
  operator.addNodePool('small', Sharing.mps({ replicas: 8 }));
  expect(synth(scope).map(({ kind }) => kind)).toEqual(['ConfigMap']);
  expect(operator.values).toEqual({
    daemonsets: {
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      priorityClassName: 'system-node-critical',
    },
    devicePlugin: { config: { name: 'device-plugin-config', default: 'default' } },
    mig: { strategy: '' },
    dcgmExporter: { serviceMonitor: { enabled: true, interval: '15s' } },
    driver: {
      nvidiaDriverCRD: { enabled: true },
      upgradePolicy: { autoUpgrade: true, gpuPodDeletion: { force: true } },
    },
  });
});

describe('sharing', () => {
  test('a layout that no GPU holds is refused with every reason', () => {
    const cut = (gpu: string, layout: Record<string, number>) => () => Sharing.mig({ gpu, layout });
    expect(cut('H100-SXM-80GB', { '3g.40gb': 2, '1g.10gb': 1 })).toThrow(
      /need 9 memory slices, but an H100-SXM-80GB has 8/,
    );
    expect(cut('H100-SXM-80GB', { '1g.10gb': 8 })).toThrow(
      /exceeds the 7.*need 8 compute slices, but an H100-SXM-80GB has 7/,
    );
    expect(cut('H200', { '1g.10gb': 1 })).toThrow(
      /an H200-SXM-141GB has no MIG profile 1g.10gb; its profiles are 1g.18gb/,
    );
    expect(cut('L40S', { '1g.10gb': 1 })).toThrow(/an L40S does not support MIG/);
    expect(cut('H300', { '1g.10gb': 1 })).toThrow(/unknown accelerator "H300".* GPUs with MIG are A30/);
    expect(cut('H100-SXM-80GB', { '1g.10gb': 0 })).toThrow(
      /1g\.10gb must be a whole number of instances greater than or equal to 1, not 0\./,
    );
    expect(cut('H100-SXM-80GB', {})).toThrow(/must not be empty/);
  });

  test('GPUs of one node may be cut in groups, each index once', () => {
    const sharing = Sharing.mig({
      gpu: 'H100-SXM-80GB',
      layout: [{ devices: [0, 1], layout: { '1g.10gb': 7 } }, { devices: [2, 3, 4, 5, 6, 7] }],
    });
    expect(sharing.resources).toEqual(['nvidia.com/mig-1g.10gb', 'nvidia.com/gpu']);
    expect(sharing.toMigEntries()).toEqual([
      { devices: [0, 1], 'mig-enabled': true, 'mig-devices': { '1g.10gb': 7 } },
      { devices: [2, 3, 4, 5, 6, 7], 'mig-enabled': false },
    ]);
    expect(() =>
      Sharing.mig({ gpu: 'H100-SXM-80GB', layout: [{ devices: [0], layout: { '1g.10gb': 7 } }, { devices: [0] }] }),
    ).toThrow(/GPU 0 is listed in two groups/);
    expect(() =>
      Sharing.mig({ gpu: 'H100-SXM-80GB', layout: [{ layout: { '1g.10gb': 7 } }, { devices: [0] }] }),
    ).toThrow(/each must list its devices/);
    expect(() => Sharing.mig({ gpu: 'H100-SXM-80GB', layout: [{ devices: [0] }] })).toThrow(
      /at least one group must have MIG instances/,
    );
  });

  test('single offers instances as GPUs, of one profile alone', () => {
    const sharing = Sharing.mig({ gpu: 'A30', layout: { '2g.12gb': 2 }, strategy: 'single' });
    expect(sharing.resources).toEqual(['nvidia.com/gpu']);
    expect(sharing.accelerator().resource).toBe('nvidia.com/gpu');
    expect(() => Sharing.mig({ gpu: 'A30', layout: { '2g.12gb': 1, '1g.6gb': 2 }, strategy: 'single' })).toThrow(
      /one profile on all GPUs/,
    );
  });

  test('instances can be time-sliced, under a name of their own', () => {
    const sharing = Sharing.mig({ gpu: 'A100-SXM-80GB', layout: { '1g.10gb+me': 1 }, slicesOfEach: { replicas: 2 } });
    expect(sharing.resources).toEqual(['nvidia.com/mig-1g.10gb.me.shared']);
    expect(sharing.accelerator().resource).toBe('nvidia.com/mig-1g.10gb.me.shared');
    expect(readDevicePluginConfig(JSON.stringify(sharing.toDevicePluginConfig())).problems).toEqual([]);
  });

  test('fewer than two shares, and more than MPS serves, are refused', () => {
    expect(() => Sharing.timeSlicing({ replicas: 1 })).toThrow(
      /replicas must be a whole number greater than or equal to 2, not 1\./,
    );
    expect(() => Sharing.mps({ replicas: 49 })).toThrow(/at most 48/);
  });

  test('nodes without a label cannot be cut', () => {
    expect(
      () => new GpuOperator(chart(), 'gpu', { sharing: Sharing.mig({ gpu: 'A30', layout: { '1g.6gb': 4 } }) }),
    ).toThrow(/addNodePool/);
    expect(() => new MigConfiguration(chart(), 'mig').addConfiguration('a', Sharing.whole())).toThrow(
      /does not partition GPUs/,
    );
  });

  test('a name is the value of a label, and taken once', () => {
    const operator = new GpuOperator(chart(), 'gpu');
    operator.addNodePool('a', Sharing.whole());
    expect(() => operator.addNodePool('a', Sharing.whole())).toThrow(/node pool "a" already exists/);
    expect(() => operator.addNodePool('a b', Sharing.whole())).toThrow(/must be a valid label value/);
  });
});

test('drivers by node: one without a selector is the default, and the operator has to look for them', () => {
  const scope = chart();
  new GpuOperator(scope, 'gpu', { driver: { fromNvidiaDrivers: true } });
  new NvidiaDriver(scope, 'default', { version: '595.91.07', gds: { enabled: true } });
  new NvidiaDriver(scope, 'v100', {
    version: '535.247.01',
    nodeSelector: { pool: 'v100' },
    rdma: 'operator',
    upgrade: { auto: false },
  });
  const [, first, second] = synth(scope);
  expect(first?.spec).toEqual({ default: true, version: '595.91.07', gds: { enabled: true } });
  expect(second?.spec).toEqual({
    version: '535.247.01',
    nodeSelector: { pool: 'v100' },
    rdma: { enabled: true, useHostMofed: false },
    upgradePolicy: { autoUpgrade: false },
  });
});

test('a GPUCluster is named as it must be', () => {
  const scope = chart();
  new GpuCluster(scope, 'gpu', {
    featureGates: { TimeSlicingSettings: true },
    computeDomains: true,
    dcgmExporter: { enabled: true },
  });
  expect(only(scope)).toMatchObject({
    metadata: { name: 'gpu-cluster' },
    spec: {
      draDriver: { featureGates: { TimeSlicingSettings: true }, computeDomains: { enabled: true } },
      dcgmExporter: { enabled: true },
    },
  });
});

describe('counters', () => {
  /** The corrected list of an article, written out by hand. */
  const corrected: readonly gpuOperator.DcgmCounter[] = [
    { field: 'DCGM_FI_DEV_GPU_TEMP', type: 'gauge', help: 'GPU temperature (in C).' },
    { field: 'DCGM_FI_DEV_GPU_UTIL', type: 'gauge', help: 'GPU utilization (in %).' },
    { field: 'DCGM_FI_DEV_FB_USED', type: 'gauge', help: 'Framebuffer memory used (in MiB).' },
    { field: 'DCGM_FI_DEV_FB_FREE', type: 'gauge', help: 'Framebuffer memory free (in MiB).' },
    { field: 'DCGM_FI_DEV_POWER_USAGE', type: 'gauge', help: 'Power draw (in W).' },
    { field: 'DCGM_FI_DEV_SM_CLOCK', type: 'gauge', help: 'SM clock frequency (in MHz).' },
    {
      field: 'DCGM_FI_DEV_ECC_SBE_AGG_TOTAL',
      type: 'counter',
      help: 'Total number of single-bit persistent ECC errors.',
    },
    { field: 'DCGM_FI_DEV_XID_ERRORS', type: 'gauge', help: 'Value of the last XID error encountered.' },
  ];

  test('are the ConfigMap that the exporter reads, row by row', () => {
    const scope = chart();
    const counters = new DcgmCounters(scope, 'dcgm-exporter-config', {
      namespace: 'gpu-operator',
      counters: corrected,
    });
    new GpuOperator(scope, 'gpu', { dcgmExporter: { counters } });
    const [map, policy] = synth(scope);
    expect(map?.metadata).toEqual({ name: 'dcgm-exporter-config', namespace: 'gpu-operator' });
    expect(Object.keys(map?.data ?? {})).toEqual(['dcgm-metrics.csv']);
    const { rows, problems } = readDcgmCounters(map?.data['dcgm-metrics.csv'] ?? '');
    expect(problems).toEqual([]);
    expect(rows.map(({ field, type, help }) => ({ field, type, help }))).toEqual(corrected);
    expect(policy?.spec.dcgmExporter).toEqual({ config: { name: 'dcgm-exporter-config' } });
  });

  test('whatever the help says, the exporter reads it back', () => {
    const scope = chart();
    const help = 'a, "b"\nand c';
    const counters = new DcgmCounters(scope, 'c', {
      readBy: 'stand-alone',
      counters: [{ field: 'DCGM_FI_DEV_GPU_TEMP', type: 'gauge', help }],
    });
    counters.addCounters(
      { field: 'DCGM_EXP_XID_ERRORS_COUNT', type: 'gauge', help: 'XIDs' },
      { field: 'DCGM_FI_DEV_GPU_TEMP', type: 'gauge', help: 'x, y' },
    );
    expect(counters.counters).toHaveLength(2);
    const { data } = only(scope);
    expect(readDcgmCounters(data.metrics)).toEqual({
      problems: [],
      rows: [
        { field: 'DCGM_FI_DEV_GPU_TEMP', type: 'gauge', help: 'x, y', line: 1 },
        { field: 'DCGM_EXP_XID_ERRORS_COUNT', type: 'gauge', help: 'XIDs', line: 2 },
      ],
    });
    expect(
      readDcgmCounters(new DcgmCounters(chart(), 'd', { counters: [{ field: 'DCGM_FI_A', type: 'gauge', help }] }).text)
        .rows[0]?.help,
    ).toBe('a, "b" and c');
  });

  test('the usual ones are sound', () => {
    const { rows, problems } = readDcgmCounters(new DcgmCounters(chart(), 'c').text);
    expect([rows.length, problems]).toEqual([USUAL_DCGM_COUNTERS.length, []]);
  });
});

test('what is patched in is never dropped', () => {
  const scope = chart();
  const operator = new GpuOperator(scope, 'gpu', { overrides: { driver: { somethingNew: 1 } } });
  expect(operator.spec.driver).toMatchObject({ somethingNew: 1 });
});
