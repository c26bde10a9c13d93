/**
 * AMD GPUs: the ROCm GPU operator's DeviceConfig, and how GPUs are partitioned.
 */
export {
  AMD_GPU_NODES,
  DeviceConfig,
  type DeviceConfigProps,
  ROCM_NAMESPACE,
  type RocmDriverOptions,
  type RocmExporterOptions,
} from './device-config';
export {
  PARTITION_PROFILE_LABEL,
  type PartitionModes,
  partitionOf,
  type PartitionProfile,
  PartitionProfiles,
  type PartitionProfilesProps,
} from './partition-profiles';
