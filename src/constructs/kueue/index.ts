/**
 * Kueue: quotas over flavors of nodes, queues of namespaces, and the levels by which gangs are placed.
 */
export { AdmissionCheck, type AdmissionCheckProps, type IAdmissionCheck } from './admission-check';
export {
  ClusterQueue,
  type ClusterQueueCheck,
  type ClusterQueueProps,
  type FlavorFungibility,
  type IClusterQueue,
  type Preemption,
  type StopPolicy,
} from './cluster-queue';
export { Cohort, type CohortProps, type ICohort } from './cohort';
export { LocalQueue, type LocalQueueProps } from './local-queue';
export { type FlavorQuotas } from './quotas';
export { type IResourceFlavor, ResourceFlavor, type ResourceFlavorProps } from './resource-flavor';
export { type ITopology, Topology, type TopologyProps } from './topology';
export { WorkloadPriorityClass, type WorkloadPriorityClassProps } from './workload-priority-class';
