/**
 * Labels of GPU nodes: who sets them, what their values are, and in which unit.
 *
 * Sources: NVIDIA k8s-device-plugin, docs/gpu-feature-discovery and internal/lm; gpu-operator; node-feature-discovery; ROCm gpu-operator
 * and k8s-device-plugin (node labeller); HabanaAI gaudi-feature-discovery (collector); Intel device plugins; Ascend mind-cluster (component/ascend-for-volcano,
 * component/ascend-device-plugin); GKE documentation.
 */
import { frozen } from './frozen';

/** The component that sets a node label. */
export type LabelSource =
  | 'gpu-feature-discovery'
  | 'gpu-operator'
  | 'mig-manager'
  | 'device-plugin'
  | 'node-feature-discovery'
  | 'amd'
  | 'intel'
  | 'ascend'
  | 'gaudi'
  | 'gke'
  | 'kubelet';

/** A label of accelerator nodes. */
export interface NodeLabelFact {
  /** The label key; `<…>` represents the part that varies. */
  readonly key: string;
  /** The component that sets the label, or that reads it where `input` is true. */
  readonly source: LabelSource;
  /** What the label states. */
  readonly meaning: string;
  /** The values that occur. Absent where they are not a closed list. */
  readonly values?: readonly string[];
  /** Unit of a numeric value. Absent for other values. */
  readonly unit?: 'MiB' | 'count' | 'version';
  /**
   * True where users or other controllers set the label to configure a component. Absent where it is discovered on the
   * node.
   */
  readonly input?: true;
  /** The label to use instead, for a deprecated or mistaken key. Absent for all others. */
  readonly successor?: string;
}

const GFD = 'gpu-feature-discovery';
const gfd = (key: string, meaning: string, more: Partial<NodeLabelFact> = {}): NodeLabelFact => ({
  key,
  source: GFD,
  meaning,
  ...more,
});

/** The labels of accelerator nodes that the catalog knows. */
export const NODE_LABELS: readonly NodeLabelFact[] = frozen([
  { key: 'nvidia.com/gpu.present', source: 'gpu-operator', meaning: 'the node has an NVIDIA GPU', values: ['true'] },
  {
    key: 'nvidia.com/gpu.deploy.<operand>',
    source: 'gpu-operator',
    meaning:
      'whether this operand runs on the node: driver, container-toolkit, device-plugin, dcgm, dcgm-exporter, mig-manager, …',
    values: ['true', 'false', 'paused-for-driver-upgrade'],
  },
  gfd(
    'nvidia.com/gpu.product',
    'NVML product name with - instead of spaces; -MIG-<profile> (single strategy) and -SHARED are appended',
  ),
  gfd('nvidia.com/gpu.memory', 'memory of one GPU', { unit: 'MiB' }),
  gfd('nvidia.com/gpu.count', 'GPUs of the node', { unit: 'count' }),
  gfd('nvidia.com/gpu.replicas', 'shares of each GPU; 0 if sharing is off', { unit: 'count' }),
  gfd('nvidia.com/gpu.sharing-strategy', 'how GPUs are shared', { values: ['none', 'time-slicing', 'mps'] }),
  gfd('nvidia.com/gpu.family', 'architecture', {
    values: ['volta', 'turing', 'ampere', 'ada-lovelace', 'hopper', 'blackwell', 'rubin'],
  }),
  gfd('nvidia.com/gpu.compute.major', 'compute capability, first part', { unit: 'version' }),
  gfd('nvidia.com/gpu.compute.minor', 'compute capability, second part', { unit: 'version' }),
  gfd('nvidia.com/gpu.machine', 'product name of the server'),
  gfd('nvidia.com/gpu.mode', 'purpose of the GPU', { values: ['compute', 'display'] }),
  gfd('nvidia.com/gpu.clique', 'NVLink domain, <cluster UUID>.<clique id>'),
  gfd('nvidia.com/cuda.driver-version.full', 'driver version', { unit: 'version' }),
  gfd('nvidia.com/cuda.driver-version.major', 'driver version, first part', { unit: 'version' }),
  gfd('nvidia.com/cuda.driver-version.minor', 'driver version, second part', { unit: 'version' }),
  gfd('nvidia.com/cuda.driver-version.revision', 'driver version, third part', { unit: 'version' }),
  gfd('nvidia.com/cuda.runtime-version.full', 'CUDA version of the driver', { unit: 'version' }),
  gfd('nvidia.com/cuda.runtime-version.major', 'CUDA version, first part', { unit: 'version' }),
  gfd('nvidia.com/cuda.runtime-version.minor', 'CUDA version, second part', { unit: 'version' }),
  gfd('nvidia.com/cuda.driver.major', 'driver version, first part', {
    successor: 'nvidia.com/cuda.driver-version.major',
  }),
  gfd('nvidia.com/cuda.driver.minor', 'driver version, second part', {
    successor: 'nvidia.com/cuda.driver-version.minor',
  }),
  gfd('nvidia.com/cuda.driver.rev', 'driver version, third part', {
    successor: 'nvidia.com/cuda.driver-version.revision',
  }),
  gfd('nvidia.com/cuda.runtime.major', 'CUDA version, first part', {
    successor: 'nvidia.com/cuda.runtime-version.major',
  }),
  gfd('nvidia.com/cuda.runtime.minor', 'CUDA version, second part', {
    successor: 'nvidia.com/cuda.runtime-version.minor',
  }),
  gfd('nvidia.com/gpu.driver.version', 'set by nothing', { successor: 'nvidia.com/cuda.driver-version.full' }),
  gfd('nvidia.com/mig.capable', 'a GPU of the node can be partitioned', { values: ['true', 'false'] }),
  gfd('nvidia.com/mig.strategy', 'MIG strategy: how MIG instances are exposed', {
    values: ['none', 'single', 'mixed'],
  }),
  gfd('nvidia.com/mig.enabled', 'set by nothing', { successor: 'nvidia.com/mig.capable' }),
  gfd('nvidia.com/mps.capable', 'the device plugin serves MPS on the node', { values: ['true', 'false'] }),
  gfd('nvidia.com/vgpu.present', 'the node is a VM with a vGPU', { values: ['true', 'false'] }),
  gfd('nvidia.com/vgpu.host-driver-version', 'driver of the vGPU host', { unit: 'version' }),
  gfd('nvidia.com/vgpu.host-driver-branch', 'driver branch of the vGPU host', { unit: 'version' }),
  gfd('nvidia.com/mig-<profile>.count', 'instances of the profile, mixed strategy', { unit: 'count' }),
  gfd('nvidia.com/mig-<profile>.memory', 'memory of one instance, mixed strategy', { unit: 'MiB' }),
  gfd('nvidia.com/mig-<profile>.product', 'product name of the instances, mixed strategy'),
  {
    key: 'nvidia.com/mig.config',
    source: 'mig-manager',
    meaning: 'the desired mig-parted configuration; a + of a profile is written as a dot',
    input: true,
  },
  {
    key: 'nvidia.com/mig.config.state',
    source: 'mig-manager',
    meaning: 'state of the change to nvidia.com/mig.config',
    values: ['pending', 'rebooting', 'success', 'failed'],
  },
  {
    key: 'nvidia.com/device-plugin.config',
    source: 'device-plugin',
    meaning: 'key of the device-plugin ConfigMap that the node uses',
    input: true,
  },
  {
    key: 'feature.node.kubernetes.io/pci-10de.present',
    source: 'node-feature-discovery',
    meaning: 'a PCI device of NVIDIA; the default label of NFD is pci-<class>_<vendor>.present',
    values: ['true'],
  },
  {
    key: 'feature.node.kubernetes.io/rdma.capable',
    source: 'node-feature-discovery',
    meaning: 'an RDMA device',
    values: ['true'],
  },
  {
    key: 'feature.node.kubernetes.io/rdma.available',
    source: 'node-feature-discovery',
    meaning: 'RDMA modules are loaded',
    values: ['true'],
  },
  {
    key: 'feature.node.kubernetes.io/network-sriov.capable',
    source: 'node-feature-discovery',
    meaning: 'a network card with SR-IOV',
    values: ['true'],
  },
  {
    key: 'feature.node.kubernetes.io/amd-gpu',
    source: 'node-feature-discovery',
    meaning: 'a GPU of AMD, by the rule of the ROCm GPU operator',
    values: ['true'],
  },
  {
    key: 'feature.node.kubernetes.io/amd-vgpu',
    source: 'node-feature-discovery',
    meaning: 'a virtual function of an AMD GPU, by the rule of the ROCm GPU operator',
    values: ['true'],
  },
  { key: 'amd.com/gpu.product-name', source: 'amd', meaning: 'product name, for example AMD_Instinct_MI300X_OAM' },
  { key: 'amd.com/gpu.device-id', source: 'amd', meaning: 'PCI device id, for example 74a1 for an MI300X' },
  { key: 'amd.com/gpu.simd-count', source: 'amd', meaning: 'SIMD units', unit: 'count' },
  { key: 'amd.com/gpu.family', source: 'amd', meaning: 'architecture' },
  { key: 'amd.com/gpu.vram', source: 'amd', meaning: 'memory of one GPU, with its unit, for example 192G' },
  { key: 'amd.com/gpu.cu-count', source: 'amd', meaning: 'compute units', unit: 'count' },
  { key: 'amd.com/gpu.driver-version', source: 'amd', meaning: 'driver version', unit: 'version' },
  {
    key: 'amd.com/compute-partitioning-supported',
    source: 'amd',
    meaning: 'a GPU can be partitioned',
    values: ['true', 'false'],
  },
  { key: 'amd.com/compute-memory-partition', source: 'amd', meaning: 'how GPUs are partitioned, for example cpx_nps4' },
  {
    key: 'amd.com/memory-partitioning-supported',
    source: 'amd',
    meaning: 'the memory of a GPU can be partitioned',
    values: ['true', 'false'],
  },
  {
    key: 'dcm.amd.com/gpu-config-profile',
    source: 'amd',
    meaning: "the profile of the device config manager's ConfigMap that the node's GPUs are partitioned by",
    input: true,
  },
  {
    key: 'habana.ai/device.family',
    source: 'gaudi',
    meaning: 'whether the node has Gaudi accelerators',
    values: ['gaudi', 'generic'],
  },
  {
    key: 'habana.ai/device.type',
    source: 'gaudi',
    meaning: 'the accelerator, for example GAUDI3; set once the driver is loaded',
  },
  { key: 'habana.ai/device.count', source: 'gaudi', meaning: 'accelerators of the node', unit: 'count' },
  { key: 'habana.ai/device.id', source: 'gaudi', meaning: 'PCI device id, for example 1060 for a Gaudi 3' },
  { key: 'habana.ai/driver.version', source: 'gaudi', meaning: 'driver version', unit: 'version' },
  {
    key: 'accelerator',
    source: 'ascend',
    meaning: 'the kind of NPU; the device plugin runs where it is set',
    values: ['huawei-Ascend910', 'huawei-Ascend310', 'huawei-Ascend310P', 'huawei-npu'],
    input: true,
  },
  {
    key: 'accelerator-type',
    source: 'ascend',
    meaning: 'NPU form factor of the server, from which the Volcano NPU plugin derives the topology',
    values: [
      'card',
      'module',
      'half',
      'card-910b-2',
      'card-910b-infer',
      'module-910b-8',
      'module-910b-16',
      'module-a3-8',
      'module-a3-16',
      'module-a3-16-super-pod',
    ],
    input: true,
  },
  {
    key: 'servertype',
    source: 'ascend',
    meaning: 'server with special cards, for example Ascend310P-10-dual',
    input: true,
  },
  {
    key: 'host-arch',
    source: 'ascend',
    meaning: 'architecture of the host',
    values: ['huawei-arm', 'huawei-x86'],
    input: true,
  },
  {
    key: 'workerselector',
    source: 'ascend',
    meaning: 'a worker node, where npu-exporter runs',
    values: ['dls-worker-node'],
    input: true,
  },
  { key: 'node.kubernetes.io/npu.chip.name', source: 'ascend', meaning: 'the chip, for example 910B3' },
  {
    key: 'node.kubernetes.io/instance-type',
    source: 'kubelet',
    meaning: 'instance type of the cloud, which identifies Neuron nodes, for example trn1.32xlarge',
  },
  {
    key: 'cloud.google.com/gke-tpu-accelerator',
    source: 'gke',
    meaning: 'TPU type of the node pool, for example tpu-v6e-slice',
  },
  {
    key: 'cloud.google.com/gke-tpu-topology',
    source: 'gke',
    meaning: 'chips of the slice in each dimension, for example 4x4',
  },
  { key: 'gpu.intel.com/family', source: 'intel', meaning: 'architecture' },
  { key: 'gpu.intel.com/product', source: 'intel', meaning: 'product name' },
  { key: 'gpu.intel.com/device.count', source: 'intel', meaning: 'GPUs of the node', unit: 'count' },
]);

const byKey = new Map(NODE_LABELS.map((fact) => [fact.key, fact]));

/** What is known of a node label; `undefined` where it is not in the catalog, which says nothing against it. */
export function findNodeLabel(key: string): NodeLabelFact | undefined {
  const isOf = ({ start, end }: (typeof families)[number]): boolean =>
    key.length > start.length + end.length && key.startsWith(start) && key.endsWith(end);
  return byKey.get(key) ?? families.find(isOf)?.label;
}

/** Labels with a name of the user's or the device's in the middle, `nvidia.com/mig-<profile>.count`. */
const families = NODE_LABELS.flatMap((label) => {
  const [start, end] = label.key.split(/<[^>]+>/);
  return end === undefined ? [] : [{ label, start, end }];
});

/**
 * The product label that GPU feature discovery makes of a name as NVML reports it: `NVIDIA H100 80GB HBM3` becomes
 * `NVIDIA-H100-80GB-HBM3`.
 *
 * Source: NVIDIA k8s-device-plugin, internal/lm/resource.go.
 */
export function productLabel(nvmlName: string): string {
  return nvmlName
    .replace(/[^A-Za-z0-9\-_. ]/g, '')
    .trim()
    .split(/\s+/)
    .join('-');
}
