/**
 * The pod model that workloads share. Nothing here imports cdk8s: templates are values.
 */
export { Accelerator, type AcceleratorOptions, type ClaimOptions, type MigOptions, type NvidiaOptions, type OtherAcceleratorOptions } from './accelerator';
export { type EmptyDirOptions, type EphemeralOptions, type HostPathOptions, Mount, type MountOptions, type VolumeConstruct } from './mount';
export { type NcclOptions, NcclProfile, type RdmaNcclOptions, type RoceNcclOptions } from './nccl';
export { type NodeOperator, NodeSelection } from './node-selection';
export { podPart, type PodContext, type PodContribution, type PodPart } from './pod-part';
export { type OpenPartial, type PodOverrides, type PodRenderOptions, PodTemplate, type PodTemplateProps } from './pod-template';
export { type EfaOptions, type HostNetworkRdmaOptions, type NetworkReference, Rdma, type SharedRdmaOptions, type SriovRdmaOptions } from './rdma';
export { type ResourcesProps } from './resources';
export {
  GANTRY_QUEUE_LABEL,
  GANTRY_SCHEDULER,
  KUEUE_PRIORITY_LABEL,
  KUEUE_QUEUE_LABEL,
  type KueueOptions,
  type PodGroupOptions,
  Scheduling,
  type SchedulingEngine,
  type SchedulingParts,
  VOLCANO_MIN_MEMBER_ANNOTATION,
  VOLCANO_QUEUE_ANNOTATION,
  VOLCANO_SCHEDULER,
} from './scheduling';
export { SharedMemory } from './shared-memory';
