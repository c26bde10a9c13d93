import { parseCapacityReport } from '../../../src/placement/nodes/capacity-report';
import { type AcceleratorState } from '../../../src/runtime/agent/devices/accelerators';
import { type Throttling } from '../../../src/runtime/agent/host/cgroups';
import { type RdmaPort } from '../../../src/runtime/agent/host/infiniband';
import { allocatedDevices } from '../../../src/runtime/agent/judge/allocated';
import { CapacityReporter } from '../../../src/runtime/agent/judge/capacity';
import { type Expected, Judge } from '../../../src/runtime/agent/judge/conditions';
import { type DevicePlugins, type PluginSocket } from '../../../src/runtime/agent/kubelet/device-plugins';
import { type KubeletDevice } from '../../../src/runtime/agent/kubelet/pod-resources';
import { type Observation } from '../../../src/runtime/agent/observation';

const at = Date.UTC(2026, 0, 1);
const seen = (members: Partial<Observation> = {}): Observation => ({ at, failures: [], ...members });

/** Status and reason of one condition after each observation; `-` where it is not reported. */
function statuses(type: string, observations: readonly Observation[], expected?: Partial<Expected>): readonly string[] {
  const judge = new Judge({ devices: new Map(), ...expected });
  return observations.map((observation) => {
    const found = judge.judge(observation).find((condition) => condition.type === type);
    return found === undefined ? '-' : `${found.status} ${found.reason}`;
  });
}

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);
const gpus = (count: number): readonly KubeletDevice[] =>
  Array.from({ length: count }, (_, index) => ({ resource: 'nvidia.com/gpu', id: `GPU-${index}`, numaNodes: [0] }));
const kubelet = (count: number): Observation => seen({ kubelet: { allocatable: gpus(count), pods: [] } });
const eight = { devices: new Map([['nvidia.com/gpu', 8]]) };

describe('AcceleratorsMissing', () => {
  test('7 of 8 devices are a problem after two observations, and 8 are none after two', () => {
    expect(
      statuses('AcceleratorsMissing', [kubelet(8), kubelet(7), kubelet(7), kubelet(8), kubelet(8)], eight),
    ).toEqual([
      'False AllDevicesPresent',
      'False AllDevicesPresent',
      'True DevicesMissing',
      'True DevicesMissing',
      'False AllDevicesPresent',
    ]);
  });

  test('the message counts the devices, and those on the bus', () => {
    const judge = new Judge(eight);
    const pci = { accelerators: [{ address: '0000:17:00.0', vendor: 'nvidia' as const }], nvSwitches: 0 };
    judge.judge(seen({ ...kubelet(7), pci }));
    expect(judge.judge(seen({ ...kubelet(7), pci }))[0].message).toBe(
      '7 of 8 nvidia.com/gpu are allocatable; the PCI bus has 1',
    );
  });

  describe('says what the sockets of device plugins explain', () => {
    const with7 = (plugins: Partial<DevicePlugins>): Observation =>
      seen({ ...kubelet(7), plugins: { kubeletAnswers: true, sockets: [], ...plugins } });
    const socket = (name: string, answers = true): PluginSocket => ({ name, answers });
    const last = (...all: readonly Observation[]): string => {
      const judge = new Judge(eight);
      const [{ reason, message }] = all.map((observation) => judge.judge(observation)).at(-1)!;
      return `${reason}: ${message.replace('7 of 8 nvidia.com/gpu are allocatable; ', '')}`;
    };
    const up = with7({ sockets: [socket('nvidia.sock'), socket('rdma.sock')] });

    test.each<readonly [string, readonly Observation[], string]>([
      [
        'the kubelet',
        [with7({ kubeletAnswers: false })],
        'KubeletNotServing: the kubelet does not accept registrations of device plugins',
      ],
      [
        'a plugin that ended',
        [with7({ sockets: [socket('nvidia.sock', false)] })],
        'DevicePluginDown: no program listens on nvidia.sock',
      ],
      [
        'a plugin that vanished',
        [up, with7({ sockets: [socket('rdma.sock')] })],
        'DevicePluginDown: nvidia.sock has vanished',
      ],
      [
        'a plugin that is back',
        [up, with7({ sockets: [socket('rdma.sock')] }), up],
        'DevicesMissing: 7 of 8 nvidia.com/gpu are allocatable',
      ],
      [
        'a plugin that is back under another name',
        [
          up,
          with7({ sockets: [socket('rdma.sock')] }),
          with7({ sockets: [socket('rdma.sock'), socket('nvidia-2.sock')] }),
        ],
        'DevicesMissing: 7 of 8 nvidia.com/gpu are allocatable',
      ],
      ['no plugin at all', [with7({})], 'DevicePluginDown: no device plugin has a socket'],
      [
        'a plugin that did not register',
        [with7({ sockets: [socket('nvidia.sock')], registered: new Map([['rdma/hca', 8]]) })],
        'DevicePluginNotRegistered: no plugin has registered nvidia.com/gpu with the kubelet',
      ],
      [
        'many',
        [with7({ sockets: ['a', 'b', 'c', 'd', 'e'].map((name) => socket(name, false)) })],
        'DevicePluginDown: no program listens on a, b, c and 2 more',
      ],
    ])('%s', (_, observations, expected) => {
      // Twice: one sample is no finding.
      expect(last(...observations, observations.at(-1)!)).toBe(expected);
    });

    test('sockets alone are no finding', () => {
      const fine = seen({ ...kubelet(8), plugins: { kubeletAnswers: false, sockets: [socket('x', false)] } });
      expect(statuses('AcceleratorsMissing', [fine, fine, fine], eight).at(-1)).toBe('False AllDevicesPresent');
    });
  });

  test('is not reported where nothing is expected, and unknown where the kubelet does not answer', () => {
    expect(statuses('AcceleratorsMissing', [kubelet(0)])).toEqual(['-']);
    const silent = seen({ failures: [{ source: 'kubelet', message: 'no answer' }] });
    expect(statuses('AcceleratorsMissing', [silent], eight)).toEqual(['Unknown SourceFailed']);
  });
});

describe('AcceleratorUnhealthy', () => {
  const device = (fault?: string): Observation => seen({ accelerators: [{ index: 3, ...(fault && { fault }) }] });

  test('a fault is a problem at once, and gone after three observations without it', () => {
    const observations = [device(), device('XID 79'), device(), device(), device()];
    expect(statuses('AcceleratorUnhealthy', observations)).toEqual([
      'False NoFaults',
      'True DeviceFault',
      'True DeviceFault',
      'True DeviceFault',
      'False NoFaults',
    ]);
  });

  test('the message names the device', () => {
    expect(new Judge({ devices: new Map() }).judge(device('XID 79'))[0]).toMatchObject({ message: 'device 3: XID 79' });
  });

  test('an exporter that does not answer is unknown, and no exporter is no condition', () => {
    const silent = seen({ failures: [{ source: 'accelerators', message: 'refused' }] });
    expect(statuses('AcceleratorUnhealthy', [silent, seen()])).toEqual(['Unknown SourceFailed', '-']);
  });
});

describe('RdmaDegraded', () => {
  const port = (state: string, counters: Readonly<Record<string, number>> = {}): RdmaPort => ({
    device: 'mlx5_0',
    port: 1,
    state,
    linkLayer: 'InfiniBand',
    counters,
  });
  const rdma = (...ports: readonly RdmaPort[]): Observation => seen({ rdma: ports });

  test('a port that goes down is a problem, also when its device disappears', () => {
    const [up, down] = [rdma(port('ACTIVE')), rdma(port('DOWN'))];
    expect(statuses('RdmaDegraded', [up, down, down])[2]).toBe('True PortDown');
    expect(statuses('RdmaDegraded', [up, rdma(), rdma()])[2]).toBe('True PortDown');
  });

  test('a port that never had a link is none, unless the node must have it', () => {
    const down = times(3, rdma(port('DOWN')));
    expect(statuses('RdmaDegraded', down)[2]).toBe('False PortsHealthy');
    expect(statuses('RdmaDegraded', down, { rdmaPorts: 1 })[2]).toBe('True PortsMissing');
    expect(statuses('RdmaDegraded', [rdma()])).toEqual(['-']);
  });

  test('errors that increase are a problem; congestion and old errors are not', () => {
    const counted = (counters: Readonly<Record<string, number>>): Observation => rdma(port('ACTIVE', counters));
    const growing = [5, 6, 7].map((count) => counted({ symbol_error: count }));
    expect(statuses('RdmaDegraded', growing)[2]).toBe('True PortErrors');
    expect(statuses('RdmaDegraded', times(3, counted({ symbol_error: 5 })))[2]).toBe('False PortsHealthy');
    const busy = [5, 6000, 70_000].map((count) => counted({ port_xmit_wait: count }));
    expect(statuses('RdmaDegraded', busy)[2]).toBe('False PortsHealthy');
  });
});

describe('CpuThrottled', () => {
  const uid = 'a'.repeat(8);
  const cpu = (periods: number, throttled: number, name = 'main'): Observation => {
    const throttling = new Map<string, Throttling>([[name, { periods, throttled, throttledSeconds: 0 }]]);
    return seen({
      cgroups: { version: 2, pods: [{ uid, throttling, memory: { max: 0, oomKills: 0 }, pressure: {} }] },
      podNames: new Map([[uid, { namespace: 'research', name: 'trainer-0' }]]),
    });
  };

  test('counts what happened since the last observation, three times in a row', () => {
    const observations = [0, 1, 2, 3].map((step) => cpu(1000 + step * 100, 900 + step * 40));
    expect(statuses('CpuThrottled', observations)).toEqual([
      'False LittleThrottling',
      'False LittleThrottling',
      'False LittleThrottling',
      'True CpuLimitReached',
    ]);
    const judge = new Judge({ devices: new Map() });
    const messages = observations.map((observation) => judge.judge(observation).at(-1)?.message);
    expect(messages[3]).toBe('CPU limits throttle containers: research/trainer-0 in 40% of the periods');
  });

  test('the limit is a quarter of the periods', () => {
    const steps = (throttled: number): readonly Observation[] =>
      [0, 1, 2, 3].map((step) => cpu(step * 100, step * throttled));
    expect(statuses('CpuThrottled', steps(24))[3]).toBe('False LittleThrottling');
    expect(statuses('CpuThrottled', steps(25))[3]).toBe('True CpuLimitReached');
  });

  test('a container that was started again, or that hardly ran, says nothing', () => {
    expect(statuses('CpuThrottled', [cpu(1000, 900), cpu(50, 50), cpu(60, 60), cpu(70, 70)])[3]).toBe(
      'False LittleThrottling',
    );
  });
});

test('MemoryPressureStalled follows the whole node, with two limits of time', () => {
  const stall = { avg10: 0, avg60: 0, avg300: 0, totalSeconds: 0 };
  const memory = (full: number): Observation =>
    seen({ pressure: { memory: { some: stall, full: { ...stall, avg60: full } } } });
  const observations = [memory(0.09), memory(0.1), memory(0.1), ...times(6, memory(0))];
  expect(statuses('MemoryPressureStalled', observations)).toEqual([
    'False NoStalls',
    'False NoStalls',
    ...times(6, 'True MemoryStall'),
    'False NoStalls',
  ]);
});

describe('the capacity report', () => {
  const device = (usedMiB: number, utilization = 0): AcceleratorState => ({
    index: 0,
    totalMiB: 80_000,
    usedMiB,
    utilization,
  });

  test('is what the placement core reads', () => {
    const text = new CapacityReporter().report([device(30_000, 0.456), { index: 1 }], at) ?? '';
    expect(parseCapacityReport(text)).toEqual({
      at,
      devices: new Map([
        [0, { freeMemoryMiB: 50_000, utilization: 0.46 }],
        [1, { freeMemoryMiB: undefined, utilization: undefined }],
      ]),
    });
  });

  test('does not follow small changes, and is renewed in time', () => {
    const reporter = new CapacityReporter();
    const first = reporter.report([device(10_000, 0.5)], at);
    expect(reporter.report([device(13_999, 0.69)], at + 10_000)).toBe(first);
    const second = reporter.report([device(14_000, 0.5)], at + 20_000);
    expect(second).not.toBe(first);
    expect(reporter.report([device(14_000, 0.71)], at + 30_000)).not.toBe(second);
    const third = reporter.report([device(14_000, 0.71)], at + 269_999);
    expect(parseCapacityReport(third ?? '')?.at).toBe(at + 30_000);
    expect(parseCapacityReport(reporter.report([device(14_000, 0.71)], at + 270_000) ?? '')?.at).toBe(at + 270_000);
  });

  test('stays what it was when the exporter is gone, so that it becomes stale', () => {
    const reporter = new CapacityReporter();
    expect(reporter.report(undefined, at)).toBeUndefined();
    const text = reporter.report([device(0)], at);
    expect(reporter.report(undefined, at + 999_999)).toBe(text);
  });
});

describe('the devices of pods', () => {
  const uid = 'b'.repeat(8);
  const observation = (ids: readonly string[]): Observation =>
    seen({
      accelerators: [0, 1].map((index) => ({ index, id: `GPU-${index}` })),
      podNames: new Map([[uid, { namespace: 'research', name: 'trainer-0' }]]),
      kubelet: {
        allocatable: gpus(2),
        pods: [
          {
            namespace: 'research',
            name: 'trainer-0',
            devices: ids.map((id) => ({ resource: 'nvidia.com/gpu', id, numaNodes: [] })),
          },
          { namespace: 'other', name: 'without-uid', devices: gpus(1) },
        ],
      },
    });

  test('are indexes by resource and pod, in the order of the kubelet', () => {
    expect(JSON.parse(allocatedDevices(observation(['GPU-1', 'GPU-0'])) ?? '')).toEqual({
      'nvidia.com/gpu': { [uid]: [1, 0] },
    });
  });

  test('of two pods that had one name, the one that runs has them', () => {
    const [before, after] = ['00000000-0000-0000-0000-000000000001', '99999999-9999-9999-9999-999999999999'];
    const name = { namespace: 'research', name: 'trainer-0' };
    const both = new Map([before, uid, after].map((one) => [one, name]));
    const running = (...uids: readonly string[]): Observation['cgroups'] => ({
      version: 2,
      pods: uids.map((one) => ({ uid: one, throttling: new Map(), memory: { max: 0, oomKills: 0 }, pressure: {} })),
    });
    const given = observation(['GPU-1']);
    expect(allocatedDevices({ ...given, podNames: both, cgroups: running(uid, 'other') })).toBe(
      `{"nvidia.com/gpu":{"${uid}":[1]}}`,
    );
    expect(allocatedDevices({ ...given, podNames: both, cgroups: running(before) })).toBe(
      `{"nvidia.com/gpu":{"${before}":[1]}}`,
    );
    expect(allocatedDevices({ ...given, podNames: both })).toBe('{}');
    expect(allocatedDevices({ ...given, podNames: both, cgroups: running(uid, after) })).toBe('{}');
    // The folder of the new pod may not be there yet.
    expect(allocatedDevices({ ...given, cgroups: running('other') })).toBe('{}');
  });

  test('half of the devices of a pod are not reported', () => {
    expect(allocatedDevices(observation(['GPU-1', 'MIG-7']))).toBe('{}');
  });

  test('without the kubelet or the exporter there is no statement', () => {
    expect(allocatedDevices({ ...observation([]), kubelet: undefined })).toBeUndefined();
    expect(allocatedDevices({ ...observation([]), accelerators: undefined })).toBeUndefined();
    expect(allocatedDevices({ ...observation([]), accelerators: [] })).toBeUndefined();
  });
});
