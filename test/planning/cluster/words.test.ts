import { type Counterfactual } from '../../../src/placement';
import { changeText } from '../../../src/planning/cluster';

const GPU = 'nvidia.com/gpu';

test.each<[Counterfactual, string]>([
  [{ kind: 'more-on-node', node: 'n', resource: GPU, amount: 4 }, 'Fits with 4 more nvidia.com/gpu free on node n.'],
  [{ kind: 'more-on-node', node: 'n', resource: 'cpu', amount: 4000 }, 'Fits with 4 more cores of CPU free on node n.'],
  [
    { kind: 'more-on-node', node: 'n', resource: 'memory', amount: 2 ** 36 },
    'Fits with 64Gi more memory free on node n.',
  ],
  [
    { kind: 'wider-topology', level: 'topology.kubernetes.io/zone' },
    'Fits within one zone (topology.kubernetes.io/zone).',
  ],
  [{ kind: 'wider-topology', level: null }, 'Fits without its required topology.'],
  [{ kind: 'fewer-pods', by: 2 }, 'Fits with 1 pod instead of 3.'],
  [
    {
      kind: 'raise-capability',
      raises: [
        { queue: 'q', resource: GPU, by: 8 },
        { queue: 'p', resource: GPU, by: 2 },
      ],
    },
    'Fits if the capability of queue "q" is raised by 8 nvidia.com/gpu and the capability of queue "p" is raised by 2 nvidia.com/gpu.',
  ],
  [
    { kind: 'lower-guarantees', reductions: [{ queue: 'p', resource: GPU, by: 2 }] },
    'Fits if the guarantee of queue "p" is lowered by 2 nvidia.com/gpu.',
  ],
  [{ kind: 'fewer-pods', by: 1, role: 'worker' }, 'Fits with 1 fewer pod of role "worker".'],
  [{ kind: 'more-nodes', like: 'n', count: 1 }, 'Fits with 1 more node like n.'],
  [
    { kind: 'more-nodes', like: 'n', count: 2, pool: 'training', domain: 'rack-1' },
    'Fits with 2 more nodes of pool "training" in rack-1.',
  ],
  [
    { kind: 'add-toleration', taints: [{ key: GPU, effect: 'NoSchedule' }] },
    'Fits if its pods tolerate the taint nvidia.com/gpu:NoSchedule.',
  ],
  [
    {
      kind: 'add-toleration',
      taints: [
        { key: GPU, effect: 'NoSchedule' },
        { key: 'team', value: 'a', effect: 'NoExecute' },
      ],
    },
    'Fits if its pods tolerate the taints nvidia.com/gpu:NoSchedule and team=a:NoExecute.',
  ],
  [{ kind: 'drop-node-selector', key: 'disk', value: 'ssd' }, 'Fits without the node selector disk=ssd.'],
  [{ kind: 'drop-node-affinity' }, 'Fits without its required node affinity.'],
  [{ kind: 'make-preemptible' }, 'Can start above the quota of its queue if it is preemptible.'],
  [{ kind: 'wait-until', at: Date.UTC(2026, 0, 1, 2) }, 'Starts in 2 h, when running work has ended.'],
])('a change reads as a sentence: %j', (change, text) => {
  expect(changeText(change, { now: Date.UTC(2026, 0, 1), needed: 3 })).toBe(text);
});

test('without a clock, a text names points in time and differences', () => {
  expect(changeText({ kind: 'wait-until', at: Date.UTC(2026, 0, 1) }, {})).toBe(
    'Starts at 2026-01-01T00:00:00Z, when running work has ended.',
  );
  expect(changeText({ kind: 'fewer-pods', by: 2 }, {})).toBe('Fits with 2 pods fewer.');
});
