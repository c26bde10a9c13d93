/**
 * The report on a host: each thing that is missing, with what mends it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultConfiguration } from '../../../src/runtime/docker/configuration';
import { hostFacts } from '../../../src/runtime/docker/preflight/facts';
import { type HostFacts, preflight } from '../../../src/runtime/docker/preflight/preflight';

const GOOD: HostFacts = {
  info: {
    ServerVersion: '29.1.0',
    CgroupVersion: '2',
    CgroupDriver: 'systemd',
    MemoryLimit: true,
    SwapLimit: true,
    CPUSet: true,
    PidsLimit: true,
    Runtimes: { runc: {}, 'io.containerd.runc.v2': {} },
    DefaultRuntime: 'runc',
    CDISpecDirs: ['/etc/cdi', '/var/run/cdi'],
    DiscoveredDevices: [{ Source: 'cdi', ID: 'nvidia.com/gpu=0' }],
    Warnings: null,
  },
  cdi: new Set(['nvidia.com/gpu=0']),
  devices: [{ id: 'GPU-a', cdi: 'nvidia.com/gpu=0' }],
  isLocal: true,
  driver: '580.95.05',
  toolkit: '1.18.0',
  nvidiaOnPci: 1,
  openFiles: 65_536,
  freeBytes: 2 ** 40,
  lockMemory: true,
};

/** Names of what is not ok, with the first words of what mends it. */
function bad(changes: Partial<HostFacts>, info: Partial<HostFacts['info']> = {}): readonly string[] {
  return preflight({ ...GOOD, ...changes, info: { ...GOOD.info, ...info } })
    .filter(({ state }) => state !== 'ok')
    .map(({ name, state, fix = '' }) => `${name} ${state}: ${fix.split(':')[0]}`);
}

test('a host that has everything has nothing to mend', () => {
  expect(bad({})).toEqual([]);
  const none = { devices: [], cdi: new Set<string>(), nvidiaOnPci: 0, driver: undefined, toolkit: undefined };
  expect(bad(none)).toEqual([]);
});

test.each<[string, Partial<HostFacts>, Partial<HostFacts['info']>, readonly string[]]>([
  ['engine 19', {}, { ServerVersion: '19.03.15' }, ['engine version missing: Install Docker Engine 28.3 or later']],
  [
    'engine 27 without CDI',
    {},
    { ServerVersion: '27.5.1', DiscoveredDevices: undefined },
    ['engine version warning: Install Docker Engine 28.3 or later'],
  ],
  [
    'the last engine that lists no CDI devices',
    {},
    { ServerVersion: '28.2.2', DiscoveredDevices: undefined },
    ['engine version warning: Install Docker Engine 28.3 or later'],
  ],
  [
    'the first engine that lists them, without devices',
    {},
    { ServerVersion: '28.3.0', DiscoveredDevices: undefined },
    [],
  ],
  ['a version that is not known', {}, { ServerVersion: 'dev' }, []],
  ['cgroup 1', {}, { CgroupVersion: '1' }, ['cgroup warning: Boot with cgroup version 2']],
  [
    'no swap accounting',
    {},
    { SwapLimit: false },
    [
      'swap accounting warning: Add "cgroup_enable=memory swapaccount=1" to GRUB_CMDLINE_LINUX in /etc/default/grub, run sudo update-grub, and reboot',
    ],
  ],
  [
    'no CPU sets',
    {},
    { CPUSet: false },
    [
      'CPU sets missing: Add "cgroup_enable=cpuset" to GRUB_CMDLINE_LINUX in /etc/default/grub, run sudo update-grub, and reboot',
    ],
  ],
  [
    'devices that the engine cannot give',
    { devices: [{ id: 'GPU-a' }] },
    {},
    ['runtimes missing: Register the NVIDIA runtime', 'devices warning: Write CDI files'],
  ],
  [
    'devices by the NVIDIA runtime',
    { devices: [{ id: 'GPU-a' }] },
    { Runtimes: { runc: {}, nvidia: {} } },
    ['devices warning: Write CDI files'],
  ],
  [
    'a CDI name that does not exist',
    { cdi: new Set() },
    {},
    ['devices missing: Correct the "cdi" names of runner.yaml'],
  ],
  [
    'default runtime nvidia',
    {},
    { DefaultRuntime: 'nvidia' },
    [
      'runtimes warning: Set "default-runtime" to "runc" in /etc/docker/daemon.json, then sudo systemctl restart docker',
    ],
  ],
  ['no driver', { driver: undefined, devices: [], nvidiaOnPci: 2 }, {}, ['NVIDIA driver missing: Install the driver']],
  ['no toolkit', { toolkit: undefined }, {}, ['NVIDIA Container Toolkit missing: Install 1.17.8 or later']],
  ['an unsafe toolkit', { toolkit: '1.16.2' }, {}, ['NVIDIA Container Toolkit missing: Install 1.17.8 or later']],
  ['another host', { isLocal: false, driver: undefined, toolkit: undefined, nvidiaOnPci: 0 }, {}, []],
  ['few files', { openFiles: 1024 }, {}, ['open files warning: Raise it']],
  [
    'a rootless engine',
    {},
    { SecurityOptions: ['name=seccomp,profile=builtin', 'name=rootless'] },
    ['locked memory warning: Set "lockMemory'],
  ],
  ['a full disk', { freeBytes: 1000 }, {}, ['disk missing: Free at least 1 GiB']],
  ['a warning of the engine', {}, { Warnings: ['WARNING: No blkio support'] }, ['engine warning: ']],
])('%s', (_, changes, info, expected) => expect(bad(changes, info)).toEqual(expected));

test.each<[string, string | undefined, boolean, string]>([
  ['no socket', 'ENOENT', true, 'Start the engine: sudo systemctl start docker; to install it'],
  ['no right to it', 'EACCES', true, 'Add yourself to the group of the socket'],
  ['another host', 'ECONNREFUSED', false, 'Correct "engine" in runner.yaml or the variable DOCKER_HOST'],
])('without an engine (%s), what does not depend on it is reported', (_, code, isLocal, fix) => {
  const checks = preflight({
    ...GOOD,
    info: {},
    isLocal,
    engineProblem: { message: '/run/docker.sock: no such socket', code },
    storeProblem: {
      message: 'libsql could not be loaded',
      fix: 'Install it beside Gantry: npm install -g libsql@0.5.29',
    },
    openFiles: 1024,
    toolkit: undefined,
  });
  expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'engine missing',
    'libsql missing',
    ...(isLocal ? ['NVIDIA driver ok', 'NVIDIA Container Toolkit missing'] : []),
    'open files warning',
    'disk ok',
  ]);
  expect(checks[0].found).toBe('no answer: /run/docker.sock: no such socket');
  expect(checks[0].fix?.startsWith(fix)).toBe(true);
  expect(checks[1].fix).toContain('npm install -g libsql');
});

test('a host whose engine does not answer has facts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gantry-preflight-'));
  try {
    const configuration = { ...defaultConfiguration({}, false), engine: `unix://${folder}/none.sock` };
    const facts = await hostFacts(configuration, {});
    expect(facts.engineProblem).toMatchObject({ code: 'ENOENT' });
    expect(preflight(facts)[0]).toMatchObject({ name: 'engine', state: 'missing' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
