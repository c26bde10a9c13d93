/**
 * DeviceClasses that DRA drivers install.
 *
 * Source: dra-driver-nvidia-gpu, its chart.
 */
import { frozen } from './frozen';
import { acceleratorToleration, type TolerationFact } from './taints';

/** Device classes that the DRA driver of NVIDIA installs. */
export type KnownDeviceClass =
  | 'gpu.nvidia.com'
  | 'mig.nvidia.com'
  | 'vfio.gpu.nvidia.com'
  | 'compute-domain-daemon.nvidia.com'
  | 'compute-domain-default-channel.nvidia.com';
/** Name of a DeviceClass: one that the catalog knows, or any other. */
export type DeviceClassName = KnownDeviceClass | (string & {});

/** What a device of each known class is. */
export const DEVICE_CLASSES: Readonly<Record<KnownDeviceClass, string>> = frozen({
  'gpu.nvidia.com': 'a whole GPU',
  'mig.nvidia.com': 'a MIG instance',
  'vfio.gpu.nvidia.com': 'a GPU passed through to a virtual machine',
  'compute-domain-daemon.nvidia.com': 'for the daemon of a ComputeDomain, not for users',
  'compute-domain-default-channel.nvidia.com': 'a channel into a ComputeDomain (multi-node NVLink)',
});

/** Whole devices of these classes, by the extended resource of the vendor's device plugin. */
const CLASS_RESOURCES: Readonly<Record<string, string>> = {
  'gpu.nvidia.com': 'nvidia.com/gpu',
  'gpu.amd.com': 'amd.com/gpu',
  'gpu.intel.com': 'gpu.intel.com/xe',
};

/**
 * The extended resource that a device of the class is without a claim; `undefined` for parts of devices and for unknown classes. Drivers of
 * GPUs have the name of their class.
 */
export function deviceClassResource(deviceClass: string): string | undefined {
  return Object.hasOwn(CLASS_RESOURCES, deviceClass) ? CLASS_RESOURCES[deviceClass] : undefined;
}

/** Whether NVIDIA's DRA driver serves the class. */
export function isNvidiaDeviceClass(deviceClass: string): deviceClass is KnownDeviceClass {
  return Object.hasOwn(DEVICE_CLASSES, deviceClass);
}

/** The toleration that a pod with a claim for the class needs on nodes that are tainted by convention; `undefined` for an unknown class. */
export function deviceClassToleration(deviceClass: string): TolerationFact | undefined {
  const resource = isNvidiaDeviceClass(deviceClass) ? 'nvidia.com/gpu' : deviceClassResource(deviceClass);
  return resource === undefined ? undefined : acceleratorToleration(resource);
}

/** The finalizer that keeps a ResourceClaim with devices from being deleted. Source: k8s.io/api, resource/v1 (`Finalizer`). */
export const CLAIM_FINALIZER = 'resource.kubernetes.io/delete-protection';

/**
 * The annotation of a ResourceClaim that a scheduler made for the extended resources of a pod: `"true"`. Source: k8s.io/api, resource/v1
 * (`ExtendedResourceClaimAnnotation`).
 */
export const EXTENDED_CLAIM_ANNOTATION = 'resource.kubernetes.io/extended-resource-claim';

/** The RuntimeClass that the GPU operator makes. */
export const NVIDIA_RUNTIME_CLASS = 'nvidia';
