/**
 * Volcano: queues, gangs, jobs and the scheduler's configuration.
 */
export { CronJob, type CronJobProps } from './cron-job';
export { HyperNode, HyperNodeMember, type HyperNodeProps, type HyperNodeReference } from './hyper-node';
export { Job, type JobProps } from './job';
export { type JobTemplateReference, JobFlow, type JobFlowProps, JobTemplate, type JobTemplateProps } from './job-flow';
export {
  type HcclrankPluginOptions,
  JobPlugin,
  type MpiPluginOptions,
  type PytorchPluginOptions,
  type RayPluginOptions,
  type SshPluginOptions,
  type SvcPluginOptions,
  type TensorflowPluginOptions,
  torchrun,
  type TorchrunOptions,
  type WaitForMaster,
} from './job-plugin';
export { type JobPluginName } from './job-plugins';
export { type PolicyAction, type PolicyEvent } from './job-policies';
export {
  type IPodTemplate,
  type JobSpecProps,
  type RestartPolicy,
  type TaskPartitions,
  type TaskProps,
} from './job-specification';
export { JobVolume } from './job-volume';
export { type NetworkTopology } from './network-topology';
export { PodGroup, type PodGroupProps, type SubGroup } from './pod-group';
export { Policy, type PolicyOptions } from './policy';
export { type NodeGroups, Queue, type QueueProps } from './queue';
export {
  type GpuSchedulingOptions,
  type SchedulerAction,
  type PluginConfiguration,
  SchedulerConfiguration,
  type SchedulerConfigurationProps,
  type SchedulerMetrics,
} from './scheduler-configuration';
export { type PluginSwitch, type SchedulerActionName, type SchedulerPluginName } from './scheduler-facts';
export {
  type BinpackOptions,
  type CapacityOptions,
  type DeviceshareOptions,
  type DeviceSharing,
  type DrfOptions,
  type GangOptions,
  type NetworkTopologyOptions,
  type NodeorderOptions,
  type PluginArguments,
  type PluginOptions,
  type PluginSwitches,
  type PredicatesOptions,
  type ResourceStrategy,
  type ResourceStrategyOptions,
  SchedulerPlugin,
  type TdmOptions,
  type UsageOptions,
} from './scheduler-plugin';
