/**
 * Kubernetes objects in the terms of the placement core, one object at a time: for a snapshot of a whole cluster, and for a scheduler that
 * follows watches.
 */
export { type AmountsDraft, addTo, amountsOf } from '../../../manifests/pods/resource-amounts';
export { describeAccelerators } from './accelerator-request';
export { type GangHints, gangHintsOf, mergedHints, type QueueName } from './gang-hints';
export { type GangIdentity, gangIdentityOf } from './gang-identity';
export { type GangLookups, type GangMember, gangOf, gangTerms, memberOf, minimumOf, podName, podOfNode } from './gangs';
export { nodeHealthOf } from './node-health';
export { nodeOf, type NodeOptions } from './node';
export { deviceIndices, type PodFacts, podOf, templateOf, type TemplateOptions, type TemplateSource } from './pod';
export { POD_GROUP_KINDS, type PodGroupFacts, podGroupOf } from './pod-group';
export { podRequest } from './pod-request';
export { Priorities, PRIORITY_KINDS, SYSTEM_PRIORITY } from './priorities';
export { cohortQueue, type LocalQueue, localQueueOf, QUEUE_KINDS, queueOf } from './queue';
export {
  commonLevels,
  HOSTNAME,
  type HyperNodeFacts,
  hyperNodeOf,
  type HyperNodeTiers,
  hyperNodeTiers,
  levelTitle,
  networkTopology,
  type TierResolver,
  tiersOfLevels,
  TOPOLOGY_KINDS,
  topologyOf,
} from './topologies';
