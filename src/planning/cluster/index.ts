/**
 * Clusters and workloads in the terms of the placement core, and what comes of putting the one on the other.
 */
export * from './view/view';
export { clusterView } from './view/view-of';
export { type GangFacts, type ViewInput } from './view/view-input';
export { type ClusterGang, type ClusterState, type NodePod } from './cluster-state';
export { ClusterFileError, clusterOfValue, readClusterFile } from './files/cluster-file';
export { clusterOfObjects } from './from-objects';
export { type AskedGang, type ClusterPlan, hasItsPlaces, planOf, type PlanOptions } from './plan';
export { planRules, type PlanRuleOptions } from './plan-rules';
export { readCluster } from './read-cluster';
export { SAMPLE_CLUSTER, sampleCluster } from './files/sample';
export { amountOf, amountText, changeText, topologyText } from './words';
