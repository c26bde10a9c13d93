/**
 * Kueue's objects for the tests: good ones, and changes to them.
 */
import { stringify } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';

const kueue = (kind: string, name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'kueue.x-k8s.io/v1beta2',
  kind,
  metadata: { name, ...metadata },
  spec,
});

export function quota(name: string, nominalQuota: string | number = 8, more: JsonObject = {}): JsonObject {
  return { name, nominalQuota, ...more };
}

export const flavorOf = (name: string, ...resources: readonly JsonObject[]): JsonObject => ({
  name,
  resources: [...resources],
});

export function group(...flavors: readonly JsonObject[]): JsonObject {
  return { coveredResources: ['cpu', 'nvidia.com/gpu'], flavors: [...flavors] };
}

export const GROUP = group(flavorOf('h100', quota('cpu', 64), quota('nvidia.com/gpu')));

/** To all of these no rule objects, alone or together. */
export const clusterQueue = (spec: JsonObject = {}, name = 'training'): JsonObject =>
  kueue('ClusterQueue', name, { namespaceSelector: {}, resourceGroups: [GROUP], ...spec });
export const cohort = (spec: JsonObject = {}, name = 'all'): JsonObject => kueue('Cohort', name, spec);
export const localQueue = (name = 'team', namespace = 'ml', clusterQueueName = 'training'): JsonObject =>
  kueue('LocalQueue', name, { clusterQueue: clusterQueueName }, { namespace });
export const flavor = (spec: JsonObject = {}, name = 'h100'): JsonObject =>
  kueue('ResourceFlavor', name, { nodeLabels: { gpu: 'h100' }, ...spec });
export const topology = (...levels: readonly string[]): JsonObject =>
  kueue('Topology', 'racks', { levels: levels.map((nodeLabel) => ({ nodeLabel })) });
export const workload = (spec: JsonObject, metadata: JsonObject = {}): JsonObject =>
  kueue('Workload', 'job-a', spec, { namespace: 'ml', ...metadata });

export interface JobChanges {
  /** `null`: the job names none. */
  readonly queue?: string | null;
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly podAnnotations?: JsonObject;
  readonly spec?: JsonObject;
  readonly requests?: JsonObject;
  readonly namespace?: string;
}

export function job({
  queue = 'team',
  labels = {},
  annotations = {},
  podAnnotations = {},
  spec = {},
  requests = { cpu: 1, 'nvidia.com/gpu': 1 },
  namespace = 'ml',
}: JobChanges = {}): JsonObject {
  const container = { name: 'main', image: 'x', resources: { requests, limits: requests } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'train',
      namespace,
      labels: { ...(queue === null ? {} : { 'kueue.x-k8s.io/queue-name': queue }), ...labels },
      annotations,
    },
    spec: {
      parallelism: 4,
      completions: 4,
      completionMode: 'Indexed',
      ...spec,
      template: {
        metadata: { annotations: podAnnotations },
        spec: { restartPolicy: 'Never', containers: [container] },
      },
    },
  };
}

export function jobSet(...jobs: readonly (readonly [string, number, JsonObject])[]): JsonObject {
  return {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    metadata: { name: 'set', namespace: 'ml', labels: { 'kueue.x-k8s.io/queue-name': 'team' } },
    spec: {
      replicatedJobs: jobs.map(([name, pods, annotations]) => ({
        name,
        template: {
          spec: {
            parallelism: pods,
            completions: pods,
            template: { metadata: { annotations }, spec: { containers: [{ name: 'main', image: 'x' }] } },
          },
        },
      })),
    },
  };
}

export function yaml(...objects: readonly JsonObject[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}
