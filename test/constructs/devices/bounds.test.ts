/**
 * Device rules at their bounds: the last amount that is right, the first that is wrong, and what does not concern them.
 */
import { deviceRules } from '../../../src/constructs/devices/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { rulesFiring, findingsOf } from '../../support/findings';
import { amd, configured, intel, pod, sharing } from './world';

const text = (...objects: readonly JsonObject[]): string => objects.map((one) => JSON.stringify(one)).join('\n---\n');
const fires = (rule: string, ...objects: readonly JsonObject[]): boolean =>
  rulesFiring(text(...objects), deviceRules).includes(`devices/${rule}`);

test.each<[string, number, boolean]>([
  ['nvidia.com/gpumem', 255, true],
  ['nvidia.com/gpumem', 256, false],
  ['nvidia.com/gpumem', 1024 * 1024, false],
  ['nvidia.com/gpumem', 1024 * 1024 + 1, true],
  ['volcano.sh/vgpu-memory', 255, true],
  ['volcano.sh/vgpu-memory', 256, false],
  ['tke.cloud.tencent.com/qgpu-memory', 1024, false],
  ['tke.cloud.tencent.com/qgpu-memory', 1025, true],
])('%s: %d', (name, amount, wrong) => {
  expect(fires('memory-in-unit-of-plugin', pod({ [name]: amount }))).toBe(wrong);
});

test.each<[string, string]>([
  ['16Mi', 'a suffix such as Gi makes the amount a number of bytes'],
  ['16777215', 'no GPU has 16777215 MiB'],
])('%s of nvidia.com/gpumem: %s', (amount, message) => {
  const found = findingsOf(text(pod({ 'nvidia.com/gpumem': amount })), deviceRules);
  expect(found.map((one) => one.message)).toContainEqual(expect.stringContaining(message));
});

test.each<[JsonObject, boolean]>([
  [{ defaultActiveThreadPercentage: 0 }, false],
  [{ defaultActiveThreadPercentage: 100 }, false],
  [{ defaultActiveThreadPercentage: -1 }, true],
  [{ defaultActiveThreadPercentage: 101 }, true],
  [{ defaultPinnedDeviceMemoryLimit: '1Mi' }, false],
  [{ defaultPinnedDeviceMemoryLimit: '1048575' }, true],
])('MPS with %j', (mpsConfig, wrong) => {
  expect(fires('dra-sharing-valid', sharing({ strategy: 'MPS', mpsConfig }))).toBe(wrong);
});

test.each<[string, boolean]>([
  ['0', false],
  ['1', true],
  ['1023', true],
  ['1024', false],
])('a selector of nvidia.com/gpu.memory: %s', (value, wrong) => {
  const selecting = pod({}, { nodeSelector: { 'nvidia.com/gpu.memory': value } });
  expect(fires('memory-label-in-mib', selecting)).toBe(wrong);
});

test.each<[string, number, boolean]>([
  ['nvidia.com/gpucores', 100, false],
  ['nvidia.com/gpucores', 101, true],
  ['nvidia.com/gpumem-percentage', 100, false],
  ['nvidia.com/gpumem-percentage', 101, true],
  ['volcano.sh/vgpu-cores', 101, true],
  ['tke.cloud.tencent.com/qgpu-core', 95, false],
  ['tke.cloud.tencent.com/qgpu-core', 96, true],
  ['tke.cloud.tencent.com/qgpu-core', 100, false],
  ['tke.cloud.tencent.com/qgpu-core', 150, true],
  ['tke.cloud.tencent.com/qgpu-core', 200, false],
])('%s of %d percent', (name, amount, wrong) => {
  expect(fires('percentage-within-bounds', pod({ [name]: amount }))).toBe(wrong);
});

test('a sidecar without cGPU compute needs no memory of it', () => {
  const select = { nodeSelector: { 'ack.node.gpu.schedule': 'core_mem' } };
  const request = pod({ 'aliyun.com/gpu-core.percentage': 30, 'aliyun.com/gpu-mem': 4 }, select);
  const spec = request.spec as JsonObject;
  const containers = [...(spec.containers as JsonObject[]), { name: 'sidecar', image: 'registry.example.com/log:1' }];
  expect(fires('cgpu-compute-on-nodes-that-limit-it', { ...request, spec: { ...spec, containers } })).toBe(false);
});

test('device classes without an extended resource do not collide', () => {
  const named = (name: string): JsonObject => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name },
    spec: {},
  });
  expect(fires('extended-resource-served-once', named('a.example.com'), named('b.example.com'))).toBe(false);
});

test.each([
  ['GpuConfig', 'gpu.nvidia.com'],
  ['MigDeviceConfig', 'gpu.nvidia.com'],
  ['VfioDeviceConfig', 'gpu.nvidia.com'],
  ['ComputeDomainChannelConfig', 'compute-domain.nvidia.com'],
  ['ComputeDomainDaemonConfig', 'compute-domain.nvidia.com'],
])('%s is a configuration of %s, and of no other driver', (kind, driver) => {
  const other = driver === 'gpu.nvidia.com' ? 'compute-domain.nvidia.com' : 'gpu.nvidia.com';
  const at = (of: string): readonly string[] =>
    findingsOf(text(configured({ apiVersion: 'resource.nvidia.com/v1beta1', kind, domainID: 'x' }, of)), deviceRules)
      .filter(({ path }) => path.endsWith('/kind'))
      .map(({ rule }) => rule);
  expect(at(driver)).toEqual([]);
  expect(at(other)).toHaveLength(1);
});

test('the settings of one sharing strategy are refused with the other', () => {
  const paths = (sharing: JsonObject): readonly string[] =>
    findingsOf(
      text(configured({ apiVersion: 'resource.nvidia.com/v1beta1', kind: 'GpuConfig', sharing })),
      deviceRules,
    ).flatMap(({ path }) => (path.includes('/sharing/') ? [path.replace(/.*\/sharing\//, '')] : []));
  expect(paths({ strategy: 'TimeSlicing', mpsConfig: {} })).toContain('mpsConfig');
  expect(paths({ strategy: 'MPS', timeSlicingConfig: { interval: 'Short' } })).toContain('timeSlicingConfig');
  expect(paths({ strategy: 'TimeSlicing', timeSlicingConfig: { interval: 'Short' } })).not.toContain(
    'timeSlicingConfig',
  );
  expect(paths({ strategy: 'MPS', mpsConfig: {} })).not.toContain('mpsConfig');
});

test.each([
  ['24h', false],
  ['1h30m', false],
  ['0', false],
  ['1.5h', false],
  ['1d', true],
  ['x24h', true],
  ['24hx', true],
  ['00', true],
])('a lifetime of failed workflows of %s', (ttlForFailedWorkflows, wrong) => {
  const config = amd({ remediationWorkflow: { enable: true, ttlForFailedWorkflows } });
  expect(fires('amd-remediation-lifetime-valid', config)).toBe(wrong);
});

test.each<[string, boolean]>([
  ['0.35.1', true],
  ['0.36.0', false],
  ['0.36', true],
  ['0.36.1', false],
  ['1.0.0', false],
])('an image of an Intel plugin of version %s', (version, wrong) => {
  const plugin = intel('GpuDevicePlugin', { image: `intel/intel-gpu-plugin:${version}` });
  expect(fires('intel-plugin-image-fits', plugin)).toBe(wrong);
});

test.each([
  ['tke.cloud.tencent.com/qgpu-core', 33, 'a multiple of 5 up to 100'],
  ['tencent.com/vcuda-core', 150, 'an integer up to 100'],
])('%s of %d has to be %s', (name, amount, expected) => {
  const found = findingsOf(text(pod({ [name]: amount })), deviceRules).find(
    ({ rule }) => rule === 'devices/percentage-within-bounds',
  );
  expect(found?.expected).toContain(expected);
});

test('the QAT plugin without a provisioning configuration needs neither init image nor drivers', () => {
  expect(
    fires('intel-qat-provisioning-fits', intel('QatDevicePlugin', { image: 'intel/intel-qat-plugin:0.36.0' })),
  ).toBe(false);
});
