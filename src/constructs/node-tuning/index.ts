export {
  ContainerdConfiguration,
  type ContainerdConfigurationProps,
  type ContainerdRuntime,
} from './containerd-configuration';
export { DeviceReadiness, type DeviceReadinessProps } from './device-readiness';
export { DockerDaemon, type DockerDaemonProps, type DockerRuntime } from './docker-daemon';
export {
  type CapacityType,
  Ec2NodeClass,
  type Ec2NodeClassProps,
  type NodeClassReference,
  NodePool,
  type NodePoolProps,
} from './karpenter';
export { KubeletDropIn, type KubeletDropInProps, type Reservation } from './kubelet-drop-in';
export { type ManagedFile, ManagedNodes, type ManagedNodesProps, type ManagedSettings } from './managed-nodes';
export { MemlockRuntime, type MemlockRuntimeProps } from './memlock-runtime';
export { type NodeDocument, writeNodeDocuments } from './node-document';
export { NodeDocuments, type NodeDocumentsProps } from './node-documents';
export {
  NODE_PROFILE_LABEL,
  NODE_TIER_LABEL,
  NodeProfile,
  type NodeProfileProps,
  type NodeTaint,
  type NodeTier,
} from './node-profile';
export { NodeTuner, type NodeTunerProps } from './node-tuner';
export { SpotJob, type SpotJobProps } from './spot-job';
export { type SysctlFacts, TUNABLE_SYSCTLS, type TunableSysctl } from './sysctls';
export { type SliceOptions, SystemdDropIn, type SystemdDropInProps } from './systemd-drop-in';
export {
  type CpuGovernor,
  type IrqAffinityOptions,
  type NodeFolder,
  type PersistenceModeOptions,
  type SysctlValues,
  type TransparentHugePagesOptions,
  Tuning,
  type TuningParts,
} from './tuning';
