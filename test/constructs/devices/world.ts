/** Small builders of manifests, and the form in which rule cases are written down. */
import { type JsonObject } from '../../../src/facts/api/schema';

export type Manifests = readonly JsonObject[];

/** When one rule speaks and when it is silent; the keys say the case in words. */
export interface RuleCases {
  readonly rule: string;
  readonly fires: Readonly<Record<string, Manifests>>;
  readonly silent: Readonly<Record<string, Manifests>>;
}

/** A pod that asks for devices. */
export function pod(
  limits: JsonObject,
  spec: JsonObject = {},
  annotations: JsonObject = {},
  container: JsonObject = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ai', annotations },
    spec: {
      containers: [{ name: 'main', image: 'registry.example.com/x:1', resources: { limits }, ...container }],
      ...spec,
    },
  };
}

export function template(devices: JsonObject, name = 'gpus', apiVersion = 'resource.k8s.io/v1'): JsonObject {
  return {
    apiVersion,
    kind: 'ResourceClaimTemplate',
    metadata: { name, namespace: 'ai' },
    spec: { spec: { devices } },
  };
}

export function exactly(request: JsonObject, config: JsonObject[] = []): JsonObject {
  return template({ requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.nvidia.com', ...request } }], config });
}

/** A claim with a configuration for NVIDIA's driver. */
export function configured(parameters: JsonObject, driver = 'gpu.nvidia.com'): JsonObject {
  return exactly({}, [{ opaque: { driver, parameters } }]);
}

export function sharing(value: JsonObject, kind = 'GpuConfig'): JsonObject {
  return configured({ apiVersion: 'resource.nvidia.com/v1beta1', kind, sharing: value });
}

export function selecting(expression: string): JsonObject {
  return exactly({ selectors: [{ cel: { expression } }] });
}

export function quota(hard: JsonObject, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'ai' }, spec: { hard, ...more } };
}

export function deviceClass(name: string, spec: JsonObject = {}): JsonObject {
  return { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name }, spec };
}

export function computeDomain(channel = 'channel'): JsonObject {
  return {
    apiVersion: 'resource.nvidia.com/v1beta1',
    kind: 'ComputeDomain',
    metadata: { name: 'd', namespace: 'ai' },
    spec: { numNodes: 0, channel: { resourceClaimTemplate: { name: channel } } },
  };
}

export function amd(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'amd.com/v1alpha1',
    kind: 'DeviceConfig',
    metadata: { name: 'c', namespace: 'kube-amd-gpu' },
    spec,
  };
}

export function intel(kind: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'deviceplugin.intel.com/v1', kind, metadata: { name: 'c' }, spec };
}
