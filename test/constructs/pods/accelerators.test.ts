import { type PodTemplateSpec } from '../../../src/facts/api/types/core/v1';
import { Accelerator, PodTemplate } from '../../../src/constructs/pods';
import { podRules } from '../../../src/constructs/pods/rules';
import { rulesFiring } from '../../support/findings';

const NVIDIA = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];

const image = 'registry.example.com/x:1';
const template = (accelerators: Accelerator): PodTemplateSpec =>
  new PodTemplate({ image, accelerators }).toPodTemplate();
const limits = (accelerators: Accelerator): unknown => template(accelerators).spec?.containers[0]?.resources?.limits;
const expressions = (accelerators: Accelerator): unknown =>
  template(accelerators).spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    ?.nodeSelectorTerms[0]?.matchExpressions;

test('one statement of memory is written in the unit of each plugin', () => {
  expect(limits(Accelerator.hami({ count: 1, memory: '10Gi', computePercent: 30 }))).toEqual({
    'nvidia.com/gpu': 1,
    'nvidia.com/gpumem': 10240,
    'nvidia.com/gpucores': 30,
  });
  expect(limits(Accelerator.volcanoVgpu({ count: 2, memory: '10Gi' }))).toEqual({
    'volcano.sh/vgpu-number': 2,
    'volcano.sh/vgpu-memory': 10240,
  });
  expect(limits(Accelerator.cgpu({ memory: '10Gi' }))).toEqual({ 'aliyun.com/gpu-mem': 10 });
  expect(limits(Accelerator.cgpu({ memory: '10Gi', unit: 'MiB' }))).toEqual({ 'aliyun.com/gpu-mem': 10240 });
  expect(limits(Accelerator.qgpu({ memory: '10Gi', computePercent: 25 }))).toEqual({
    'tke.cloud.tencent.com/qgpu-memory': 10,
    'tke.cloud.tencent.com/qgpu-core': 25,
  });
});

test('memory without a unit, or not in whole units, is refused with the unit that counts', () => {
  expect(() => Accelerator.hami({ count: 1, memory: '10' })).toThrow(/memory "10": must have a unit/);
  expect(() => Accelerator.qgpu({ memory: '512Mi', computePercent: 5 })).toThrow(/whole GiB/);
  expect(() => Accelerator.hami({ count: 1, memory: '10G' })).toThrow(/whole MiB/);
  expect(() => Accelerator.hami({ count: 1, memory: '-1Gi' })).toThrow(/memory/);
});

test('percentages are bounded, and in steps of 5 where the plugin counts so', () => {
  expect(() => Accelerator.hami({ count: 1, computePercent: 101 })).toThrow(/computePercent 101/);
  expect(() => Accelerator.qgpu({ memory: '1Gi', computePercent: 7 })).toThrow(/multiple of 5/);
  expect(() => Accelerator.volcanoVgpu({ count: 1, memory: '1Gi', memoryPercent: 50 })).toThrow(/Keep one of them/);
  expect(limits(Accelerator.volcanoVgpu({ count: 1, memoryPercent: 50, computePercent: 100 }))).toEqual({
    'volcano.sh/vgpu-number': 1,
    'volcano.sh/vgpu-memory-percentage': 50,
    'volcano.sh/vgpu-cores': 100,
  });
});

test('whole cards of a qGPU node are hundreds', () => {
  expect(limits(Accelerator.qgpu({ cards: 2 }))).toEqual({ 'tke.cloud.tencent.com/qgpu-core': 200 });
  expect(Accelerator.qgpu({ cards: 2 }).count).toBe(2);
});

test('the GPU settings of HAMi are in annotations', () => {
  const { metadata } = template(
    Accelerator.hami({ count: 1, gpuTypes: ['A100', 'H100'], notGpuUuids: ['GPU-1'], mode: 'hami-core', priority: 0 }),
  );
  expect(metadata?.annotations).toEqual({
    'nvidia.com/use-gputype': 'A100,H100',
    'nvidia.com/nouse-gpuuuid': 'GPU-1',
    'nvidia.com/vgpu-mode': 'hami-core',
  });
});

test('compute of a cGPU selects the nodes that limit it', () => {
  expect(expressions(Accelerator.cgpu({ memory: '4Gi', computePercent: 30 }))).toEqual([
    { key: 'ack.node.gpu.schedule', operator: 'In', values: ['core_mem'] },
  ]);
  expect(expressions(Accelerator.cgpu({ memory: '4Gi' }))).toEqual([
    { key: 'ack.node.gpu.schedule', operator: 'In', values: ['cgpu', 'core_mem'] },
  ]);
});

test('a share is one of a node that shares in this way, whatever the resource is called', () => {
  expect(limits(Accelerator.timeSliced())).toEqual({ 'nvidia.com/gpu.shared': 1 });
  expect(limits(Accelerator.timeSliced({ renamed: false }))).toEqual({ 'nvidia.com/gpu': 1 });
  expect(limits(Accelerator.timeSliced({ profile: '1g.10gb+me' }))).toEqual({ 'nvidia.com/mig-1g.10gb.me.shared': 1 });
  expect(limits(Accelerator.mps())).toEqual({ 'nvidia.com/gpu.shared': 1 });
  expect(template(Accelerator.mps()).spec?.nodeSelector).toEqual({ 'nvidia.com/gpu.sharing-strategy': 'mps' });
  expect(template(Accelerator.timeSliced()).spec).toMatchObject({
    nodeSelector: { 'nvidia.com/gpu.sharing-strategy': 'time-slicing' },
    tolerations: NVIDIA,
  });
});

test('a Gaudi accelerator of one generation selects the label that feature discovery sets', () => {
  const gaudi = (product: string): Accelerator => Accelerator.gaudi({ count: 8, hugepages: '95000Mi', product });
  expect(expressions(gaudi('Gaudi 3'))).toEqual([{ key: 'habana.ai/device.type', operator: 'In', values: ['GAUDI3'] }]);
  expect(expressions(gaudi('GAUDI2B'))).toEqual([
    { key: 'habana.ai/device.type', operator: 'In', values: ['GAUDI2B'] },
  ]);
  expect(() => gaudi('MI300X')).toThrow('product must be a product of Intel Gaudi: "MI300X" is the MI300X of AMD.');
});

test('the product of a share carries the suffix that feature discovery writes where shares are not renamed', () => {
  expect(expressions(Accelerator.timeSliced({ product: 'T4', renamed: false }))).toEqual([
    { key: 'nvidia.com/gpu.product', operator: 'In', values: ['Tesla-T4-SHARED'] },
  ]);
  expect(expressions(Accelerator.timeSliced({ product: 'T4' }))).toEqual([
    { key: 'nvidia.com/gpu.product', operator: 'In', values: ['Tesla-T4'] },
  ]);
});

test.each([
  ['AMD', Accelerator.amd({ count: 8 }), { 'amd.com/gpu': 8 }, 'amd.com/gpu'],
  [
    'a partition of AMD',
    Accelerator.amd({ count: 1, partition: 'cpx_nps4' }),
    { 'amd.com/cpx_nps4': 1 },
    'amd.com/gpu',
  ],
  ['Intel', Accelerator.intel({ count: 1 }), { 'gpu.intel.com/i915': 1 }, 'gpu.intel.com/i915'],
  ['Intel, newer driver', Accelerator.intel({ count: 1, driver: 'xe' }), { 'gpu.intel.com/xe': 1 }, 'gpu.intel.com/xe'],
  [
    'Gaudi',
    Accelerator.gaudi({ count: 8, hugepages: '95000Mi' }),
    { 'habana.ai/gaudi': 8, 'hugepages-2Mi': '95000Mi' },
    'habana.ai/gaudi',
  ],
  ['Ascend', Accelerator.ascend({ count: 8 }), { 'huawei.com/Ascend910': 8 }, 'huawei.com/Ascend910'],
  ['Ascend, common name', Accelerator.ascend({ count: 8, chip: 'npu' }), { 'huawei.com/npu': 8 }, 'huawei.com/npu'],
  ['Neuron', Accelerator.neuron({ count: 16 }), { 'aws.amazon.com/neuron': 16 }, 'aws.amazon.com/neuron'],
  [
    'Neuron cores',
    Accelerator.neuron({ count: 2, unit: 'core' }),
    { 'aws.amazon.com/neuroncore': 2 },
    'aws.amazon.com/neuron',
  ],
  [
    'TPU',
    Accelerator.tpu({ count: 4, accelerator: 'tpu-v5-lite-podslice', topology: '2x4' }),
    { 'google.com/tpu': 4 },
    'google.com/tpu',
  ],
])('%s: the resource, and the toleration of its nodes', (_, accelerator, expected, taint) => {
  expect(limits(accelerator)).toEqual(expected);
  expect(template(accelerator).spec?.tolerations).toEqual([{ key: taint, operator: 'Exists', effect: 'NoSchedule' }]);
});

test('a TPU pod names the pool by type and topology, in any spelling of the type', () => {
  expect(
    template(Accelerator.tpu({ count: 4, accelerator: 'tpu-v5-lite-podslice', topology: '2x4' })).spec?.nodeSelector,
  ).toEqual({
    'cloud.google.com/gke-tpu-accelerator': 'tpu-v5-lite-podslice',
    'cloud.google.com/gke-tpu-topology': '2x4',
  });
  expect(
    template(Accelerator.tpu({ count: 4, accelerator: 'TPU v6e', topology: '2x4' })).spec?.nodeSelector,
  ).toMatchObject({ 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice' });
});

const requirements = (accelerator: Accelerator): unknown =>
  template(accelerator).spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    ?.nodeSelectorTerms[0]?.matchExpressions;

test.each([
  ['AMD', Accelerator.amd({ count: 1, product: 'MI300X' }), 'amd.com/gpu.device-id', ['74a1', '74a9', '74b5', '74bd']],
  [
    'AMD, by a label',
    Accelerator.amd({ count: 1, product: 'AMD_Instinct_MI300X_OAM' }),
    'amd.com/gpu.product-name',
    ['AMD_Instinct_MI300X_OAM'],
  ],
  ['Ascend', Accelerator.ascend({ count: 8, product: '910B3' }), 'node.kubernetes.io/npu.chip.name', ['910B3']],
  [
    'Neuron',
    Accelerator.neuron({ count: 16, product: 'trn1' }),
    'node.kubernetes.io/instance-type',
    ['trn1.2xlarge', 'trn1.32xlarge', 'trn1n.32xlarge'],
  ],
  [
    'Neuron, by an instance type',
    Accelerator.neuron({ count: 16, product: 'trn1.32xlarge' }),
    'node.kubernetes.io/instance-type',
    ['trn1.32xlarge'],
  ],
  [
    'AMD MI250X, which has the label of an MI250',
    Accelerator.amd({ count: 8, product: 'MI250X' }),
    'amd.com/gpu.device-id',
    ['7408', '740c'],
  ],
  ['Ascend 910B1', Accelerator.ascend({ count: 8, product: '910B1' }), 'node.kubernetes.io/npu.chip.name', ['910B1']],
  [
    'Trainium3',
    Accelerator.neuron({ count: 4, product: 'trn3' }),
    'node.kubernetes.io/instance-type',
    ['trn3.48xlarge', 'trn3p.48xlarge', 'trn3e.24xlarge'],
  ],
])('a product of %s selects its nodes by the label that their vendor sets', (_, accelerator, key, values) => {
  expect(requirements(accelerator)).toEqual([{ key, operator: 'In', values }]);
});

test('an ambiguous product is refused with the choices, for every vendor', () => {
  expect(() => Accelerator.amd({ count: 1, product: 'MI300' })).toThrow('use MI300A or MI300X.');
  expect(() => Accelerator.neuron({ count: 1, product: 'Trainium' })).toThrow(
    'use Trainium1, Trainium2, or Trainium3.',
  );
  expect(() => Accelerator.ascend({ count: 1, product: '910B' })).toThrow('is ambiguous');
  expect(() => Accelerator.tpu({ count: 4, accelerator: 'v5', topology: '2x2' })).toThrow('TPU-v5e or TPU-v5p');
});

test('an Ascend pod under Volcano takes its devices from the annotation of the NPU plugin', () => {
  const { spec } = template(
    Accelerator.ascend({ count: 8, acceleratorType: 'module-910b-8', devicesFromVolcano: true }),
  );
  expect(spec?.nodeSelector).toEqual({ 'accelerator-type': 'module-910b-8' });
  expect(spec?.containers[0]?.env).toEqual([
    {
      name: 'ASCEND_VISIBLE_DEVICES',
      valueFrom: { fieldRef: { fieldPath: "metadata.annotations['huawei.com/Ascend910']" } },
    },
  ]);
});

test('memory and cores of a vGPU are not counted as devices', () => {
  const { spec } = template(Accelerator.hami({ count: 1, memory: '8Gi', computePercent: 30 }));
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'ai' }, spec };
  expect(rulesFiring(JSON.stringify(pod), podRules)).not.toContain('pods/shared-memory-for-several-gpus');
});

test('vGPUs of Volcano tolerate the taint of GPU nodes, which names the whole device', () => {
  const tolerations = (accelerator: Accelerator): unknown => accelerator.toPod({ hostNetwork: false }).tolerations;
  const gpu = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];
  expect(tolerations(Accelerator.volcanoVgpu({ count: 1, memory: '10Gi' }))).toEqual(gpu);
  expect(tolerations(Accelerator.volcanoVgpu({ count: 1, memory: '10Gi', tolerations: undefined }))).toEqual(gpu);
  expect(tolerations(Accelerator.volcanoVgpu({ count: 1, memory: '10Gi', tolerations: [] }))).toEqual([]);
});
