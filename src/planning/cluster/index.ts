/**
 * Clusters and workloads in the terms of the placement core, and what comes of putting the one on the other.
 */
export * from './view';
export { clusterView } from './view-of';
export { type GangFacts, type ViewInput } from './view-input';
export { type ClusterGang, type ClusterState, type NodePod } from './cluster-state';
export { ClusterFileError, clusterOfValue, readClusterFile } from './cluster-file';
export { clusterOfObjects } from './from-objects';
export { type AskedGang, type ClusterPlan, hasItsPlaces, planOf, type PlanOptions } from './plan';
export { planRules, type PlanRuleOptions } from './plan-rules';
export { readCluster } from './read-cluster';
export { SAMPLE_CLUSTER, sampleCluster } from './sample';
export { amountOf, amountText, changeText, topologyText } from './words';
