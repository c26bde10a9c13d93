/**
 * Extended resources: what a pod asks for, in which unit, and from whose device plugin.
 *
 * Sources: NVIDIA k8s-device-plugin; HAMi (values.yaml, device-configmap.yaml); Volcano; ROCm gpu-operator;
 * Intel device plugins; Ascend mind-cluster; karpenter-provider-aws (labels.go); network-operator;
 * for Aliyun, Tencent and Google the vendors' documents.
 */
import { frozen } from './frozen';

/** What one unit of a resource is. */
export type ResourceUnit =
  /** A whole device, or a share that the plugin counts like one. */
  | 'device'
  /** One slice of a device, of fixed size. */
  | 'slice'
  /** A network interface or a share of one. */
  | 'interface'
  | 'MiB'
  | 'GiB'
  /** MiB or GiB, as the plugin's own configuration says: the same manifest asks for 1024 times more or less. */
  | 'MiB or GiB'
  | '256 MiB'
  | '512 MiB'
  /** A core of the device, as its vendor counts. */
  | 'core'
  /** Percent of one device. */
  | 'percent'
  /** A number that orders tasks; not an amount. */
  | 'rank';

/** The resource names that are written most often; any other string is taken as well. */
export type KnownResourceName =
  | 'nvidia.com/gpu'
  | 'nvidia.com/gpu.shared'
  | `nvidia.com/mig-${string}`
  | 'amd.com/gpu'
  | 'gpu.intel.com/i915'
  | 'gpu.intel.com/xe'
  | 'habana.ai/gaudi'
  | 'huawei.com/Ascend910'
  | 'huawei.com/Ascend310P'
  | 'aws.amazon.com/neuron'
  | 'google.com/tpu'
  | 'volcano.sh/vgpu-number'
  | 'aliyun.com/gpu-mem'
  | 'tke.cloud.tencent.com/qgpu-core'
  | 'vpc.amazonaws.com/efa'
  | `rdma/${string}`;
/** Name of an extended resource: one that the catalog knows, or any other. */
export type ResourceName = KnownResourceName | (string & {});

/** What is known of a resource name. */
export interface ResourceFact {
  /** The resource name; `<…>` represents the part that varies. */
  readonly name: string;
  /** Whose it is: the vendor, or the component that shares out the device. */
  readonly vendor: string;
  /** What one unit of the resource is. */
  readonly unit: ResourceUnit;
  /** What a pod that requests it gets. */
  readonly meaning: string;
  /** The name to use instead, for one that is no longer served or never was. Absent for all others. */
  readonly successor?: string;
  /** A trap that the name does not show. Absent for most. */
  readonly note?: string;
  /** Pattern of the whole name, for a name with a part that varies. Absent for a fixed name. */
  readonly matches?: RegExp;
}

const whole = (name: string, vendor: string, meaning: string, more: Partial<ResourceFact> = {}): ResourceFact => ({
  name,
  vendor,
  unit: 'device',
  meaning,
  ...more,
});
const part = (
  name: string,
  vendor: string,
  unit: ResourceUnit,
  meaning: string,
  more: Partial<ResourceFact> = {},
): ResourceFact => ({
  name,
  vendor,
  unit,
  meaning,
  ...more,
});

/** The extended resources that the catalog knows. */
export const RESOURCES: readonly ResourceFact[] = frozen([
  whole('nvidia.com/gpu', 'NVIDIA', 'a whole GPU', {
    note: 'a time-sliced or MPS replica where the device plugin shares without renaming; under HAMi a vGPU',
  }),
  part('nvidia.com/gpu.shared', 'NVIDIA', 'device', 'a time-sliced or MPS replica, shared with renameByDefault'),
  part('nvidia.com/mig-<profile>', 'NVIDIA', 'slice', 'a MIG instance, mixed strategy', {
    note: 'a + in the profile is written as a dot: 1g.10gb+me is nvidia.com/mig-1g.10gb.me',
    matches: /^nvidia\.com\/mig-\d+g\.\d+gb(?:[.-][a-z.]+)?$/,
  }),
  part('nvidia.com/gpumem', 'HAMi', 'MiB', 'memory of each vGPU', {
    note: 'if unset, a vGPU has all memory of its GPU',
  }),
  part('nvidia.com/gpumem-percentage', 'HAMi', 'percent', 'memory of each vGPU', {
    note: 'instead of nvidia.com/gpumem',
  }),
  part('nvidia.com/gpucores', 'HAMi', 'percent', 'compute of each vGPU'),
  part('nvidia.com/priority', 'HAMi', 'rank', 'priority of the task on a shared GPU, 0 before 1'),
  whole('amd.com/gpu', 'AMD', 'a whole GPU'),
  part(
    'amd.com/<compute>_<memory>',
    'AMD',
    'slice',
    'a partition, for example amd.com/cpx_nps4, by the naming strategy',
    {
      matches: /^amd\.com\/[a-z]+_nps\d+$/,
    },
  ),
  whole('gpu.intel.com/i915', 'Intel', 'a GPU of the i915 driver', { note: 'sharedDevNum > 1 makes it a share' }),
  whole('gpu.intel.com/dxg', 'Intel', 'a GPU of a Windows host, under WSL'),
  whole('gpu.intel.com/xe', 'Intel', 'a GPU of the xe driver', { note: 'sharedDevNum > 1 makes it a share' }),
  part('gpu.intel.com/<driver>_monitoring', 'Intel', 'device', 'every GPU of the node, for monitoring', {
    matches: /^gpu\.intel\.com\/(?:i915|xe)_monitoring$/,
  }),
  whole('npu.intel.com/accel', 'Intel', 'an NPU'),
  part('qat.intel.com/<service>', 'Intel', 'device', 'QuickAssist: generic, cy or dc', {
    matches: /^qat\.intel\.com\/[a-z0-9-]+$/,
  }),
  whole('habana.ai/gaudi', 'Intel', 'a Gaudi accelerator', { note: 'pods also need hugepages-2Mi' }),
  whole('huawei.com/Ascend910', 'Huawei', 'an Ascend training NPU', {
    note: 'whole cards follow node topology: 1, 2, 4 or 8 per node',
  }),
  whole('huawei.com/Ascend310P', 'Huawei', 'an Ascend inference NPU'),
  whole('huawei.com/Ascend310', 'Huawei', 'an Ascend inference NPU'),
  whole('huawei.com/npu', 'Huawei', 'an Ascend NPU, common name of newer releases'),
  part('huawei.com/npu-core', 'Huawei', 'slice', 'a vNPU template'),
  part('huawei.com/Ascend<chip>', 'HAMi', 'device', 'an Ascend vNPU; with -memory its MiB, with -core its share', {
    matches: /^huawei\.com\/Ascend(?:910(?:A|B2|B3|B4|B4-1|C)|310P)(?:-memory|-core)?$/,
  }),
  whole('aws.amazon.com/neuron', 'AWS', 'a Neuron device'),
  part('aws.amazon.com/neuroncore', 'AWS', 'slice', 'a Neuron core'),
  whole('aws.amazon.com/neurondevice', 'AWS', 'a Neuron device, old name', { successor: 'aws.amazon.com/neuron' }),
  part('vpc.amazonaws.com/efa', 'AWS', 'interface', 'an EFA interface'),
  whole('google.com/tpu', 'Google', 'a TPU chip'),
  part('aliyun.com/gpu-mem', 'Aliyun', 'MiB or GiB', 'memory of a shared GPU (cGPU)', {
    note: 'GiB or MiB depending on the configuration of the component: check it before you set a number',
  }),
  part('aliyun.com/gpu-core.percentage', 'Aliyun', 'percent', 'compute of a shared GPU (cGPU)', {
    note: 'needs nodes with ack.node.gpu.schedule=core_mem',
  }),
  part('aliyun.com/gpu-core', 'Aliyun', 'percent', 'not a resource of any component', {
    successor: 'aliyun.com/gpu-core.percentage',
  }),
  whole('aliyun.com/gpu-count', 'Aliyun', 'GPUs of a node, old name', { successor: 'nvidia.com/gpu' }),
  part('tke.cloud.tencent.com/qgpu-core', 'Tencent', 'percent', 'compute of a shared GPU (qGPU); 100 is one card', {
    note: 'steps of 5; whole cards are multiples of 100',
  }),
  part('tke.cloud.tencent.com/qgpu-memory', 'Tencent', 'GiB', 'memory of a shared GPU (qGPU)', { note: 'at least 1' }),
  part('tencent.com/vcuda-core', 'Tencent', 'percent', 'compute share, gpu-manager', {
    successor: 'tke.cloud.tencent.com/qgpu-core',
  }),
  part('tencent.com/vcuda-memory', 'Tencent', '256 MiB', 'memory, gpu-manager', {
    successor: 'tke.cloud.tencent.com/qgpu-memory',
  }),
  whole('volcano.sh/vgpu-number', 'Volcano', 'vGPUs'),
  part('volcano.sh/vgpu-memory', 'Volcano', 'MiB', 'memory of each vGPU'),
  part('volcano.sh/vgpu-memory-percentage', 'Volcano', 'percent', 'memory of each vGPU'),
  part('volcano.sh/vgpu-cores', 'Volcano', 'percent', 'compute of each vGPU'),
  part('volcano.sh/gpu-memory', 'Volcano', 'MiB', 'memory of a shared GPU, old plugin', {
    successor: 'volcano.sh/vgpu-memory',
  }),
  whole('volcano.sh/gpu-number', 'Volcano', 'whole GPUs, old plugin', { successor: 'volcano.sh/vgpu-number' }),
  whole('cambricon.com/vmlu', 'Cambricon', 'an MLU share'),
  part('cambricon.com/mlu.smlu.vmemory', 'Cambricon', 'percent', 'memory of an MLU share'),
  part('cambricon.com/mlu.smlu.vcore', 'Cambricon', 'percent', 'compute of an MLU share'),
  whole('hygon.com/dcunum', 'Hygon', 'DCUs'),
  part('hygon.com/dcumem', 'Hygon', 'MiB', 'memory of each DCU'),
  part('hygon.com/dcucores', 'Hygon', 'percent', 'compute of each DCU'),
  whole('metax-tech.com/gpu', 'MetaX', 'a whole GPU'),
  whole('metax-tech.com/sgpu', 'MetaX', 'a shared GPU'),
  part('metax-tech.com/vcore', 'MetaX', 'percent', 'compute of a shared GPU'),
  part('metax-tech.com/vmemory', 'MetaX', 'GiB', 'memory of a shared GPU', {
    note: 'a plain number is GiB; quantities such as 2048Mi are also valid',
  }),
  whole('enflame.com/gcu', 'Enflame', 'a GCU'),
  part('enflame.com/drs-gcu', 'Enflame', 'slice', 'a part of a GCU'),
  whole('mthreads.com/vgpu', 'Moore Threads', 'a vGPU'),
  part('mthreads.com/sgpu-memory', 'Moore Threads', '512 MiB', 'memory of a vGPU'),
  part('mthreads.com/sgpu-core', 'Moore Threads', 'core', 'compute of a vGPU', { note: 'cores, not percent' }),
  whole('iluvatar.ai/<chip>-vgpu', 'Iluvatar', 'a vGPU; with .vMem its memory, with .vCore its compute', {
    matches: /^iluvatar\.ai\/[A-Za-z0-9-]+(?:-vgpu|\.vMem|\.vCore)$/,
  }),
  whole('kunlunxin.com/xpu', 'Kunlunxin', 'an XPU'),
  whole('kunlunxin.com/vxpu', 'Kunlunxin', 'a shared XPU'),
  whole('vastaitech.com/va', 'Vastai', 'a VA card'),
  whole('birentech.com/gpu', 'Biren', 'a GPU'),
  part(
    'rdma/<name>',
    'Mellanox',
    'interface',
    'a share of an RDMA device; the name is set in the configuration of the shared device plugin',
    {
      matches: /^rdma\/[A-Za-z0-9][A-Za-z0-9._-]*$/,
    },
  ),
]);

const exact = new Map(RESOURCES.filter((fact) => !fact.matches).map((fact) => [fact.name, fact]));
const patterns = RESOURCES.filter((fact) => fact.matches);

/** Cache of names, since manifests repeat a few names; limited in size. */
const answers = new Map<string, ResourceFact | undefined>();
const MOST_ANSWERS = 1000;

/** What is known of a resource name; `undefined` where it is not in the catalog, which says nothing against it. */
export function findResource(name: ResourceName): ResourceFact | undefined {
  const known = answers.get(name);
  if (known !== undefined || answers.has(name)) {
    return known;
  }
  const fact = exact.get(name) ?? patterns.find(({ matches }) => matches?.test(name));
  if (answers.size >= MOST_ANSWERS) {
    answers.clear();
  }
  answers.set(name, fact);
  return fact;
}

/** A name with a domain that is not Kubernetes' own: only these are counted as `requests.<name>` and may not be overcommitted. */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.startsWith('requests.') && !/(?:^|\.)kubernetes\.io\//.test(name);
}

/** Something that computes: a GPU, NPU, TPU, or a share or slice of one. Not memory or compute amounts of a share. */
export function isAcceleratorResource(name: string): boolean {
  const fact = findResource(name);
  return (
    fact !== undefined &&
    (fact.unit === 'device' || fact.unit === 'slice') &&
    !/-memory$|-core$|\.vMem$|\.vCore$|^qat\./.test(name)
  );
}

/** Whether one unit of this resource is a whole device, on a cluster whose device plugin does not share. */
export function isWholeDevice(name: string): boolean {
  return (
    isAcceleratorResource(name) &&
    findResource(name)?.unit === 'device' &&
    !/shared|vgpu|sgpu|vmlu|vxpu|_monitoring$/.test(name)
  );
}
