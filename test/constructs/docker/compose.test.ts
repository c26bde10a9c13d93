/**
 * Compose files with GPUs, in the forms in which people write them: anchors, merge keys, extension fields, names that are replaced, short and long syntax.
 */
import { type Finding } from '../../../src/checks/report/finding';
import { dockerRules } from '../../../src/constructs/docker/rules';
import { NODE_FILE } from '../../../src/manifests/documents/node-file';
import { parseYaml } from '../../../src/manifests/yaml';
import { findingsOfFile } from '../../support/findings';
import { rulesSurvive } from '../../support/rules-survive';

const findings = (yaml: string): readonly Finding[] => findingsOfFile(yaml, 'compose.yaml', dockerRules);

const rulesOf = (yaml: string): readonly string[] => [...new Set(findings(yaml).map(({ rule }) => rule))].sort();

const reserved = (request: string): string => `services:
  train:
    image: nvcr.io/nvidia/pytorch:25.09-py3
    deploy:
      resources:
        reservations:
          devices: ${request}
`;
const service = (fields: string): string => `services: { train: { image: cuda, ${fields} } }\n`;

test.each([
  ['the form of the documentation', reserved('[{ driver: nvidia, count: 1, capabilities: [gpu] }]')],
  ['devices by id', reserved(`[{ driver: nvidia, device_ids: ['0', 'GPU-5f8ea54c'], capabilities: [gpu] }]`)],
  ['a count in quotes', reserved(`[{ count: '2', capabilities: [gpu, utility] }]`)],
  ['names that Compose replaces', reserved('[{ driver: "${DRIVER:-nvidia}", count: "${GPUS}", capabilities: [gpu] }]')],
  ['CDI by the driver', reserved('[{ driver: cdi, device_ids: [nvidia.com/gpu=0], capabilities: [gpu] }]')],
  ['CDI among the devices', service('devices: ["nvidia.com/gpu=0"]')],
  ['gpus with a request', service('gpus: [{ driver: nvidia, count: 2 }]')],
  ['gpus that Compose replaces', service('gpus: "${GPUS}"')],
  ['the runtime with stated devices', service('runtime: nvidia, environment: [NVIDIA_VISIBLE_DEVICES=0]')],
  ['the runtime, with an environment of a file', service('runtime: nvidia, env_file: .env')],
  ['the runtime of a base', service('runtime: nvidia, extends: { file: base.yaml, service: gpu }')],
  ['a request that an override resets', reserved('[{ count: null, device_ids: ["0"], capabilities: [gpu] }]')],
  [
    'gpus that an override resets',
    service('gpus: !reset null, deploy: { resources: { reservations: { devices: !reset [] } } }'),
  ],
  ['extension fields', reserved('[{ count: 1, capabilities: [gpu], x-note: a }]')],
])('%s passes', (_, yaml) => {
  expect(findings(yaml)).toEqual([]);
  expect(parseYaml(yaml, 'compose.yaml', { skipForeign: 'known' }).manifests[0].id).toMatchObject({
    group: NODE_FILE,
    kind: 'ComposeFile',
    name: 'compose.yaml',
  });
});

test.each([
  [
    'a request that is not in a list',
    reserved('{ driver: nvidia, count: 1, capabilities: [gpu] }'),
    'docker/compose-devices-list',
  ],
  ['a request that is a text', reserved('[nvidia]'), 'docker/compose-devices-list'],
  ['a number for gpus', service('gpus: 1'), 'docker/compose-devices-list'],
  ['another word for gpus', service('gpus: any'), 'docker/compose-devices-list'],
  [
    'count with device_ids',
    reserved('[{ count: 1, device_ids: ["0"], capabilities: [gpu] }]'),
    'docker/compose-count-or-ids',
  ],
  ['no capabilities', reserved('[{ driver: nvidia, count: 1 }]'), 'docker/compose-capabilities-required'],
  [
    'empty capabilities',
    reserved('[{ driver: nvidia, count: 1, capabilities: [] }]'),
    'docker/compose-capabilities-required',
  ],
  ['a count in words', reserved('[{ count: two, capabilities: [gpu] }]'), 'docker/compose-count-valid'],
  ['a negative count', reserved('[{ count: -2, capabilities: [gpu] }]'), 'docker/compose-count-valid'],
  ['a fraction', reserved('[{ count: 0.5, capabilities: [gpu] }]'), 'docker/compose-count-valid'],
  ['a typo', reserved('[{ count: 1, capabilties: [gpu], capabilities: [gpu] }]'), 'docker/compose-request-field-known'],
  [
    'a misspelled driver',
    reserved('[{ driver: nvida, count: 1, capabilities: [gpu] }]'),
    'docker/compose-driver-known',
  ],
  [
    'CDI with a count',
    reserved('[{ driver: cdi, count: 1, capabilities: [gpu] }]'),
    'docker/compose-cdi-devices-named',
  ],
  ['CDI without devices', reserved('[{ driver: cdi, capabilities: [gpu] }]'), 'docker/compose-cdi-devices-named'],
  [
    'CDI with options',
    service('gpus: [{ driver: cdi, device_ids: [a.b/c=d], options: { x: y } }]'),
    'docker/compose-cdi-devices-named',
  ],
  [
    'an index for CDI',
    reserved('[{ driver: cdi, device_ids: ["0"], capabilities: [gpu] }]'),
    'docker/compose-cdi-name-qualified',
  ],
  [
    'a CDI name for nvidia',
    service('gpus: [{ driver: nvidia, device_ids: [nvidia.com/gpu=0] }]'),
    'docker/compose-cdi-name-qualified',
  ],
  ['the runtime without devices', service('runtime: nvidia'), 'docker/compose-runtime-devices-stated'],
  ['all by count', reserved('[{ count: all, capabilities: [gpu] }]'), 'docker/compose-all-devices'],
  ['all by -1', reserved('[{ count: -1, capabilities: [gpu] }]'), 'docker/compose-all-devices'],
  ['all by silence', reserved('[{ driver: nvidia, capabilities: [gpu] }]'), 'docker/compose-all-devices'],
  ['gpus: all', service('gpus: all'), 'docker/compose-all-devices'],
])('%s is reported', (_, yaml, rule) => {
  expect(rulesOf(yaml)).toEqual([rule]);
});

test('two mechanisms in one service are reported, and the device of a list does not count as one', () => {
  expect(
    rulesOf(service('runtime: nvidia, gpus: [{ count: 1 }], environment: { NVIDIA_VISIBLE_DEVICES: "0" }')),
  ).toEqual(['docker/compose-one-gpu-mechanism']);
});

const MERGED = `x-gpu: &gpu
  deploy:
    resources:
      reservations:
        devices:
          - driver: nvidia
            count: 1
            device_ids: ["0"]
            capabilities: [gpu]
x-notes: { gpus: 12 }
services:
  a:
    image: cuda
    <<: *gpu
  b:
    image: cuda
    <<: [*gpu]
  web:
    image: nginx
    deploy: { resources: { limits: { memory: 1G } } }
`;

test('anchors and merge keys are followed, and each finding is at its line', () => {
  expect(findings(MERGED).map(({ path, line }) => [path, line])).toEqual([
    ['/services/a/deploy/resources/reservations/devices/0/count', 7],
    ['/services/b/deploy/resources/reservations/devices/0/count', 7],
  ]);
});

test.each([
  ['without GPUs', 'services: { web: { image: nginx } }\n'],
  ['with devices that are not GPUs', 'services: { web: { image: x, devices: ["/dev/ttyUSB0:/dev/ttyUSB0"] } }\n'],
])('a Compose file %s is left alone', (_, yaml) => {
  const { manifests, skipped } = parseYaml(yaml, 'compose.yaml', { skipForeign: 'known' });
  expect(manifests).toEqual([]);
  expect(skipped).toMatchObject([{ why: 'a Compose file without GPUs' }]);
});

test('a Kubernetes object with services is no Compose file', () => {
  const yaml = 'apiVersion: a.b/v1\nkind: X\nmetadata: { name: x }\nservices: { a: { gpus: 1 } }\n';
  expect(parseYaml(yaml, 'x.yaml', { skipForeign: 'known' }).manifests[0].id.kind).toBe('X');
});

test('files of any content', () => {
  rulesSurvive(
    dockerRules,
    [
      {
        apiVersion: NODE_FILE,
        kind: 'file/ComposeFile',
        services: {
          a: {
            runtime: 'nvidia',
            environment: ['A=1'],
            gpus: [{ driver: 'cdi', device_ids: ['0'] }],
            deploy: { resources: { reservations: { devices: [{ count: 1, capabilities: ['gpu'] }] } } },
          },
        },
      },
    ],
    60,
  );
});
