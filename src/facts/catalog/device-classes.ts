/**
 * DeviceClasses that DRA drivers install.
 *
 * Source: dra-driver-nvidia-gpu, its chart.
 */
import { frozen } from './frozen';

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

/** The RuntimeClass that the GPU operator makes. */
export const NVIDIA_RUNTIME_CLASS = 'nvidia';
