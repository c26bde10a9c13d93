/**
 * The door of `cdk8s-gantry`: what a stack needs.
 *
 * Constructs that every stack uses are exported by name. Constructs of one project are in a namespace with the project's name
 * (`volcano.Job`, `kubeflow.PyTorchJob`), since several projects have a Queue, Job, or PodGroup.
 */
import './interfaces/checks/rules-on-use';

export { type KubernetesMinor } from './facts/api/schema';
export { type ObjectOf, type ResourceKind } from './facts/api/resource-kind';
export { CheckError } from './checks/synth/check-error';
export { Checks } from './checks/synth/checks-of';
export { synthesize, type SynthesizeOptions, type Synthesis } from './checks/synth/synthesize';
export { type OpenPartial } from './constructs/resources/merge';
export {
  type ClusterObjectProps,
  type NamespacedObjectProps,
  type Overridable,
  type OverridablePart,
} from './constructs/resources/object-props';
export {
  type GantryQueueReference,
  type KaiQueueReference,
  type KueueQueueReference,
  type QueueEngine,
  type QueueReference,
  type QueueReferenceOf,
  type VolcanoQueueReference,
} from './constructs/resources/queue-references';
export {
  type ForeignObject,
  type NamedReference,
  type ObjectReference,
  type PriorityClassReference,
  type WorkloadPriorityClassReference,
} from './constructs/resources/references';
export { Resource, type ResourceMetadata, type ResourceProps } from './constructs/resources/resource';
export {
  type Carried,
  type CarriedDeep,
  type CarriedList,
  type CarriedMap,
  type CarriedWithin,
  type Deferred,
} from './manifests/values/deferred';
export * from './constructs/pods';
export * from './constructs/tenancy';
export * from './constructs/training';
export * from './constructs/scheduler';
export * from './constructs/agent';
export * from './constructs/remediation';
export * from './constructs/platform';
export * as amdGpu from './constructs/amd-gpu';
export * as ascend from './constructs/ascend';
export * as batch from './constructs/batch';
export * as catalog from './facts/catalog';
export * as charts from './constructs/charts';
export { Plan } from './planning/cluster/plan-on-synth';
export {
  type GantryValidationContext,
  type GantryValidationProperties,
  type GantryViolation,
} from './interfaces/cli/check/cdk8s-terms';
export { GantryValidation } from './interfaces/cli/check/cdk8s-validation';
export * as cluster from './planning/cluster';
export * as devices from './constructs/devices';
export * as docker from './constructs/docker';
export * as gaudi from './constructs/gaudi';
export * as gpuOperator from './constructs/gpu-operator';
export * as kai from './constructs/kai';
export * as keda from './constructs/keda';
export * as kubeflow from './constructs/kubeflow';
export * as kueue from './constructs/kueue';
export * as monitoring from './constructs/monitoring';
export * as networking from './constructs/networking';
export * as neuron from './constructs/neuron';
export * as nodeTuning from './constructs/node-tuning';
export * as placement from './placement';
export * as ray from './constructs/ray';
export * as serving from './constructs/serving';
export * as trainer from './constructs/trainer';
export * as volcano from './constructs/volcano';
