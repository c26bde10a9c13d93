/**
 * Kueue: quotas over flavors of nodes, queues of namespaces, and the levels by which gangs are placed.
 */
export { AdmissionCheck, type AdmissionCheckProps, type AdmissionCheckReference } from './admission-check';
export {
  ClusterQueue,
  type ClusterQueueCheck,
  type ClusterQueueProps,
  type FlavorFungibility,
  type ClusterQueueReference,
  type Preemption,
  type StopPolicy,
} from './cluster-queue';
export { Cohort, type CohortProps, type CohortReference } from './cohort';
export { LocalQueue, type LocalQueueProps } from './local-queue';
export { MultiKueue, type MultiKueueProps } from './multikueue';
export {
  type MultiKueueAccess,
  MultiKueueCluster,
  type MultiKueueClusterProps,
  type MultiKueueClusterReference,
} from './multikueue-cluster';
export {
  type MultiKueueKind,
  MultiKueueWorkerAccess,
  type MultiKueueWorkerAccessProps,
} from './multikueue-worker-access';
export { type FlavorQuotas } from './quotas';
export { type ResourceFlavorReference, ResourceFlavor, type ResourceFlavorProps } from './resource-flavor';
export { type TopologyReference, Topology, type TopologyProps } from './topology';
export { WorkloadPriorityClass, type WorkloadPriorityClassProps } from './workload-priority-class';
