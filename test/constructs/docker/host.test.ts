/**
 * docker.Host: the runner and the engine read what it writes.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart, Duration, Size } from 'cdk8s';
import { Accelerator, docker, synthesize } from '../../../src';
import { isObject } from '../../../src/manifests/read';
import { parseValue } from '../../../src/manifests/yaml';
import { SYSTEM_CONFIGURATION, type RunnerConfiguration } from '../../../src/planning/runner-settings/settings';
import { systemdUnit } from '../../../src/planning/runner-settings/systemd-unit';
import { configurationOf, defaultConfiguration } from '../../../src/runtime/docker/configuration';
import { cdiNames } from '../../../src/runtime/docker/devices/cdi';

let app: App;
let chart: Chart;
beforeEach(() => {
  app = new App();
  chart = new Chart(app, 'lab');
});

const textOf = (host: docker.Host, path: string): string =>
  host.documents.find((document) => document.path === path)?.toText() ?? '';

/** What the runner makes of the file. */
function readByRunner(host: docker.Host): RunnerConfiguration {
  const parsed = parseValue(textOf(host, '/etc/gantry-docker/runner.yaml'), 'runner.yaml');
  if ('problem' in parsed || !isObject(parsed.value)) {
    throw new Error('must be an object');
  }
  return configurationOf(parsed.value, '/etc/gantry-docker/runner.yaml', defaultConfiguration({}, true));
}

const nvidia = (count: number): Accelerator => Accelerator.nvidia({ count });

test('the runner reads each setting as it was stated', () => {
  const host = new docker.Host(chart, 'dgx-1', {
    runner: {
      state: '/srv/gantry',
      socket: '/run/gantry-docker/admin.sock',
      tenantSockets: '/run/gantry-docker/tenants',
      listen: { address: '10.0.0.5', port: 9443, certificate: 'tls.crt', key: '/etc/tls.key', tokens: 'tokens' },
      engine: 'unix:///var/run/docker.sock',
      tenants: {
        alice: { weight: 2, quota: { accelerators: [nvidia(2), Accelerator.amd({ count: 1 })], cpu: '1500m' } },
        bob: { limit: { accelerators: nvidia(0), memory: Size.gibibytes(256) } },
        carol: {},
      },
      priorities: { normal: 0, urgent: 50 },
      reserved: { cpu: 2, memory: '8Gi' },
      devices: [
        { cdi: 'nvidia.com/gpu=0', model: 'H100-SXM-80GB', memory: '79Gi', numa: 0, island: 'a' },
        { uuid: 'GPU-1', mig: [{ uuid: 'MIG-1', profile: '1g.10gb' }] },
      ],
      keep: Duration.hours(36),
      lockMemory: false,
      devicePoll: Duration.minutes(1),
    },
  });
  expect(readByRunner(host)).toEqual({
    state: '/srv/gantry',
    socket: '/run/gantry-docker/admin.sock',
    tenantSockets: '/run/gantry-docker/tenants',
    listen: {
      address: '10.0.0.5',
      port: 9443,
      certificate: '/etc/gantry-docker/tls.crt',
      key: '/etc/tls.key',
      tokens: '/etc/gantry-docker/tokens',
    },
    engine: 'unix:///var/run/docker.sock',
    tenants: [
      { name: 'alice', weight: 2, quota: { gpus: 3, cpus: 1.5 } },
      { name: 'bob', weight: 1, limit: { gpus: 0, memoryBytes: 256 * 2 ** 30 } },
      { name: 'carol', weight: 1 },
    ],
    priorities: new Map([
      ['normal', 0],
      ['urgent', 50],
    ]),
    reserved: { cpus: 2, memoryBytes: 8 * 2 ** 30 },
    devices: [
      {
        id: 'nvidia.com/gpu=0',
        cdi: 'nvidia.com/gpu=0',
        model: 'H100-SXM-80GB',
        memoryMiB: 79 * 1024,
        numa: 0,
        island: 'a',
      },
      { id: 'GPU-1', mig: [{ id: 'MIG-1', profile: '1g.10gb' }] },
    ],
    keepDays: 1.5,
    lockMemory: false,
    devicePollSeconds: 60,
  });
});

test('without settings, the runner has its own defaults, and the unit is that of `gantry docker install`', () => {
  const host = new docker.Host(chart, 'dgx-1');
  expect(readByRunner(host)).toEqual(SYSTEM_CONFIGURATION);
  expect(host.documents.map(({ path }) => path)).toEqual([
    '/etc/docker/daemon.json',
    '/etc/gantry-docker/runner.yaml',
    '/etc/systemd/system/gantry-docker.service',
  ]);
  const config = '/etc/gantry-docker/runner.yaml';
  expect(textOf(host, '/etc/systemd/system/gantry-docker.service')).toBe(
    systemdUnit({ node: '/usr/bin/node', command: '/usr/bin/gantry', config }),
  );
});

test('programs and the daemon are those that are stated', () => {
  const program = { node: '/opt/node/bin/node', gantry: '/opt/node/bin/gantry' };
  const one = new docker.Host(chart, 'one', { program, daemon: { nvidiaRuntime: false } });
  expect(textOf(one, '/etc/systemd/system/gantry-docker.service')).toContain(
    'ExecStart=/opt/node/bin/node /opt/node/bin/gantry docker serve --config /etc/gantry-docker/runner.yaml\n',
  );
  expect(JSON.parse(textOf(one, '/etc/docker/daemon.json'))).not.toHaveProperty('runtimes');
  const two = new docker.Host(chart, 'two', { daemon: false });
  expect(two.documents.map(({ path }) => path)).not.toContain('/etc/docker/daemon.json');
});

test('a CDI specification names the devices that state what a container gets, and passes the checks', () => {
  const accelerator = (index: number): docker.RunnerDevice => ({
    cdi: `example.com/accel=${index}`,
    container: {
      deviceFiles: [`/dev/accel${index}`],
      mounts: ['/opt/driver'],
      env: { ACCEL_VISIBLE: `${index}` },
    },
  });
  const host = new docker.Host(chart, 'dgx-1', {
    runner: { devices: [accelerator(0), accelerator(1), { cdi: 'nvidia.com/gpu=0' }] },
  });
  const path = '/etc/cdi/example.com-accel.json';
  const specification = textOf(host, path);
  expect(cdiNames({ CDISpecDirs: ['/etc/cdi'] }, { files: () => new Map([[path, specification]]) })).toEqual(
    new Set(['example.com/accel=0', 'example.com/accel=1']),
  );
  expect(JSON.parse(specification)).toMatchObject({
    cdiVersion: '0.6.0',
    kind: 'example.com/accel',
    devices: [
      {
        name: '0',
        containerEdits: {
          deviceNodes: [{ path: '/dev/accel0' }],
          mounts: [{ hostPath: '/opt/driver', containerPath: '/opt/driver' }],
          env: ['ACCEL_VISIBLE=0'],
        },
      },
      { name: '1' },
    ],
  });
  expect(synthesize(app).report.findings).toEqual([]);
});

test.each<[string, docker.HostProps, string]>([
  ['a tenant', { runner: { tenants: { Alice: { weight: 0 } } } }, 'tenants.Alice: names must consist of lowercase'],
  [
    'all mistakes together',
    { runner: { tenants: { A: { weight: 0 } } } },
    '; tenants.A.weight: must be greater than 0',
  ],
  ['priorities without normal', { runner: { priorities: { urgent: 5 } } }, 'priorities: must include "normal"'],
  ['a time between polls', { runner: { devicePoll: Duration.hours(2) } }, 'devicePollSeconds: must be a number from 1'],
  ['a device without a name', { runner: { devices: [{ model: 'H100' }] } }, 'devices[0]: must have "cdi"'],
  [
    'a MIG profile that the model does not have',
    { runner: { devices: [{ uuid: 'GPU-1', model: 'H100', mig: [{ uuid: 'MIG-1', profile: '1g.5gb' }] }] } },
    'devices[0].mig: cannot be the instances of one H100: an H100-SXM-80GB has no MIG profile 1g.5gb; its profiles are 1g.10gb',
  ],
  [
    'MIG instances in a quota',
    { runner: { tenants: { a: { quota: { accelerators: Accelerator.mig({ profile: '1g.10gb', count: 1 }) } } } } },
    'tenants.a.quota: nvidia.com/mig-1g.10gb must not be set',
  ],
  [
    'a CDI specification without a name',
    { runner: { devices: [{ uuid: 'GPU-1', container: { deviceFiles: ['/dev/a'] } }] } },
    'devices[0].cdi must be a full CDI name',
  ],
  [
    'a CDI specification that nvidia-ctk writes',
    { runner: { devices: [{ cdi: 'nvidia.com/gpu=0', container: { deviceFiles: ['/dev/nvidia0'] } }] } },
    'Run `nvidia-ctk cdi generate`',
  ],
  [
    'a device with nothing in the container',
    { runner: { devices: [{ cdi: 'a.com/b=0', container: {} }] } },
    'devices[0].container must set deviceFiles, mounts, or env',
  ],
  [
    'a relative path',
    { runner: { devices: [{ cdi: 'a.com/b=0', container: { mounts: ['lib'] } }] } },
    '"lib" must be an absolute path',
  ],
])('%s is refused', (_, props, message) => {
  expect(() => new docker.Host(chart, 'host', props)).toThrow(message);
});

test('the checks read what overrides add, as the runner would', () => {
  new docker.Host(chart, 'dgx-1', { overrides: { tenant: {}, reserved: { memory: 'much' } } });
  const { findings } = synthesize(app, { onErrors: 'return' }).report;
  expect(findings).toMatchObject([
    {
      rule: 'docker/runner-settings-valid',
      object: 'v1 ConfigMap dgx-1',
      path: '/data/etc_gantry-docker_runner.yaml',
      message: 'tenant: unknown field "tenant"',
      expected: 'tenants',
    },
    { message: 'reserved.memory: must be a quantity such as 64Gi', found: 'much' },
  ]);
});

test('the files of several hosts are written beside each other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-host-'));
  try {
    const files = ['one', 'two'].flatMap((name) => new docker.Host(chart, name).write(folder));
    expect(files.map((file) => file.slice(folder.length))).toEqual(
      ['one', 'two'].flatMap((name) => [
        `/node-files/${name}/etc/docker/daemon.json`,
        `/node-files/${name}/etc/gantry-docker/runner.yaml`,
        `/node-files/${name}/etc/systemd/system/gantry-docker.service`,
        `/node-files/${name}/ROLL-OUT.txt`,
      ]),
    );
    expect(readFileSync(files[3], 'utf8')).toContain('  systemctl enable --now gantry-docker\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('overrides are merged member by member', () => {
  const tenants = { alice: { weight: 2 } };
  const host = new docker.Host(chart, 'dgx-1', {
    runner: { tenants },
    overrides: { tenants: { alice: { limit: { gpus: 1 } } } },
  });
  expect(readByRunner(host).tenants).toEqual([{ name: 'alice', weight: 2, limit: { gpus: 1 } }]);
});
