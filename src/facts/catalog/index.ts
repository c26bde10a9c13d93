/**
 * Facts as data: accelerators, MIG profiles, resource names, node labels, taints, clouds, RDMA, device classes, NCCL, metrics and XIDs.
 *
 * The lowest floor: nothing of Gantry's is imported here, all data is frozen, and every name is open to what is not listed.
 */
export { ACCELERATORS, type AcceleratorName, type KnownAccelerator, type KnownAcceleratorFacts } from './accelerators';
export {
  type AcceleratorArchitecture,
  type AcceleratorFabric,
  type AcceleratorFacts,
  type AcceleratorHost,
  type AcceleratorVendor,
  type AmdComputeMode,
  type AmdMemoryMode,
  type AmdPartition,
  type FabricLink,
  type FormFactor,
} from './accelerators/facts';
export {
  acceleratorNamed,
  acceleratorProblem,
  acceleratorsLike,
  acceleratorsNamed,
  findAccelerator,
  migProfiles,
} from './accelerators/names';
export { TPU_SLICES, tpuCountProblem, tpuTopologyProblem, type TpuSliceFacts } from './accelerators/tpu-slices';
export {
  ACCELERATOR_EXPORTERS,
  type AcceleratorExporter,
  type AcceleratorExporterFacts,
  type AcceleratorMetric,
  findAcceleratorMetric,
  type MeasuredVendor,
} from './accelerator-exporters';
export { CLOUDS, type CloudFacts, type CloudName, KARPENTER_CAPACITY, type SpotProvider, spotFacts } from './clouds';
export {
  DCGM_CLOCK_EVENTS,
  DCGM_GENERATIONS,
  DCGM_GPU_LABELS,
  DCGM_METRICS,
  DCGM_POD_LABELS,
  type DcgmGeneration,
  type DcgmKey,
  type DcgmMetric,
  dcgmMetric,
  dcgmUnitOf,
  findDcgmMetric,
} from './dcgm-metrics';
export { type DcgmField, type DcgmUnit } from './dcgm-rows';
export { DEVICE_CLASSES, type DeviceClassName, type KnownDeviceClass, NVIDIA_RUNTIME_CLASS } from './device-classes';
export { EXPORTER_METRICS, type ExporterMetric, type ExporterName, findExporterMetric } from './exporter-metrics';
export {
  GANTRY_ACCELERATOR_CAPACITY,
  GANTRY_ALLOCATED_DEVICES,
  GANTRY_DEVICE_TOPOLOGY,
  GANTRY_DEVICES,
  GANTRY_DEVICES_MISSING_TAINT,
  GANTRY_CHECKPOINT_SECONDS,
  GANTRY_EXPECTED_SECONDS,
  GANTRY_GANG_LABEL,
  GANTRY_GANG_MIN_MEMBER,
  GANTRY_GANG_PER_LABEL,
  GANTRY_IGNORE,
  GANTRY_MIG_CHANGE,
  GANTRY_MINIMUM_RUNTIME,
  GANTRY_NAMESPACES,
  GANTRY_PRODUCTS,
  GANTRY_NAMES,
  GANTRY_NODE_PROFILE_LABEL,
  GANTRY_NODE_TIER_LABEL,
  GANTRY_PLACEMENT_GATE,
  GANTRY_PREEMPTIBLE,
  GANTRY_PREFIX,
  GANTRY_QUEUE_LABEL,
  GANTRY_SCHEDULER,
  GANTRY_TEAM_LABEL,
  GANTRY_TOPOLOGY_PREFERRED,
  GANTRY_TOPOLOGY_REQUIRED,
  GANTRY_TRAINING_LABEL,
  type GantryName,
  type GantryNamePlace,
  type GantryValueForm,
  findGantryNames,
} from './gantry-names';
export {
  CATALOG_TOPICS,
  type CatalogEntry,
  type CatalogTable,
  type CatalogTopic,
  catalogEntries,
  catalogSuggestions,
  catalogTables,
} from './listing';
export {
  MIG_CONFIGS,
  type MigProfile,
  migConfigName,
  migResource,
  parseMigProfile,
  uniformMigConfigs,
} from './mig-profiles';
export {
  NCCL_ALGORITHMS,
  NCCL_DEBUG_LEVELS,
  NCCL_PATH_LEVELS,
  NCCL_PROTOCOLS,
  NCCL_VARIABLES,
  type NcclAlgorithm,
  type NcclDebugLevel,
  type NcclPathLevel,
  type NcclProtocol,
  type NcclVariable,
  findNcclVariable,
  unknownNcclTokens,
} from './nccl';
export { NODE_AGENT_CONDITIONS, type NodeAgentCondition } from './node-conditions';
export { type LabelSource, NODE_LABELS, type NodeLabelFact, findNodeLabel, productLabel } from './node-labels';
export { PROJECTS, type ProjectFact } from './projects';
export {
  NETWORKS_ANNOTATION,
  NETWORK_RESOURCE_ANNOTATION,
  RDMA,
  RDMA_CAPABILITY,
  type RdmaFact,
  type RdmaKind,
  isRdmaResource,
} from './rdma';
export {
  type KnownResourceName,
  RESOURCES,
  type ResourceFact,
  type ResourceName,
  type ResourceUnit,
  findResource,
  isAcceleratorResource,
  isExtendedResource,
  isWholeDevice,
} from './resource-names';
export { serverMetricsFor, type ServerMetrics } from './server-metrics';
export {
  NEVER_TAINTS,
  TAINTS,
  type TaintEffect,
  type TaintFact,
  type TolerationFact,
  acceleratorToleration,
} from './taints';
export { deviceNoun, type EnvironmentFact, type VendorFacts, vendorOfResource, VENDORS } from './vendors';
export { findXid, XIDS, XIDS_TO_ACT_ON, type XidFact, type XidOrigin } from './xids';
