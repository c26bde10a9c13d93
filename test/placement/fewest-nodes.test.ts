import { bound, cluster, gang, node, run, running, template } from './builders';
import { nodesOfGangs } from '../../bench/fewest-nodes';
import { fewestRows, fewestRowsCount } from '../../src/placement/search/fewest-rows';
import { type Policy } from '../../src/placement';

const nodesOf = (decision: ReturnType<typeof run>): string[] => [
  ...new Set(bound(decision).map((text) => text.split(' on ')[1])),
];

/** Two nodes with two free devices each, and an empty one. */
function fragments(count: number, policy: Partial<Policy> = {}): string[] {
  const taken = [gang('x', 1, template(6), { arrival: 0 }), gang('y', 1, template(6), { arrival: 0 })];
  const nodes = ['a', 'b', 'c'].map((name) => node(name, 8));
  const claim = gang('z', count, template(1));
  return nodesOf(run(cluster(nodes, [...taken, claim], [running('x', 'a'), running('y', 'b')]), policy));
}

test('a gang goes to one empty node and not into the gaps of several', () => {
  expect(fragments(4)).toEqual(['c']);
});

test('what fits a gap goes there', () => {
  expect(fragments(2)).toEqual(['a']);
});

test('the last part of a gang goes to the tightest node that takes it', () => {
  expect(fragments(10)).toEqual(['c', 'a']);
});

test('under `anywhere` and `spread` the score decides for each pod', () => {
  expect(fragments(4, { gangSpread: 'anywhere' })).toEqual(['a', 'b']);
  expect(fragments(10, { nodeScore: 'spread' })).toEqual(['c', 'a', 'b']);
});

test('the domain in which a gang needs the fewest nodes is chosen', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((name, i) => node(name, 8, { labels: { rack: i < 2 ? 'r1' : 'r2' } }));
  const taken = [gang('x', 1, template(6), { arrival: 0 }), gang('y', 1, template(6), { arrival: 0 })];
  const decision = run(
    cluster(nodes, [...taken, gang('z', 4, template(1))], [running('x', 'a'), running('y', 'b')], {
      topologies: [{ name: 'fabric', levels: ['rack'] }],
    }),
  );
  expect(nodesOf(decision)).toEqual(['c']);
});

test('no other choice of rows is smaller', () => {
  let state = 7;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  for (let world = 0; world < 300; world++) {
    const room = Array.from({ length: 1 + random(7) }, () => random(9));
    const count = 1 + random(24);
    const parts = fewestRows(
      [...room.keys()],
      count,
      (row) => room[row],
      () => 0,
    );
    let smallest = Infinity;
    for (let set = 0; set < 1 << room.length; set++) {
      const rows = room.filter((_, row) => (set >> row) & 1);
      if (rows.reduce((sum, here) => sum + here, 0) >= count) {
        smallest = Math.min(smallest, rows.length);
      }
    }
    expect(parts?.length ?? Infinity).toBe(smallest);
    expect(fewestRowsCount(Int32Array.from(room.keys()), count, (row) => room[row])).toBe(smallest);
    expect(parts?.reduce((sum, { pods }) => sum + pods, 0) ?? count).toBe(count);
    expect((parts ?? []).every(({ row, pods }) => pods <= room[row])).toBe(true);
  }
});

test('148 gangs are on at most 1.15 times the ideal number of nodes, each in one rack if it fits one', () => {
  const { used, ideal, bound: least, scattered } = nodesOfGangs(1);
  expect(used / ideal).toBeLessThanOrEqual(1.15);
  expect(used / least).toBeLessThanOrEqual(1.05);
  expect(scattered).toBe(0);
});
