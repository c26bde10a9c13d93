/**
 * When a gang takes back what other queues have beyond their share, and which of their gangs lose it.
 */
import { type Gang, type PodTemplate, type Queue, type Role } from '../../src/placement';
import { samples } from '../support/samples';
import { cluster, gang, MINUTE, node, NOW, run, running, template } from './builders';
import { checkFewestReclaimed } from './fewest-reclaimed';
import { apply } from './guarantees';

const low = (name: string, more: Partial<Gang> = {}): Gang => gang(name, 1, template(2), more);

describe('reclaim', () => {
  const queues: Queue[] = [
    { name: 'q', deserved: { 'nvidia.com/gpu': 4 } },
    { name: 'p', deserved: { 'nvidia.com/gpu': 4 } },
  ];
  const claim = (devices: number): Gang => gang('claim', 1, template(devices), { queue: 'p', arrival: NOW });
  const full = ['g0', 'g1', 'g2', 'g3'];
  const there = full.map((name) => running(name, 'a'));
  const gangs = full.map((name, i) => low(name, { arrival: NOW - (9 - i) * MINUTE }));

  it('happens where it is allowed, and loses no more pods than a brute force has to', () => {
    checkFewestReclaimed(samples(300), 17);
  });

  /** Gangs that have to go where a claimant within the quota of a third queue finds all nodes full of gangs of `a` and `b`. */
  function lostTo(
    claims: readonly [count: number, devices: number],
    sizes: readonly number[],
    quotas: Readonly<Record<'a' | 'b', number>>,
    older: readonly (readonly [count: number, devices: number, queue: 'a' | 'b'])[],
  ): readonly string[] {
    const limits = Object.entries({ ...quotas, claims: claims[0] * claims[1] }).map(([name, devices]) => ({
      name,
      deserved: { 'nvidia.com/gpu': devices },
    }));
    const gangs = older.map(([count, devices, queue], i) =>
      gang(`g${i}`, count, template(devices), { queue, arrival: NOW - (100 - i) * MINUTE }),
    );
    const nodes = sizes.map((size, i) => node(`n${i}`, size));
    const first = cluster(nodes, gangs, [], { queues: limits });
    const pods = apply(first, run(first, { actions: ['allocate'] }));
    const there = gangs.filter(({ name }) => pods.some((pod) => pod.gang === name));
    const claimant = gang('claimant', claims[0], template(claims[1]), { queue: 'claims' });
    const decision = run({ ...first, gangs: [...there, claimant], pods }, { actions: ['allocate', 'reclaim'] });
    expect(decision.nominations.filter(({ gang: name }) => name === 'claimant')).toHaveLength(claims[0]);
    return [...new Set(decision.evictions.map(({ gang: name }) => name))].sort();
  }

  it('takes more than four gangs where all smaller sets return', () => {
    const counts = [1, 4, 3, 4, 3, 3, 3, 3, 3, 2, 3, 2];
    const sizes = [1, 2, 3, 1, 1, 2, 4, 2, 1, 2, 4, 1];
    const older = [...'baaaabbbabba'].map((queue, i) => [counts[i], sizes[i], queue as 'a' | 'b'] as const);
    expect(lostTo([3, 8], [8, 8, 8, 8, 4], { a: 8, b: 0 }, older)).toEqual(['g0', 'g1', 'g2', 'g5', 'g8']);
  });

  it('finds the one set that is allowed among many smaller ones that are not', () => {
    const older = [
      [3, 1, 'a'],
      [4, 1, 'a'],
      [1, 1, 'b'],
      [4, 1, 'a'],
      [2, 2, 'b'],
      [1, 3, 'b'],
      [1, 1, 'a'],
      [4, 1, 'b'],
    ] as const;
    expect(lostTo([3, 3], [8, 8, 8], { a: 3, b: 12 }, older)).toEqual(['g0', 'g1', 'g3']);
  });

  it('takes more than four gangs of a queue that may lose them, where others are there only to be moved', () => {
    const older = [
      [2, 1, 'a'],
      [1, 2, 'a'],
      [4, 1, 'a'],
      [3, 2, 'b'],
      [4, 1, 'a'],
      [2, 2, 'a'],
      [1, 3, 'b'],
      [2, 1, 'a'],
      [2, 2, 'a'],
    ] as const;
    expect(lostTo([4, 3], [4, 8, 8, 8], { a: 0, b: 11 }, older)).toEqual(['g0', 'g1', 'g2', 'g4', 'g5']);
  });

  it('looks for other victims where those of each cheaper set would return', () => {
    const spread: readonly [Gang, readonly string[]][] = [
      [gang('b0', 3, template(1), { queue: 'b' }), ['n0', 'n0', 'n0']],
      [gang('b1', 4, template(1), { queue: 'b' }), ['n1', 'n1', 'n1', 'n1']],
      [gang('a0', 1, template(2), { queue: 'a' }), ['n0']],
      [gang('b2', 2, template(1), { queue: 'b' }), ['n1', 'n1']],
      [gang('b3', 4, template(1), { queue: 'b' }), ['n2', 'n2', 'n2', 'n2']],
      [gang('a1', 3, template(2), { queue: 'a' }), ['n2', 'n2', 'n1']],
    ];
    const older = spread.map(([one], i): Gang => ({ ...one, arrival: NOW - (100 - i) * MINUTE }));
    const snapshot = cluster(
      ['n0', 'n1', 'n2'].map((name) => node(name, 8)),
      [...older, gang('claim', 4, template(3), { queue: 'c' })],
      spread.flatMap(([{ name }, on]) => on.map((at, i) => running(name, at, i))),
      {
        queues: Object.entries({ a: 3, b: 11, c: 12 }).map(([name, n]) => ({
          name,
          deserved: { 'nvidia.com/gpu': n },
        })),
      },
    );
    const decision = run(snapshot, { actions: ['allocate', 'reclaim'] });
    const lost = decision.evictions.filter(({ movesTo }) => movesTo === undefined);
    expect([...new Set(lost.map(({ gang: of }) => of))].sort()).toEqual(['a1', 'b0']);
    const next = run({ ...snapshot, pods: apply(snapshot, decision) });
    expect(next.bindings.filter(({ gang: of }) => of === 'claim')).toHaveLength(4);
  });

  it('takes back from a queue above its share, until both have theirs', () => {
    const decision = run(cluster([node('a', 8)], [...gangs, claim(4)], there, { queues }));
    expect(decision.evictions.map(({ pod, action }) => `${pod} ${action}`).sort()).toEqual([
      'g2-worker-0 reclaim',
      'g3-worker-0 reclaim',
    ]);
  });

  it('names the gang that gets the room where the one that it was made for stays after all', () => {
    const request = { cpu: 1000, memory: 1e9 };
    const part = (milli: number): PodTemplate => ({ request, accelerator: { kind: 'fraction', milli } });
    const whole = (count: number): PodTemplate => ({ request, accelerator: { kind: 'whole', count } });
    const roles = (...list: readonly (readonly [count: number, minimum: number, template: PodTemplate])[]): Role[] =>
      list.map(([count, minimum, pod], i) => ({ name: `role${i}`, count, minimum, template: pod }));
    const early: Gang[] = [
      { name: 'other', queue: 'q', topology: { required: 'rack' }, roles: roles([2, 1, part(300)], [1, 1, whole(2)]) },
      // The last of its pods fits nowhere, so it looks for room.
      { name: 'own', queue: 'p', roles: roles([4, 3, part(500)], [1, 0, whole(4)]) },
    ];
    const late: Gang[] = [
      { name: 'claimant', queue: 'p', priority: 100, roles: roles([2, 1, part(300)], [1, 1, part(300)]) },
      { name: 'wide', queue: 'q', priority: 50, roles: roles([4, 4, part(300)], [3, 2, part(300)]) },
    ];
    const first = cluster(
      [32_000, 6_000].map((cpu, i) =>
        node(`n${i}`, 4, {
          labels: { rack: `r${1 - i}` },
          allocatable: { cpu, memory: 1e12, pods: 20, 'nvidia.com/gpu': 4 },
        }),
      ),
      early,
      [],
      {
        topologies: [{ name: 'racks', levels: ['rack'] }],
        queues: [
          { name: 'q' },
          {
            name: 'p',
            deserved: { 'nvidia.com/gpu': 0, cpu: 'unlimited', memory: 'unlimited' },
            capability: { 'nvidia.com/gpu': 4 },
            reclaimable: false,
          },
        ],
      },
    );
    const policy = { nodeScore: 'spread-devices', gangSpread: 'anywhere', sharedDeviceWaitSeconds: 60 } as const;
    const pods = apply(first, run(first, policy));
    const { evictions, nominations } = run({ ...first, gangs: [...early, ...late], pods }, policy);
    expect(evictions.map(({ pod, beneficiary }) => `${pod} for ${beneficiary}`)).toEqual([
      'other-role0-1 for claimant',
    ]);
    expect(nominations.map(({ pod }) => pod)).toEqual(['claimant-role0-1']);
  });

  it('does not take more than its own share', () => {
    const decision = run(cluster([node('a', 8)], [...gangs, claim(6)], there, { queues }));
    expect(decision).toMatchObject({ evictions: [], nominations: [] });
  });

  it('leaves a queue alone that is not reclaimable', () => {
    const fixed = [{ ...queues[0], reclaimable: false }, queues[1]];
    expect(run(cluster([node('a', 8)], [...gangs, claim(4)], there, { queues: fixed })).evictions).toEqual([]);
  });
});
