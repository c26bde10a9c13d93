import { type NodeScore, type PodTemplate } from '../../src/placement';
import { PartValues } from '../../src/placement/search/score/part-values';
import { Random } from '../support/random';
import { bound, cluster, gang, node, run, running, template } from './builders';

const WHOLE = 1000;

function valuesOf(counts: Record<number, number>): Float64Array {
  return new PartValues().of(new Map(Object.entries(counts).map(([milli, count]) => [Number(milli), count])));
}

test('a fraction is worth the part of a device that it costs in the best patterns', () => {
  const pairs = valuesOf({ 470: 10 });
  expect([pairs[469], pairs[470], pairs[999], pairs[WHOLE]]).toEqual([0, 0.5, 1, 1]);
  const mixed = valuesOf({ 650: 10, 320: 10 });
  expect(mixed[650] + mixed[320]).toBeCloseTo(1);
  // Few small requests fill the rest beside the large ones, so there is more of it than is needed.
  const scarce = valuesOf({ 810: 10, 160: 2 });
  expect([scarce[190], scarce[810]]).toEqual([0, 1]);
  const plenty = valuesOf({ 810: 1, 160: 60 });
  expect(plenty[160]).toBeCloseTo(1 / 6);
});

test('without fractions only whole devices are worth something', () => {
  const values = valuesOf({ 0: 4, [WHOLE]: 7 });
  expect(values.findIndex((value) => value > 0)).toBe(WHOLE);
});

test('values lie between a lower bound and a packing, and no pattern is worth more than a device', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = new Random(seed);
    const demand = new Map(
      Array.from({ length: 1 + random.below(7) }, () => [(2 + random.below(18)) * 50, 1 + random.below(16)] as const),
    );
    const values = new PartValues().of(demand);
    let total = 0;
    for (const [milli, count] of demand) {
      total += count * values[milli];
    }
    expect(total).toBeGreaterThanOrEqual(lowerBound(demand) - 1e-6);
    expect(total).toBeLessThanOrEqual(firstFitDecreasing(demand) + 1e-6);
    expect(worthiest([...demand.keys()], values)).toBeLessThanOrEqual(1 + 1e-6);
  }
});

test('values exist for more kinds of fractions than are told apart', () => {
  const values = new PartValues().of(new Map(Array.from({ length: 400 }, (_, i) => [101 + 2 * i, 1 + ((i * 7) % 11)])));
  expect(values[WHOLE]).toBe(1);
  expect([...values].every((value, milli) => value >= 0 && value <= 1 && value >= (values[milli - 1] ?? 0))).toBe(true);
});

test('values are remembered for demands that differ little, and are those of a memory that is new', () => {
  const values = new PartValues();
  const demand = (count: number): Map<number, number> =>
    new Map([
      [320, 1000 + count],
      [470, 2000 + count],
      [WHOLE, count],
    ]);
  const first = values.of(demand(0));
  expect(values.of(demand(20))).toBe(first);
  const other = values.of(demand(900));
  expect(other).not.toBe(first);
  for (const count of [0, 20, 900]) {
    expect(values.of(demand(count))).toEqual(new PartValues().of(demand(count)));
  }
});

test('only the demands asked for last are remembered', () => {
  const values = new PartValues();
  const demand = (count: number): Map<number, number> => new Map([[320, 2 ** count]]);
  const kept = values.of(demand(0));
  const first = values.of(demand(1));
  for (let count = 2; count < 50; count++) {
    values.of(demand(count));
    expect(values.of(demand(0))).toBe(kept);
  }
  expect(values.of(demand(1))).not.toBe(first);
});

test('a request for a part of a thousandth takes the whole thousandth', () => {
  const values = valuesOf({ 333.4: 9, 999.5: 1 });
  expect([values[333], values[334]]).toEqual([0, 0.5]);
});

test.each<[NodeScore, string]>([
  ['fragmentation', 'p-worker-0 on free'],
  ['fgd', 'p-worker-0 on shared'],
])('%s places a request for 470 beside 320, where 320 would fit twice: %s', (nodeScore, expected) => {
  const workload = [
    { template: part(470), count: 50 },
    { template: part(320), count: 50 },
    { template: template(1), count: 200 },
  ];
  const nodes = [node('shared', 1, { devices: [{}] }), node('free', 1, { devices: [{}] })];
  const gangs = [gang('r', 1, part(320)), gang('p', 1, part(470))];
  const pods = [running('r', 'shared', 0, { devices: [0] })];
  expect(bound(run(cluster(nodes, gangs, pods), { nodeScore, workload }))).toEqual([expected]);
});

function part(milli: number): PodTemplate {
  return { request: { cpu: 1_000, memory: 1e9 }, accelerator: { kind: 'fraction', milli } };
}

/** The largest value of a set of fractions that one device serves, by trying all of them. */
function worthiest(sizes: readonly number[], values: Float64Array, room = WHOLE, from = 0): number {
  return sizes
    .slice(from)
    .filter((size) => size <= room)
    .reduce((most, size) => {
      const rest = worthiest(sizes, values, room - size, sizes.indexOf(size));
      return Math.max(most, values[size] + rest);
    }, 0);
}

/** After Martello and Toth: above 1000 - k a fraction needs a device of its own, and below k none is counted. */
function lowerBound(demand: ReadonlyMap<number, number>): number {
  const thresholds = [...demand.keys(), 0].filter((k) => k <= WHOLE / 2);
  return Math.max(
    ...thresholds.map((k) =>
      [...demand].reduce(
        (sum, [milli, count]) => sum + count * (milli > WHOLE - k ? 1 : milli < k ? 0 : milli / WHOLE),
        0,
      ),
    ),
  );
}

function firstFitDecreasing(demand: ReadonlyMap<number, number>): number {
  const devices: number[] = [];
  for (const [milli, count] of [...demand].sort(([a], [b]) => b - a)) {
    for (let i = 0; i < count; i++) {
      const at = devices.findIndex((free) => free >= milli);
      if (at < 0) {
        devices.push(WHOLE - milli);
      } else {
        devices[at] -= milli;
      }
    }
  }
  return devices.length;
}
