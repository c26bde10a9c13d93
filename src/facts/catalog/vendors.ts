/**
 * What differs from vendor to vendor around a device: how it is called, what taints and labels its nodes carry, which variables its
 * containers read, what installs it, and what measures it.
 *
 * Sources: NVIDIA k8s-device-plugin and gpu-operator; ROCm gpu-operator and HIP documentation (environment
 * variables); Intel Gaudi documentation (operator, device plugin, container runtime); Ascend mind-cluster; AWS Neuron
 * documentation; GKE documentation, "Deploy TPU workloads in GKE".
 */
import { type AcceleratorVendor } from './accelerators/facts';
import { frozen } from './frozen';

/** A variable that decides which devices a container sees, or how its processes find each other. */
export interface EnvironmentFact {
  /** Name of the variable. */
  readonly name: string;
  /** What it decides, and what sets it. */
  readonly meaning: string;
  /** Who sets it: a component of the vendor, or the author of the workload. */
  readonly setBy: 'vendor' | 'author';
}

/** What is the same for all accelerators of a vendor. */
export interface VendorFacts {
  /** Short name of the vendor. */
  readonly vendor: AcceleratorVendor;
  /** Name of the vendor as people write it. */
  readonly title: string;
  /** One device, in the vendor's word. */
  readonly device: string;
  /** Several of them. */
  readonly devices: string;
  /** Whole-device resources, the usual one first. */
  readonly resources: readonly string[];
  /** Resources of parts of a device, the part that varies in angle brackets. */
  readonly parts: readonly string[];
  /** Taint key that the vendor's components tolerate; nodes carry it as `<key>=present:NoSchedule` by convention. */
  readonly taint: string;
  /** Label by which DaemonSets find nodes with devices; absent where instance types or the cloud's own labels do. */
  readonly presentLabel?: {
    /** Key of the label. */
    readonly key: string;
    /** Value of the label. */
    readonly value: string;
    /** The component that sets the label. */
    readonly setBy: string;
  };
  /** Library for collective communication. */
  readonly collectives: string;
  /** Variables that decide which devices a container sees, or how its processes find each other. */
  readonly environment: readonly EnvironmentFact[];
  /** What installs drivers and device plugin. */
  readonly operator: string;
  /** What publishes metrics of the devices for Prometheus. */
  readonly exporter: string;
}

const env = (name: string, meaning: string, setBy: EnvironmentFact['setBy'] = 'author'): EnvironmentFact => ({
  name,
  meaning,
  setBy,
});

/** The facts of each vendor. */
export const VENDORS: Readonly<Record<AcceleratorVendor, VendorFacts>> = frozen({
  nvidia: {
    vendor: 'nvidia',
    title: 'NVIDIA',
    device: 'GPU',
    devices: 'GPUs',
    resources: ['nvidia.com/gpu'],
    parts: ['nvidia.com/gpu.shared', 'nvidia.com/mig-<profile>'],
    taint: 'nvidia.com/gpu',
    presentLabel: { key: 'nvidia.com/gpu.present', value: 'true', setBy: 'the GPU operator' },
    collectives: 'NCCL',
    environment: [
      env('NVIDIA_VISIBLE_DEVICES', 'devices that the container toolkit injects', 'vendor'),
      env('NVIDIA_DRIVER_CAPABILITIES', 'driver libraries that are mounted: compute, utility, video, …'),
      env('CUDA_VISIBLE_DEVICES', 'devices that CUDA uses of those that are there'),
    ],
    operator: 'NVIDIA GPU operator: chart gpu-operator',
    exporter: 'dcgm-exporter',
  },
  amd: {
    vendor: 'amd',
    title: 'AMD',
    device: 'GPU',
    devices: 'GPUs',
    resources: ['amd.com/gpu'],
    parts: ['amd.com/<compute>_<memory>'],
    taint: 'amd.com/gpu',
    presentLabel: {
      key: 'feature.node.kubernetes.io/amd-gpu',
      value: 'true',
      setBy: "node-feature-discovery, by the operator's rule",
    },
    collectives: 'RCCL, which reads the variables of NCCL',
    environment: [
      env('ROCR_VISIBLE_DEVICES', 'devices that the ROCm runtime uses of those that are there'),
      env('HIP_VISIBLE_DEVICES', 'devices that HIP uses of those that are there'),
    ],
    operator: 'ROCm GPU operator: chart gpu-operator-charts and a DeviceConfig',
    exporter: 'AMD device-metrics-exporter',
  },
  intel: {
    vendor: 'intel',
    title: 'Intel Gaudi',
    device: 'accelerator',
    devices: 'accelerators',
    resources: ['habana.ai/gaudi'],
    parts: [],
    taint: 'habana.ai/gaudi',
    presentLabel: {
      key: 'habana.ai/device.family',
      value: 'gaudi',
      setBy: 'Gaudi feature discovery, which the base operator runs',
    },
    collectives: 'HCCL (Habana)',
    environment: [
      env('HABANA_VISIBLE_DEVICES', 'devices that the container runtime injects', 'vendor'),
      env('HABANA_VISIBLE_MODULES', 'modules that the process uses of those that are there'),
      env('HCCL_SOCKET_IFNAME', 'interface for the setup of collectives'),
    ],
    operator: 'Intel Gaudi base operator: chart habana-ai-operator, or the device plugin alone',
    exporter: 'Gaudi metric exporter',
  },
  huawei: {
    vendor: 'huawei',
    title: 'Huawei Ascend',
    device: 'NPU',
    devices: 'NPUs',
    resources: ['huawei.com/Ascend910', 'huawei.com/Ascend310P', 'huawei.com/Ascend310', 'huawei.com/npu'],
    parts: ['huawei.com/npu-core', 'huawei.com/Ascend910-<template>', 'huawei.com/Ascend310P-<template>'],
    taint: 'huawei.com/Ascend910',
    presentLabel: {
      key: 'accelerator',
      value: 'huawei-Ascend910',
      setBy: 'you; huawei-Ascend310P for inference cards',
    },
    collectives: 'HCCL (Huawei)',
    environment: [
      env(
        'ASCEND_VISIBLE_DEVICES',
        'devices that the Ascend Docker runtime injects; with Volcano, from the pod annotation',
      ),
      env('ASCEND_RT_VISIBLE_DEVICES', 'devices that the process uses of those that are there'),
      env('HCCL_SOCKET_IFNAME', 'interface for the setup of collectives'),
      env('RANK_TABLE_FILE', 'file with the ranks, written by the Ascend operator'),
    ],
    operator: 'Ascend device plugin, with Volcano and its NPU plugin',
    exporter: 'npu-exporter',
  },
  aws: {
    vendor: 'aws',
    title: 'AWS Neuron',
    device: 'Neuron device',
    devices: 'Neuron devices',
    resources: ['aws.amazon.com/neuron'],
    parts: ['aws.amazon.com/neuroncore'],
    taint: 'aws.amazon.com/neuron',
    collectives: 'Neuron collectives over EFA',
    environment: [
      env('NEURON_RT_VISIBLE_CORES', 'cores that the runtime uses', 'vendor'),
      env('NEURON_RT_NUM_CORES', 'how many cores the runtime uses'),
      env('NEURON_RT_ROOT_COMM_ID', 'address of rank 0, for collectives over several nodes'),
      env('FI_PROVIDER', 'efa, for collectives over several nodes'),
    ],
    operator: 'Neuron Helm chart: neuron-helm-chart',
    exporter: 'neuron-monitor',
  },
  google: {
    vendor: 'google',
    title: 'Google TPU',
    device: 'TPU chip',
    devices: 'TPU chips',
    resources: ['google.com/tpu'],
    parts: [],
    taint: 'google.com/tpu',
    presentLabel: { key: 'cloud.google.com/gke-tpu-accelerator', value: '<type>', setBy: 'GKE' },
    collectives: 'XLA over ICI',
    environment: [
      env(
        'TPU_WORKER_ID',
        'index of the host in the slice; GKE sets it for Jobs and JobSets with a headless Service',
        'vendor',
      ),
      env('TPU_WORKER_HOSTNAMES', 'hosts of the slice, in order', 'vendor'),
      env('MEGASCALE_NUM_SLICES', 'how many slices train together', 'vendor'),
    ],
    operator: 'none: GKE installs the device plugin on TPU node pools',
    exporter: "GKE's TPU device plugin",
  },
});

/** Vendor of an extended resource; `undefined` where the catalog does not know it. */
export function vendorOfResource(resource: string): AcceleratorVendor | undefined {
  const domain = resource.slice(0, resource.indexOf('/'));
  return Object.values(VENDORS).find(({ resources }) => resources.some((name) => name.startsWith(`${domain}/`)))
    ?.vendor;
}

/** Resources whose unit is not the whole device of the vendor. */
const UNITS: readonly (readonly [resource: RegExp, noun: string])[] = [
  [/\/mig-/, 'MIG instance'],
  [/\/gpu\.shared$/, 'GPU share'],
  [/^amd\.com\/[a-z]+_nps\d$/, 'GPU partition'],
  [/\/neuroncore$/, 'Neuron core'],
  [/vgpu/i, 'vGPU'],
  [/^gpu\.intel\.com\/|\/gpu$/, 'GPU'],
];

/** The noun for one unit of an accelerator resource: `GPU`, `MIG instance`, `TPU chip`; `device` where the catalog does not know it. */
export function deviceNoun(resource: string): string {
  const [, unit] = UNITS.find(([pattern]) => pattern.test(resource)) ?? [];
  const vendor = vendorOfResource(resource);
  return unit ?? (vendor === undefined ? 'device' : VENDORS[vendor].device);
}
