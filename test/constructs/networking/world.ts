/** Small builders of manifests, and the form in which rule cases are written down. */
import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';

export type Manifests = readonly JsonObject[];

/** When one rule speaks and when it is silent; the keys say the case in words. */
export interface RuleCases {
  readonly rule: string;
  readonly fires: Readonly<Record<string, Manifests>>;
  readonly silent: Readonly<Record<string, Manifests>>;
}

function object(apiVersion: string, kind: string, name: string, spec: JsonObject, namespace?: string): JsonObject {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) }, spec };
}

const SRIOV = 'sriovnetwork.openshift.io/v1';
const NVIDIA = 'mellanox.com/v1alpha1';

export function policy(spec: JsonObject = {}, name = 'rail0', namespace = 'sriov'): JsonObject {
  return object(
    SRIOV,
    'SriovNetworkNodePolicy',
    name,
    {
      resourceName: 'rail0',
      nodeSelector: { 'example.com/rdma': 'true' },
      nicSelector: { pfNames: ['ens2f0'] },
      numVfs: 8,
      ...spec,
    },
    namespace,
  );
}

export function sriov(kind: string, spec: JsonObject = {}, name = 'net', namespace = 'sriov'): JsonObject {
  return object(SRIOV, kind, name, spec, namespace);
}

export function nics(spec: JsonObject, name = 'nic-cluster-policy'): JsonObject {
  return object(NVIDIA, 'NicClusterPolicy', name, spec);
}

export function nodeNics(spec: JsonObject, name = 'some', nodeSelector: JsonObject = { pool: 'a' }): JsonObject {
  return object(NVIDIA, 'NicNodePolicy', name, { nodeSelector, ...spec });
}

export function nvidia(kind: string, spec: JsonObject): JsonObject {
  return object(NVIDIA, kind, 'net', spec);
}

/** A template of the NIC configuration operator. */
export function cards(template: JsonObject = {}, spec: JsonObject = {}, name = 'roce', namespace = 'nics'): JsonObject {
  return object(
    'configuration.net.nvidia.com/v1alpha1',
    'NicConfigurationTemplate',
    name,
    { nicSelector: { nicType: '1021' }, template: { linkType: 'Ethernet', numVfs: 8, ...template }, ...spec },
    namespace,
  );
}

export const image = { image: 'x', repository: 'nvcr.io/nvidia/mellanox', version: '26.04' };

export function shared(config: JsonValue): JsonObject {
  return nics({
    rdmaSharedDevicePlugin: { ...image, config: typeof config === 'string' ? config : JSON.stringify(config) },
  });
}

export function functions(config: JsonValue): JsonObject {
  return nics({ sriovDevicePlugin: { ...image, config: JSON.stringify(config) } });
}

export const pool = { resourceName: 'rdma_shared_device_a', rdmaHcaMax: 63, selectors: { vendors: ['15b3'] } };

export function configMap(text: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'rdma-devices', namespace: 'kube-system' },
    data: { 'config.json': text },
  };
}

/** An attachment with this configuration, tied to a resource unless that is said to be none. */
export function attachment(config: JsonValue, resource: string | null = 'openshift.io/rail0'): JsonObject {
  const annotations: JsonObject = resource === null ? {} : { 'k8s.v1.cni.cncf.io/resourceName': resource };
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name: 'rdma', namespace: 'ai', annotations },
    spec: { config: typeof config === 'string' ? config : JSON.stringify(config) },
  };
}

/** A configuration of one plugin, complete but for what is said. */
export function cni(more: JsonObject): JsonObject {
  return { cniVersion: '1.0.0', name: 'rdma', type: 'sriov', ...more };
}

export function pod(limits: JsonObject, capabilities: readonly string[] = ['IPC_LOCK']): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ai' },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'x',
          resources: { limits },
          securityContext: { capabilities: { add: [...capabilities] } },
        },
      ],
    },
  };
}

export function nfd(rule: JsonObject): JsonObject {
  return {
    apiVersion: 'nfd.k8s-sigs.io/v1alpha1',
    kind: 'NodeFeatureRule',
    metadata: { name: 'r' },
    spec: { rules: [{ name: 'r', labels: { 'example.com/a': 'b' }, ...rule }] },
  };
}

export function expression(value: JsonObject, feature = 'pci.device'): JsonObject {
  return nfd({ matchFeatures: [{ feature, matchExpressions: { vendor: value } }] });
}
