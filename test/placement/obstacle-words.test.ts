import { type BlockedNodes } from '../../src/placement';
import { obstacleText } from '../../src/placement/reasons/obstacle-words';

const LABEL = { constraint: 'node-selector', detail: 'gantry.dev/node-profile=training' } as const;

test.each<[BlockedNodes, string]>([
  [{ ...LABEL, nodes: 5000 }, 'no node has the label gantry.dev/node-profile=training (0 of 5,000)'],
  [{ ...LABEL, nodes: 4990 }, '4,990 of 5,000 nodes do not have the label gantry.dev/node-profile=training'],
  [
    { constraint: 'devices', detail: 'nvidia.com/gpu', nodes: 5000 },
    'no node has enough free nvidia.com/gpu (0 of 5,000)',
  ],
  [{ constraint: 'resources', detail: 'cpu', nodes: 3 }, '3 of 5,000 nodes do not have enough free CPU'],
  [
    { constraint: 'taints', detail: 'spot:NoSchedule', nodes: 5000 },
    '5,000 of 5,000 nodes have the taint spot:NoSchedule, which the pod does not tolerate',
  ],
  [{ constraint: 'unschedulable', nodes: 12 }, '12 of 5,000 nodes are cordoned'],
  [{ constraint: 'not-ready', nodes: 5000 }, 'no node is ready (0 of 5,000)'],
  [
    { constraint: 'node-affinity', detail: 'zone In a|b', nodes: 5000 },
    'no node matches the node affinity zone In a|b (0 of 5,000)',
  ],
])('%j reads as a clause', (blocked, text) => {
  expect(obstacleText(blocked, 5000)).toBe(text);
});
