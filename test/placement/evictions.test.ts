import { type Gang, type Queue } from '../../src/placement';
import { checkFewMoves } from './few-moves';
import { Random } from '../support/random';
import { checkFewestVictims } from './fewest-victims';
import { apply } from './guarantees';
import { bound, cluster, gang, MINUTE, node, NOW, nodesOf, run, running, template } from './builders';
import { samples } from '../support/samples';

const low = (name: string, more: Partial<Gang> = {}): Gang => gang(name, 1, template(2), more);
const high = gang('high', 1, template(2), { priority: 10, arrival: NOW });

describe('preemption', () => {
  it('is tried for a gang behind more gangs than it is tried for, if an empty cluster has no room for those', () => {
    const impossible = Array.from({ length: 100 }, (_, i) => gang(`big-${i}`, 1, template(5 + i), { priority: 10 }));
    const gangs = [low('there'), ...impossible, high];
    const decision = run(cluster([node('a', 2)], gangs, [running('there', 'a')]));
    expect(decision.evictions).toMatchObject([{ pod: 'there-worker-0', beneficiary: 'high' }]);
  });

  it('evicts the youngest of lower priority, as many as are needed, and places the claimant', () => {
    const gangs = [low('old', { arrival: NOW - 9 * MINUTE }), low('young', { arrival: NOW - 2 * MINUTE }), high];
    const decision = run(cluster([node('a', 4)], gangs, [running('old', 'a'), running('young', 'a')]));
    expect(decision.evictions).toEqual([
      { pod: 'young-worker-0', gang: 'young', node: 'a', action: 'preempt', beneficiary: 'high' },
    ]);
    expect(decision.nominations).toMatchObject([{ pod: 'high-worker-0', node: 'a' }]);
  });

  it('takes single pods from a gang that has more than its minimum', () => {
    const gangs = [gang('elastic', 4, template(1), { minimum: 1 }), high];
    const pods = [0, 1, 2, 3].map((index) => running('elastic', 'a', index));
    const evicted = run(cluster([node('a', 4)], gangs, pods)).evictions.map(({ pod }) => pod);
    expect(evicted).toEqual(expect.arrayContaining(['elastic-worker-3', 'elastic-worker-2']));
    expect(evicted).toHaveLength(2);
  });

  it('takes the surplus of every elastic gang before the core of any', () => {
    const elastic = (name: string, priority: number): Gang => gang(name, 2, template(1), { minimum: 1, priority });
    const gangs = [low('rigid'), elastic('e1', 1), elastic('e2', 2), high];
    const pods = [
      running('rigid', 'a'),
      ...['e1', 'e2'].flatMap((name) => [running(name, 'a', 0), running(name, 'a', 1)]),
    ];
    const evicted = run(cluster([node('a', 6)], gangs, pods)).evictions.map(({ pod }) => pod);
    expect(evicted.sort()).toEqual(['e1-worker-1', 'e2-worker-1']);
  });

  it('takes one pod from a single node, although every set among the first candidates takes more', () => {
    const whole = gang('whole', 1, template(4), { arrival: NOW - 99 * MINUTE });
    const small = Array.from({ length: 28 }, (_, i) =>
      gang(`small${i}`, 1, template(1), { arrival: NOW - (i + 2) * MINUTE }),
    );
    const nodes = Array.from({ length: 8 }, (_, i) => node(`n${i}`, 4));
    const pods = [running('whole', 'n0'), ...small.map(({ name }, i) => running(name, `n${1 + (i >> 2)}`))];
    const claim = gang('claim', 1, template(4), { priority: 10, arrival: NOW });
    const { evictions } = run(cluster(nodes, [whole, ...small, claim], pods));
    expect(evictions).toMatchObject([{ pod: 'whole-worker-0', node: 'n0', beneficiary: 'claim' }]);
  });

  it('loses no more pods than a brute force has to', () => {
    checkFewestVictims(samples(300), 17);
  });

  it('does not start what the next decision would evict', () => {
    const gangs = [low('there'), low('new', { arrival: NOW }), gang('high', 1, template(4), { priority: 10 })];
    const decision = run(cluster([node('a', 4)], gangs, [running('there', 'a')]));
    expect(decision.bindings).toEqual([]);
    expect(decision.evictions.map(({ pod }) => pod)).toEqual(['there-worker-0']);
    expect(decision.nominations.map(({ pod }) => pod)).toEqual(['high-worker-0']);
  });

  it('makes room at once for a gang that does not start after all, where the next decision would evict for it', () => {
    const on = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });
    const labeled = (name: string) => node(name, 2, { labels: { 'kubernetes.io/hostname': name } });
    const gangs = [
      gang('elastic', 2, template(1, on('a')), { queue: 'other', minimum: 1 }),
      gang('high', 1, template(1), { priority: 10 }),
      low('low', { roles: [{ name: 'worker', count: 2, template: template(1, on('b')) }] }),
    ];
    const queues = [{ name: 'q' }, { name: 'other' }];
    const snapshot = cluster([labeled('a'), labeled('b')], gangs, [], { queues });
    const first = run(snapshot, { nodeScore: 'binpack' });
    expect(bound(first).sort()).toEqual(['elastic-worker-0 on a', 'elastic-worker-1 on a', 'high-worker-0 on b']);
    expect(first.nominations).toEqual([]);
    const second = run({ ...snapshot, pods: apply(snapshot, first) }, { nodeScore: 'binpack' });
    expect(second.evictions).toEqual([]);
    expect(second.bindings).toEqual([]);
  });

  describe('of a gang that the same decision starts and grows by evictions', () => {
    const host = 'kubernetes.io/hostname';
    const on = (name: string) => template(2, { nodeSelector: { [host]: name } });
    const claimant = (...names: readonly string[]): Gang => ({
      ...gang('high', 1, on('a'), { priority: 10, arrival: NOW }),
      roles: names.map((name) => ({ name: `on-${name}`, count: 1, template: on(name) })),
    });
    const world = (high: Gang) =>
      cluster(
        ['a', 'b', 'c'].map((name) => node(name, 2, { labels: { [host]: name } })),
        [
          gang('grows', 3, template(2), { minimum: 1 }),
          gang('x', 1, on('b'), { queue: 'other' }),
          gang('y', 1, on('c'), { queue: 'other' }),
          high,
        ],
        [running('x', 'b'), running('y', 'c')],
        {
          queues: [
            { name: 'q', deserved: { 'nvidia.com/gpu': 6 } },
            { name: 'other', deserved: { 'nvidia.com/gpu': 0 } },
          ],
        },
      );

    it('takes over the evictions', () => {
      const decision = run(world(claimant('a', 'b', 'c')));
      expect(decision.bindings).toEqual([]);
      expect(decision.nominations.map(({ pod }) => pod).sort()).toEqual(['high-on-a-0', 'high-on-b-0', 'high-on-c-0']);
      expect(decision.evictions.map(({ pod, beneficiary }) => [pod, beneficiary]).sort()).toEqual([
        ['x-worker-0', 'high'],
        ['y-worker-0', 'high'],
      ]);
    });

    it('leaves running what it does not need of them', () => {
      const decision = run(world(claimant('a', 'b')));
      expect(decision.bindings).toEqual([]);
      expect(decision.nominations.map(({ pod }) => pod).sort()).toEqual(['high-on-a-0', 'high-on-b-0']);
      expect(decision.evictions.map(({ pod, beneficiary }) => [pod, beneficiary])).toEqual([['x-worker-0', 'high']]);
    });
  });

  describe('of a gang that the same decision was to start, instead of running gangs', () => {
    const small = (name: string, queue: string, more: Partial<Gang>): Gang =>
      gang(name, 1, template(1), { queue, ...more });
    // Three of four pods, and not which: a gang that is looked at, and that its queue refuses.
    const refused = (name: string, queue: string, devices: number): Gang => ({
      ...gang(name, 2, template(devices), { queue, preemptible: false, minimum: 3 }),
      roles: ['worker', 'other'].map((role, i) => ({
        name: role,
        count: 2,
        minimum: 0,
        template: template(devices, { request: { ...template(devices).request, memory: 1e9 + i } }),
      })),
    });
    const queues: Queue[] = [0, 1, 1].map((priority, i) => ({
      name: `q${i}`,
      deserved: { 'nvidia.com/gpu': 2 },
      priority,
    }));
    const gangs = [
      small('fixed', 'q0', { preemptible: false }),
      gang('wide', 1, template(4), { queue: 'q2' }),
      small('urgent', 'q2', { priority: 10 }),
      refused('refused', 'q1', 4),
      refused('refused-too', 'q0', 1),
      gang('three', 3, template(1), { queue: 'q1' }),
    ];

    it('starts the claimant at once, so an empty cluster does not stay empty', () => {
      const snapshot = cluster([node('a', 8)], gangs, [], { queues });
      const first = run(snapshot);
      expect(first.nominations).toEqual([]);
      expect(bound(first).sort()).toEqual(
        ['fixed-worker-0', 'three-worker-0', 'three-worker-1', 'three-worker-2', 'urgent-worker-0'].map(
          (pod) => `${pod} on a`,
        ),
      );
      const second = run({ ...snapshot, pods: apply(snapshot, first) });
      expect([...second.bindings, ...second.nominations, ...second.evictions]).toEqual([]);
    });

    it.each([
      { where: 'on its node', on: 'a', limits: {}, starts: false },
      { where: 'on another node', on: 'b', limits: {}, starts: true },
      {
        where: 'on another node, of a queue with which it shares a capability',
        on: 'b',
        limits: { capability: { 'nvidia.com/gpu': 9 } },
        starts: false,
      },
    ])('starts the claimant at once beside a pod that terminates $where: $starts', ({ on, limits, starts }) => {
      const leaving = gang('leaving', 1, template(1), { queue: 'q2' });
      const pod = running('leaving', on, 0, { state: 'releasing' });
      const nodes = [node('a', 8), node('b', 1, { taints: [{ key: 'old', effect: 'NoSchedule' }] })];
      const below = queues.map((queue) => ({ ...queue, parent: 'all' }));
      const decision = run(
        cluster(nodes, [...gangs, leaving], [pod], { queues: [{ name: 'all', ...limits }, ...below] }),
      );
      const names = (list: readonly { readonly gang: string }[]): boolean =>
        list.some(({ gang: of }) => of === 'three');
      expect([names(decision.bindings), names(decision.nominations)]).toEqual([starts, !starts]);
    });
  });

  it('gives a gang that is evicted what it would otherwise evict a started gang for in the next decision', () => {
    const on = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });
    const labeled = (name: string) => node(name, 2, { labels: { 'kubernetes.io/hostname': name } });
    const gangs = [
      gang('claim', 1, template(2, on('a')), { queue: 'other' }),
      gang('high', 2, template(1), { priority: 10 }),
      low('low', { roles: [{ name: 'worker', count: 1, template: template(1, on('b')) }] }),
    ];
    const queues = [{ name: 'q' }, { name: 'other' }];
    const pods = [0, 1].map((index) => running('high', 'a', index));
    const snapshot = cluster([labeled('a'), labeled('b')], gangs, pods, { queues });
    const first = run(snapshot);
    expect(first.bindings).toEqual([]);
    expect(first.evictions.map(({ pod, action, movesTo }) => `${action} ${pod} to ${movesTo}`).sort()).toEqual([
      'reclaim high-worker-0 to b',
      'reclaim high-worker-1 to b',
    ]);
    expect(nodesOf(first, 'claim')).toEqual(['a']);
    const second = run({ ...snapshot, pods: apply(snapshot, first) });
    expect(second.evictions).toEqual([]);
    expect(nodesOf(second, 'high')).toEqual(['b']);
    expect(nodesOf(second, 'claim')).toEqual(['a']);
  });

  it('does not wait for the room of a pod that is stuck terminating', () => {
    const gangs = [gang('old', 1, template(4)), gang('new', 1, template(4))];
    const leaving = (releasedBy: number) => [running('old', 'a', 0, { state: 'releasing', releasedBy })];
    const nominated = (releasedBy: number): number =>
      run(cluster([node('a', 4)], gangs, leaving(releasedBy)), { actions: ['allocate'] }).nominations.length;
    expect(nominated(NOW - MINUTE)).toBe(1);
    expect(nominated(NOW - 10 * MINUTE)).toBe(0);
  });

  it('takes a gang as a whole where it has no more than its minimum', () => {
    const gangs = [gang('rigid', 2, template(2)), high];
    expect(
      run(cluster([node('a', 4)], gangs, [running('rigid', 'a', 0), running('rigid', 'a', 1)])).evictions,
    ).toHaveLength(2);
  });

  it.each([
    ['equal priority', { priority: 10 }],
    ['non-preemptible', { preemptible: false }],
    ['before its minimum running time', { minimumRuntimeSeconds: 3600 }],
  ] as const)('never evicts: %s', (_, more) => {
    const decision = run(cluster([node('a', 2)], [low('there', more), high], [running('there', 'a')]));
    expect(decision).toMatchObject({ evictions: [], nominations: [] });
  });

  it('does not evict when that would not let the claimant in', () => {
    const wide = gang('wide', 1, template(4), { priority: 10 });
    const gangs = [low('a0'), low('b0'), gang('fixed', 2, template(2), { priority: 99 }), wide];
    const pods = [running('a0', 'a'), running('fixed', 'a', 0), running('b0', 'b'), running('fixed', 'b', 1)];
    expect(
      run(cluster([node('a', 4), node('b', 4)], gangs, pods), { actions: ['allocate', 'preempt'] }).evictions,
    ).toEqual([]);
  });

  it('moves a victim that fits elsewhere and says where it goes', () => {
    const gangs = [low('there'), gang('high', 1, template(4), { priority: 10 })];
    const decision = run(cluster([node('a', 4), node('b', 2)], gangs, [running('there', 'a')]));
    expect(decision.evictions).toMatchObject([{ pod: 'there-worker-0', movesTo: 'b' }]);
    expect(decision.nominations.map(({ pod, node: on }) => `${pod} on ${on}`)).toEqual([
      'high-worker-0 on a',
      'there-worker-0 on b',
    ]);
  });
});

describe('queues', () => {
  it('share by weight what no quota claims', () => {
    const queues: Queue[] = [
      { name: 'q', weight: 1 },
      { name: 'p', weight: 3 },
    ];
    const many = (queue: string): Gang => gang(`in-${queue}`, 16, template(1), { queue, minimum: 1 });
    const { queues: usage } = run(cluster([node('a', 8)], [many('q'), many('p')], [], { queues }));
    expect(
      usage.map(({ queue, allocated, fairShare }) => [queue, allocated['nvidia.com/gpu'], fairShare['nvidia.com/gpu']]),
    ).toEqual([
      ['p', 6, 6],
      ['q', 2, 2],
    ]);
  });

  it('keep their ceiling, say so, and how much more would be enough', () => {
    const queues: Queue[] = [
      { name: 'root', capability: { 'nvidia.com/gpu': 3 } },
      { name: 'q', parent: 'root' },
    ];
    const [pending] = run(cluster([node('a', 8)], [gang('g', 2, template(2))], [], { queues })).pending;
    expect(pending).toMatchObject({
      kind: 'queue-capability',
      message: 'The gang would exceed the capability of queue "root" by 1 nvidia.com/gpu.',
    });
    expect(pending.counterfactuals).toEqual([
      { kind: 'raise-capability', raises: [{ queue: 'root', resource: 'nvidia.com/gpu', by: 1 }] },
    ]);
  });

  it('name everything that has to be raised, since a part of it lets nothing in', () => {
    const capability = { 'nvidia.com/gpu': 2, cpu: 4000 };
    const queues: Queue[] = [
      { name: 'root', capability: { 'nvidia.com/gpu': 3 } },
      { name: 'q', parent: 'root', capability },
    ];
    const [pending] = run(
      cluster([node('a', 8)], [gang('g', 2, { request: { 'nvidia.com/gpu': 2, cpu: 3000 } })], [], { queues }),
    ).pending;
    expect(pending.message).toBe(
      'The gang would exceed the capability of queue "q" by 2 cores of CPU and 2 nvidia.com/gpu.',
    );
    expect(pending.counterfactuals).toEqual([
      {
        kind: 'raise-capability',
        raises: [
          { queue: 'q', resource: 'cpu', by: 2000 },
          { queue: 'q', resource: 'nvidia.com/gpu', by: 2 },
          { queue: 'root', resource: 'nvidia.com/gpu', by: 1 },
        ],
      },
    ]);
  });

  it('keep what others are guaranteed', () => {
    const queues: Queue[] = [
      { name: 'q' },
      { name: 'p', guarantee: { 'nvidia.com/gpu': 5 } },
      { name: 'o', guarantee: { 'nvidia.com/gpu': 1 } },
    ];
    const [pending] = run(cluster([node('a', 8)], [gang('g', 1, template(4))], [], { queues })).pending;
    expect(pending).toMatchObject({
      kind: 'queue-guarantees',
      message:
        'The gang needs 4 nvidia.com/gpu, but the guarantees of queue "o" (1 nvidia.com/gpu) and queue "p" (5 nvidia.com/gpu) ' +
        'leave 2 nvidia.com/gpu for queue "q".',
      counterfactuals: [{ kind: 'lower-guarantees', reductions: [{ queue: 'p', resource: 'nvidia.com/gpu', by: 2 }] }],
    });
    expect(run(cluster([node('a', 8)], [gang('g', 1, template(2))], [], { queues })).bindings).toHaveLength(1);
  });

  it('do not blame a guarantee for what the cluster does not have', () => {
    const queues: Queue[] = [{ name: 'q', guarantee: { 'nvidia.com/gpu': 16 } }, { name: 'p' }];
    const [pending] = run(cluster([node('a', 8)], [gang('g', 4, template(8))], [], { queues })).pending;
    expect(pending.kind).toBe('no-fit');
    expect(pending.message).toContain('1 of 4 pods fit');
  });

  it('suggest lower guarantees with which the gang starts, none of them lower than necessary', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = new Random(seed);
      const amount = (most: number): Record<string, number> => ({
        'nvidia.com/gpu': Math.floor(random.next() * (most + 1)),
      });
      const queues: Queue[] = [
        { name: 'root', ...(random.chance(0.5) && { guarantee: amount(6) }) },
        { name: 'other', guarantee: amount(6) },
        { name: 'q', parent: 'root' },
        { name: 'p', parent: 'root', guarantee: amount(6) },
        { name: 'o', parent: 'root', guarantee: amount(4), capability: { 'nvidia.com/gpu': 8 } },
      ];
      const of = (list: readonly Queue[]): ReturnType<typeof run> =>
        run(cluster([node('a', 8)], [gang('g', 1, template(1 + (seed % 8)))], [], { queues: list }));
      const change = of(queues).pending[0]?.counterfactuals[0];
      if (change?.kind === 'lower-guarantees') {
        const lowered = (less: (by: number) => number): Queue[] =>
          queues.map((queue) => {
            const by = change.reductions.find((one) => one.queue === queue.name)?.by;
            return by === undefined
              ? queue
              : { ...queue, guarantee: { 'nvidia.com/gpu': queue.guarantee!['nvidia.com/gpu'] - less(by) } };
          });
        expect([seed, of(lowered((by) => by)).bindings.length]).toEqual([seed, 1]);
        expect([seed, of(lowered((by) => by - 1)).bindings.length]).toEqual([seed, 0]);
      }
    }
  });

  it('hold work that cannot be evicted to their quota', () => {
    const queues: Queue[] = [{ name: 'q', deserved: { 'nvidia.com/gpu': 2 } }];
    const [pending] = run(
      cluster([node('a', 8)], [gang('g', 1, template(4), { preemptible: false })], [], { queues }),
    ).pending;
    expect(pending).toMatchObject({
      kind: 'quota-of-non-preemptible',
      counterfactuals: [{ kind: 'make-preemptible' }],
    });
  });

  it.each([
    ['unknown-queue', []],
    ['queue-closed', [{ name: 'q', state: 'closed' as const }]],
  ])('explain %s', (kind, queues) => {
    expect(run(cluster([node('a', 8)], [gang('g', 1, template(1))], [], { queues })).pending[0].kind).toBe(kind);
  });
});

describe('consolidation and stale gangs', () => {
  it('moves pods so that a gang is admitted and no pod is lost', () => {
    const gangs = [low('x', { arrival: NOW - 9 * MINUTE }), low('y'), gang('wide', 1, template(4), { arrival: NOW })];
    const decision = run(cluster([node('a', 4), node('b', 4)], gangs, [running('x', 'a'), running('y', 'b')]));
    expect(decision.evictions).toMatchObject([
      { pod: 'y-worker-0', action: 'consolidate', beneficiary: 'wide', movesTo: 'a' },
    ]);
    expect(decision.nominations).toHaveLength(2);
  });

  it('finds what at most four moves solve, with the fewest of them', () => {
    checkFewMoves(300, 3);
  });

  const wide = gang('wide', 1, template(4), { arrival: NOW });
  const apart = [running('x', 'a'), running('y', 'b')];
  const moves = (x: Partial<Gang>, y: Partial<Gang>, claim: Partial<Gang> = {}, pods = apart, policy = {}): string[] =>
    run(
      cluster([node('a', 4), node('b', 4)], [low('x', x), low('y', y), { ...wide, ...claim }], pods),
      policy,
    ).evictions.map(({ pod }) => pod);

  it('moves a pod of a gang and leaves the others where they are', () => {
    const nodes = [node('a', 4), node('b', 4), node('c', 1)];
    const gangs = [gang('pair', 2, template(1)), gang('z', 1, template(3)), wide];
    const pods = [running('pair', 'a', 0), running('pair', 'b', 1), running('z', 'b')];
    expect(run(cluster(nodes, gangs, pods)).evictions).toMatchObject([
      { pod: 'pair-worker-0', action: 'consolidate', movesTo: 'c' },
    ]);
  });

  it('moves nothing whose loss is more than what the gang gains', () => {
    // The gang would get x's room in ten minutes: 4 devices gain 2,400 device-seconds; a move of y loses ten minutes of 2 devices.
    const soon = { expectedSeconds: 20 * 60 };
    expect(moves(soon, {})).toEqual(['y-worker-0']);
    const long = [running('x', 'a'), running('y', 'b', 0, { startedAt: NOW - 60 * MINUTE })];
    const x = { expectedSeconds: 20 * 60, preemptible: false };
    expect(moves(x, {}, {}, long)).toEqual([]);
    expect(moves(x, { checkpointSeconds: 25 * 60 }, {}, long)).toEqual(['y-worker-0']);
  });

  it('moves no more pods than the policy allows, and none that has just started', () => {
    expect(moves({}, {}, {}, apart, { moveLimit: 0 })).toEqual([]);
    const fresh = [
      running('x', 'a', 0, { startedAt: NOW - MINUTE }),
      running('y', 'b', 0, { startedAt: NOW - MINUTE }),
    ];
    expect(moves({}, {}, {}, fresh)).toEqual([]);
    expect(moves({}, {}, {}, fresh, { moveIntervalSeconds: 0 })).toHaveLength(1);
  });

  it('evicts what is left of a gang that stays below its minimum for too long', () => {
    const broken = gang('broken', 3, template(2), { staleSince: NOW - 2 * MINUTE });
    const pods = [running('broken', 'a', 0)];
    expect(run(cluster([node('a', 2)], [broken], pods)).evictions).toMatchObject([
      { pod: 'broken-worker-0', action: 'evict-stale' },
    ]);
    expect(run(cluster([node('a', 2)], [{ ...broken, staleSince: NOW - 1000 }], pods)).evictions).toEqual([]);
    expect(run(cluster([node('a', 2)], [{ ...broken, preemptible: false }], pods)).evictions).toEqual([]);
  });

  it('evicts what is left of a gang also when the missing pods do not exist at all', () => {
    const broken = { ...gang('broken', 1, template(2), { staleSince: NOW - 2 * MINUTE }), minimum: 2 };
    expect(run(cluster([node('a', 2)], [broken], [running('broken', 'a')])).evictions).toMatchObject([
      { action: 'evict-stale' },
    ]);
  });
});

describe('reasons', () => {
  it('name the nearest miss and what would be enough there', () => {
    const gangs = [gang('there', 1, template(3)), gang('g', 1, template(8))];
    const [pending] = run(cluster([node('a', 8), node('b', 4)], gangs, [running('there', 'a')]), {
      actions: ['allocate'],
    }).pending;
    expect(pending).toMatchObject({
      kind: 'no-fit',
      message: 'No node has enough free nvidia.com/gpu (0 of 2).',
      nearest: { node: 'a', constraint: 'devices', detail: 'nvidia.com/gpu', missing: 3 },
    });
    expect(pending.counterfactuals).toEqual([
      { kind: 'more-on-node', node: 'a', resource: 'nvidia.com/gpu', amount: 3 },
      { kind: 'more-nodes', like: 'a', count: 1 },
    ]);
  });

  it('say until when to wait where the end of running work is known', () => {
    const gangs = [gang('there', 1, template(4), { expectedSeconds: 3600 }), gang('g', 1, template(4))];
    const [pending] = run(cluster([node('a', 4)], gangs, [running('there', 'a', 0, { startedAt: NOW })]), {
      actions: ['allocate', 'backfill'],
    }).pending;
    expect(pending.counterfactuals).toContainEqual({ kind: 'wait-until', at: NOW + 3_600_000 });
  });
});
