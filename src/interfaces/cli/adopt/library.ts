/**
 * The names that generated code imports from `cdk8s-gantry` and `cdk8s`, as values.
 */
import { ApiObject, Duration, JsonPatch } from 'cdk8s';
import * as batch from '../../../constructs/batch';
import * as devices from '../../../constructs/devices';
import * as keda from '../../../constructs/keda';
import * as kai from '../../../constructs/kai';
import * as kubeflow from '../../../constructs/kubeflow';
import * as kueue from '../../../constructs/kueue';
import { Accelerator, Mount, NodeSelection, PodTemplate, Scheduling, SharedMemory } from '../../../constructs/pods';
import * as ray from '../../../constructs/ray';
import { Resource } from '../../../constructs/resources/resource';
import { GantryQueue } from '../../../constructs/scheduler';
import * as serving from '../../../constructs/serving';
import { LimitRange, Namespace, PriorityClass, ResourceQuota, Team } from '../../../constructs/tenancy';
import * as trainer from '../../../constructs/trainer';
import * as volcano from '../../../constructs/volcano';

/** Names of `cdk8s`; all others are of `cdk8s-gantry`. */
export const OF_CDK8S: ReadonlySet<string> = new Set(['ApiObject', 'Duration', 'JsonPatch']);

export const LIBRARY: Readonly<Record<string, unknown>> = {
  Accelerator,
  ApiObject,
  Duration,
  GantryQueue,
  JsonPatch,
  LimitRange,
  Mount,
  Namespace,
  NodeSelection,
  PodTemplate,
  PriorityClass,
  Resource,
  ResourceQuota,
  Scheduling,
  SharedMemory,
  Team,
  batch,
  devices,
  kai,
  keda,
  kubeflow,
  kueue,
  ray,
  serving,
  trainer,
  volcano,
};
