/**
 * What a finding tells the reader to write: a value that the server accepts.
 */
import { type JsonValue } from '../../../src/facts/api/schema';
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf } from '../../support/findings';
import { type Json, minimalPod, yaml } from './valid';

type Said = readonly [message: string, fix: string | undefined];

function saidOf(rule: string, manifest: Json): readonly Said[] {
  return findingsOf(yaml(manifest), coreRules)
    .filter((finding) => finding.rule === rule)
    .map(({ message, fix }) => [message, fix]);
}

const podWith = (container: Json, spec: Json = {}): Json => ({
  ...minimalPod(),
  spec: { ...spec, containers: [{ name: 'main', image: 'img', ...container }] },
});

describe('a mount of an unknown volume', () => {
  const mounts = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const volume = (name: string): Json => ({ name, emptyDir: {} });

  test.each([
    ['the volumes of the pod', ['logs', 'models'], 'Set volumeMounts[0].name to logs or models.'],
    ['no volume with an invalid name', ['..', 'logs'], 'Set volumeMounts[0].name to logs.'],
    ['a volume to add', ['..'], 'Set volumeMounts[0].name to the name of a volume in spec.volumes.'],
  ])('proposes %s', (_what, volumes, fix) => {
    expect(saidOf('core/volume-mount-has-volume', podWith(mounts, { volumes: volumes.map(volume) }))).toEqual([
      ['the container "main" mounts the unknown volume "data"', fix],
    ]);
  });
});

test.each([
  ['1500m', 'must be an integer', 'Set limits["nvidia.com/gpu"] to an integer.'],
  [
    '99999999999999999999',
    'must be less than or equal to 9223372036854775',
    'Set limits["nvidia.com/gpu"] to a number less than or equal to 9223372036854775.',
  ],
])('%s GPUs: %s', (amount, requirement, fix) => {
  expect(
    saidOf('core/resource-amount-valid', podWith({ resources: { limits: { 'nvidia.com/gpu': amount } } })),
  ).toEqual([[`the limit of nvidia.com/gpu ${requirement}`, fix]]);
});

test.each<readonly [Record<string, JsonValue>, string, string]>([
  [{}, 'but none is', 'Set bool, int, string, or version in attributes.index.'],
  [{ int: 1, string: 'a' }, 'but int and string are', 'Keep int or string in attributes.index, and remove the other.'],
])('an attribute of a device %j', (attribute, found, fix) => {
  const slice = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 'slice' },
    spec: {
      driver: 'gpu.nvidia.com',
      nodeName: 'n',
      pool: { name: 'n', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu-0', attributes: { index: attribute } }],
    },
  };
  expect(saidOf('core/resource-slice-valid', slice)).toEqual([
    [`exactly one of bool, int, string, and version must be set, ${found}`, fix],
  ]);
});

test('ports of Endpoints without names', () => {
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'web' },
    subsets: [
      {
        addresses: [{ ip: '10.0.0.1' }],
        ports: [
          { name: '', port: 80 },
          { name: 'b', port: 81 },
        ],
      },
    ],
  };
  expect(saidOf('core/endpoints-valid', endpoints)).toEqual([
    ['ports[0].name must be set when the subset has more than one port', 'Set ports[0].name.'],
  ]);
});

test('parameters of a driver that are no object', () => {
  const deviceClass = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'gpu' },
    spec: { config: [{ opaque: { driver: 'gpu.nvidia.com', parameters: 1 } }] },
  };
  expect(saidOf('core/device-class-valid', deviceClass)).toEqual([
    [
      'the parameters must be an object',
      'Set opaque.parameters to an object in the format that the driver defines, such as one with apiVersion and kind.',
    ],
  ]);
});

test('a target without an API version', () => {
  const autoscaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
  };
  expect(saidOf('core/autoscaler-target-valid', autoscaler)).toEqual([
    [
      'scaleTargetRef.apiVersion must be set',
      'Set scaleTargetRef.apiVersion to the apiVersion of the target, such as apps/v1.',
    ],
  ]);
});

test('a number in the place of a name', () => {
  const claim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: 'c' },
    spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 0 } }] } },
  };
  expect(saidOf('core/device-request-valid', claim)).toEqual([
    [
      'exactly.deviceClassName must be a string',
      'Set exactly.deviceClassName to a device class such as gpu.nvidia.com.',
    ],
  ]);
});

test('the fields of a schema that an expression can select', () => {
  const number = { type: 'integer' };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { size: number, 'max-size': number },
                  'x-kubernetes-validations': [{ rule: 'self.sise > 1' }],
                },
              },
            },
          },
        },
      ],
    },
  };
  expect(saidOf('core/crd-schema-structural', definition)).toEqual([
    [
      'the rule selects the undefined field "sise"',
      'Replace "sise" in x-kubernetes-validations[0].rule with size or max__dash__size.',
    ],
  ]);
});
