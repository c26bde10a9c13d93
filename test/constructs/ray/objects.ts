/**
 * Ray objects for the tests: good ones, and changes to them.
 */
import { stringify } from 'yaml';
import { type JsonObject } from '../../../src/facts/api/schema';

export function group(changes: JsonObject = {}, pod: JsonObject = {}, container: JsonObject = {}): JsonObject {
  return {
    groupName: 'gpu',
    rayStartParams: {},
    template: {
      spec: {
        containers: [{ name: 'ray', image: 'rayproject/ray:2.52.0', resources: { limits: { cpu: 4 } }, ...container }],
        ...pod,
      },
    },
    ...changes,
  };
}

export function clusterSpec(
  changes: JsonObject = {},
  head: JsonObject = {},
  workers: readonly JsonObject[] = [group()],
): JsonObject {
  const headGroupSpec = Object.fromEntries(Object.entries(group(head)).filter(([key]) => key !== 'groupName'));
  return { rayVersion: '2.52.0', headGroupSpec, workerGroupSpecs: [...workers], ...changes };
}

const object = (kind: string, spec: JsonObject, metadata: JsonObject): JsonObject => ({
  apiVersion: 'ray.io/v1',
  kind,
  metadata: { name: 'ray', namespace: 'ml', ...metadata },
  spec,
});

export const rayCluster = (spec: JsonObject = clusterSpec(), metadata: JsonObject = {}): JsonObject =>
  object('RayCluster', spec, metadata);

export const rayJob = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  object('RayJob', { entrypoint: 'python a.py', rayClusterSpec: clusterSpec(), ...spec }, metadata);

export const selectingJob = (spec: JsonObject = {}): JsonObject =>
  object('RayJob', { entrypoint: 'a', clusterSelector: { 'ray.io/cluster': 'ray' }, ...spec }, {});

export const rayService = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  object('RayService', { serveConfigV2: 'applications: []', rayClusterConfig: clusterSpec(), ...spec }, metadata);

export const rayCronJob = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject =>
  object(
    'RayCronJob',
    { schedule: '0 3 * * *', jobTemplate: { entrypoint: 'a', rayClusterSpec: clusterSpec() }, ...spec },
    metadata,
  );

export function yaml(...objects: readonly JsonObject[]): string {
  return objects.map((item) => stringify(item)).join('---\n');
}
