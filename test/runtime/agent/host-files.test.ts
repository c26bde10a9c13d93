import { parsePressure } from '../../../src/runtime/agent/host/pressure';
import { CONTAINER_ID, cpuStat, HostFolder, pciDevice, POD_UID, pressure, rdmaPort, unifiedPod } from './host';

let host: HostFolder;
beforeEach(() => (host = new HostFolder()));
afterEach(() => host.remove());

test('a pod of cgroup v2 with the systemd driver', () => {
  const cgroups = host.write(unifiedPod(100, 40)).files.cgroups.read();
  expect(cgroups).toEqual({
    version: 2,
    pods: [
      {
        uid: POD_UID,
        throttling: new Map([
          [`cri-containerd-${CONTAINER_ID}.scope`, { periods: 100, throttled: 40, throttledSeconds: 2 }],
        ]),
        memory: { max: 4, oomKills: 1 },
        memoryBytes: 1_048_576,
        pressure: {
          memory: {
            some: { avg10: 0.125, avg60: 0.125, avg300: 0, totalSeconds: 1.5 },
            full: { avg10: 0.025, avg60: 0.025, avg300: 0, totalSeconds: 0.5 },
          },
        },
      },
    ],
  });
});

test('pods of cgroup v2 with the cgroupfs driver, in every quality-of-service class', () => {
  const uids = ['11111111-aaaa', '22222222-bbbb', '33333333-cccc'];
  host.write({
    'sys/fs/cgroup/cgroup.controllers': 'cpu',
    [`sys/fs/cgroup/kubepods/pod${uids[0]}/cpu.stat`]: cpuStat(10, 1),
    [`sys/fs/cgroup/kubepods/burstable/pod${uids[1]}/cpu.stat`]: cpuStat(20, 2),
    [`sys/fs/cgroup/kubepods/besteffort/pod${uids[2]}/${CONTAINER_ID}/cpu.stat`]: cpuStat(30, 3),
    // A folder that looks like a container of something else.
    [`sys/fs/cgroup/kubepods/besteffort/pod${uids[2]}/init.scope/cpu.stat`]: cpuStat(99, 99),
    'sys/fs/cgroup/system.slice/podman.service/cpu.stat': cpuStat(99, 99),
  });
  const { pods = [] } = host.files.cgroups.read() ?? {};
  expect(
    pods.map(({ uid, throttling }) => [uid, [...throttling].map(([name, { throttled }]) => [name, throttled])]),
  ).toEqual([
    [uids[0], [['pod', 1]]],
    [uids[1], [['pod', 2]]],
    [uids[2], [[CONTAINER_ID, 3]]],
  ]);
});

test('a pod of cgroup v1 is put together from its controllers', () => {
  const pod = `kubepods/burstable/pod${POD_UID}`;
  host.write({
    [`sys/fs/cgroup/cpu/${pod}/cpu.stat`]: 'nr_periods 50\nnr_throttled 25\nthrottled_time 3000000000\n',
    [`sys/fs/cgroup/memory/${pod}/memory.oom_control`]: 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n',
    [`sys/fs/cgroup/memory/${pod}/memory.failcnt`]: '7\n',
    [`sys/fs/cgroup/memory/${pod}/memory.usage_in_bytes`]: '4096\n',
  });
  expect(host.files.cgroups.read()).toEqual({
    version: 1,
    pods: [
      {
        uid: POD_UID,
        throttling: new Map([['pod', { periods: 50, throttled: 25, throttledSeconds: 3 }]]),
        memory: { max: 7, oomKills: 3 },
        memoryBytes: 4096,
        pressure: {},
      },
    ],
  });
});

test('a host without cgroups, pressure, RDMA, or pods has none', async () => {
  expect(host.files.cgroups.read()).toBeUndefined();
  expect(host.files.pressure()).toEqual({});
  expect(await host.files.rdma.read()).toEqual([]);
  expect(host.files.pci.read()).toEqual({ accelerators: [], nvSwitches: 0 });
  expect(await host.files.podNames()).toEqual(new Map());
});

test('pressure of the node; CPU has no full line in old kernels', () => {
  host.write({ 'proc/pressure/memory': pressure(40, 10), 'proc/pressure/cpu': pressure(5, 0).split('\n')[0] });
  expect(host.files.pressure()).toEqual({
    cpu: { some: { avg10: 0.05, avg60: 0.05, avg300: 0, totalSeconds: 1.5 } },
    memory: {
      some: { avg10: 0.4, avg60: 0.4, avg300: 0, totalSeconds: 1.5 },
      full: { avg10: 0.1, avg60: 0.1, avg300: 0, totalSeconds: 0.5 },
    },
  });
  expect(parsePressure('some avg10=NaN')).toBeUndefined();
});

test('RDMA ports with their counters, and those of a driver without counters', async () => {
  host.write({
    ...rdmaPort('mlx5_0', { counters: { port_xmit_wait: 12, symbol_error: 1 } }),
    'sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent': '5\n',
    'sys/class/infiniband/rxe0/ports/1/state': '1: DOWN\n',
    'sys/class/infiniband/rxe0/ports/junk/state': '4: ACTIVE\n',
  });
  expect(await host.files.rdma.read()).toEqual([
    {
      device: 'mlx5_0',
      port: 1,
      state: 'ACTIVE',
      linkLayer: 'InfiniBand',
      gigabitsPerSecond: 400,
      counters: { symbol_error: 1, link_downed: 0, port_xmit_wait: 12, np_cnp_sent: 5 },
    },
    { device: 'rxe0', port: 1, state: 'DOWN', linkLayer: 'unknown', counters: {} },
  ]);
});

test('accelerators of all vendors on the PCI bus, without their neighbors', () => {
  host.write({
    ...pciDevice('0000:17:00.0', '0x10de', '0x030200'),
    // The NVSwitch and the audio function of the same vendor.
    ...pciDevice('0000:18:00.0', '0x10de', '0x068000'),
    ...pciDevice('0000:19:00.1', '0x10de', '0x040300'),
    ...pciDevice('0000:2f:00.0', '0x1002', '0x120000', 1),
    ...pciDevice('0000:33:00.0', '0x1da3', '0x120000'),
    ...pciDevice('0000:3d:00.0', '0x19e5', '0x120000', -1),
    ...pciDevice('0000:40:00.0', '0x1d0f', '0x088000'),
    ...pciDevice('0000:41:00.0', '0x1d0f', '0x020000'),
    ...pciDevice('0000:50:00.0', '0x1ae0', '0x120000'),
    'sys/bus/pci/devices/0000:50:00.0/device': '0x0063\n',
    // The network adapter of the same cloud.
    ...pciDevice('0000:51:00.0', '0x1ae0', '0x020000'),
    'sys/bus/pci/devices/0000:51:00.0/device': '0x0042\n',
  });
  expect(host.files.pci.read().accelerators).toEqual([
    { address: '0000:17:00.0', vendor: 'nvidia', numaNode: 0 },
    { address: '0000:2f:00.0', vendor: 'amd', numaNode: 1 },
    { address: '0000:33:00.0', vendor: 'gaudi', numaNode: 0 },
    { address: '0000:3d:00.0', vendor: 'ascend' },
    { address: '0000:40:00.0', vendor: 'neuron', numaNode: 0 },
    { address: '0000:50:00.0', vendor: 'tpu', numaNode: 0 },
  ]);
});

test('names of pods, and folders that are no pods', async () => {
  host.write({
    [`var/log/pods/research_trainer-0_${POD_UID}/x`]: '',
    'var/log/pods/README': '',
    'var/log/pods/a_b/x': '',
  });
  expect(await host.files.podNames()).toEqual(new Map([[POD_UID, { namespace: 'research', name: 'trainer-0' }]]));
});

test('a file is read up to a bound, and a folder in place of a file is nothing', async () => {
  host.write({ long: 'x'.repeat(300_000), 'folder/file': '1' });
  expect((await host.root.text('long'))?.length).toBe(262_144);
  expect(await host.root.text('folder')).toBeUndefined();
  expect(await host.root.number('long')).toBeUndefined();
});
