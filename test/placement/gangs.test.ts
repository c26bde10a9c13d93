import { type Gang, hyperNodeTopology, SnapshotError } from '../../src/placement';
import { bound, cluster, gang, MINUTE, node, nodesOf, NOW, run, running, template } from './builders';

const racks = [0, 0, 1, 1].map((rack, i) => node(`n${i}`, 4, { labels: { zone: 'z', rack: `r${rack}` } }));
const topologies = [{ name: 'room', levels: ['zone', 'rack'] }];

describe('gangs', () => {
  it('start together or not at all, and leave the room to others', () => {
    const decision = run(
      cluster(
        [node('a', 4), node('b', 2)],
        [gang('big', 2, template(4)), gang('small', 1, template(2), { arrival: NOW })],
      ),
    );
    expect(bound(decision)).toEqual(['small-worker-0 on b']);
    expect(decision.pending).toMatchObject([{ gang: 'big', kind: 'no-fit', fits: 1, needed: 2 }]);
  });

  it('start with their minimum and grow pod by pod', () => {
    const elastic = gang('g', 3, template(2), { minimum: 1 });
    expect(run(cluster([node('a', 4)], [elastic])).bindings).toHaveLength(2);
  });

  it('fill every role and the whole up to their minimums', () => {
    const roles = [
      { name: 'worker', count: 4, minimum: 1, template: template(1) },
      { name: 'head', count: 1, minimum: 1, leader: true, template: template(0) },
    ];
    const decision = run(cluster([node('a', 2)], [gang('g', 0, template(0), { roles, minimum: 3 })]));
    expect(decision.bindings.map(({ role }) => role)).toEqual(['head', 'worker', 'worker']);
  });

  it('reach their minimum with the pods for which there is room', () => {
    const roles = [
      { name: 'master', count: 1, minimum: 0, template: template(8) },
      { name: 'worker', count: 2, minimum: 0, template: template(2) },
    ];
    const mixed = gang('g', 0, template(0), { roles, minimum: 1 });
    expect(run(cluster([node('a', 4)], [mixed])).bindings.map(({ role }) => role)).toEqual(['worker', 'worker']);
    expect(run(cluster([node('a', 8)], [mixed])).bindings.map(({ role }) => role)).toEqual(['master']);
  });

  it('stay in one domain of the required level', () => {
    const decision = run(
      cluster(racks, [gang('g', 8, template(1), { topology: { required: 'rack' } })], [], { topologies }),
    );
    expect(nodesOf(decision, 'g')).toEqual(['n0', 'n1']);
    const [pending] = run(
      cluster(racks, [gang('g', 9, template(1), { topology: { required: 'rack' } })], [], { topologies }),
    ).pending;
    expect(pending).toMatchObject({ kind: 'topology', fits: 8, needed: 9 });
    expect(pending.counterfactuals).toEqual([
      { kind: 'wider-topology', level: 'zone' },
      { kind: 'fewer-pods', by: 1 },
      { kind: 'more-nodes', like: 'n0', count: 1, domain: 'r0' },
    ]);
  });

  it('are refused where they name a slice level without a slice size', () => {
    const sliced = gang('g', 2, template(1), { topology: { sliceLevel: 'rack' } });
    expect(run(cluster(racks, [sliced], [], { topologies })).pending).toMatchObject([
      { kind: 'unknown-topology', message: 'The topology names the slice level "rack" without a slice size.' },
    ]);
  });

  it('join pods that run already in their domain', () => {
    const grown = gang('g', 4, template(1), { topology: { required: 'rack' } });
    const decision = run(cluster(racks, [grown], [running('g', 'n3')], { topologies }));
    expect(nodesOf(decision, 'g').every((name) => name === 'n2' || name === 'n3')).toBe(true);
    expect(decision.bindings).toHaveLength(3);
  });

  it('prefer a level, and go wider when it is too small', () => {
    const wide = run(
      cluster(racks, [gang('g', 12, template(1), { topology: { preferred: 'rack' } })], [], { topologies }),
    );
    expect(wide.bindings).toHaveLength(12);
    const narrow = run(
      cluster(racks, [gang('g', 6, template(1), { topology: { preferred: 'rack' } })], [], { topologies }),
    );
    expect(nodesOf(narrow, 'g')).toEqual(['n0', 'n1']);
  });

  it('keep each subgroup in a domain of its own', () => {
    const subgroups = ['a', 'b'].map((name) => ({ name, topology: { required: 'rack' } }));
    const roles = subgroups.map(({ name }) => ({ name, count: 5, subgroup: name, template: template(1) }));
    const decision = run(cluster(racks, [gang('g', 0, template(0), { roles, subgroups })], [], { topologies }));
    const of = (role: string): string[] =>
      [...new Set(decision.bindings.filter((binding) => binding.role === role).map((binding) => binding.node))].sort();
    expect([of('a'), of('b')]).toEqual([
      ['n0', 'n1'],
      ['n2', 'n3'],
    ]);
  });

  it('place slices whole', () => {
    const sliced = gang('g', 6, template(1), { topology: { sliceLevel: 'kubernetes.io/hostname', sliceSize: 3 } });
    const decision = run(cluster([node('a', 4), node('b', 4)], [sliced]));
    const counts = ['a', 'b'].map((name) => decision.bindings.filter((binding) => binding.node === name).length);
    expect(counts).toEqual([3, 3]);
  });

  it('know HyperNodes as topology', () => {
    const names = ['a', 'b', 'c'];
    const { topology, domains } = hyperNodeTopology(
      [
        { name: 's0', tier: 1, nodes: ['a', 'b'] },
        { name: 's1', tier: 2, nodes: names },
      ],
      names,
    );
    const nodes = names.map((name) => node(name, 2, { domains: domains.get(name) }));
    const wanted = gang('g', 4, template(1), { topology: { required: topology.levels[1] } });
    expect(nodesOf(run(cluster(nodes, [wanted], [], { topologies: [topology] })), 'g')).toEqual(['a', 'b']);
  });

  it('are refused with a sentence when the snapshot contradicts itself', () => {
    const broken = cluster(
      [node('a', 1)],
      [],
      [{ name: 'p', state: 'running', gang: 'gone', role: 'worker', node: 'a' }],
    );
    expect(() => run(broken)).toThrow(new SnapshotError('Pod "p" names gang "gone", which is not in the snapshot.'));
  });
});

describe('order and reservations', () => {
  it('goes by priority, then by age', () => {
    const gangs = [
      gang('young', 1, template(2), { arrival: NOW }),
      gang('old', 1, template(2)),
      gang('first', 1, template(2), { priority: 9, arrival: NOW }),
    ];
    expect(bound(run(cluster([node('a', 4)], gangs)))).toEqual(['first-worker-0 on a', 'old-worker-0 on a']);
  });

  it('serves the gang that has least when the policy says so', () => {
    const elastic = (name: string): Gang => gang(name, 2, template(2), { minimum: 0 });
    const byShare = run(cluster([node('a', 4)], [elastic('x'), elastic('y')]), { gangOrder: 'share' });
    expect(byShare.bindings.map(({ pod }) => pod)).toEqual(['x-worker-0', 'y-worker-0']);
    expect(run(cluster([node('a', 4)], [elastic('x'), elastic('y')])).bindings.map(({ pod }) => pod)).toEqual([
      'x-worker-0',
      'x-worker-1',
    ]);
  });

  it('promises the head its start, and backfills only what does not delay it', () => {
    const gangs = [
      gang('run', 1, template(8), { expectedSeconds: 3600 }),
      gang('head', 2, template(8), { arrival: NOW - 9 * MINUTE }),
      gang('short', 1, template(4), { arrival: NOW - 8 * MINUTE, expectedSeconds: 1800 }),
      gang('long', 1, template(4), { arrival: NOW - 7 * MINUTE, expectedSeconds: 36_000 }),
      gang('unknown', 1, template(4), { arrival: NOW - 6 * MINUTE }),
    ];
    const there = [running('run', 'a', 0, { startedAt: NOW })];
    const decision = run(cluster([node('a', 8), node('b', 8)], gangs, there));
    expect(bound(decision)).toEqual(['short-worker-0 on b']);
    expect(decision.reservations).toEqual([{ gang: 'head', startAt: NOW + 3_600_000, nodes: ['a', 'b'] }]);
    expect(decision.pending.map(({ gang: name, kind }) => `${name} ${kind}`)).toEqual([
      'head no-fit',
      'long reserved',
      'unknown reserved',
    ]);
    const without = run(cluster([node('a', 8), node('b', 8)], gangs, there), { actions: ['allocate'] });
    expect(bound(without)).toEqual(['short-worker-0 on b', 'long-worker-0 on b']);
  });

  it('lets a gang wait for room that is being released, without evicting anybody', () => {
    const gangs = [gang('leaving', 1, template(4)), gang('g', 1, template(4))];
    const decision = run(cluster([node('a', 4)], gangs, [running('leaving', 'a', 0, { state: 'releasing' })]));
    expect(decision).toMatchObject({ bindings: [], nominations: [{ pod: 'g-worker-0', node: 'a' }], evictions: [] });
  });

  it('place a role in one domain of its own level, whether its pods are alike, differ, or lead', () => {
    const role = (leader: boolean, count: number): Gang['roles'][number] => ({
      name: 'all',
      count,
      leader,
      template: template(2),
      topology: { topology: 'room', required: 'rack' },
    });
    const of = (leader: boolean, minimum: number, more: Partial<Gang> = {}): readonly string[] =>
      nodesOf(
        run(
          cluster(racks, [gang('g', 0, template(0), { roles: [role(leader, minimum)], ...more })], [], { topologies }),
        ),
        'g',
      );
    expect(of(false, 4)).toEqual(['n0', 'n1']);
    // Several leaders, and pods that others may not be near, are placed one by one.
    expect(of(true, 4)).toEqual(['n0', 'n1']);
    expect(of(true, 5)).toEqual([]);
    expect(of(true, 4, { topology: { topology: 'room', required: 'zone' } })).toEqual(['n0', 'n1']);
  });
});
