/**
 * `runner.yaml` and CDI specifications as files: recognized by what they contain, and read as the runner and the engine read them.
 */
import { type Finding } from '../../../src/checks/report/finding';
import { dockerRules } from '../../../src/constructs/docker/rules';
import { type JsonObject } from '../../../src/facts/api/schema';
import { NODE_FILE, parseFile } from '../../../src/manifests/documents/node-file';
import { findingsOfFile } from '../../support/findings';
import { rulesSurvive } from '../../support/rules-survive';

const kindOf = (text: string, name: string): string | undefined =>
  parseFile(text, name, { skipForeign: 'all' }).manifests[0]?.id.kind;

const findings = (text: string, name: string): readonly Finding[] => findingsOfFile(text, name, dockerRules);

const SPECIFICATION = `cdiVersion: 0.6.0
kind: example.com/accel
devices:
  - name: '0'
    containerEdits: { deviceNodes: [{ path: /dev/accel0, permissions: rw }] }
`;

test.each([
  ['by its name', 'tenants: { a: {} }', 'etc/runner.yaml', 'RunnerConfiguration'],
  ['by its fields', 'tenantSockets: /run/t\nstate: /srv', 'lab.yaml', 'RunnerConfiguration'],
  ['as JSON', '{ "state": "/srv", "keepDays": 3 }', 'lab.json', 'RunnerConfiguration'],
  ['one field is not enough under another name', 'keepDays: 3', 'lab.yaml', undefined],
  ['fields that others have too', 'state: on\nengine: v8', 'lab.yaml', undefined],
  ['the runner of somebody else', 'log: {}\ncache: {}\nstate: x', 'runner.yaml', undefined],
  ['a manifest', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\nkeepDays: 1', 'runner.yaml', 'ConfigMap'],
  ['a CDI specification in YAML', SPECIFICATION, 'nvidia.yaml', 'CdiSpecification'],
  [
    'a protocol with versions of its own',
    '{ "cdiVersion": "0.0.2", "devices": ["0:1:0.0"] }',
    'answer.json',
    undefined,
  ],
  ['a CDI specification in JSON', '{ "cdiVersion": "0.6.0", "kind": "a.com/b" }', 'b.json', 'CdiSpecification'],
])('recognized: %s', (_, text, name, kind) => {
  expect(kindOf(text, name)).toBe(kind);
});

test('every mistake of runner.yaml has its place', () => {
  const text = `tenants:
  alice: { weight: 0, limits: {} }
devices:
  - { cdi: gpu0 }
  - { uuid: GPU-1, mig: [{}] }
listen: { certificate: a.crt, key: a.key }
`;
  expect(findings(text, 'runner.yaml').map(({ message, path, line }) => [message, path, line])).toEqual([
    ['must be a full CDI name such as nvidia.com/gpu=0, not "gpu0"', '/devices/0/cdi', 4],
    ['must have "uuid" and "profile"', '/devices/1/mig/0', 5],
    ['tokens is required', '/listen', 6],
    ['unknown field "limits"', '/tenants/alice/limits', 2],
    ['must be greater than 0', '/tenants/alice/weight', 2],
  ]);
});

test.each<[string, string, readonly string[], string, string]>([
  [
    'a profile of another model',
    'H100',
    ['1g.10gb', '1g.5gb'],
    '/devices/0/mig',
    'an H100-SXM-80GB has no MIG profile 1g.5gb; its profiles are 1g.10gb',
  ],
  ['a model without MIG', 'L40S', ['1g.10gb'], '/devices/0/mig', 'an L40S does not support MIG'],
  ['too many instances', 'H100-SXM-80GB', ['7g.80gb', '7g.80gb'], '/devices/0/mig', '2 × 7g.80gb exceeds the 1'],
  [
    'instances that do not fit together',
    'H100',
    ['3g.40gb', '3g.40gb', '1g.10gb'],
    '/devices/0/mig',
    'the instances need 9 memory slices, but an H100-SXM-80GB has 8',
  ],
  ['a profile that is not one', 'H100', ['small'], '/devices/0/mig/0/profile', 'must be a MIG profile such as 1g.10gb'],
])('%s', (_, model, profiles, path, message) => {
  const found = findings(hostWith(model, profiles), 'runner.yaml');
  expect(found.map((finding) => finding.path)).toEqual([path]);
  expect(found[0].message).toContain(message);
});

test.each<[string, string, readonly string[]]>([
  ['one of several boards', 'A100', ['1g.5gb', '2g.10gb']],
  ['a product name', 'NVIDIA A100-SXM4-40GB', ['3g.20gb', '2g.10gb', '1g.5gb']],
  [
    'compute instances, which divide one instance',
    'A100-SXM4-40GB',
    ['1c.3g.20gb', '1c.3g.20gb', '1c.3g.20gb', '3g.20gb'],
  ],
  ['a variant that the catalog does not list', 'H100', ['1g.10gb+gfx', '4g.40gb']],
  ['a model that the catalog does not have', 'X1', ['1g.99gb']],
])('no finding: MIG instances of %s', (_, model, profiles) => {
  expect(findings(hostWith(model, profiles), 'runner.yaml')).toEqual([]);
});

test('a MIG instance that is stated twice', () => {
  const text = 'devices: [{ uuid: GPU-1, mig: [{ uuid: M, profile: 1g.10gb }, { uuid: M, profile: 1g.10gb }] }]\n';
  expect(findings(text, 'runner.yaml').map(({ message, path }) => [message, path])).toEqual([
    ['duplicate MIG instance "M"', '/devices/0/mig/1/uuid'],
  ]);
});

function hostWith(model: string, profiles: readonly string[]): string {
  const mig = profiles.map((profile, index) => ({ uuid: `MIG-${index}`, profile }));
  return JSON.stringify({ state: '/srv/gantry', devices: [{ uuid: 'GPU-1', model, mig }] });
}

test('files that the runner and the engine read have no findings', () => {
  expect(findings('state: /srv/gantry\ntenants: { alice: { weight: 2 } }\n', 'runner.yaml')).toEqual([]);
  expect(findings(SPECIFICATION, 'accel.yaml')).toEqual([]);
});

test.each<[string, string, string, string]>([
  ['0.6.0', 'latest', '/cdiVersion', 'must be a version'],
  ['example.com/accel', 'accel', '/kind', 'must be a vendor and a class'],
  ["'0'", "'=0'", '/devices/0/name', 'invalid name'],
  ['deviceNodes', 'deviceNode', '/devices/0', 'has no container edits'],
  ['deviceNodes', 'deviceNode', '/devices/0/containerEdits/deviceNode', 'unknown field "deviceNode"'],
  ['path: /dev/accel0, ', '', '/devices/0/containerEdits/deviceNodes/0', 'path must be set'],
  ['permissions: rw', 'permissions: rx', '/devices/0/containerEdits/deviceNodes/0/permissions', 'invalid permissions'],
  ['] }', '], env: [A] }', '/devices/0/containerEdits/env/0', 'the variable must have the form NAME=value'],
  ['] }', '], mounts: [{ hostPath: /a }] }', '/devices/0/containerEdits/mounts/0', 'containerPath must be set'],
  [
    '] }',
    '], hooks: [{ hookName: preStart, path: /a }] }',
    '/devices/0/containerEdits/hooks/0/hookName',
    'unknown hook "preStart"',
  ],
  ['] }', "] }\n  - { name: '0', containerEdits: { env: [A=1] } }", '/devices/1/name', 'duplicate device "0"'],
  ['] }', '] }\n  - accel1', '/devices/1', 'must be an object'],
  ['devices:', 'device:', '', 'devices must be set'],
  [
    '[{ path: /dev/accel0, permissions: rw }]',
    '/dev/accel0',
    '/devices/0/containerEdits/deviceNodes',
    'must be a list',
  ],
  [
    '] }',
    '], mounts: [{ hostPath: /a, containerPath: /a, options: ro }] }',
    '/devices/0/containerEdits/mounts/0/options',
    'must be a list',
  ],
  ['devices:', 'containerEdits: env\ndevices:', '/containerEdits', 'must be an object'],
  ['devices:', 'device:', '/device', 'unknown field "device"'],
])('a CDI specification with %s written as %s', (right, wrong, path, message) => {
  const found = findings(SPECIFICATION.replace(right, wrong), 'accel.yaml');
  expect(found).toContainEqual(
    expect.objectContaining({
      rule: 'docker/cdi-specification-valid',
      path,
      message: expect.stringContaining(message) as string,
    }),
  );
});

test.each(['prestart', 'createRuntime', 'createContainer', 'startContainer', 'poststart', 'poststop'])(
  'a CDI specification may have the hook %s',
  (hook) => {
    const hooks = `], hooks: [{ hookName: ${hook}, path: /usr/bin/nvidia-cdi-hook }] }`;
    expect(findings(SPECIFICATION.replace('] }', hooks), 'accel.yaml')).toEqual([]);
  },
);

test.each([
  "env: ['A=1']",
  'deviceNodes: [{ path: /dev/accel0 }]',
  'hooks: [{ hookName: prestart, path: /a }]',
  'mounts: [{ hostPath: /a, containerPath: /a }]',
  'additionalGids: [1]',
  'intelRdt: { closID: a }',
  'netDevices: [{ hostInterfaceName: eth0, name: eth0 }]',
])('a device of a CDI specification may consist of %s', (edits) => {
  const text = `cdiVersion: 1.1.0\nkind: example.com/accel\ndevices:\n  - name: '0'\n    containerEdits: { ${edits} }\n`;
  expect(findings(text, 'accel.yaml')).toEqual([]);
});

test('files of any content', () => {
  const seeds: readonly JsonObject[] = [
    { tenants: { a: { quota: { gpus: 1 } } }, devices: [{ cdi: 'a/b=0', mig: [{ uuid: 'x' }] }], listen: { port: 1 } },
    { cdiVersion: '0.6.0', kind: 'a.com/b', devices: [{ name: '0', containerEdits: { hooks: [{ path: '/a' }] } }] },
  ];
  rulesSurvive(
    dockerRules,
    seeds.map((seed, index) => ({
      ...seed,
      apiVersion: NODE_FILE,
      kind: ['file/RunnerConfiguration', 'file/CdiSpecification'][index] ?? '',
    })),
  );
});

test('memory without its unit is found, at each place of the file', () => {
  const text =
    'state: /srv\nreserved: { memory: 8 }\ntenants: { a: { quota: { memory: 500m } } }\n' +
    'devices: [{ uuid: GPU-1, memory: 79 }, { uuid: GPU-2, memory: 85899345920 }, { uuid: GPU-3, memory: 79Gi }]\n';
  const found = findings(text, 'runner.yaml');
  expect(found.map(({ path, message }) => [path, message]).sort()).toEqual([
    ['/devices/0/memory', 'must have a unit, such as 64Gi: 79 is less than 1Mi'],
    ['/reserved/memory', 'must have a unit, such as 64Gi: 8 is less than 1Mi'],
    ['/tenants/a/quota/memory', 'must have a unit, such as 64Gi: "500m" is less than 1Mi'],
  ]);
  expect(new Set(found.map(({ fix }) => fix))).toEqual(
    new Set(['Set memory to a quantity with its unit, such as 64Gi.']),
  );
  expect(findings('state: /srv\nreserved: { memory: 0 }\n', 'runner.yaml')).toEqual([]);
});

test('priorities without normal say what to add', () => {
  const [finding] = findings('state: /srv\npriorities: { high: 100 }\n', 'runner.yaml');
  expect(finding.fix).toBe('Add normal: 0 to priorities.');
});
