/** Small builders of manifests, and the form in which rule cases are written down. */
import { type JsonObject } from '../../../src/facts/api/schema';

export type Manifests = readonly JsonObject[];

/** When one rule speaks and when it is silent; the keys say the case in words. */
export interface RuleCases {
  readonly rule: string;
  readonly fires: Readonly<Record<string, Manifests>>;
  readonly silent: Readonly<Record<string, Manifests>>;
}

export function clusterPolicy(spec: JsonObject = {}, name = 'cluster-policy'): JsonObject {
  const parts = [
    'daemonsets',
    'dcgm',
    'dcgmExporter',
    'devicePlugin',
    'driver',
    'gfd',
    'nodeStatusExporter',
    'operator',
    'toolkit',
  ];
  const empty = Object.fromEntries(parts.map((part) => [part, {}]));
  return { apiVersion: 'nvidia.com/v1', kind: 'ClusterPolicy', metadata: { name }, spec: { ...empty, ...spec } };
}

export function gpuCluster(): JsonObject {
  return {
    apiVersion: 'nvidia.com/v1alpha1',
    kind: 'GPUCluster',
    metadata: { name: 'gpu-cluster' },
    spec: { draDriver: {} },
  };
}

export function driver(name: string, spec: JsonObject = {}): JsonObject {
  return { apiVersion: 'nvidia.com/v1alpha1', kind: 'NVIDIADriver', metadata: { name }, spec };
}

export function configMap(data: JsonObject, name = 'config', namespace = 'gpu-operator'): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

/** A device-plugin configuration, as YAML text or as a value. */
export function plugin(config: string | JsonObject): JsonObject {
  return configMap({ any: typeof config === 'string' ? config : JSON.stringify(config) }, 'plugin');
}

export function slicing(
  resource: JsonObject = { name: 'nvidia.com/gpu', replicas: 4 },
  more: JsonObject = { failRequestsGreaterThanOne: true },
): JsonObject {
  return { version: 'v1', sharing: { timeSlicing: { ...more, resources: [resource] } } };
}

export function mig(configs: JsonObject, more: JsonObject = {}): JsonObject {
  return configMap(
    { 'config.yaml': JSON.stringify({ version: 'v1', 'mig-configs': configs, ...more }, null, 1) },
    'mig',
  );
}

export function entry(instances: JsonObject, more: JsonObject = {}): JsonObject {
  return { devices: 'all', 'mig-enabled': true, 'mig-devices': instances, ...more };
}

export function counters(csv: string, key = 'dcgm-metrics.csv'): JsonObject {
  return configMap({ [key]: csv }, 'counters');
}

export function node(labels: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'gpu-0', labels } };
}

export function pod(limits: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ai' },
    spec: { containers: [{ name: 'main', image: 'registry.example.com/x:1', resources: { limits } }] },
  };
}
