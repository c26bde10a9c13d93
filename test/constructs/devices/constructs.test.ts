import { App, Chart } from 'cdk8s';
import { Pod } from '../../../src/facts/api/types/core/v1';
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { Checks, PodTemplate, Resource } from '../../../src';
import { Accelerator } from '../../../src/constructs/pods';
import * as devices from '../../../src/constructs/devices';
import { Testing } from '../../../src/interfaces/testing';

const { ClaimSharing, ComputeDomain, DeviceClass, deviceClassQuota, DeviceSelector, GpuClaim, ResourceClaimTemplate } =
  devices;

function chart(kubernetes?: KubernetesMinor): Chart {
  const app = new App();
  if (kubernetes !== undefined) {
    Checks.of(app).target(kubernetes);
  }
  return new Chart(app, 'test', { namespace: 'ai-workloads' });
}

test('a claim for two large GPUs, and the pod that has it, as an article should have written them', () => {
  const scope = chart();
  const claim = new GpuClaim(scope, 'gpu-claim-template', {
    count: 2,
    selectors: [DeviceSelector.memoryAtLeast('70Gi')],
  });
  const template = new PodTemplate({
    image: 'nvidia/cuda:12.4.1-base-ubuntu22.04',
    accelerators: claim.accelerator({ claimName: 'gpus', request: 'gpu' }),
  }).toPodTemplate({ restartPolicy: 'Never' });
  new Resource(scope, 'dra-pod', Pod, { metadata: { name: 'dra-pod' }, spec: template.spec });
  expect(Testing.synth(scope)).toEqual([
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'gpu-claim-template', namespace: 'ai-workloads' },
      spec: {
        spec: {
          devices: {
            requests: [
              {
                name: 'gpu',
                exactly: {
                  deviceClassName: 'gpu.nvidia.com',
                  allocationMode: 'ExactCount',
                  count: 2,
                  selectors: [
                    {
                      cel: { expression: 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("70Gi")) >= 0' },
                    },
                  ],
                },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'dra-pod', namespace: 'ai-workloads' },
      spec: {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'main',
            image: 'nvidia/cuda:12.4.1-base-ubuntu22.04',
            resources: { claims: [{ name: 'gpus', request: 'gpu' }] },
          },
        ],
        resourceClaims: [{ name: 'gpus', resourceClaimTemplateName: 'gpu-claim-template' }],
        tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      },
    },
  ]);
});

test.each([
  [
    '1.36',
    'resource.k8s.io/v1',
    { exactly: { deviceClassName: 'gpu.nvidia.com', allocationMode: 'ExactCount', count: 4 } },
  ],
  [
    '1.34',
    'resource.k8s.io/v1',
    { exactly: { deviceClassName: 'gpu.nvidia.com', allocationMode: 'ExactCount', count: 4 } },
  ],
  [
    '1.33',
    'resource.k8s.io/v1beta2',
    { exactly: { deviceClassName: 'gpu.nvidia.com', allocationMode: 'ExactCount', count: 4 } },
  ],
  ['1.32', 'resource.k8s.io/v1beta1', { deviceClassName: 'gpu.nvidia.com', allocationMode: 'ExactCount', count: 4 }],
  ['1.31', 'resource.k8s.io/v1alpha3', { deviceClassName: 'gpu.nvidia.com', allocationMode: 'ExactCount', count: 4 }],
] as const)('Kubernetes %s gets the form that it serves', (minor, apiVersion, request) => {
  const scope = chart(minor);
  new GpuClaim(scope, 'gpus', { count: 4 });
  new DeviceClass(scope, 'large.example.com', { selectors: [DeviceSelector.cel('device.driver == "gpu.nvidia.com"')] });
  const [claim, deviceClass] = Testing.synth(scope);
  expect(claim).toMatchObject({ apiVersion, spec: { spec: { devices: { requests: [{ name: 'gpu', ...request }] } } } });
  expect(deviceClass).toMatchObject({ apiVersion });
});

test('a minor without structured claims is refused, and alternatives before they began', () => {
  expect(() => new GpuClaim(chart('1.30'), 'gpus')).toThrow(/Kubernetes 1.30 does not support structured claims/);
  expect(() => new GpuClaim(chart(), 'gpus', { kubernetes: '1.32', firstAvailable: [{ name: 'a' }] })).toThrow(
    /require Kubernetes 1\.33/,
  );
});

test.each([
  [{}, [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]],
  [{ deviceClass: 'mig.nvidia.com' }, [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]],
  [{ deviceClass: 'gpu.example.com' }, []],
])('a pod with a claim for %j tolerates the taint of its nodes', (props, tolerations) => {
  const accelerators = new GpuClaim(chart(), 'gpus', props).accelerator();
  expect(new PodTemplate({ image: 'x', accelerators }).toPodTemplate().spec?.tolerations ?? []).toEqual(tolerations);
});

test('the first of several kinds of GPU, all with one PCIe root', () => {
  const scope = chart();
  const claim = new GpuClaim(scope, 'gpus', {
    firstAvailable: [
      {
        name: 'h100',
        count: 2,
        selectors: [DeviceSelector.architecture('Hopper'), DeviceSelector.computeCapabilityAtLeast('9.0')],
      },
      { name: 'a100', count: 2, selectors: [DeviceSelector.product('NVIDIA A100-SXM4-80GB', 'NVIDIA A100-SXM4-40GB')] },
    ],
    constraints: [{ sameAttribute: 'resource.kubernetes.io/pcieRoot', requests: ['gpu'] }],
  });
  expect(claim.accelerator().count).toBe(2);
  expect(Testing.synth(scope)[0]?.spec).toEqual({
    spec: {
      devices: {
        requests: [
          {
            name: 'gpu',
            firstAvailable: [
              {
                name: 'h100',
                deviceClassName: 'gpu.nvidia.com',
                allocationMode: 'ExactCount',
                count: 2,
                selectors: [
                  { cel: { expression: 'device.attributes["gpu.nvidia.com"].architecture == "Hopper"' } },
                  {
                    cel: {
                      expression:
                        'device.attributes["gpu.nvidia.com"].cudaComputeCapability.compareTo(semver("9.0.0")) >= 0',
                    },
                  },
                ],
              },
              {
                name: 'a100',
                deviceClassName: 'gpu.nvidia.com',
                allocationMode: 'ExactCount',
                count: 2,
                selectors: [
                  {
                    cel: {
                      expression:
                        'device.attributes["gpu.nvidia.com"].productName in ["NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-40GB"]',
                    },
                  },
                ],
              },
            ],
          },
        ],
        constraints: [{ requests: ['gpu'], matchAttribute: 'resource.kubernetes.io/pcieRoot' }],
      },
    },
  });
});

test('sharing is configured by the kind of device: GPUs and MIG devices apart', () => {
  const scope = chart();
  new ResourceClaimTemplate(scope, 'mixed', {
    sharing: ClaimSharing.mps({ activeThreadPercentage: 50, pinnedMemoryLimit: '10Gi' }),
    requests: [
      { name: 'gpu' },
      { name: 'slice', deviceClass: 'mig.nvidia.com', selectors: [DeviceSelector.migProfile('1g.10gb')] },
    ],
  });
  const sharing = {
    strategy: 'MPS',
    mpsConfig: { defaultActiveThreadPercentage: 50, defaultPinnedDeviceMemoryLimit: '10Gi' },
  };
  const parameters = (kind: string): object => ({ apiVersion: 'resource.nvidia.com/v1beta1', kind, sharing });
  expect(Testing.synth(scope)[0]).toMatchObject({
    spec: {
      spec: {
        devices: {
          config: [
            { requests: ['gpu'], opaque: { driver: 'gpu.nvidia.com', parameters: parameters('GpuConfig') } },
            { requests: ['slice'], opaque: { driver: 'gpu.nvidia.com', parameters: parameters('MigDeviceConfig') } },
          ],
        },
      },
    },
  });
  expect(() => ClaimSharing.mps({ activeThreadPercentage: 101 })).toThrow(/from 0 to 100/);
  expect(ClaimSharing.timeSlicing('Long').toSharing()).toEqual({
    strategy: 'TimeSlicing',
    timeSlicingConfig: { interval: 'Long' },
  });
});

test('all devices of a node are no number that a pod could know', () => {
  const claim = new GpuClaim(chart(), 'gpus', { count: 'all' });
  expect(() => claim.accelerator()).toThrow(/Set it with accelerator\(\{ count/);
  expect(claim.accelerator({ count: 8 }).count).toBe(8);
  expect(() => new GpuClaim(chart(), 'none', { count: 0 })).toThrow(
    /count must be a whole number greater than or equal to 1, or 'all', not 0\./,
  );
  expect(() => new ResourceClaimTemplate(chart(), 'none', { requests: [] })).toThrow(/requests must not be empty/);
});

test('a class comes before the claims that name it', () => {
  const scope = chart();
  const large = new DeviceClass(scope, 'large.example.com', {
    extendedResourceName: 'example.com/large-gpu',
    selectors: [DeviceSelector.attribute('gpu.nvidia.com', 'brand', 'Nvidia')],
  });
  new GpuClaim(scope, 'a', { deviceClass: large });
  new GpuClaim(scope, 'b', {
    deviceClass: DeviceClass.fromName('there.example.com'),
    capacity: { memory: '4Gi' },
    adminAccess: false,
    tolerations: [{ key: 'k', operator: 'Exists' }],
  });
  const [first, second, third] = Testing.synth(scope);
  expect(first).toEqual({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'large.example.com' },
    spec: {
      selectors: [
        {
          cel: {
            expression:
              '"brand" in device.attributes["gpu.nvidia.com"] && device.attributes["gpu.nvidia.com"].brand == "Nvidia"',
          },
        },
      ],
      extendedResourceName: 'example.com/large-gpu',
    },
  });
  expect(second).toMatchObject({
    spec: { spec: { devices: { requests: [{ exactly: { deviceClassName: 'large.example.com' } }] } } },
  });
  expect(third).toMatchObject({
    spec: {
      spec: {
        devices: {
          requests: [
            {
              exactly: {
                deviceClassName: 'there.example.com',
                capacity: { requests: { memory: '4Gi' } },
                adminAccess: false,
              },
            },
          ],
        },
      },
    },
  });
});

test('pods join a compute domain by its channel', () => {
  const scope = chart();
  const domain = new ComputeDomain(scope, 'train');
  const { spec } = new PodTemplate({
    image: 'x',
    accelerators: Accelerator.nvidia({ count: 4 }),
    parts: [domain.channel],
  }).toPodTemplate();
  new Resource(scope, 'pod', Pod, { metadata: { name: 'pod' }, spec });
  const [made, pod] = Testing.synth(scope);
  expect(made).toEqual({
    apiVersion: 'resource.nvidia.com/v1beta1',
    kind: 'ComputeDomain',
    metadata: { name: 'train', namespace: 'ai-workloads' },
    spec: { numNodes: 0, channel: { resourceClaimTemplate: { name: 'train-channel' } } },
  });
  expect(pod).toMatchObject({
    spec: {
      resourceClaims: [{ name: 'compute-domain-channel', resourceClaimTemplateName: 'train-channel' }],
      containers: [{ resources: { limits: { 'nvidia.com/gpu': 4 }, claims: [{ name: 'compute-domain-channel' }] } }],
    },
  });
});

test('a quota counts devices of a class by a name of its own', () => {
  expect(deviceClassQuota('gpu.nvidia.com')).toBe('gpu.nvidia.com.deviceclass.resource.k8s.io/devices');
});
