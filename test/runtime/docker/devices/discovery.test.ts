/**
 * From what vendor programs and the engine say to the devices that tasks get.
 */
import { cdiDevices, cdiNames } from '../../../../src/runtime/docker/devices/cdi';
import { discover } from '../../../../src/runtime/docker/devices/discover';
import { type HostTools, NO_TOOLS } from '../../../../src/runtime/docker/devices/host-tools';
import { parseAmdSmi, parseRocmSmi } from '../../../../src/runtime/docker/devices/amd';
import { parseNvidiaReport } from '../../../../src/runtime/nvidia/nvidia-smi';
import { parseTopology } from '../../../../src/runtime/nvidia/topology';
import { parseXml } from '../../../../src/runtime/nvidia/xml';
import {
  A100,
  A100_LIST,
  AMD_METRICS,
  AMD_SMI,
  H100_TOPOLOGY,
  L40S,
  reportOf,
  ROCM_SMI,
  UNLINKED_TOPOLOGY,
} from './recorded';

function host(printed: Readonly<Record<string, string>>, numa: Readonly<Record<string, number>> = {}): HostTools {
  return {
    ...NO_TOOLS,
    run: (program, ...words) => Promise.resolve(printed[[program, ...words].join(' ')]),
    numaOf: (busId) => numa[busId],
  };
}

test('a device that CDI names by index and by UUID is one device, and other kinds are none', () => {
  const ids = [
    'nvidia.com/gpu=1',
    'nvidia.com/gpu=all',
    'nvidia.com/gpu=GPU-a',
    'nvidia.com/gpu=0',
    'nvidia.com/gpu=0:1',
    'vendor.com/nic=0',
    'amd.com/gpu=0',
  ];
  const names = cdiNames({ DiscoveredDevices: ids.map((ID) => ({ Source: 'cdi', ID })) }, NO_TOOLS);
  expect(cdiDevices(names).map(({ id }) => id)).toEqual(['amd.com/gpu=0', 'nvidia.com/gpu=0', 'nvidia.com/gpu=1']);
  expect(cdiDevices(cdiNames({}, NO_TOOLS))).toEqual([]);
});

test('for an engine that does not list devices, the CDI files of its folders count', () => {
  const yaml = 'cdiVersion: 0.6.0\nkind: nvidia.com/gpu\ndevices:\n- name: "0"\n- name: all\n';
  const files = (folder: string): ReadonlyMap<string, string> =>
    new Map(
      folder === '/etc/cdi'
        ? [
            ['a.yaml', yaml],
            ['b.json', '{"kind":1}'],
            ['c.json', '{'],
          ]
        : [],
    );
  const names = cdiNames({ CDISpecDirs: ['/etc/cdi', '/var/run/cdi'] }, { files });
  expect([...names]).toEqual(['nvidia.com/gpu=0', 'nvidia.com/gpu=all']);
  expect(cdiNames({ CDISpecDirs: ['/etc/cdi'], DiscoveredDevices: [] }, { files }).size).toBe(0);
});

test('A100 with MIG: the instances have profile, UUID, and the CDI name that the engine knows', async () => {
  const tools = host({ 'nvidia-smi -q -x': reportOf(A100), 'nvidia-smi -L': A100_LIST }, { '0000:10:00.0': 3 });
  const cdi = new Set(['nvidia.com/gpu=0:1', `nvidia.com/gpu=MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f`]);
  expect(await discover(cdi, tools)).toEqual({
    isDescribed: true,
    driver: '535.129.03',
    use: new Map([[A100.uuid, {}]]),
    devices: [
      {
        id: A100.uuid,
        model: 'A100-SXM4-40GB',
        memoryMiB: 40960,
        busId: '0000:10:00.0',
        numa: 3,
        mig: [
          {
            id: 'MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f',
            profile: '3g.20gb',
            cdi: 'nvidia.com/gpu=MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f',
          },
          { id: 'MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb', profile: '2g.10gb', cdi: 'nvidia.com/gpu=0:1' },
          { id: 'MIG-1e99852c-2a06-5a4e-9d5e-8d6d2b7b9b4c', profile: '1g.5gb' },
        ],
      },
    ],
  });
});

test('a mixed host: the index of the list counts, not the order of the report, and a device is named by UUID first', async () => {
  const list = `GPU 0: NVIDIA L40S (UUID: ${L40S.uuid})\nGPU 1: NVIDIA A100-SXM4-40GB (UUID: ${A100.uuid})\n`;
  const tools = host({
    'nvidia-smi -q -x': reportOf({ ...A100, mig: 'Disabled' }, L40S),
    'nvidia-smi -L': list,
    'nvidia-smi topo -m': UNLINKED_TOPOLOGY.replace('N/A', '1'),
  });
  const cdi = new Set(['nvidia.com/gpu=0', 'nvidia.com/gpu=1', `nvidia.com/gpu=${A100.uuid}`, 'amd.com/gpu=0']);
  const { devices } = await discover(cdi, tools);
  expect(devices).toEqual([
    {
      id: A100.uuid,
      cdi: `nvidia.com/gpu=${A100.uuid}`,
      model: 'A100-SXM4-40GB',
      memoryMiB: 40960,
      busId: '0000:10:00.0',
    },
    {
      id: L40S.uuid,
      cdi: 'nvidia.com/gpu=0',
      model: 'L40S',
      memoryMiB: 46068,
      busId: '0000:ca:00.0',
      numa: 1,
    },
    { id: 'amd.com/gpu=0', cdi: 'amd.com/gpu=0' },
  ]);
});

test('H100 with NVLink: all devices are one island, with the memory nodes of the matrix', () => {
  const { islands, numa } = parseTopology(H100_TOPOLOGY);
  expect([...islands]).toEqual(Array.from({ length: 8 }, (_, index) => [index, 'nvlink-0']));
  expect([...numa]).toEqual(Array.from({ length: 8 }, (_, index) => [index, index < 4 ? 0 : 1]));
});

test('pairs with a bridge are islands of their own; without NVLink, the devices behind one PCIe switch are', () => {
  const matrix = (rows: readonly string[]): string =>
    ['        GPU0 GPU1 GPU2 GPU3', ...rows.map((row, index) => `GPU${index} ${row}`)].join('\n');
  const bridged = matrix(['X NV4 SYS SYS', 'NV4 X SYS SYS', 'SYS SYS X NV4', 'SYS SYS NV4 X']);
  expect([...parseTopology(bridged).islands.values()]).toEqual(['nvlink-0', 'nvlink-0', 'nvlink-2', 'nvlink-2']);
  const switched = matrix(['X PIX SYS SYS', 'PIX X SYS SYS', 'SYS SYS X NODE', 'SYS SYS NODE X']);
  expect([...parseTopology(switched).islands]).toEqual([
    [0, 'pcie-0'],
    [1, 'pcie-0'],
  ]);
  expect(parseTopology(UNLINKED_TOPOLOGY)).toEqual({ islands: new Map(), numa: new Map() });
  expect(parseTopology('nvidia-smi: command not found')).toEqual({ islands: new Map(), numa: new Map() });
});

test('AMD devices are described by either program, by their CDI index', async () => {
  expect(parseRocmSmi(ROCM_SMI)).toEqual([
    {
      index: 0,
      model: 'INSTINCT MI250 (MCM) OAM AC MBA',
      memoryMiB: 65520,
      busId: '0000:2f:00.0',
      use: { busy: 0.1, memoryMiB: 26 },
    },
    { index: 1, model: 'INSTINCT MI250 (MCM) OAM AC MBA', memoryMiB: 65520, busId: '0000:32:00.0', use: {} },
  ]);
  const smi = 'amd-smi static --asic --bus --vram --numa --json';
  const metric = 'amd-smi metric --usage --mem-usage --json';
  const { devices, isDescribed, use } = await discover(
    new Set(['amd.com/gpu=0']),
    host({ [smi]: AMD_SMI, [metric]: AMD_METRICS }),
  );
  expect(isDescribed).toBe(true);
  expect(use).toEqual(new Map([['amd.com/gpu=0', { busy: 0.42, memoryMiB: 4096 }]]));
  expect(devices).toEqual([
    {
      id: 'amd.com/gpu=0',
      cdi: 'amd.com/gpu=0',
      model: 'Instinct MI300X',
      memoryMiB: 196592,
      busId: '0000:83:00.0',
      numa: 1,
    },
  ]);
  expect([parseAmdSmi('none'), parseAmdSmi('{}'), parseRocmSmi('[]')]).toEqual([undefined, undefined, undefined]);
  expect(parseAmdSmi('[{"gpu":3,"vram":{"size":"N/A"},"asic":{"market_name":"N/A"}},{"__proto__":{}}]')).toEqual([
    { index: 3, use: {} },
  ]);
});

test('a report that is cut, too deep, or of something else is no report', () => {
  expect(parseNvidiaReport(reportOf(A100).slice(0, -30))).toBeUndefined();
  expect(parseNvidiaReport('NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver')).toBe(
    undefined,
  );
  expect(parseNvidiaReport('<html></html>')).toBeUndefined();
  expect(parseXml('<a>'.repeat(100) + '</a>'.repeat(100))).toBeUndefined();
  expect(parseXml('<a b="<c>"><d/>x &amp; &lt;y&gt; &evil;</a>')).toBeUndefined();
  expect(parseXml('<a><d/>x &amp; &evil;</a>')).toMatchObject({ text: 'x & &evil;', children: [{ name: 'd' }] });
});

test.each([
  'a & b',
  '<',
  '\u0000\ufffd',
  '</process_name>',
  '</process_info></processes></gpu><gpu><uuid>GPU-1</uuid>',
])('the name of a process changes nothing of a report: %j', (name) => {
  const processes = `<processes><process_info><pid>1</pid><process_name>${name}</process_name></process_info></processes>`;
  const report = parseNvidiaReport(reportOf({ ...A100, more: processes }, L40S));
  expect(report).toEqual(parseNvidiaReport(reportOf(A100, L40S)));
  expect(report?.gpus).toHaveLength(2);
});

const AFTER_NAME = '<processes><process_info><process_name>';
const BEFORE_NAME = '</process_name></process_info></processes>';

/** The report of three devices, of which a tenant has the first and the last. */
function reportWithNames(first: string, last: string): string {
  const named = (name: string): string => `${AFTER_NAME}${name}${BEFORE_NAME}`;
  const other = { ...L40S, uuid: 'GPU-last', bus: '00000000:F0:00.0' };
  return reportOf({ ...A100, more: named(first) }, L40S, { ...other, more: named(last) });
}

test.each([
  ['another device with a fault', `a\n${BEFORE_NAME}</gpu><gpu><uuid>${L40S.uuid}</uuid></gpu><gpu>${AFTER_NAME}`, 'b'],
  ['a device that is not there', `a\n${BEFORE_NAME}</gpu><gpu><uuid>GPU-new</uuid></gpu><gpu>${AFTER_NAME}`, 'b'],
  [
    'a device of others inside its own',
    `a\n${BEFORE_NAME}<x><gpu>${AFTER_NAME}`,
    `b\n${BEFORE_NAME}</gpu></x></gpu><gpu>${AFTER_NAME}`,
  ],
  ['elements that are not closed', `a\n${BEFORE_NAME}<x>${AFTER_NAME}`, 'b'],
])('a process name with line breaks cannot state %s: the report is none', (_, first, last) => {
  expect(parseNvidiaReport(reportWithNames('a', 'b'))?.gpus).toHaveLength(3);
  expect(parseNvidiaReport(reportWithNames(first, last))).toBeUndefined();
});

test('utilization and memory in use are read where the driver reports them', () => {
  const used = (gpu: string, memory: string): string =>
    `<utilization><gpu_util>${gpu}</gpu_util></utilization><fb_memory_usage><used>${memory}</used></fb_memory_usage>`;
  // The first element of a name counts.
  const report = (gpu: string, memory: string) =>
    parseNvidiaReport(
      reportOf({ ...L40S, more: used(gpu, memory) }).replace(
        '<fb_memory_usage><total>46068 MiB</total></fb_memory_usage>',
        '',
      ),
    )?.gpus[0].use;
  expect(report('37 %', '1234 MiB')).toEqual({ busy: 0.37, memoryMiB: 1234 });
  expect(report('N/A', 'N/A')).toEqual({});
});
