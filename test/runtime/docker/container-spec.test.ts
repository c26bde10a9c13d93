/**
 * What the engine is asked for.
 */
import { containerSpec, type Host } from '../../../src/runtime/docker/runner/container-spec';
import { type HostDevice } from '../../../src/runtime/docker/devices/inventory';
import { next } from '../../../src/runtime/docker/task/life';
import { type Placement, type TaskSpec } from '../../../src/runtime/docker/task/task';
import { PLACE, queued } from './tasks';

function made(
  changes: Partial<TaskSpec>,
  place: Partial<Placement>,
  devices: readonly HostDevice[],
  cdi: readonly string[] = [],
) {
  const task = next(queued(3, changes), { kind: 'place', at: 1, placements: [{ ...PLACE, ...place }] });
  const host: Host = {
    inventory: { name: 'h', devices, cpus: [], memoryBytes: 0 },
    cdi: new Set(cdi),
    runner: 'r',
    lockMemory: true,
  };
  return containerSpec(task, task.members[0], host);
}

const NONE: Partial<Placement> = { devices: [], deviceIds: [] };

test('devices are named one by one, by CDI where the engine knows them and by UUID otherwise, and never counted', () => {
  const cdi = made({}, { deviceIds: ['GPU-a'] }, [{ id: 'GPU-a' }], ['nvidia.com/gpu=GPU-a']);
  expect(cdi.HostConfig.DeviceRequests).toEqual([{ Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=GPU-a'] }]);
  const uuid = made({}, { deviceIds: ['GPU-a'] }, [{ id: 'GPU-a' }]);
  expect(uuid.HostConfig.DeviceRequests).toEqual([
    { Driver: 'nvidia', DeviceIDs: ['GPU-a'], Capabilities: [['gpu', 'compute', 'utility']] },
  ]);
  const mig = made({}, { mig: ['MIG-1'] }, [{ id: 'GPU-a' }], ['nvidia.com/gpu=MIG-1']);
  expect(mig.HostConfig.DeviceRequests).toEqual([{ Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=MIG-1'] }]);
});

test('a container without devices gets none, whatever its task says and the default runtime is', () => {
  const { Env, HostConfig } = made({ env: ['NVIDIA_VISIBLE_DEVICES=all', 'A=1'] }, NONE, []);
  expect(Env).toEqual(expect.arrayContaining(['A=1', 'NVIDIA_VISIBLE_DEVICES=void']));
  expect(Env).not.toContain('NVIDIA_VISIBLE_DEVICES=all');
  expect(HostConfig.DeviceRequests).toBeUndefined();
});

test('memory has no swap beside it, and the container cannot gain privileges or restart itself', () => {
  const { HostConfig } = made({ memoryBytes: 2 ** 30 }, NONE, []);
  expect(HostConfig).toMatchObject({
    Memory: 2 ** 30,
    MemorySwap: 2 ** 30,
    SecurityOpt: ['no-new-privileges'],
    RestartPolicy: { Name: 'no' },
    LogConfig: { Type: 'json-file', Config: { 'max-size': '20m', 'max-file': '3' } },
  });
});

test('CPUs of its own are a set with its memory nodes, and a part of a CPU is a limit', () => {
  expect(made({ cpus: 4 }, { cpus: [4, 5, 6, 9], memoryNodes: [1] }, [{ id: 'gpu-0' }]).HostConfig).toMatchObject({
    CpusetCpus: '4-6,9',
    CpusetMems: '1',
  });
  const limited = made({ cpus: 1.5 }, NONE, []).HostConfig;
  expect(limited).toMatchObject({ NanoCpus: 1_500_000_000 });
  expect(limited.CpusetCpus).toBeUndefined();
});
