/**
 * From the files of a host and `nvidia-smi` to the annotation, and from the annotation to the devices that the placement core counts.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { nodeOf } from '../../../src/planning/cluster/objects';
import { type Device } from '../../../src/placement';
import { NvidiaToolReader } from '../../../src/runtime/agent/devices/nvidia-tool';
import { deviceTopology } from '../../../src/runtime/agent/judge/topology';
import { type Observation } from '../../../src/runtime/agent/observation';
import { A100, A100_LIST, H100_TOPOLOGY, reportOf, UNLINKED_TOPOLOGY } from '../docker/devices/recorded';
import { HostFolder, kfdNode, pciDevice } from './host';

let host: HostFolder;
beforeEach(() => (host = new HostFolder()));
afterEach(() => host.remove());

const GPU = 'nvidia.com/gpu';
const kubelet = (resource: string, ids: readonly string[], numa: readonly number[] = []): Observation['kubelet'] => ({
  allocatable: ids.map((id) => ({ resource, id, numaNodes: numa })),
  pods: [],
});

async function topology(more: Partial<Observation> = {}): Promise<unknown> {
  const pci = host.files.pci.read();
  const xgmi = await host.files.xgmi.read();
  const text = deviceTopology({ at: 0, failures: [], pci, xgmi, ...more });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** Eight H100s, four at each NUMA node. */
const H100_UUIDS = Array.from({ length: 8 }, (_, index) => `GPU-${index}`);
const h100Report = (): string =>
  reportOf(
    ...H100_UUIDS.map((uuid, index) => ({
      uuid,
      bus: `00000000:${index + 1}0:00.0`,
      model: 'NVIDIA H100 80GB HBM3',
      memory: '81559 MiB',
    })),
  );
const h100List = H100_UUIDS.map((uuid, index) => `GPU ${index}: NVIDIA H100 80GB HBM3 (UUID: ${uuid})\n`).join('');

const reader = (printed: Readonly<Record<string, string>>, now = () => 0): NvidiaToolReader =>
  new NvidiaToolReader((...words) => Promise.resolve(printed[words.join(' ')] ?? ''), now);

describe('what the annotation says', () => {
  test('nothing about a node without devices', async () => {
    expect(await topology()).toBeUndefined();
  });

  test('NVIDIA GPUs without nvidia-smi: NUMA nodes from the PCI bus, and one island where there are NVSwitches', async () => {
    host.write({
      ...pciDevice('0000:17:00.0', '0x10de', '0x030200', 0),
      ...pciDevice('0000:ca:00.0', '0x10de', '0x030200', 1),
    });
    expect(await topology()).toEqual({
      [GPU]: [
        { index: 0, numa: 0 },
        { index: 1, numa: 1 },
      ],
    });
    host.write(pciDevice('0000:07:00.0', '0x10de', '0x068000', 0));
    expect(await topology()).toEqual({
      [GPU]: [
        { index: 0, numa: 0, island: 'nvlink-0' },
        { index: 1, numa: 1, island: 'nvlink-0' },
      ],
    });
  });

  test('where the firmware names no NUMA node, the device plugin may', async () => {
    host.write(pciDevice('0000:17:00.0', '0x10de', '0x030200', -1));
    const accelerators = [{ index: 0, id: 'GPU-a', busId: '0000:17:00.0' }];
    expect(await topology({ accelerators, kubelet: kubelet(GPU, ['GPU-a'], [3]) })).toEqual({
      [GPU]: [{ index: 0, numa: 3 }],
    });
    expect(await topology({ accelerators, kubelet: kubelet(GPU, ['GPU-a'], [0, 1]) })).toEqual({
      [GPU]: [{ index: 0 }],
    });
  });

  test('nvidia-smi knows the links: eight H100s are one island', async () => {
    const nvidia = await reader({ '-q -x': h100Report(), '-L': h100List, 'topo -m': H100_TOPOLOGY }).read();
    expect(await topology({ nvidia, kubelet: kubelet(GPU, H100_UUIDS.slice(0, 7)) })).toEqual({
      [GPU]: H100_UUIDS.map((_, index) => ({
        index,
        numa: index < 4 ? 0 : 1,
        island: 'nvlink-0',
        ...(index === 7 ? { available: false } : {}),
      })),
    });
  });

  test('a device plugin that calls devices by their index does not make them unavailable', async () => {
    const nvidia = await reader({ '-q -x': h100Report(), '-L': h100List, 'topo -m': UNLINKED_TOPOLOGY }).read();
    const { [GPU]: devices } = (await topology({ nvidia, kubelet: kubelet(GPU, ['0', '1']) })) as JsonObject;
    expect(JSON.stringify(devices)).not.toContain('available');
    expect(JSON.stringify(devices)).not.toContain('island');
  });

  test('MIG instances by profile', async () => {
    const nvidia = await reader({ '-q -x': reportOf(A100), '-L': A100_LIST }).read();
    expect(await topology({ nvidia })).toEqual({
      [GPU]: [{ index: 0, mig: { '1g.5gb': 1, '2g.10gb': 1, '3g.20gb': 1 } }],
    });
  });

  test("AMD's GPUs that XGMI connects, over others too, are one island", async () => {
    const addresses = ['0000:0c:00.0', '0000:22:00.0', '0000:38:00.0', '0000:5c:00.0'];
    addresses.forEach((address, index) => host.write(pciDevice(address, '0x1002', '0x120000', index < 2 ? 0 : 1)));
    host.write({
      ...kfdNode(0, { gpu: false }),
      ...kfdNode(1, {
        bus: 0x0c,
        links: [
          [11, 2],
          [2, 0],
        ],
      }),
      ...kfdNode(2, {
        bus: 0x22,
        links: [
          [11, 1],
          [11, 3],
        ],
      }),
      ...kfdNode(3, { bus: 0x38, links: [[11, 2]] }),
      ...kfdNode(4, {
        bus: 0x5c,
        links: [
          [2, 0],
          [2, 1],
        ],
      }),
    });
    expect(await topology({ kubelet: kubelet('amd.com/gpu', addresses.slice(1)) })).toEqual({
      'amd.com/gpu': [
        { index: 0, numa: 0, island: 'xgmi-0', available: false },
        { index: 1, numa: 0, island: 'xgmi-0' },
        { index: 2, numa: 1, island: 'xgmi-0' },
        { index: 3, numa: 1 },
      ],
    });
  });
});

describe('nvidia-smi', () => {
  test('is asked for states once a minute, and for links when MIG changes or after ten minutes', async () => {
    const asked: string[] = [];
    let [now, mig] = [0, 'Disabled' as 'Disabled' | 'Enabled'];
    const tool = new NvidiaToolReader(
      (...words) => {
        asked.push(words.join(' '));
        return Promise.resolve(words[0] === '-q' ? reportOf({ ...A100, mig }) : A100_LIST);
      },
      () => now,
    );
    const layout = ['-q -x', '-L', 'topo -m', 'nvlink --status'];
    const after = async (seconds: number): Promise<readonly string[]> => {
      now += seconds * 1000;
      asked.length = 0;
      await tool.read();
      return [...asked];
    };
    expect(await after(0)).toEqual(layout);
    expect(await after(59)).toEqual([]);
    expect(await after(1)).toEqual(['-q -x']);
    mig = 'Enabled';
    expect(await after(60)).toEqual(layout);
    expect(await after(540)).toEqual(['-q -x']);
    expect(await after(60)).toEqual(layout);
  });

  test('a broken driver fails every read, and is not taken for the state of a minute ago', async () => {
    let printed = reportOf(A100);
    let now = 0;
    const tool = new NvidiaToolReader(
      () => Promise.resolve(printed),
      () => now,
    );
    expect((await tool.read()).gpus).toHaveLength(1);
    printed = 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.';
    now = 60_000;
    await expect(tool.read()).rejects.toThrow('nvidia-smi -q -x printed something that is not a report');
    await expect(tool.read()).rejects.toThrow('nvidia-smi -q -x printed something that is not a report');
    printed = reportOf(A100);
    expect((await tool.read()).gpus).toHaveLength(1);
  });

  test('two reads at once run it once', async () => {
    let runs = 0;
    const tool = new NvidiaToolReader(
      (...words) => {
        runs += words[0] === '-q' ? 1 : 0;
        return Promise.resolve(reportOf(A100));
      },
      () => 0,
    );
    await Promise.all([tool.read(), tool.read()]);
    expect(runs).toBe(1);
  });
});

describe('what the placement core counts with', () => {
  const describe8 = (entry: (index: number) => object = () => ({})): string =>
    JSON.stringify({ [GPU]: Array.from({ length: 8 }, (_, index) => ({ index, ...entry(index) })) });
  const devicesWith = (report: string, allocatable: JsonObject = { [GPU]: '8' }): readonly Device[] | undefined =>
    nodeOf({
      metadata: {
        name: 'n',
        labels: { 'nvidia.com/gpu.product': 'NVIDIA-H100-80GB-HBM3', 'nvidia.com/gpu.count': '8' },
        annotations: { 'gantry.dev/device-topology': report },
      },
      status: { allocatable },
    }).devices;

  test('NUMA nodes and islands of the report, with model and memory of the labels', () => {
    const devices = devicesWith(describe8((index) => ({ numa: index < 4 ? 0 : 1, island: `pcie-${index >> 1}` })));
    expect(devices?.map(({ numa, island }) => `${numa} ${island}`)).toEqual([
      '0 pcie-0',
      '0 pcie-0',
      '0 pcie-1',
      '0 pcie-1',
      '1 pcie-2',
      '1 pcie-2',
      '1 pcie-3',
      '1 pcie-3',
    ]);
    expect(devices?.[7]).toEqual({ model: 'H100-SXM-80GB', memoryMiB: 81559, numa: 1, island: 'pcie-3' });
  });

  test('a device that the kubelet does not offer keeps its index', () => {
    const report = describe8((index) => (index === 2 ? { available: false } : {}));
    const devices = devicesWith(report, { [GPU]: '7' });
    expect(devices?.map(({ healthy }) => healthy ?? true).indexOf(false)).toBe(2);
    expect(devices).toHaveLength(8);
  });

  test('MIG instances are where they are, and not spread evenly', () => {
    const report = JSON.stringify({
      [GPU]: [{ index: 0, mig: { '1g.10gb': 7 } }, { index: 1, mig: { '3g.40gb': 2 } }, { index: 2 }],
    });
    const allocatable = { [GPU]: '1', 'nvidia.com/mig-1g.10gb': '7', 'nvidia.com/mig-3g.40gb': '2' };
    expect(devicesWith(report, allocatable)?.map(({ mig }) => mig)).toEqual([
      { '1g.10gb': 7 },
      { '3g.40gb': 2 },
      undefined,
    ]);
  });

  test.each<readonly [string, string, JsonObject]>([
    ['fewer devices than the kubelet offers', describe8(), { [GPU]: '16' }],
    ['whole devices where there are instances', describe8(), { 'nvidia.com/mig-1g.10gb': '56' }],
    ['instances that the report does not have', describe8(), { [GPU]: '8', 'nvidia.com/mig-1g.10gb': '7' }],
    ['another resource', JSON.stringify({ 'amd.com/gpu': [{ index: 0 }] }), { [GPU]: '1' }],
    ['an index twice', JSON.stringify({ [GPU]: [{ index: 0 }, { index: 0 }] }), { [GPU]: '2' }],
    ['a gap', JSON.stringify({ [GPU]: [{ index: 0 }, { index: 2 }] }), { [GPU]: '2' }],
    ['a negative NUMA node', JSON.stringify({ [GPU]: [{ index: 0, numa: -1 }] }), { [GPU]: '1' }],
    ['an island that is no text', JSON.stringify({ [GPU]: [{ index: 0, island: {} }] }), { [GPU]: '1' }],
    ['a profile of no form', JSON.stringify({ [GPU]: [{ index: 0, mig: { __proto__x: 1 } }] }), { [GPU]: '1' }],
    ['no JSON', '{', { [GPU]: '1' }],
    ['a list', '[]', { [GPU]: '1' }],
    ['null', 'null', { [GPU]: '1' }],
    ['a text that is too long', `${' '.repeat(300_000)}${describe8()}`, { [GPU]: '8' }],
  ])('a report with %s does not count', (_, report, allocatable) => {
    expect(devicesWith(report, allocatable)).toEqual(devicesWith('', allocatable));
  });
});
