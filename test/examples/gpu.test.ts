/**
 * The examples of GPU nodes and of devices: what a reader copies is free of findings, and says what the pages promise.
 */
import { App } from 'cdk8s';
import { manyDevices } from '../../examples/devices/main';
import { gpuNodes } from '../../examples/gpu-operator/main';
import { type JsonObject } from '../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../src/manifests/read';
import { Testing } from '../../src/interfaces/testing';

const name = ({ metadata }: JsonObject): string => asString(asObject(metadata).name) ?? '';
const one = (manifests: readonly JsonObject[], kind: string, wanted: string): JsonObject => {
  const found = manifests.find((manifest) => manifest.kind === kind && name(manifest) === wanted);
  if (found === undefined) {
    throw new Error(
      `no ${kind} ${wanted} among ${manifests.map((manifest) => `${asString(manifest.kind) ?? ''} ${name(manifest)}`).join(', ')}`,
    );
  }
  return found;
};
const podOf = (manifest: JsonObject): JsonObject => asObject(asObject(asObject(manifest.spec).template).spec);
const mainOf = (manifest: JsonObject): JsonObject => asObject(asArray(podOf(manifest).containers)[0]);

describe.each([
  ['gpu-operator', gpuNodes],
  ['devices', manyDevices],
] as const)('%s', (_, example) => {
  test('has neither errors nor warnings', () => {
    const { findings } = Testing.check(example(new App()));
    expect(
      findings
        .filter(({ severity }) => severity !== 'info')
        .map(({ rule, object, message }) => `${rule} ${object}: ${message}`),
    ).toEqual([]);
  });

  test('is the same each time', () => {
    expect(JSON.stringify(Testing.synth(example(new App())))).toBe(JSON.stringify(Testing.synth(example(new App()))));
  });
});

describe('GPU nodes', () => {
  const manifests = Testing.synth(gpuNodes(new App()));

  test('come with the namespace first and the chart given every ConfigMap', () => {
    expect(name(manifests[0] ?? {})).toBe('gpu-operator');
    expect(asObject(one(manifests, 'HelmRelease', 'gpu-operator').spec).values).toMatchObject({
      driver: { nvidiaDriverCRD: { enabled: true } },
      devicePlugin: { config: { name: 'device-plugin-config', default: 'default' } },
      migManager: { config: { name: 'mig-config' } },
      dcgmExporter: { config: { name: 'dcgm-counters' }, serviceMonitor: { enabled: true } },
    });
    const maps = ['device-plugin-config', 'mig-config', 'dcgm-counters'].map(
      (map) => asObject(one(manifests, 'ConfigMap', map).metadata).namespace,
    );
    expect(maps).toEqual(['gpu-operator', 'gpu-operator', 'gpu-operator']);
  });

  test('pods ask for what their pool offers, on its nodes', () => {
    const notebook = one(manifests, 'Deployment', 'notebook');
    expect(podOf(notebook).nodeSelector).toEqual({
      'nvidia.com/device-plugin.config': 'notebooks',
      'nvidia.com/mig.config': 'notebooks',
    });
    expect(mainOf(notebook).resources).toMatchObject({ limits: { 'nvidia.com/mig-2g.20gb': 1 } });
    const ranking = one(manifests, 'Deployment', 'ranking');
    expect(podOf(ranking).nodeSelector).toEqual({
      'nvidia.com/device-plugin.config': 'inference',
      'nvidia.com/gpu.sharing-strategy': 'time-slicing',
    });
    expect(mainOf(ranking).resources).toMatchObject({ limits: { 'nvidia.com/gpu.shared': 1 } });
  });
});

describe('devices', () => {
  const manifests = Testing.synth(manyDevices(new App()));
  const limits = (job: string): JsonObject => asObject(asObject(mainOf(one(manifests, 'Job', job)).resources).limits);

  test('the same memory is written in the unit of each plugin', () => {
    expect(limits('hami')).toMatchObject({ 'nvidia.com/gpumem': 10240 });
    expect(limits('volcano-vgpu')).toMatchObject({ 'volcano.sh/vgpu-memory': 10240 });
    expect(limits('cgpu')).toMatchObject({ 'aliyun.com/gpu-mem': 10 });
    expect(limits('qgpu')).toMatchObject({ 'tke.cloud.tencent.com/qgpu-memory': 10 });
  });

  test('claims are of the version that the target serves, after their class and before their jobs', () => {
    const order = manifests.map((manifest) => `${asString(manifest.kind) ?? ''} ${name(manifest)}`);
    const before = (first: string, second: string): boolean =>
      order.indexOf(first) < order.indexOf(second) && order.includes(first);
    expect(one(manifests, 'ResourceClaimTemplate', 'pair').apiVersion).toBe('resource.k8s.io/v1');
    expect([
      before('DeviceClass large-gpu.example.com', 'ResourceClaimTemplate pair'),
      before('ResourceClaimTemplate pair', 'Job train'),
    ]).toEqual([true, true]);
  });

  test('the pods of a rack have its GPUs and a channel into its domain', () => {
    const { resourceClaims } = podOf(one(manifests, 'Job', 'rack-train'));
    expect(resourceClaims).toEqual([
      { name: 'accelerator', resourceClaimTemplateName: 'node' },
      { name: 'compute-domain-channel', resourceClaimTemplateName: 'rack-channel' },
    ]);
  });
});
