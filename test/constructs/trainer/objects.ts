/**
 * TrainJobs and runtimes for the tests: good ones, and changes to them.
 */
import { stringify } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';

export function trainJob(spec: JsonObject = {}, trainer: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'trainer.kubeflow.org/v1alpha1',
    kind: 'TrainJob',
    metadata: { name: 'train', namespace: 'ml' },
    spec: {
      runtimeRef: { name: 'torch-distributed' },
      trainer: { numNodes: 2, command: ['torchrun', 'train.py'], ...trainer },
      ...spec,
    },
  };
}

/** A patch of one job of the runtime. */
export function patched(job: JsonObject, manager = 'example.com/me'): JsonObject {
  return { runtimePatches: [{ manager, trainingRuntimeSpec: { template: { spec: { replicatedJobs: [job] } } } }] };
}

export function runtimeJob(
  name: string,
  pod: JsonObject = {},
  job: JsonObject = {},
  ancestor: string | null = 'trainer',
): JsonObject {
  return {
    name,
    template: {
      ...(ancestor === null
        ? {}
        : { metadata: { labels: { 'trainer.kubeflow.org/trainjob-ancestor-step': ancestor } } }),
      spec: { template: { spec: { containers: [{ name: 'node', image: 'x' }], ...pod } } },
    },
    ...job,
  };
}

export function runtime(
  spec: JsonObject = {},
  jobs: readonly JsonObject[] = [runtimeJob('node')],
  changes: JsonObject = {},
): JsonObject {
  return {
    apiVersion: 'trainer.kubeflow.org/v1alpha1',
    kind: 'ClusterTrainingRuntime',
    metadata: { name: 'ours' },
    spec: { mlPolicy: { numNodes: 1, torch: {} }, template: { spec: { replicatedJobs: [...jobs] } }, ...spec },
    ...changes,
  };
}

export function yaml(...objects: readonly JsonObject[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}
