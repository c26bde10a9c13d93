/**
 * The picture of a cluster of any shape: nothing overlaps, nothing lies outside, what is pointed at is what is there.
 */
import fc from 'fast-check';
import { type ClusterView } from '../../../src/planning/cluster/view/view';
import { fit, hit, layOut, scaleOf, shapeOf, step } from '../../../src/planning/pages/client/fleet-layout';
import { samples } from '../../support/samples';

interface Shape {
  readonly zones: readonly (readonly number[])[];
  readonly devices: readonly number[];
  readonly loose: number;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  zones: fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }), { maxLength: 4 }),
  devices: fc.array(fc.constantFrom(0, 1, 4, 8, 16, 24, 64), { minLength: 1, maxLength: 5 }),
  loose: fc.integer({ min: 0, max: 90 }),
});

function viewOf({ zones, devices, loose }: Shape): ClusterView {
  const places = zones.flatMap((racks, zone) =>
    racks.flatMap((nodes, rack) => Array.from({ length: nodes }, () => [`z${zone}`, `r${zone}-${rack}`])),
  );
  const paths = [...places, ...Array.from({ length: loose }, () => ['', ''])];
  return {
    levels: [
      { label: 'zone', title: 'zone', domains: zones.length },
      { label: 'rack', title: 'rack', domains: zones.flat().length },
    ],
    deviceKinds: [{ resource: 'nvidia.com/gpu' }],
    pools: [{ name: 'pool' }],
    nodes: paths.map((path, i) => ({
      name: `n${i}`,
      pool: 0,
      path,
      devices: Array.from({ length: devices[i % devices.length] }, () => 0),
      pods: [],
    })),
  } as unknown as ClusterView;
}

test('nodes are inside, do not overlap, and are found where they are', () => {
  fc.assert(
    fc.property(shape, fc.constantFrom(340, 760, 1200), fc.constantFrom(3, 5, 12, 18), (drawn, width, cell) => {
      const view = viewOf(drawn);
      const layout = layOut(view, width, scaleOf(cell));
      const outside = layout.at.filter(
        (at) =>
          at.x < 0 ||
          at.y + at.height > layout.height ||
          // One node alone may be wider than a narrow screen at a large scale.
          (at.width <= width - 8 && at.x + at.width > width),
      );
      const missed = layout.at.filter(
        (at, node) =>
          hit(layout, at.x + 1, at.y + 1) !== node || hit(layout, at.x + at.width - 1, at.y + at.height - 1) !== node,
      );
      expect({ outside, missed }).toEqual({ outside: [], missed: [] });
      expect(new Set(layout.at.map(({ x, y }) => `${x} ${y}`)).size).toBe(view.nodes.length);
    }),
    { seed: 11, numRuns: samples(150) },
  );
});

test('blocks of any width begin at the columns of one grid', () => {
  fc.assert(
    fc.property(shape, fc.constantFrom(340, 760, 1200), fc.constantFrom(3, 12, 18), (drawn, width, cell) => {
      const { blocks, scale } = layOut(viewOf(drawn), width, scaleOf(cell));
      const column = Math.min(...blocks.map((block) => block.width)) + scale.blockGap;
      const lefts = blocks.map(({ x }) => (x - Math.min(...blocks.map((block) => block.x))) / column);
      expect(lefts.filter((left) => Math.abs(left - Math.round(left)) > 0.01)).toEqual([]);
    }),
    { seed: 7, numRuns: samples(150) },
  );
});

test('no device is a hairline, however many a node has', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 256 }), fc.constantFrom(3, 8, 18), (devices, cell) => {
      const { at, scale } = layOut(viewOf({ zones: [], devices: [devices], loose: 1 }), 1200, scaleOf(cell));
      const { columns, lines } = shapeOf(Array.from({ length: devices }, () => 1));
      expect((at[0].width + scale.gap) / columns - scale.gap).toBeGreaterThanOrEqual(3);
      expect(columns * lines).toBeGreaterThanOrEqual(devices);
      expect(at[0].height).toBe(lines * (cell + scale.gap) - scale.gap);
    }),
    { seed: 3, numRuns: samples(100) },
  );
});

test('what fits is the largest scale that does, and zooming goes through all sizes', () => {
  const view = viewOf({
    zones: [
      [8, 8],
      [8, 8],
    ],
    devices: [8],
    loose: 16,
  });
  expect(fit(view, 1200, 900)).toBe(18);
  const narrow = fit(view, 340, 500);
  expect(layOut(view, 340, scaleOf(narrow)).height).toBeLessThanOrEqual(500);
  expect(layOut(view, 340, scaleOf(step(narrow, 1))).height).toBeGreaterThan(500);
  expect(step(18, 1)).toBe(18);
  expect(step(3, -1)).toBe(3);
});

test('a cluster without a node has no height to speak of', () => {
  expect(layOut(viewOf({ zones: [], devices: [8], loose: 0 }), 800, scaleOf(18)).height).toBeLessThan(10);
});
