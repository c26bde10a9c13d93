/**
 * The pod model that workloads share. Nothing here imports cdk8s: templates are values.
 */
export { Accelerator } from './accelerator';
export {
  type AcceleratorOptions,
  type AmdOptions,
  type AscendOptions,
  type CgpuOptions,
  type ClaimOptions,
  type GaudiOptions,
  type HamiOptions,
  type IntelGpuOptions,
  type MigOptions,
  type NeuronOptions,
  type NvidiaOptions,
  type OtherAcceleratorOptions,
  type QgpuOptions,
  type ShareOptions,
  type TpuOptions,
  type VirtualGpuOptions,
} from './accelerator-options';
export {
  type EmptyDirOptions,
  type EphemeralOptions,
  type HostPathOptions,
  Mount,
  type MountOptions,
  type VolumeConstruct,
} from './mount';
export { type NcclOptions, NcclProfile, type RdmaNcclOptions, type RoceNcclOptions } from './nccl';
export { type NodeOperator, NodeSelection } from './node-selection';
export { podPart, type PodContext, type PodContribution, type PodPart } from './pod-part';
export {
  type PodOverrides,
  type PodRenderOptions,
  PodTemplate,
  type PodProps,
  type PodTemplateProps,
  type WorkloadStatement,
} from './pod-template';
export {
  type EfaOptions,
  type Fabric,
  type HostNetworkRdmaOptions,
  type NetworkRdmaOptions,
  type NetworkReference,
  Rdma,
  type RdmaNetwork,
  type RdmaOptions,
  type SharedRdmaOptions,
  type SriovRdmaOptions,
} from './rdma';
export { type Amounts, type HugepageAmounts, type OtherAmounts } from './amounts';
export { type ByteSize, type Cores } from '../resources/quantities';
export { type ResourcesProps } from './resources';
export {
  KAI_QUEUE_LABEL,
  KAI_SCHEDULER,
  KUEUE_PRIORITY_LABEL,
  KUEUE_QUEUE_LABEL,
  SCHEDULER_PLUGINS_GROUP_LABEL,
  VOLCANO_GROUP_ANNOTATION,
  VOLCANO_MIN_MEMBER_ANNOTATION,
  VOLCANO_QUEUE_ANNOTATION,
  VOLCANO_SCHEDULER,
} from './scheduling-names';
export {
  type NetworkTopologyFields,
  type PodGroupAnnotations,
  Scheduling,
  type SchedulingEngine,
  type SchedulingParts,
  type SchedulingWishes,
} from './scheduling';
export {
  type ElasticRange,
  type Gang,
  type GantryOptions,
  type KaiOptions,
  type KueueOptions,
  type PodGroupOptions,
  type SchedulerPluginsOptions,
  type TopologyChoice,
  type VolcanoOptions,
} from './scheduling-options';
export { SharedMemory } from './shared-memory';
