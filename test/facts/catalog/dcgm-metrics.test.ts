/**
 * Metrics and XIDs: no name means two things, and the generations differ where DCGM says they do.
 */
import {
  DCGM_GENERATIONS,
  DCGM_METRICS,
  dcgmUnitOf,
  EXPORTER_METRICS,
  findDcgmMetric,
  findXid,
  XIDS,
  XIDS_TO_ACT_ON,
} from '../../../src/facts/catalog';

test('no name belongs to two metrics, and every one is found by each of its names', () => {
  const names = DCGM_METRICS.flatMap((metric) => {
    const own = DCGM_GENERATIONS.map((generation) => metric.names[generation].name);
    return [...new Set([...own, ...metric.aliases])];
  });
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const metric of DCGM_METRICS) {
    for (const { name } of Object.values(metric.names)) {
      expect(findDcgmMetric(name)).toBe(metric);
    }
  }
  const others = EXPORTER_METRICS.map(({ name }) => name);
  expect(others.filter((name, index) => others.indexOf(name) !== index)).toEqual([]);
});

test('a unit that changes takes the name along, so that no name has two units', () => {
  const changed = DCGM_METRICS.filter(({ names }) => names['4.8'].unit !== names['4.9'].unit);
  expect(changed.filter(({ names }) => names['4.8'].name === names['4.9'].name)).toEqual([]);
  // Of the exporter's own list: two clocks, four utilizations, three of memory, energy and NVLink.
  expect(
    changed
      .filter(({ names }) => names['4.8'].on)
      .map(({ key }) => key)
      .sort(),
  ).toEqual([
    'DEC_UTIL',
    'ENC_UTIL',
    'FB_FREE',
    'FB_RESERVED',
    'FB_USED',
    'GPU_UTIL',
    'MEM_CLOCK',
    'MEM_COPY_UTIL',
    'NVLINK_BANDWIDTH_TOTAL',
    'SM_CLOCK',
    'TOTAL_ENERGY_CONSUMPTION',
  ]);
  expect([
    dcgmUnitOf('DCGM_FI_DEV_FB_USED'),
    dcgmUnitOf('DCGM_FI_DEV_FB_USED_BYTES'),
    dcgmUnitOf('DCGM_FI_DEV_FB_USED_PERCENT'),
    dcgmUnitOf('up'),
  ]).toEqual(['MiB', 'bytes', 'ratio', undefined]);
});

test("the exporter's own list has 25 metrics and a label up to 4.8, and the capacity besides from 4.9 on", () => {
  const on = (generation: '4.8' | '4.9'): number => DCGM_METRICS.filter(({ names }) => names[generation].on).length;
  expect([on('4.8'), on('4.9')]).toEqual([26, 27]);
});

test('codes to act on are faults of the hardware', () => {
  expect(XIDS_TO_ACT_ON.map((code) => findXid(code)?.origin)).toEqual(XIDS_TO_ACT_ON.map(() => 'hardware'));
  expect(XIDS_TO_ACT_ON).toEqual(expect.arrayContaining([48, 64, 74, 79, 95, 119, 140]));
  expect(XIDS.filter(({ origin }) => origin === 'application').map(({ code }) => code)).toEqual([
    13, 31, 43, 45, 68, 109,
  ]);
});
