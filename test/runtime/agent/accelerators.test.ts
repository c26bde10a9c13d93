import { EXPORTER_VENDORS, readAccelerators } from '../../../src/runtime/agent/devices/accelerators';
import { parseExposition } from '../../../src/runtime/agent/devices/exposition';
import { dcgmText } from './host';

test('samples with escaped labels, exponents, time stamps, and lines that are broken', () => {
  const text = [
    '# TYPE a gauge',
    'a{x="1",y="say \\"hi\\"\\n"} 1.5e3 1700000000000',
    'a 3',
    'a{x="unclosed} 4',
    'a{x=1} 5',
    'a{x="1"} five',
    'b{x="1"} 6',
    'a{} +Inf',
  ].join('\n');
  expect(parseExposition(text, (name) => name === 'a')).toEqual([
    { name: 'a', labels: { x: '1', y: 'say "hi"\n' }, value: 1500 },
    { name: 'a', labels: {}, value: 3 },
    { name: 'a', labels: {}, value: Infinity },
  ]);
});

test('a label __proto__ is a label', () => {
  const [{ labels }] = parseExposition('a{__proto__="x"} 1', () => true);
  expect(Object.keys(labels)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
});

test("GPUs from DCGM's exporter, whose reserved memory is not free", () => {
  const reserved = 'DCGM_FI_DEV_FB_RESERVED{gpu="1",UUID="GPU-1"} 600\n';
  expect(readAccelerators('nvidia', dcgmText([0, 40_000], reserved))).toEqual([
    { index: 0, id: 'GPU-0', busId: '0000:00:00.0', totalMiB: 81_559, usedMiB: 0, utilization: 0 },
    { index: 1, id: 'GPU-1', busId: '0000:10:00.0', totalMiB: 82_159, usedMiB: 40_600, utilization: 0.9 },
  ]);
});

test('names and units of exporter 4.9', () => {
  const text = [
    'DCGM_FI_DEV_FB_USED_BYTES{gpu="0",UUID="GPU-0"} 1073741824',
    'DCGM_FI_DEV_FB_FREE_BYTES{gpu="0",UUID="GPU-0"} 3221225472',
    'DCGM_FI_DEV_GPU_UTIL_RATIO{gpu="0",UUID="GPU-0"} 0.25',
  ].join('\n');
  expect(readAccelerators('nvidia', text)).toEqual([
    { index: 0, id: 'GPU-0', totalMiB: 4096, usedMiB: 1024, utilization: 0.25 },
  ]);
});

test('MIG instances are not whole devices', () => {
  const text = 'DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-0",GPU_I_PROFILE="1g.10gb",GPU_I_ID="7"} 10\n';
  expect(readAccelerators('nvidia', text)).toEqual([]);
});

test.each([
  ['XID_ERRORS', 79, 'XID 79: the GPU has fallen off the bus'],
  ['XID_ERRORS', 31, undefined],
  ['XID_ERRORS', 0, undefined],
  ['ROW_REMAP_FAILURE', 1, 'a row of memory could not be remapped'],
  ['ROW_REMAP_FAILURE', 0, undefined],
])('DCGM_FI_DEV_%s %d', (metric, value, fault) => {
  const [device] = readAccelerators('nvidia', `DCGM_FI_DEV_${metric}{gpu="3",UUID="GPU-3"} ${value}`);
  expect(device).toEqual({ index: 3, id: 'GPU-3', ...(fault === undefined ? {} : { fault }) });
});

test('devices of the other vendors', () => {
  const amd = 'gpu_id="2",serial_number="A1",card_model="MI300X"';
  expect(
    readAccelerators('amd', `gpu_used_vram{${amd}} 1048.576\ngpu_total_vram{${amd}} 206158.43\ngpu_health{${amd}} 0\n`),
  ).toEqual([{ index: 2, id: 'A1', totalMiB: 196_608, usedMiB: 1000, fault: 'gpu_health is 0' }]);
  const gaudi = 'id="1",UUID="01P0-1",device="accel1"';
  expect(
    readAccelerators('gaudi', `habanalabs_memory_used_bytes{${gaudi}} 1048576\nhabanalabs_utilization{${gaudi}} 50\n`),
  ).toEqual([{ index: 1, id: '01P0-1', usedMiB: 1, utilization: 0.5 }]);
  const ascend = 'id="4",model_name="910B",vdie_id="V4"';
  expect(
    readAccelerators(
      'ascend',
      `npu_chip_info_health_status{${ascend}} 1\nnpu_chip_info_hbm_used_memory{${ascend}} 1048.576\n`,
    ),
  ).toEqual([{ index: 4, id: 'V4', usedMiB: 1000 }]);
  const tpu = 'accelerator_id="4804027988914551-2"';
  expect(readAccelerators('tpu', `duty_cycle_node{${tpu}} 75\n`)).toEqual([
    { index: 2, id: '4804027988914551-2', utilization: 0.75 },
  ]);
});

test.each(EXPORTER_VENDORS)('a text of %s that says nothing describes no device', (vendor) => {
  for (const text of ['', '<html>502</html>', '{"json": true}', 'up 1', 'DCGM_FI_DEV_FB_USED{gpu="99999999"} 1']) {
    expect(readAccelerators(vendor, text)).toEqual([]);
  }
});
