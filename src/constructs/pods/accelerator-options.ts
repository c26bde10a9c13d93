/**
 * Options for the accelerators of a pod: the count, the vendor, and whole devices or shares.
 */
import { type ByteSize } from '../resources/quantities';
import { type Toleration } from '../../facts/api/types/core/v1';
import { type Quantity } from '../../facts/api/scalars';
import { type AcceleratorName, type ResourceName } from '../../facts/catalog';
import { type NamedReference } from '../resources/references';

/** Options of every accelerator. */
export interface AcceleratorOptions {
  /** Devices of each pod, at least 1. In `Amounts`: devices in total, 0 or more. */
  readonly count: number;
  /**
   * Tolerations of the pod for the nodes of the accelerator.
   * @default - the taint that is set by convention, whose key is the resource name (`nvidia.com/gpu` for everything of NVIDIA),
   * with any value: the admission plugin that would add it is off on most clusters
   */
  readonly tolerations?: readonly Toleration[];
}

/** Options of whole NVIDIA GPUs. */
export interface NvidiaOptions extends AcceleratorOptions {
  /**
   * Only nodes with one of these GPUs: a name of the catalog in any spelling (`H100-SXM-80GB`), which matches all its node labels, or
   * one value of the label `nvidia.com/gpu.product` (`NVIDIA-H100-80GB-HBM3`).
   * @default - any GPU
   */
  readonly product?: AcceleratorName | readonly AcceleratorName[];
}

/** Options of MIG instances. */
export interface MigOptions extends NvidiaOptions {
  /** MIG profile, for example `1g.10gb`; the device plugin must run with the mixed strategy. */
  readonly profile: string;
}

/** Options of an accelerator that has no function of its own. */
export interface OtherAcceleratorOptions extends AcceleratorOptions {
  /** The extended resource, for example `huawei.com/Ascend910`. */
  readonly resource: ResourceName;
  /** Labels of the nodes. @default - none */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** Resources that pods need beside the devices. @default - none */
  readonly with?: Readonly<Record<string, Quantity>>;
}

/** Options of devices that are allocated by a ResourceClaim (dynamic resource allocation). */
export interface ClaimOptions extends AcceleratorOptions {
  /** ResourceClaimTemplate of the pod's namespace, by name or as a construct. Every pod gets a claim of its own. */
  readonly template: NamedReference<'ResourceClaimTemplate'>;
  /** Name of the claim in the pod. @default accelerator */
  readonly claimName?: string;
  /** Only this request of the claim. @default - all of them */
  readonly request?: string;
}

/** Options of time-sliced or MPS shares of NVIDIA GPUs. */
export interface ShareOptions extends Pick<NvidiaOptions, 'product' | 'tolerations'> {
  /** A share of a MIG slice of this profile rather than of a whole GPU; time-slicing only. @default - a whole GPU's */
  readonly profile?: string;
  /**
   * Whether the device plugin gives shares a name of their own, `nvidia.com/gpu.shared` (`renameByDefault`). Otherwise they are
   * called `nvidia.com/gpu`, like whole GPUs.
   * @default true
   */
  readonly renamed?: boolean;
}

/** How much of each vGPU a pod gets. */
export interface VirtualGpuOptions extends NvidiaOptions {
  /** Memory of each vGPU with its unit, a multiple of 1Mi: `10Gi`, `8192Mi`. @default - all memory of the GPU, or by memoryPercent */
  readonly memory?: ByteSize;
  /** Memory of each vGPU in percent of its GPU; instead of `memory`. @default - none */
  readonly memoryPercent?: number;
  /** Compute of each vGPU in percent of its GPU. @default - not limited */
  readonly computePercent?: number;
}

/** Options of virtual GPUs of HAMi. */
export interface HamiOptions extends VirtualGpuOptions {
  /** 0 before 1 where tasks share a GPU. @default - HAMi's default */
  readonly priority?: 0 | 1;
  /** Only GPUs whose type contains one of these, for example `A100`. @default - any */
  readonly gpuTypes?: readonly string[];
  /** No GPU whose type contains one of these. @default - none */
  readonly notGpuTypes?: readonly string[];
  /** Only these GPUs, by UUID. @default - any */
  readonly gpuUuids?: readonly string[];
  /** None of these GPUs, by UUID. @default - none */
  readonly notGpuUuids?: readonly string[];
  /** How the GPU is cut. @default - as the node is configured */
  readonly mode?: 'hami-core' | 'mig' | 'mps';
}

/** Options of cGPU shares on Alibaba Cloud. */
export interface CgpuOptions extends Pick<AcceleratorOptions, 'tolerations'> {
  /** Memory with its unit: `10Gi`. */
  readonly memory: ByteSize;
  /** Compute in percent of the GPU; needs nodes with `ack.node.gpu.schedule=core_mem`, which are then selected. @default - not limited */
  readonly computePercent?: number;
  /** What one `aliyun.com/gpu-mem` is on this cluster, as its component is set. @default GiB */
  readonly unit?: 'GiB' | 'MiB';
}

/** Options of qGPU on Tencent Cloud: either a share of one GPU, or a number of whole ones. */
export type QgpuOptions = Pick<AcceleratorOptions, 'tolerations'> &
  (
    | {
        /** Memory with its unit, a multiple of 1Gi. */
        readonly memory: ByteSize;
        /** Compute in percent of a card, in steps of 5. */
        readonly computePercent: number;
        readonly cards?: undefined;
      }
    | {
        /** Whole cards. */
        readonly cards: number;
      }
  );

/** Options of AMD GPUs. */
export interface AmdOptions extends AcceleratorOptions {
  /** A partition rather than a whole GPU, under the mixed naming strategy: `cpx_nps4`. @default - whole GPUs */
  readonly partition?: `${'spx' | 'dpx' | 'tpx' | 'qpx' | 'cpx'}_nps${1 | 2 | 4 | 8}`;
  /**
   * Only nodes with one of these GPUs: a name of the catalog in any spelling (`MI300X`), selected by `amd.com/gpu.device-id`, or a value
   * of the label `amd.com/gpu.product-name`.
   * @default - any GPU
   */
  readonly product?: AcceleratorName | readonly AcceleratorName[];
}

/** Options of Intel GPUs. */
export interface IntelGpuOptions extends AcceleratorOptions {
  /** The kernel driver of the nodes, after which the resource is named. @default i915 */
  readonly driver?: 'i915' | 'xe';
}

/** Options of Intel Gaudi accelerators. */
export interface GaudiOptions extends AcceleratorOptions {
  /** Huge pages of 2 MiB, in total, for example 95000Mi for eight. The nodes must have reserved them. */
  readonly hugepages: ByteSize;
  /**
   * Only nodes with one of these: a name of the catalog in any spelling (`Gaudi3`), selected by `habana.ai/device.type`, which the feature
   * discovery of the base operator sets. Nodes with the device plugin alone do not have the label.
   * @default - any Gaudi accelerator
   */
  readonly product?: AcceleratorName | readonly AcceleratorName[];
}

/** Options of Huawei Ascend NPUs. */
export interface AscendOptions extends AcceleratorOptions {
  /** The chip, as the resource is named after it: `huawei.com/Ascend910`. `npu` is the common name of newer releases. @default 910 */
  readonly chip?: '910' | '310P' | '310' | 'npu';
  /**
   * Only nodes with one of these chips: a name of the catalog in any spelling (`910B3`), selected by `node.kubernetes.io/npu.chip.name`.
   * @default - any chip of the resource
   */
  readonly product?: AcceleratorName | readonly AcceleratorName[];
  /**
   * How the NPUs are built into the server, the node label `accelerator-type`: `module-910b-8`. The Volcano NPU plugin reads it from the
   * node selector of the pod.
   * @default - any server
   */
  readonly acceleratorType?: string;
  /**
   * Whether `ASCEND_VISIBLE_DEVICES` is taken from the annotation in which the Volcano NPU plugin writes the devices that it chose.
   * Without Volcano the device plugin injects them.
   * @default false
   */
  readonly devicesFromVolcano?: boolean;
}

/** Options of AWS Trainium and Inferentia devices. */
export interface NeuronOptions extends AcceleratorOptions {
  /** What is counted: devices, or the cores of them. @default device */
  readonly unit?: 'device' | 'core';
  /**
   * Only nodes with one of these: a name of the catalog in any spelling (`Trainium1`, `trn1`), which matches its instance types, or one
   * instance type (`trn1.32xlarge`).
   * @default - any Neuron device
   */
  readonly product?: AcceleratorName | readonly AcceleratorName[];
}

/** Options of Google TPUs. */
export interface TpuOptions extends AcceleratorOptions {
  /**
   * Type of the node pool: a value of the label `cloud.google.com/gke-tpu-accelerator` (`tpu-v6e-slice`), or a name of the catalog in any
   * spelling (`TPU-v6e`), which selects the type that also serves slices of several nodes.
   */
  readonly accelerator: AcceleratorName;
  /** Topology of the slice, the label `cloud.google.com/gke-tpu-topology`: `2x4`. `count` is the chips of each node. */
  readonly topology: string;
}
