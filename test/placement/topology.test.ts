/**
 * Topology assignment: which domains take how many pods.
 */
import * as fc from 'fast-check';
import { type ClusterNode } from '../../src/placement';
import { type Domain, TopologyTree } from '../../src/placement/topology/domains';
import { DEFAULT_POLICY } from '../../src/placement/model/policy';
import { Session } from '../../src/placement/books/session';
import { assignTopology, type LeafRoom, type TopologyRequest } from '../../src/placement/topology/topology';
import { samples } from '../support/samples';

const LEVELS = ['block', 'rack', 'host'];

/** Hosts by `block/rack/host`, each with so many free places. */
type Hosts = Readonly<Record<string, number | LeafRoom>>;

function treeOf(hosts: Hosts): TopologyTree {
  const nodes = Object.keys(hosts).map((path): ClusterNode => {
    const values = path.split('/');
    return {
      name: path,
      allocatable: {},
      labels: Object.fromEntries(LEVELS.map((level, index) => [level, values[index]])),
    };
  });
  return new TopologyTree(
    'test',
    LEVELS,
    new Session({ now: 0, nodes, queues: [], gangs: [], pods: [] }, DEFAULT_POLICY).table,
  );
}

function assigned(hosts: Hosts, request: TopologyRequest): string {
  const assignment = assignTopology(treeOf(hosts), request, (leaf) => roomOf(hosts, leaf));
  if (!assignment.fits) {
    return `at most ${assignment.most}`;
  }
  const workers = assignment.domains.map(({ domain, count }) => `${domain.values[2]}=${count}`);
  return [...workers, ...(assignment.leader === undefined ? [] : [`leader ${assignment.leader.values[2]}`])].join(' ');
}

function roomOf(hosts: Hosts, { values }: Domain): LeafRoom {
  const room = hosts[values.join('/')] ?? 0;
  return typeof room === 'number' ? { pods: room, leader: true, podsWithLeader: Math.max(0, room - 1) } : room;
}

test('a node without a label of one of the levels is in no domain', () => {
  const labeled = (name: string, labels: Readonly<Record<string, string>>): ClusterNode => ({
    name,
    allocatable: {},
    labels,
  });
  const nodes = [
    labeled('a', { block: 'b1', rack: 'r1', host: 'h1' }),
    labeled('b', { block: 'b1', rack: 'r1' }),
    labeled('c', { block: 'b1', host: 'h3' }),
    labeled('d', { rack: 'r4', host: 'h4' }),
  ];
  const tree = new TopologyTree(
    'test',
    LEVELS,
    new Session({ now: 0, nodes, queues: [], gangs: [], pods: [] }, DEFAULT_POLICY).table,
  );
  expect(tree.domains.map(({ values, rows }) => [values.join('/'), [...rows]])).toEqual([
    ['b1', [0]],
    ['b1/r1', [0]],
    ['b1/r1/h1', [0]],
  ]);
});

describe('preferred', () => {
  test('the fullest domain is filled, the rest goes to the tightest that takes it', () => {
    expect(assigned({ 'a/1/x': 10, 'a/1/y': 9, 'a/1/z': 4 }, { count: 12, mode: 'preferred', level: 2 })).toBe(
      'x=10 z=2',
    );
  });

  test('balanced over as few domains, it is spread evenly', () => {
    expect(
      assigned({ 'a/1/x': 10, 'a/1/y': 9, 'a/1/z': 4 }, { count: 12, mode: 'preferred', level: 2, balanced: true }),
    ).toBe('x=6 y=6');
  });

  test('balanced, a block that is even wins over one with a large host', () => {
    const hosts = { 'a/1/x': 10, 'a/1/y': 2, 'b/1/v': 6, 'b/1/w': 6 };
    expect(assigned(hosts, { count: 12, mode: 'preferred', level: 1, balanced: true })).toBe('v=6 w=6');
  });

  test('what cannot be balanced is placed as without', () => {
    const hosts = { 'a/1/x': 5, 'b/1/y': 5 };
    expect(assigned(hosts, { count: 10, mode: 'preferred', level: 1, balanced: true })).toBe('x=5 y=5');
  });
});

describe('a leader', () => {
  test('goes where the workers keep their room', () => {
    const costly: LeafRoom = { pods: 4, leader: true, podsWithLeader: 1 };
    const cheap: LeafRoom = { pods: 2, leader: true, podsWithLeader: 2 };
    expect(assigned({ 'a/1/x': costly, 'a/1/y': cheap }, { count: 6, mode: 'required', level: 1, leader: true })).toBe(
      'x=4 y=2 leader y',
    );
  });

  test('without a host for it nothing is placed', () => {
    const none: LeafRoom = { pods: 4, leader: false, podsWithLeader: 4 };
    expect(assigned({ 'a/1/x': none }, { count: 4, mode: 'preferred', level: 2, leader: true })).toBe('at most 0');
  });
});

test('hosts that the pods prefer come first, even where others are tighter', () => {
  const wished = (pods: number): LeafRoom => ({ pods, leader: false, podsWithLeader: pods, preference: 1 });
  expect(assigned({ 'a/1/x': 4, 'a/1/y': wished(8) }, { count: 4, mode: 'required', level: 1 })).toBe('y=4');
  expect(assigned({ 'a/1/x': 4, 'a/1/y': wished(3) }, { count: 4, mode: 'required', level: 2 })).toBe('x=4');
});

test('slices within slices stay whole at each level', () => {
  const request: TopologyRequest = {
    count: 8,
    mode: 'required',
    level: 0,
    sliceSize: 4,
    sliceLevel: 1,
    innerSlices: new Map([[2, 2]]),
  };
  expect(assigned({ 'a/1/x': 3, 'a/1/y': 2, 'a/2/z': 5 }, request)).toBe('x=2 y=2 z=4');
});

const worlds = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'), fc.constantFrom('x', 'y', 'z')), {
    minLength: 1,
    maxLength: 12,
    selector: (path) => path.join('/'),
  })
  .chain((paths) => fc.tuple(...paths.map((path) => fc.nat(9).map((room): [string, number] => [path.join('/'), room]))))
  .map(Object.fromEntries<number>);

test.each([false, true])(
  'every pod gets a place that is there, and only a cluster that is too small refuses (balanced: %s)',
  (balanced) => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 2 }), (hosts, count, level) => {
        const total = Object.values(hosts).reduce((sum, room) => sum + room, 0);
        const assignment = assignTopology(treeOf(hosts), { count, mode: 'preferred', level, balanced }, (leaf) =>
          roomOf(hosts, leaf),
        );
        expect(assignment.fits).toBe(total >= count);
        if (!assignment.fits) {
          return;
        }
        expect(assignment.domains.reduce((sum, one) => sum + one.count, 0)).toBe(count);
        for (const { domain, count: given } of assignment.domains) {
          expect(given).toBeLessThanOrEqual(hosts[domain.values.join('/')] ?? 0);
        }
      }),
      { seed: 7, numRuns: samples(200) },
    );
  },
);
