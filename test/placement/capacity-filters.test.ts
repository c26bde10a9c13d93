/**
 * What reports of nodes keep pods away from.
 */
import {
  type CapacityFilter,
  type ClusterNode,
  type Decision,
  decide,
  DEFAULT_POLICY,
  type Queue,
} from '../../src/placement';
import { Session } from '../../src/placement/books/session';
import { decideIn } from '../../src/placement/engine';
import { bound, cluster, gang, node, NOW, run, running, template } from './builders';

interface Said {
  readonly freeMemoryMiB?: number;
  readonly utilization?: number;
  readonly latencyMs?: number;
  readonly held?: boolean;
}

const reporting = (name: string, devices: readonly Said[], more: Partial<ClusterNode> = {}): ClusterNode =>
  node(name, devices.length, {
    devices: devices.map(() => ({ memoryMiB: 80_000 })),
    capacityReport: JSON.stringify({ at: NOW - 10_000, devices: devices.map((said, index) => ({ index, ...said })) }),
    ...more,
  });

const filtered = (
  nodes: readonly ClusterNode[],
  filter: Partial<CapacityFilter>,
  pods = 1,
  pod = template(1),
): Decision => run(cluster(nodes, [gang('g', pods, pod)]), { capacityFilters: [{ mode: 'hard', ...filter }] });

describe('a hard filter', () => {
  test.each<readonly [string, Partial<CapacityFilter>, Said, Said]>([
    ['utilization', { utilization: 0.5 }, { utilization: 0.5 }, { utilization: 0.51 }],
    ['latency', { latencyMs: 10 }, { latencyMs: 10 }, { latencyMs: 10.5 }],
    ['free memory', { freeMemoryMiB: 79_000 }, { freeMemoryMiB: 79_000 }, { freeMemoryMiB: 78_999 }],
  ])('%s: the threshold itself is accepted, and what is beyond it is not', (_, filter, at, beyond) => {
    expect(filtered([reporting('n', [at])], filter).bindings).toHaveLength(1);
    const { bindings, pending } = filtered([reporting('n', [beyond])], filter);
    expect(bindings).toEqual([]);
    expect(pending[0].blocked[0]).toMatchObject({ constraint: 'capacity-filter', nodes: 1 });
  });

  test('excludes devices and not nodes', () => {
    const nodes = [reporting('n', [{ utilization: 0.9 }, { utilization: 0 }, { utilization: 0.9 }])];
    const { bindings } = filtered(nodes, { utilization: 0.5 }, 3);
    expect(bindings.map(({ devices }) => devices)).toEqual([]);
    expect(filtered(nodes, { utilization: 0.5 }).bindings.map(({ devices }) => devices)).toEqual([[1]]);
  });

  test('of a pool applies to its nodes only', () => {
    const busy = [{ utilization: 0.9 }];
    const nodes = [
      reporting('a', busy, { pool: 'shared' }),
      reporting('b', busy, { pool: 'training' }),
      reporting('c', busy),
    ];
    const { bindings } = filtered(nodes, { utilization: 0.5, pools: ['shared'] }, 2);
    expect(bindings.map(({ node: on }) => on).sort()).toEqual(['b', 'c']);
    expect(filtered(nodes, { utilization: 0.5, pools: ['shared'] }, 3).bindings).toEqual([]);
  });

  test.each([
    ['queue', ['team'], 'team', false],
    ['parent of the queue', ['org'], 'team', false],
    ['other queue', ['other'], 'team', true],
    ['queue without a parent', ['team'], 'other', true],
  ] as const)('of a %s', (_, queues, queue, isBound) => {
    const tree: readonly Queue[] = [{ name: 'org' }, { name: 'team', parent: 'org' }, { name: 'other' }];
    const world = cluster([reporting('n', [{ utilization: 0.9 }])], [gang('g', 1, template(1), { queue })], [], {
      queues: tree,
    });
    expect(run(world, { capacityFilters: [{ mode: 'hard', utilization: 0.5, queues }] }).bindings.length === 1).toBe(
      isBound,
    );
  });

  test('the same pod in two queues: one is kept away, the other starts', () => {
    const shared = template(1);
    const world = cluster(
      [reporting('n', [{ utilization: 0.9 }, { utilization: 0.9 }])],
      [gang('strict', 1, shared, { queue: 'strict' }), gang('loose', 1, shared, { queue: 'loose' })],
      [],
      { queues: [{ name: 'strict' }, { name: 'loose' }] },
    );
    const decision = run(world, { capacityFilters: [{ mode: 'hard', utilization: 0.5, queues: ['strict'] }] });
    expect(bound(decision)).toEqual(['loose-worker-0 on n']);
  });

  test.each([
    ['a stale report', 600_000],
    ['a report of the future', -600_000],
  ])('%s does not count: requests alone decide', (_, age) => {
    const capacityReport = JSON.stringify({ at: NOW - age, devices: [{ index: 0, utilization: 1 }] });
    expect(filtered([node('n', 1, { capacityReport })], { utilization: 0.5 }).bindings).toHaveLength(1);
  });

  test('does not apply to MIG instances, nor to what a report leaves out', () => {
    const divided = reporting('n', [{ utilization: 1 }], { devices: [{ memoryMiB: 80_000, mig: { '1g.10gb': 7 } }] });
    const instance = template(0, { accelerator: { kind: 'mig', profile: '1g.10gb', count: 1 } });
    expect(filtered([divided], { utilization: 0.5 }, 1, instance).bindings).toHaveLength(1);
    expect(
      filtered([reporting('n', [{}])], { utilization: 0.5, latencyMs: 1, freeMemoryMiB: 1 }).bindings,
    ).toHaveLength(1);
  });

  test('applies to parts of devices, which a pod may use already', () => {
    const half = template(0, { accelerator: { kind: 'fraction', milli: 500 } });
    const nodes = [reporting('n', [{ utilization: 0.9, held: true }])];
    expect(filtered(nodes, { utilization: 0.5 }, 1, half).bindings).toEqual([]);
    expect(filtered(nodes, { utilization: 0.95 }, 1, half).bindings).toHaveLength(1);
  });
});

describe('a soft filter', () => {
  test('makes a node the last choice, and is no reason to wait', () => {
    const nodes = [reporting('a', [{ utilization: 0.6 }]), reporting('b', [{ utilization: 0.4 }])];
    const filter: Partial<CapacityFilter> = { mode: 'soft', utilization: 0.5 };
    const prefers = { signalWeight: 0, capacityFilters: [{ mode: 'soft', utilization: 0.5 }] as const };
    expect(bound(run(cluster(nodes, [gang('g', 1, template(1))]), { signalWeight: 0 }))).toEqual(['g-worker-0 on a']);
    expect(bound(run(cluster(nodes, [gang('g', 1, template(1))]), prefers))).toEqual(['g-worker-0 on b']);
    expect(filtered(nodes, filter, 2).bindings).toHaveLength(2);
  });

  test('makes a device of a node the last choice', () => {
    const nodes = [reporting('a', [{ utilization: 0.6 }, { utilization: 0.4 }])];
    expect(filtered(nodes, { mode: 'soft', utilization: 0.5 }).bindings[0].devices).toEqual([1]);
    const half = template(0, { accelerator: { kind: 'fraction', milli: 500 } });
    expect(filtered(nodes, { mode: 'soft', utilization: 0.5 }, 1, half).bindings[0].devices).toEqual([1]);
  });
});

test('sessions that follow changes of reports and queues decide like new ones', () => {
  let state = 7;
  const random = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % most;
  };
  const policy = {
    ...DEFAULT_POLICY,
    capacityFilters: [
      { mode: 'hard', utilization: 0.5, queues: ['a'] },
      { mode: 'soft', utilization: 0.3 },
      { mode: 'hard', latencyMs: 20, pools: ['p0'] },
    ] as readonly CapacityFilter[],
  };
  const world = (): ReturnType<typeof cluster> =>
    cluster(
      Array.from({ length: 3 }, (_, row) =>
        reporting(
          `n${row}`,
          Array.from({ length: 4 }, () => ({
            utilization: random(10) / 10,
            latencyMs: random(30),
            freeMemoryMiB: random(2) * 80_000,
            held: random(2) === 0,
          })),
          { pool: `p${row % 2}` },
        ),
      ),
      Array.from({ length: 5 }, (_, index) =>
        gang(`g${index}`, 1 + random(2), template(1 + random(2)), {
          queue: ['a', 'b', 'c'][random(3)],
          priority: random(3),
          arrival: NOW - index * 1000,
        }),
      ),
      [running('g0', 'n0', 0, { devices: [0, 1].slice(0, 1) })],
      { queues: [{ name: 'a' }, { name: 'b', ...(random(2) === 0 ? { parent: 'a' } : {}) }, { name: 'c' }] },
    );
  const session = new Session(world(), policy);
  for (let step = 0; step < 60; step++) {
    const next = world();
    session.catchUp(next, policy);
    expect(decideIn(session)).toEqual(decide(next, policy));
  }
});

test.each<readonly [string, readonly CapacityFilter[]]>([
  ['alone', []],
  ['beside a filter of all queues', [{ mode: 'soft', utilization: 0.3 }]],
])('a queue that moves below another one gets the filter of that one: %s', (_, others) => {
  const policy = {
    ...DEFAULT_POLICY,
    capacityFilters: [...others, { mode: 'hard', utilization: 0.5, queues: ['strict'] }] as readonly CapacityFilter[],
  };
  const nodes = [reporting('n', [{ utilization: 0.9 }])];
  const gangs = [gang('g', 1, template(1), { queue: 'team' })];
  const world = (parent?: string): ReturnType<typeof cluster> =>
    cluster(nodes, gangs, [], { queues: [{ name: 'strict' }, { name: 'team', parent }] });
  const session = new Session(world(), policy);
  expect(bound(decideIn(session))).toEqual(['g-worker-0 on n']);
  session.catchUp(world('strict'), policy);
  expect(bound(decideIn(session))).toEqual([]);
  session.catchUp(world(), policy);
  expect(bound(decideIn(session))).toEqual(['g-worker-0 on n']);
});

describe('a report says nothing about what a pod leaves that is evicted', () => {
  const busy = { freeMemoryMiB: 1_000, utilization: 1 };

  test('preemption frees devices whose memory the victim used', () => {
    const gangs = [gang('low', 1, template(2)), gang('high', 1, template(2), { priority: 10 })];
    const decision = run(cluster([reporting('n', [busy, busy])], gangs, [running('low', 'n', 0, { devices: [0, 1] })]));
    expect(decision.evictions.map(({ pod }) => pod)).toEqual(['low-worker-0']);
  });

  test('a device whose pod ended after the report is free, so that no other pod is evicted for it', () => {
    const gangs = [gang('other', 1, template(1)), gang('high', 1, template(1), { priority: 10 })];
    const nodes = [
      reporting('n', [
        { ...busy, held: true },
        { ...busy, held: true },
      ]),
    ];
    const decision = run(cluster(nodes, gangs, [running('other', 'n', 0, { devices: [1] })]));
    expect([bound(decision), decision.evictions]).toEqual([['high-worker-0 on n'], []]);
  });

  test('memory that no known pod uses still counts', () => {
    const gangs = [gang('low', 1, template(1)), gang('high', 1, template(2), { priority: 10 })];
    const decision = run(cluster([reporting('n', [busy, busy])], gangs, [running('low', 'n', 0, { devices: [0] })]));
    expect([decision.evictions, decision.bindings]).toEqual([[], []]);
  });
});
