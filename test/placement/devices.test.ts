import { type Device, type PodTemplate } from '../../src/placement';
import { cluster, gang, node, run, running, template } from './builders';

function devicesFor(
  devices: readonly Device[],
  pod: Partial<PodTemplate>,
  taken: readonly number[] = [],
): readonly number[] | undefined {
  const there = gang('there', Math.max(1, taken.length), template(1));
  const pods = taken.map((device, i) => running('there', 'n', i, { devices: [device] }));
  const gangs = [...(taken.length > 0 ? [there] : []), gang('g', 1, template(0, pod))];
  return run(cluster([node('n', devices.length, { devices })], gangs, pods)).bindings.find(
    (binding) => binding.gang === 'g',
  )?.devices;
}

const island = (name: string, count: number): Device[] => Array.from({ length: count }, () => ({ island: name }));

describe('devices of a node', () => {
  it('takes whole devices from one NVLink island, the smallest that has enough', () => {
    expect(devicesFor([...island('a', 4), ...island('b', 2)], { accelerator: { kind: 'whole', count: 2 } })).toEqual([
      4, 5,
    ]);
    expect(
      devicesFor([...island('a', 4), ...island('b', 4)], { accelerator: { kind: 'whole', count: 3 } }, [0, 1]),
    ).toEqual([4, 5, 6]);
  });

  it('takes them from one NUMA node where there are no islands', () => {
    const numa = [0, 1, 0, 1].map((number): Device => ({ numa: number }));
    expect(devicesFor(numa, { accelerator: { kind: 'whole', count: 2 } }, [0])).toEqual([1, 3]);
  });

  it('spans as few islands as can be when none is enough', () => {
    expect(
      devicesFor([...island('a', 2), ...island('b', 3), ...island('c', 1)], {
        accelerator: { kind: 'whole', count: 5 },
      }),
    ).toEqual([0, 1, 2, 3, 4]);
  });

  it('puts a fraction on the fullest device that still has it', () => {
    const half = (milli: number): PodTemplate => template(0, { accelerator: { kind: 'fraction', milli } });
    const gangs = [gang('a', 1, half(500)), gang('b', 1, half(300)), gang('g', 1, half(400))];
    const pods = [running('a', 'n', 0, { devices: [0] }), running('b', 'n', 0, { devices: [1] })];
    expect(run(cluster([node('n', 3)], gangs, pods)).bindings[0].devices).toEqual([0]);
  });

  it('turns a share of memory into a share of the device it lands on', () => {
    const pod = template(0, { accelerator: { kind: 'memory', mebibytes: 30_000 } });
    const devices = [{ memoryMiB: 80_000 }];
    expect(
      run(cluster([node('n', 1, { devices })], [gang('g', 2, pod)])).bindings.map((binding) => binding.devices),
    ).toEqual([[0], [0]]);
    expect(run(cluster([node('n', 1, { devices })], [gang('g', 3, pod)])).bindings).toHaveLength(0);
  });

  it('serves MIG profiles from instances that exist, and whole devices never from a divided one', () => {
    const devices: Device[] = [{ mig: { '3g.40gb': 2 } }, { mig: { '1g.10gb': 7 } }];
    expect(devicesFor(devices, { accelerator: { kind: 'mig', profile: '3g.40gb', count: 2 } })).toEqual([0, 0]);
    expect(devicesFor(devices, { accelerator: { kind: 'mig', profile: '3g.40gb', count: 3 } })).toBeUndefined();
    expect(devicesFor(devices, { accelerator: { kind: 'whole', count: 1 } })).toBeUndefined();
  });

  it('serves time-sliced replicas only from devices that have some', () => {
    expect(devicesFor([{}, { replicas: 4 }], { accelerator: { kind: 'shared', count: 1 } })).toEqual([1]);
    expect(devicesFor([{}], { accelerator: { kind: 'shared', count: 1 } })).toBeUndefined();
  });

  it('gives nothing from a broken device', () => {
    expect(devicesFor([{ healthy: false }, {}], { accelerator: { kind: 'whole', count: 1 } })).toEqual([1]);
  });

  it('serves a request only from nodes that have devices of that resource', () => {
    const amd = node('amd', 0, {
      allocatable: { cpu: 32_000, memory: 1e12, pods: 50, 'amd.com/gpu': 8 },
      deviceResource: 'amd.com/gpu',
    });
    const asked = gang('g', 1, { request: { cpu: 1000, 'amd.com/gpu': 4 } });
    const decision = run(cluster([node('nvidia', 8), amd], [asked]));
    expect(decision.bindings).toMatchObject([{ node: 'amd', devices: [0, 1, 2, 3] }]);
    expect(decision.queues[0].allocated).toMatchObject({ 'amd.com/gpu': 4 });
    const alone = run(cluster([node('nvidia', 8), { ...amd, ready: false }], [asked]));
    expect(alone.pending[0].blocked).toEqual([
      { constraint: 'devices', detail: 'amd.com/gpu', nodes: 1 },
      { constraint: 'not-ready', nodes: 1 },
    ]);
  });

  it('keeps shares of one vendor off the devices of another', () => {
    const amd = node('amd', 0, {
      allocatable: { cpu: 32_000, memory: 1e12, pods: 50, 'amd.com/gpu': 8 },
      deviceResource: 'amd.com/gpu',
    });
    const half = gang(
      'g',
      1,
      template(0, { accelerator: { kind: 'fraction', milli: 500, resource: 'nvidia.com/gpu' } }),
    );
    expect(run(cluster([amd, node('nvidia', 1)], [half])).bindings).toMatchObject([{ node: 'nvidia' }]);
  });
});
