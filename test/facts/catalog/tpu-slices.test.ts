/**
 * Topologies of TPU slices: those that GKE offers, and no others.
 */
import { acceleratorNamed, TPU_SLICES, tpuCountProblem, tpuTopologyProblem } from '../../../src/facts/catalog';

test.each([
  ['TPU-v5e', ['1x1', '2x4', '16x16'], ['3x5', '4x2', '2x2x1', '32x32', '']],
  ['TPU-v6e', ['2x2', '8x16'], ['2x8', '16x8', '2x2x1']],
  ['TPU-v4', ['2x2x1', '2x4x4', '4x4x4', '8x16x16'], ['4x4', '2x2x8', '16x16x32', '4x8x4']],
  ['TPU-v5p', ['2x2x1', '16x16x24'], ['16x16x28', '4x4x6', '1x1x1']],
  ['TPU-v7', ['1x1x1', '2x2x1', '16x24x24'], ['4x4', '3x4x4', '4x4x04', '24x24x24']],
])('%s has %j and not %j', (name, offered, others) => {
  expect(offered.filter((topology) => tpuTopologyProblem(name, topology) !== undefined)).toEqual([]);
  expect(others.filter((topology) => tpuTopologyProblem(name, topology) === undefined)).toEqual([]);
});

test('a problem names the TPU and the choices, by any spelling of the TPU', () => {
  expect(tpuTopologyProblem('tpu-v5-lite-podslice', '3x5')).toBe(
    'topology "3x5" of TPU-v5e must be 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, or 16x16',
  );
  expect(tpuTopologyProblem('ironwood', '3x3x3')).toMatch(/^topology "3x3x3" of TPU-v7 must be .* such as 4x4x8$/);
  expect(tpuTopologyProblem('H100-SXM-80GB', '3x3')).toBeUndefined();
});

test.each([
  ['TPU-v5e', '2x4', 8, undefined],
  ['tpu-v6e-slice', '4x4', 4, undefined],
  ['TPU-v7', '1x1x1', 1, undefined],
  ['v5e', '4x4', 16, 'no node has 16 chips of TPU-v5e: the largest has 8'],
  ['TPU-v4', '2x2x2', 5, 'no node has 5 chips of TPU-v4: the largest has 4'],
  ['TPU-v6e', '2x2', 8, 'a slice of topology 2x2 has 4 chips, not 8'],
  ['TPU-v5e', '1x1', 4, 'a slice of topology 1x1 has 1 chip, not 4'],
  ['H100-SXM-80GB', '2x2', 99, undefined],
])('%s with topology %s and %i chips of a node', (name, topology, count, problem) => {
  expect(tpuCountProblem(name, topology, count)).toBe(problem);
});

test('every TPU of the catalog has slices, and no machine type has more chips than a node', () => {
  for (const [name, { machineTypes, topologies }] of Object.entries(TPU_SLICES)) {
    const { host, vendor } = acceleratorNamed(name);
    expect([name, vendor, topologies.length > 0]).toEqual([name, 'google', true]);
    expect(Math.max(...Object.values(machineTypes))).toBe(host?.devices);
  }
});
