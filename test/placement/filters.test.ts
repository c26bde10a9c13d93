import { type ClusterNode, type PodTemplate } from '../../src/placement';
import { bound, cluster, gang, node, NOW, run, running, template } from './builders';

/** Where a single pod may go: the blocked constraint of each case is beside the node that takes it. */
const CASES: readonly (readonly [string, Partial<ClusterNode>, Partial<PodTemplate>])[] = [
  ['not-ready', { ready: false }, {}],
  ['unschedulable', { unschedulable: true }, {}],
  ['node-name', {}, { nodeName: 'good' }],
  ['taints', { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] }, {}],
  ['node-selector', { labels: { disk: 'hdd' } }, { nodeSelector: { disk: 'ssd' } }],
  [
    'node-affinity',
    { labels: { size: '3' } },
    { nodeTerms: [{ labels: [{ key: 'size', operator: 'Gt', values: ['5'] }] }] },
  ],
  [
    'volume-affinity',
    { labels: { zone: 'b' } },
    { volumeNodeTerms: [[{ labels: [{ key: 'zone', operator: 'In', values: ['a'] }] }]] },
  ],
  ['resources', { allocatable: { cpu: 500, memory: 1e12, pods: 50, 'nvidia.com/gpu': 8 } }, {}],
  ['devices', { allocatable: { cpu: 32_000, memory: 1e12, pods: 50, 'nvidia.com/gpu': 1 } }, {}],
  [
    'device-model',
    { devices: [{ model: 'H100' }, { model: 'T4' }] },
    { accelerator: { kind: 'whole', count: 2, models: ['H100'] } },
  ],
];
const GOOD: Partial<ClusterNode> = {
  labels: { disk: 'ssd', size: '9', zone: 'a' },
  devices: [{ model: 'H100' }, { model: 'H100' }],
};

describe('filters', () => {
  it.each(CASES)('%s keeps a pod off a node, and is named as the reason', (constraint, bad, pod) => {
    const wanted = [gang('g', 1, template(2, pod))];
    expect(bound(run(cluster([node('bad', 8, bad), node('good', 2, GOOD)], wanted)))).toEqual(['g-worker-0 on good']);
    const [pending] = run(cluster([node('bad', 8, bad)], wanted)).pending;
    expect(pending).toMatchObject({ kind: 'no-fit', blocked: [{ constraint, nodes: 1 }] });
  });

  it('tolerates a taint and a cordon when the pod says so', () => {
    const nodes = [node('n', 8, { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }], unschedulable: true })];
    const tolerations = [
      { key: 'team', value: 'a' },
      { key: 'node.kubernetes.io/unschedulable', operator: 'Exists' as const },
    ];
    expect(bound(run(cluster(nodes, [gang('g', 1, template(1, { tolerations }))])))).toEqual(['g-worker-0 on n']);
  });

  it('counts pods against the pod limit of a node', () => {
    const nodes = [node('n', 0, { allocatable: { cpu: 32_000, memory: 1e12, pods: 2 } })];
    expect(run(cluster(nodes, [gang('g', 3, template(0))])).pending[0].blocked).toEqual([
      { constraint: 'resources', detail: 'pods', nodes: 1 },
    ]);
  });

  it('keeps two pods with one host port apart', () => {
    const pod = template(0, { hostPorts: [{ port: 8080 }] });
    expect(bound(run(cluster([node('a', 0), node('b', 0)], [gang('g', 2, pod)])))).toEqual([
      'g-worker-0 on a',
      'g-worker-1 on b',
    ]);
    expect(run(cluster([node('a', 0)], [gang('g', 2, pod)])).pending[0].blocked[0].constraint).toBe('host-ports');
  });

  it('honors anti-affinity in both directions', () => {
    const term = {
      topologyKey: 'kubernetes.io/hostname',
      selector: { labels: [{ key: 'app', operator: 'In' as const, values: ['web'] }] },
    };
    const loner = gang('loner', 1, template(0, { podAntiAffinity: [term], labels: { app: 'batch' } }));
    const web = gang('web', 1, template(0, { labels: { app: 'web' } }));
    expect(run(cluster([node('a', 0)], [loner, web], [running('web', 'a')])).pending[0].blocked[0].constraint).toBe(
      'pod-anti-affinity',
    );
    expect(run(cluster([node('a', 0)], [loner, web], [running('loner', 'a')])).pending[0].blocked[0].constraint).toBe(
      'pod-anti-affinity',
    );
  });

  it('follows required pod affinity, and lets the first of a group that selects itself start', () => {
    const term = {
      topologyKey: 'zone',
      selector: { labels: [{ key: 'app', operator: 'In' as const, values: ['web'] }] },
    };
    const nodes = [
      node('a', 0, { labels: { zone: '1' } }),
      node('b', 0, { labels: { zone: '2' } }),
      node('c', 0, { labels: { zone: '2' } }),
    ];
    const group = gang('g', 3, template(0, { labels: { app: 'web' }, podAffinity: [term], request: { cpu: 20_000 } }));
    expect(run(cluster(nodes, [{ ...group, roles: [{ ...group.roles[0], count: 2 }] }])).bindings).toHaveLength(0);
    const two = gang('g', 2, template(0, { labels: { app: 'web' }, podAffinity: [term], request: { cpu: 20_000 } }));
    const there = gang('there', 1, template(0, { labels: { app: 'web' } }));
    expect(bound(run(cluster(nodes, [two, there], [running('there', 'c')])))).toEqual([
      'g-worker-0 on b',
      'g-worker-1 on c',
    ]);
  });

  it('spreads over domains within the skew', () => {
    const topologySpread = [
      { topologyKey: 'zone', maxSkew: 1, selector: { labels: [{ key: 'app', operator: 'Exists' as const }] } },
    ];
    const nodes = [node('a', 0, { labels: { zone: '1' } }), node('b', 0, { labels: { zone: '2' } })];
    const decision = run(cluster(nodes, [gang('g', 4, template(0, { labels: { app: 'x' }, topologySpread }))]));
    expect(decision.bindings.filter((binding) => binding.node === 'a')).toHaveLength(2);
  });

  it('spread counts only pods on nodes that the pod itself may use', () => {
    const topologySpread = [
      { topologyKey: 'zone', maxSkew: 1, selector: { labels: [{ key: 'app', operator: 'Exists' as const }] } },
    ];
    const disk = (value: string, zone: string): Partial<ClusterNode> => ({ labels: { disk: value, zone } });
    const nodes = [node('a', 0, disk('slow', '1')), node('b', 0, disk('fast', '1')), node('c', 0, disk('fast', '2'))];
    const there = gang('there', 2, template(0, { labels: { app: 'x' } }));
    const picky = gang(
      'picky',
      2,
      template(0, { labels: { app: 'x' }, nodeSelector: { disk: 'fast' }, topologySpread }),
    );
    const decision = run(cluster(nodes, [there, picky], [running('there', 'a', 0), running('there', 'a', 1)]));
    expect(bound(decision).map((text) => text.replace(/-worker-\d/, ''))).toEqual(['picky on b', 'picky on c']);
  });

  it('prefers what the pod prefers, and avoids taints that only prefer', () => {
    const preferredNodeTerms = [{ weight: 10, term: { labels: [{ key: 'fast', operator: 'Exists' as const }] } }];
    const nodes = [node('a', 2), node('b', 8, { labels: { fast: 'yes' } })];
    expect(bound(run(cluster(nodes, [gang('g', 1, template(1, { preferredNodeTerms }))])))).toEqual([
      'g-worker-0 on b',
    ]);
    const soft = [node('a', 2, { taints: [{ key: 'spot', effect: 'PreferNoSchedule' }] }), node('b', 8)];
    expect(bound(run(cluster(soft, [gang('g', 1, template(1))])))).toEqual(['g-worker-0 on b']);
  });
});

describe('capacity reports', () => {
  const report = (ageSeconds: number, freeMemoryMiB: number): string =>
    JSON.stringify({ at: new Date(NOW - ageSeconds * 1000).toISOString(), devices: [{ index: 0, freeMemoryMiB }] });
  const nodes = (text: string): ClusterNode[] => [
    node('n', 1, { devices: [{ memoryMiB: 80_000 }], capacityReport: text }),
  ];
  const wants = [gang('g', 1, template(0, { accelerator: { kind: 'memory', mebibytes: 20_000 } }))];

  it('filter by free memory while they are fresh', () => {
    const decision = run(cluster(nodes(report(10, 5_000)), wants));
    expect(decision.pending[0].blocked[0].constraint).toBe('reported-memory');
    expect(decision.capacityReports).toEqual({ fresh: 1, stale: 0, malformed: 0 });
  });

  it.each([
    ['a request for memory', 'all of it', { kind: 'memory', mebibytes: 20_000 }, 20_000],
    ['a whole device', '95 % of its memory', { kind: 'whole', count: 1 }, 76_000],
    ['a part of a device', '95 % of that part of the memory', { kind: 'fraction', milli: 500 }, 38_000],
  ] as const)('%s needs %s to be free, and no more', (_, _part, accelerator, needed) => {
    const asks = [gang('g', 1, template(0, { accelerator }))];
    expect(run(cluster(nodes(report(10, needed)), asks)).bindings).toHaveLength(1);
    const decision = run(cluster(nodes(report(10, needed - 1)), asks));
    expect(decision.bindings).toEqual([]);
    expect(decision.pending[0].blocked[0].constraint).toBe('reported-memory');
  });

  it.each([
    ['stale', report(600, 5_000)],
    ['malformed', '{"at": "yesterday"}'],
    ['malformed', 'no JSON'],
    ['malformed', JSON.stringify({ at: NOW, devices: [{ index: 0, freeMemoryMiB: 'much' }] })],
  ] as const)('that are %s are left aside and counted', (state, text) => {
    const decision = run(cluster(nodes(text), wants));
    expect(decision.bindings).toHaveLength(1);
    expect(decision.capacityReports[state]).toBe(1);
  });

  it('only score by utilization', () => {
    const busy = JSON.stringify({ at: NOW, devices: [{ index: 0, utilization: 0.9 }] });
    const two = [node('a', 1, { capacityReport: busy }), node('b', 1)];
    expect(bound(run(cluster(two, [gang('g', 1, template(1))])))).toEqual(['g-worker-0 on b']);
    expect(run(cluster(two, [gang('g', 2, template(1))])).bindings).toHaveLength(2);
  });
});
