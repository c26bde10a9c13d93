/**
 * NVIDIA's software on GPU nodes: the GPU operator, drivers by node, how GPUs are shared and cut, and what is measured.
 */
export {
  type CdiOptions,
  type ClusterDriverOptions,
  type ClusterPolicyOptions,
  type DaemonSetOptions,
  type DcgmExporterOptions,
  type MigManagerOptions,
} from './cluster-policy-spec';
export {
  type DcgmCounter,
  dcgmCounter,
  DcgmCounters,
  type DcgmCountersProps,
  USUAL_DCGM_COUNTERS,
} from './dcgm-counters';
export { type DcgmMetricType } from './dcgm-counters-text';
export {
  DEVICE_PLUGIN_CONFIG_LABEL,
  DevicePluginConfiguration,
  type DevicePluginConfigurationProps,
} from './device-plugin-configuration';
export { type DriverOptions, type EvictionOptions, type UpgradeOptions } from './driver-options';
export { type DraFeatureGate, GpuCluster, type GpuClusterProps } from './gpu-cluster';
export { GpuOperator, type GpuOperatorProps } from './gpu-operator';
export { MIG_CONFIG_LABEL, MigConfiguration, type MigConfigurationProps } from './mig-configuration';
export { type MigLayout, migLayoutProblems } from '../../facts/catalog/mig-layout';
export { GpuNodePool } from './node-pool';
export { NvidiaDriver, type NvidiaDriverProps } from './nvidia-driver';
export { type Operand, type OperandImage } from './operand';
export {
  type MigGroup,
  type MigSharingOptions,
  type MigStrategy,
  type MpsOptions,
  Sharing,
  type TimeSlicingOptions,
} from './sharing';
