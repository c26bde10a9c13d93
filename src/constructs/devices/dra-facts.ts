/**
 * Facts of NVIDIA's DRA driver: the attributes of its devices, and the configuration that it accepts.
 *
 * Source: dra-driver-nvidia-gpu, cmd/gpu-kubelet-plugin/deviceinfo.go and mig.go (attributes),
 * api/nvidia.com/resource/v1beta1 (configuration), pkg/featuregates (gates).
 */
import { type KubernetesMinor } from '../../facts/api/schema';
import { publicFunction } from '../../facts/calls/public-function';

export const GPU_DRIVER = 'gpu.nvidia.com';
export const COMPUTE_DOMAIN_DRIVER = 'compute-domain.nvidia.com';
export const NVIDIA_CONFIG_VERSION = 'resource.nvidia.com/v1beta1';

/** Attributes under the domain `gpu.nvidia.com`: of GPUs, of MIG devices, of GPUs for virtual machines. There is no index. */
export const GPU_ATTRIBUTES: readonly string[] = [
  'type',
  'uuid',
  'productName',
  'brand',
  'architecture',
  'cudaComputeCapability',
  'driverVersion',
  'cudaDriverVersion',
  'addressingMode',
  'parentUUID',
  'profile',
  'deviceID',
  'vendorID',
  'numa',
  'iommuFDEnabled',
];

/** Attributes of any driver's devices, under a domain of Kubernetes' own. */
export const STANDARD_ATTRIBUTES = [
  'resource.kubernetes.io/pcieRoot',
  'resource.kubernetes.io/pciBusID',
  'resource.kubernetes.io/numaNode',
] as const;

export const TIME_SLICE_INTERVALS = ['Default', 'Short', 'Medium', 'Long'] as const;
/** Length of a time slice, as the driver names it. */
export type TimeSliceInterval = (typeof TIME_SLICE_INTERVALS)[number];

/** The gate that a sharing strategy needs; both are off by default. */
export const SHARING_GATES: Readonly<Record<'TimeSlicing' | 'MPS', string>> = {
  TimeSlicing: 'TimeSlicingSettings',
  MPS: 'MPSSupport',
};

export interface ClaimForm {
  readonly apiVersion:
    | 'resource.k8s.io/v1'
    | 'resource.k8s.io/v1beta2'
    | 'resource.k8s.io/v1beta1'
    | 'resource.k8s.io/v1alpha3';
  /** A request names its class at once, not under `exactly`. */
  readonly flat: boolean;
  /** Whether a request may list alternatives. */
  readonly firstAvailable: boolean;
}

/** How a Kubernetes minor writes claims for devices; `undefined` where it has only the form that was given up (1.30). */
export function claimForm(minor: KubernetesMinor): ClaimForm | undefined {
  const number = Number(minor.slice(2));
  if (number >= 34) {
    return { apiVersion: 'resource.k8s.io/v1', flat: false, firstAvailable: true };
  }
  if (number === 33) {
    return { apiVersion: 'resource.k8s.io/v1beta2', flat: false, firstAvailable: true };
  }
  if (number === 32) {
    return { apiVersion: 'resource.k8s.io/v1beta1', flat: true, firstAvailable: false };
  }
  return number === 31 ? { apiVersion: 'resource.k8s.io/v1alpha3', flat: true, firstAvailable: false } : undefined;
}
/**
 * The name under which a ResourceQuota counts devices of a class.
 *
 * It does not count what the device plugin allocates: a quota for both names both, `requests.nvidia.com/gpu` as well.
 */
export const deviceClassQuota = publicFunction('devices.deviceClassQuota', (deviceClass: string): string => {
  return `${deviceClass}.deviceclass.resource.k8s.io/devices`;
});
