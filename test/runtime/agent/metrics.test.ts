/**
 * What an observation becomes on the page of metrics, without the program around it.
 */
import { Metrics } from '../../../src/runtime/agent/metrics';
import { readAccelerators } from '../../../src/runtime/agent/devices/accelerators';
import { type Observation } from '../../../src/runtime/agent/observation';
import { parseNvidiaReport } from '../../../src/runtime/nvidia/nvidia-smi';
import { HostFolder } from './host';

const metrics = new Metrics();

async function shown(observation: Partial<Observation>, named: string): Promise<readonly string[]> {
  metrics.see({ at: 0, failures: [], ...observation }, [], []);
  const { text } = await metrics.page();
  return text.split('\n').filter((line) => line.startsWith(`gantry_node_${named}`));
}

const stall = (avg60: number) => ({ avg10: 0, avg60, avg300: 0, total: 0 });

test('huge pages, of the host and of each NUMA node, free and used', async () => {
  const host = new HostFolder().write({
    'sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '512\n',
    'sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages': '100\n',
    'sys/devices/system/node/node1/hugepages/hugepages-1048576kB/nr_hugepages': '4\n',
    'sys/devices/system/node/node1/hugepages/hugepages-1048576kB/free_hugepages': '4\n',
  });
  try {
    expect(await shown({ hugepages: host.files.hugepages.read() }, 'hugepages')).toEqual([
      'gantry_node_hugepages{size="2048",numa_node="",state="free"} 100',
      'gantry_node_hugepages{size="2048",numa_node="",state="used"} 412',
      'gantry_node_hugepages{size="1048576",numa_node="1",state="free"} 4',
      'gantry_node_hugepages{size="1048576",numa_node="1",state="used"} 0',
    ]);
  } finally {
    host.remove();
  }
});

test('pressure of the node is shown always, that of a pod from 1 %', async () => {
  const pod = (uid: string, some: number): NonNullable<Observation['cgroups']>['pods'][number] => ({
    uid,
    throttling: new Map(),
    memory: { oomKills: 0 } as never,
    pressure: { io: { some: stall(some), full: stall(0) } } as never,
  });
  const observation: Partial<Observation> = {
    pressure: { cpu: { some: stall(0) }, memory: { some: stall(0.25), full: stall(0.125) } } as never,
    cgroups: { pods: [pod('a', 0.01), pod('b', 0.009)] } as never,
    podNames: new Map([['a', { namespace: 'research', name: 'train-0' }]]),
  };

  expect(await shown(observation, 'pressure_ratio')).toEqual([
    'gantry_node_pressure_ratio{resource="cpu",kind="some"} 0',
    'gantry_node_pressure_ratio{resource="memory",kind="some"} 0.25',
    'gantry_node_pressure_ratio{resource="memory",kind="full"} 0.125',
  ]);
  expect(await shown(observation, 'pod_pressure_ratio')).toEqual([
    'gantry_node_pod_pressure_ratio{namespace="research",pod="train-0",resource="io",kind="some"} 0.01',
  ]);
});

test('a throttled device and its NVLinks, and neither when they are gone', async () => {
  const gpu = { index: 0, totalMiB: 1024, usedMiB: 24, throttled: ['hw_thermal_slowdown', 'sw_power_cap'] };
  const observation = {
    accelerators: [gpu],
    nvidia: { gpus: [{ state: gpu, activeLinks: 17 }, { state: { index: 1 } }], topology: {} as never },
  };

  expect(await shown(observation, 'accelerator_throttled')).toEqual([
    'gantry_node_accelerator_throttled{index="0",reason="hw_thermal_slowdown"} 1',
    'gantry_node_accelerator_throttled{index="0",reason="sw_power_cap"} 1',
  ]);
  expect(await shown(observation, 'accelerator_active_nvlinks')).toEqual([
    'gantry_node_accelerator_active_nvlinks{index="0"} 17',
  ]);
  expect(await shown({ accelerators: [{ index: 0 }] }, 'accelerator_throttled')).toEqual([]);
  expect(await shown({}, 'accelerator_active_nvlinks')).toEqual([]);
});

test('uncorrectable memory errors make a device unhealthy: by the exporter, and by nvidia-smi', async () => {
  const dcgm = (errors: number): string =>
    `DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-1"} 4\nDCGM_FI_DEV_ECC_DBE_VOL_TOTAL{gpu="0",UUID="GPU-1"} ${errors}\n`;
  expect(await shown({ accelerators: readAccelerators('nvidia', dcgm(0)) }, 'accelerator_healthy')).toEqual([
    'gantry_node_accelerator_healthy{index="0"} 1',
  ]);
  expect(await shown({ accelerators: readAccelerators('nvidia', dcgm(2)) }, 'accelerator_healthy')).toEqual([
    'gantry_node_accelerator_healthy{index="0"} 0',
  ]);
  expect(parseNvidiaReport('')).toBeUndefined();
});
