/**
 * The door of `cdk8s-gantry`: what a stack needs.
 *
 * What every stack uses stands here by its own name; what belongs to one project of the field stands under the project's name
 * (`volcano.Job`, `kubeflow.PyTorchJob`), since the field has many a Queue, Job and PodGroup.
 */
import './rules';

export { type KubernetesMinor } from './api/schema';
export { type ObjectOf, type ResourceKind } from './api/resource-kind';
export { Checks } from './checks/checks-of';
export { type ClusterObjectProps, type NamespacedObjectProps } from './resources/object-props';
export { type LocalQueueReference, type NamedReference, type PriorityClassReference, type QueueReference } from './resources/references';
export { Resource, type ResourceProps } from './resources/resource';
export * from './pods';
export * from './tenancy';
export * from './training';
export * from './scheduler';
export * from './platform';
export * as batch from './batch';
export * as catalog from './catalog';
export * as charts from './charts';
export { Plan } from './cluster/plan-on-synth';
export * as cluster from './cluster';
export * as devices from './devices';
export * as gpuOperator from './gpu-operator';
export * as keda from './keda';
export * as kubeflow from './kubeflow';
export * as kueue from './kueue';
export * as monitoring from './monitoring';
export * as networking from './networking';
export * as nodeTuning from './node-tuning';
export * as placement from './placement';
export * as ray from './ray';
export * as serving from './serving';
export * as trainer from './trainer';
export * as volcano from './volcano';
