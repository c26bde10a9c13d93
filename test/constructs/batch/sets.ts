/**
 * JobSets and LeaderWorkerSets for the tests: good ones, and changes to them.
 */
import { stringify } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';

export const template = (pod: JsonObject = {}, container: JsonObject = {}): JsonObject => ({
  spec: { containers: [{ name: 'main', image: 'x', ...container }], ...pod },
});

export function replicatedJob(name: string, changes: JsonObject = {}, job: JsonObject = {}): JsonObject {
  return { name, template: { spec: { parallelism: 2, completions: 2, template: template(), ...job } }, ...changes };
}

/** Two jobs to which no rule objects. */
export function jobSet(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    metadata: { name: 'train', namespace: 'ml', ...metadata },
    spec: { replicatedJobs: [replicatedJob('leader'), replicatedJob('node')], ...spec },
  };
}

export function leaderWorkerSet(spec: JsonObject = {}, group: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'serve', namespace: 'ml', ...metadata },
    spec: { replicas: 2, leaderWorkerTemplate: { size: 4, workerTemplate: template(), ...group }, ...spec },
  };
}

export function disaggregatedSet(spec: JsonObject = {}, decode: JsonObject = {}, rollout: JsonObject = {}): JsonObject {
  const role = (name: string, changes: JsonObject = {}): JsonObject => ({
    name,
    spec: { leaderWorkerTemplate: { workerTemplate: template() }, ...changes },
  });
  return {
    apiVersion: 'disaggregatedset.x-k8s.io/v1',
    kind: 'DisaggregatedSet',
    metadata: { name: 'split', namespace: 'ml' },
    spec: { roles: [role('prefill'), { ...role('decode', rollout), ...decode }], ...spec },
  };
}

export function yaml(...objects: readonly JsonObject[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}
