/**
 * Kubeflow Trainer v2: TrainJobs, and the runtimes that they run on.
 */
export { type RuntimeReference } from './runtime-reference';
export { TrainJob, type TrainJobInitializer, type TrainJobProps } from './train-job';
export { type BuiltInRuntimeName, type MlPolicyName } from '../../manifests/trainer/trainer-facts';
export {
  ClusterTrainingRuntime,
  type ClusterTrainingRuntimeProps,
  MlPolicy,
  type MpiPolicyOptions,
  type RuntimeInitializers,
  type RuntimeProps,
  TrainingRuntime,
  type TrainingRuntimeProps,
} from './training-runtime';
