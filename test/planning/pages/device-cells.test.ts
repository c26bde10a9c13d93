/**
 * Cells of devices: physical devices with their parts, each part with who holds it.
 */
import * as fc from 'fast-check';
import {
  type ClusterView,
  type ViewDeviceKind,
  type ViewNode,
  type ViewPod,
} from '../../../src/planning/cluster/view/view';
import { cellsOf, spansOf } from '../../../src/planning/pages/client/device-cells';
import { everyVendor } from '../../support/scenes';
import { samples } from '../../support/samples';

function nodeOf(
  kind: Partial<ViewDeviceKind>,
  devices: number,
  pods: readonly Partial<ViewPod>[],
): [ClusterView, ViewNode] {
  const node = { devices: Array.from({ length: devices }, () => 0), pods } as unknown as ViewNode;
  return [{ deviceKinds: [{ resource: 'example.com/gpu', ...kind }], nodes: [node] } as unknown as ClusterView, node];
}

/** Who holds each part of each cell. */
function holders(cells: ReturnType<typeof cellsOf>): readonly (readonly string[])[] {
  return cells.map(({ slots }) => slots.map(({ pod }) => pod?.name ?? ''));
}

test('a whole device is one part, used or free', () => {
  const cells = cellsOf(...nodeOf({}, 2, [{ name: 'a', devices: [1] }]));
  expect(holders(cells)).toEqual([[''], ['a']]);
  expect(cells.map(({ span }) => span)).toEqual([1, 1]);
});

test('shares of a device are stacked, and the rest of it is free', () => {
  const [cell] = cellsOf(
    ...nodeOf({}, 1, [
      { name: 'half', devices: [0], share: 500 },
      { name: 'quarter', devices: [0], share: 250 },
    ]),
  );
  expect(cell.slots.map(({ pod, y, height }) => [pod?.name, y, height])).toEqual([
    ['half', 0.5, 0.5],
    ['quarter', 0.25, 0.25],
    [undefined, 0, 0.25],
  ]);
});

test('MIG instances are beside each other, each as wide as its slices, and pods are on instances of their profile', () => {
  const [cell] = cellsOf(
    ...nodeOf({ mig: { '1g.10gb': 2, '3g.40gb': 1 } }, 1, [
      { name: 'small', devices: [0], profile: '1g.10gb' },
      { name: 'large', devices: [0], profile: '3g.40gb' },
    ]),
  );
  expect(cell.slots.map(({ pod, width }) => [pod?.name, Math.round(width * 7)])).toEqual([
    ['large', 3],
    ['small', 1],
    [undefined, 1],
  ]);
  expect(cell.span).toBe(2);
});

test('replicas of a shared device are parts of one size, and a pod may hold several', () => {
  const [cell] = cellsOf(
    ...nodeOf({ replicas: 4 }, 1, [
      { name: 'two', devices: [0, 0], share: 250 },
      { name: 'one', devices: [0], share: 250 },
    ]),
  );
  expect(holders([cell])).toEqual([['two', 'two', 'one', '']]);
  expect(new Set(cell.slots.map(({ width, height }) => `${width} ${height}`)).size).toBe(1);
});

test.each([
  ['CPX/NPS4', 8, 2, [4, 2]],
  ['QPX/NPS1', 4, 1, [2, 2]],
  ['TPX/NPS1', 3, 1, [3, 1]],
  ['DPX/NPS1', 2, 1, [2, 1]],
])('partitions of an AMD GPU in mode %s make up one cell', (mode, perDevice, span, [columns, rows]) => {
  const cells = cellsOf(
    ...nodeOf({ partition: { mode, perDevice } }, 2 * perDevice, [{ name: 'a', devices: [0, perDevice + 1] }]),
  );
  expect(cells).toHaveLength(2);
  expect(cells.map((cell) => cell.span)).toEqual([span, span]);
  expect(cells.map(({ slots }) => slots.findIndex(({ pod }) => pod !== undefined))).toEqual([0, 1]);
  const [{ slots }] = cells;
  expect([new Set(slots.map(({ x }) => x)).size, new Set(slots.map(({ y }) => y)).size]).toEqual([columns, rows]);
});

test('parts do not overlap and stay within their cell', () => {
  const kind = fc.oneof(
    fc.record({ replicas: fc.integer({ min: 1, max: 40 }) }),
    fc.record({
      mig: fc.dictionary(fc.constantFrom('1g.10gb', '2g.20gb', '3g.40gb', '7g.80gb'), fc.integer({ min: 1, max: 3 }), {
        minKeys: 1,
      }),
    }),
    fc.integer({ min: 2, max: 8 }).map((perDevice) => ({ partition: { mode: 'CPX/NPS1', perDevice } })),
  );
  fc.assert(
    fc.property(kind, fc.integer({ min: 1, max: 20 }), (given, devices) => {
      const [view, node] = nodeOf(given, devices, []);
      for (const { slots } of cellsOf(view, node)) {
        expect(slots.reduce((sum, { width, height }) => sum + width * height, 0)).toBeLessThanOrEqual(1.001);
        for (const { x, y, width, height } of slots) {
          expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
          expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(1.001);
        }
      }
      expect(spansOf(view, node)).toEqual(cellsOf(view, node).map(({ span }) => span));
    }),
    { seed: 5, numRuns: samples(100) },
  );
});

test('every pod with devices of every vendor is on a cell of its node', () => {
  const view = everyVendor();
  for (const node of view.nodes) {
    const drawn = new Set(cellsOf(view, node).flatMap(({ slots }) => slots.map(({ pod }) => pod?.name)));
    expect(node.pods.map(({ name }) => name).filter((name) => !drawn.has(name))).toEqual([]);
  }
  const models = view.pools.filter(({ devicesUsed }) => devicesUsed > 0).map(({ name }) => name);
  expect(models).toEqual(
    expect.arrayContaining([
      'Ascend-910B3 x 8',
      'Intel Gaudi accelerator x 8',
      'MI300X x 64',
      'MI300X x 16',
      'TPU-v5e x 4',
      'Trainium2 x 16',
    ]),
  );
});
