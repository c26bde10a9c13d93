/**
 * Model servers: one statement, rendered as a Deployment, a Knative Service or a LeaderWorkerSet.
 */
export { Deployment, type DeploymentProps, type Rollout } from './deployment';
export { Health } from './health';
export { InferenceService, type InferenceServiceProps } from './inference-service';
export {
  KnativeFeatureSwitches,
  type KnativeFeatureSwitchesProps,
  type NeedsKnativeFeatures,
} from './knative-feature-switches';
export { KnativeScaling, type KnativeScalingOptions } from './knative-scaling';
export { KnativeService, type KnativeServiceProps } from './knative-service';
export { type GroupCommands, type GroupShape, MultiNode, type SglangOptions, type VllmOptions } from './multi-node';
export {
  type AutoscalingProps,
  type DeploymentEngineOptions,
  type KnativeEngineOptions,
  type LeaderWorkerEngineOptions,
  ServingEngine,
} from './serving-engine';
export { type ServingStatement } from './statement';
