import { type JsonObject } from '../../../../src/facts/api/schema';
import { clusterPolicy, gpuCluster } from '../../gpu-operator/world';
import {
  computeDomain,
  configured,
  deviceClass,
  exactly,
  pod,
  quota,
  type RuleCases,
  selecting,
  sharing,
  template,
} from '../world';

const namespace = (labels: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'ai', labels },
});
const version = 'resource.nvidia.com/v1beta1';
const slices = { strategy: 'TimeSlicing', timeSlicingConfig: { interval: 'Short' } };
const gated = { ...gpuCluster(), spec: { draDriver: { featureGates: { TimeSlicingSettings: true } } } };

export const claimCases: readonly RuleCases[] = [
  {
    rule: 'devices/dra-config-decoded',
    fires: {
      'another version': [configured({ apiVersion: 'gpu.nvidia.com/v1alpha1', kind: 'GpuConfig' })],
      'another kind': [configured({ apiVersion: version, kind: 'GpuSharing' })],
      'an unknown field': [configured({ apiVersion: version, kind: 'GpuConfig', replicas: 2 })],
      'deep inside': [sharing({ strategy: 'MPS', mpsConfig: { threads: 10 } })],
      'intervals of a MIG device': [sharing(slices, 'MigDeviceConfig')],
      'a fraction of threads': [sharing({ strategy: 'MPS', mpsConfig: { defaultActiveThreadPercentage: 1.5 } })],
      'a limit that is no quantity': [
        sharing({ strategy: 'MPS', mpsConfig: { defaultPinnedDeviceMemoryLimit: '10 Gigs' } }),
      ],
      'a string for an object': [configured({ apiVersion: version, kind: 'GpuConfig', sharing: 'MPS' })],
      'the mode of a channel for a daemon': [
        configured(
          { apiVersion: version, kind: 'ComputeDomainDaemonConfig', domainID: 'x', allocationMode: 'All' },
          'compute-domain.nvidia.com',
        ),
      ],
      'an old form of claims': [
        template(
          {
            requests: [{ name: 'a', deviceClassName: 'gpu.nvidia.com' }],
            config: [{ opaque: { driver: 'gpu.nvidia.com', parameters: {} } }],
          },
          'a',
          'resource.k8s.io/v1beta1',
        ),
      ],
    },
    silent: {
      known: [sharing(slices)],
      'MPS of a GPU': [sharing({ strategy: 'MPS', mpsConfig: { defaultActiveThreadPercentage: 50 } })],
      'MPS of a MIG device': [
        sharing({ strategy: 'MPS', mpsConfig: { defaultActiveThreadPercentage: 50 } }, 'MigDeviceConfig'),
      ],
      'another driver': [configured({ kind: 'Anything' }, 'gpu.example.com')],
      'a channel': [
        configured(
          { apiVersion: version, kind: 'ComputeDomainChannelConfig', domainID: 'x', allocationMode: 'All' },
          'compute-domain.nvidia.com',
        ),
      ],
    },
  },
  {
    rule: 'devices/dra-settings-valid',
    fires: {
      'no domain': [
        configured({ apiVersion: version, kind: 'ComputeDomainChannelConfig' }, 'compute-domain.nvidia.com'),
      ],
      'an unknown policy': [
        configured({ apiVersion: version, kind: 'VfioDeviceConfig', iommu: { backendPolicy: 'Legacy' } }),
      ],
    },
    silent: {
      'a domain': [
        configured(
          { apiVersion: version, kind: 'ComputeDomainDaemonConfig', domainID: 'x' },
          'compute-domain.nvidia.com',
        ),
      ],
      'a policy': [
        configured({ apiVersion: version, kind: 'VfioDeviceConfig', iommu: { backendPolicy: 'PreferIommuFD' } }),
      ],
      'the default policy': [
        configured({ apiVersion: version, kind: 'VfioDeviceConfig', iommu: { backendPolicy: '' } }),
      ],
    },
  },
  {
    rule: 'devices/dra-sharing-valid',
    fires: {
      strategy: [sharing({ strategy: 'Mps' })],
      interval: [sharing({ strategy: 'TimeSlicing', timeSlicingConfig: { interval: 'Tiny' } })],
      threads: [sharing({ strategy: 'MPS', mpsConfig: { defaultActiveThreadPercentage: 120 } })],
      memory: [sharing({ strategy: 'MPS', mpsConfig: { defaultPinnedDeviceMemoryLimit: '10' } })],
      'settings of the other': [sharing({ strategy: 'MPS', timeSlicingConfig: { interval: 'Short' } })],
    },
    silent: {
      TimeSlicing: [sharing(slices)],
      MPS: [
        sharing({
          strategy: 'MPS',
          mpsConfig: { defaultActiveThreadPercentage: 50, defaultPinnedDeviceMemoryLimit: '10Gi' },
        }),
      ],
    },
  },
  {
    rule: 'devices/dra-sharing-gate-on',
    fires: { 'not known': [sharing(slices)], 'the other gate': [sharing({ strategy: 'MPS' }), gated] },
    silent: { on: [sharing(slices), gated], 'no sharing': [configured({ apiVersion: version, kind: 'GpuConfig' })] },
  },
  {
    rule: 'devices/dra-attribute-exists',
    fires: {
      index: [selecting('device.attributes["gpu.nvidia.com"].index == 0')],
      'in a class': [
        deviceClass('a', { selectors: [{ cel: { expression: "device.attributes['gpu.nvidia.com'].memory > 1" } }] }),
      ],
    },
    silent: {
      known: [selecting("device.attributes['gpu.nvidia.com'].architecture == 'Hopper'")],
      guarded: [
        selecting('"index" in device.attributes["gpu.nvidia.com"] && device.attributes["gpu.nvidia.com"].index == 0'),
      ],
      memory: [selecting('device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("70Gi")) >= 0')],
      'another driver': [selecting('device.attributes["gpu.example.com"].index == 0')],
    },
  },
  {
    rule: 'devices/device-class-known',
    fires: {
      'not there': [exactly({ deviceClassName: 'imex.nvidia.com' })],
      "of one's own": [exactly({ deviceClassName: 'large.example.com' })],
    },
    silent: {
      known: [exactly({})],
      defined: [exactly({ deviceClassName: 'large.example.com' }), deviceClass('large.example.com')],
    },
  },
  {
    rule: 'devices/quota-key-of-claims',
    fires: {
      'the class': [quota({ 'gpu.nvidia.com/devices': 8 })],
      'requests of it': [quota({ 'requests.gpu.nvidia.com.deviceclass.resource.k8s.io/devices': 8 })],
      'claims without the group': [quota({ 'count/resourceclaims': 8 })],
    },
    silent: {
      right: [
        quota({
          'gpu.nvidia.com.deviceclass.resource.k8s.io/devices': 8,
          'count/resourceclaims.resource.k8s.io': 8,
          'requests.nvidia.com/gpu': 8,
        }),
      ],
    },
  },
  {
    rule: 'devices/extended-resource-served-once',
    fires: {
      'two classes': [
        deviceClass('a', { extendedResourceName: 'example.com/gpu' }),
        deviceClass('b', { extendedResourceName: 'example.com/gpu' }),
      ],
      'the device plugin': [clusterPolicy(), deviceClass('gpu.nvidia.com', { extendedResourceName: 'nvidia.com/gpu' })],
    },
    silent: {
      'names of their own': [clusterPolicy(), deviceClass('a', { extendedResourceName: 'example.com/gpu' })],
      'no device plugin': [
        clusterPolicy({ devicePlugin: { enabled: false } }),
        deviceClass('gpu.nvidia.com', { extendedResourceName: 'nvidia.com/gpu' }),
      ],
    },
  },
  {
    rule: 'devices/quota-counts-claimed-gpus',
    fires: { "only the device plugin's": [quota({ 'requests.nvidia.com/gpu': 8 }), exactly({})] },
    silent: {
      both: [
        quota({ 'requests.nvidia.com/gpu': 8, 'gpu.nvidia.com.deviceclass.resource.k8s.io/devices': 8 }),
        exactly({}),
      ],
      'no claims': [quota({ 'requests.nvidia.com/gpu': 8 })],
      'of a scope, which counts no claims': [
        quota({ 'requests.nvidia.com/gpu': 8 }, { scopes: ['NotTerminating'] }),
        exactly({}),
      ],
    },
  },
  {
    rule: 'devices/admin-access-in-labeled-namespace',
    fires: { 'no label': [namespace({}), exactly({ adminAccess: true })] },
    silent: {
      labeled: [namespace({ 'resource.kubernetes.io/admin-access': 'true' }), exactly({ adminAccess: true })],
      'no such access': [namespace({}), exactly({})],
    },
  },
  {
    rule: 'devices/compute-domain-template-left-to-driver',
    fires: { 'made twice': [computeDomain('gpus'), exactly({})] },
    silent: { 'another name': [computeDomain(), exactly({})] },
  },
  {
    rule: 'devices/compute-domain-joined',
    fires: { 'no pod': [computeDomain(), pod({})] },
    silent: {
      'a pod': [computeDomain(), pod({}, { resourceClaims: [{ name: 'c', resourceClaimTemplateName: 'channel' }] })],
      'pods come from elsewhere': [computeDomain()],
    },
  },
];
