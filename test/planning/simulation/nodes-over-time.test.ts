/**
 * Nodes that come and go: spot nodes that are reclaimed, nodes that join, nodes that are started for gangs that wait.
 */
import { type SimulationResult } from '../../../src/planning/simulation';
import { complaint, gang, run } from './support';

const NODE = { allocatable: { cpu: 96, gpus: 8 } };
const GANG = { name: 'a', queue: 'q', gpus: 8, duration: '1h' };

function readyDevices({ samples }: SimulationResult): readonly (readonly [number, number])[] {
  const ready = samples.ready['nvidia.com/gpu'];
  return samples.at.map((at, i) => [at, ready[i]] as const);
}

test('a reclaimed node evicts its pods at the notice, ends after it, and is replaced', () => {
  const result = run({
    nodes: [{ ...NODE, name: 'n' }],
    gangs: [GANG],
    events: [{ at: '10m', reclaim: 'n', notice: '2m', for: '5m' }],
  });
  expect(result.happenings.map(({ at, text }) => [at, text])).toEqual([
    [600, 'n reclaimed'],
    [720, 'n left the cluster'],
    [1020, 'n joined the cluster'],
  ]);
  // The pod is evicted at the notice, all work is lost, and the gang starts again on the new node.
  expect(gang(result, 'a')).toMatchObject({ losses: 1, lostSeconds: 600, endedAt: 1020 + 3600 });
});

test('a node that is reclaimed without for does not come back, and the notice is two minutes', () => {
  const result = run({
    nodes: [{ ...NODE, name: 'n', count: 2 }],
    gangs: [GANG],
    events: [{ at: 60, reclaim: 'n-1' }],
  });
  expect(readyDevices(result).at(-1)).toEqual([expect.any(Number), 8]);
  expect(result.happenings.map(({ at }) => at)).toEqual([60, 180]);
});

test('a node is not there before it joins', () => {
  const result = run({ nodes: [{ ...NODE, name: 'n' }], gangs: [GANG], events: [{ at: '30m', join: 'n' }] });
  expect(gang(result, 'a')).toMatchObject({ startedAt: 1800 });
});

test('spot nodes are interrupted at random, the same for the same seed', () => {
  const spot = { interruptionsPerHour: 0.5, notice: 60, replacedAfter: '10m' };
  const at = (seed: number): readonly number[] =>
    run({ nodes: [{ ...NODE, name: 'n', count: 3, spot: { ...spot, seed } }], gangs: [GANG], run: { for: '2d' } })
      .happenings.filter(({ kind }) => kind === 'reclaim')
      .map((happening) => happening.at);
  // 144 hours of nodes with an interruption every two hours and a bit.
  expect(at(1).length).toBeGreaterThan(40);
  expect(at(1).length).toBeLessThan(90);
  expect(at(1)).toEqual(at(1));
  expect(at(2)).not.toEqual(at(1));
  expect(complaint({ nodes: [{ ...NODE, name: 'n', spot }] })).toContain('run.for is required for spot nodes');
  expect(complaint({ nodes: [{ ...NODE, name: 'n', spot }], run: { for: '1000000d' } })).toContain(
    'run.for gives about 12000000 interruptions; at most 200000 are simulated',
  );
});

describe('a group that scales', () => {
  const group = { ...NODE, name: 'n', count: 4, autoscale: { min: 1, delay: '4m', idle: '10m' } };

  test('starts the nodes that waiting gangs need after the delay, and ends them when they are idle', () => {
    const result = run({ nodes: [group], gangs: [{ ...GANG, pods: 3 }] });
    expect(gang(result, 'a')).toMatchObject({ startedAt: 240, endedAt: 3840 });
    expect(result.happenings.map(({ at, kind }) => [at, kind])).toEqual([
      [0, 'request'],
      [240, 'join'],
      [4440, 'leave'],
      [4440, 'leave'],
    ]);
    expect([...new Set(readyDevices(result).map((sample) => sample[1]))]).toEqual([8, 24]);
    expect(readyDevices(result).at(-1)).toEqual([4440, 8]);
  });

  test('does not start nodes for a gang that would wait all the same', () => {
    expect(run({ nodes: [group], gangs: [{ ...GANG, pods: 5 }] }).happenings).toEqual([]);
    const capped = run({
      nodes: [group],
      queues: [{ name: 'q', capability: { gpus: 8 } }],
      gangs: [{ ...GANG, pods: 2 }],
    });
    expect(capped.happenings).toEqual([]);
  });

  test('waits for nodes on their way instead of starting more', () => {
    const gangs = [
      { ...GANG, pods: 2 },
      { ...GANG, name: 'b', gpus: 4, arrives: '1m' },
      { ...GANG, name: 'c', gpus: 8, arrives: '2m' },
    ];
    const { happenings } = run({ nodes: [{ ...group, autoscale: { ...group.autoscale, min: 0 } }], gangs });
    const requests = happenings.filter(({ kind }) => kind === 'request').map(({ at, text }) => [at, text]);
    expect(requests).toEqual([
      [0, 'n-1, n-2 requested'],
      [60, 'n-3 requested'],
      [120, 'n-4 requested'],
    ]);
  });
});

test.each([
  [{ nodes: [{ ...NODE, name: 'n', autoscale: {} }] }, 'nodes[0].autoscale.delay is required'],
  [{ nodes: [{ ...NODE, name: 'n', autoscale: { delay: 0 } }] }, 'nodes[0].autoscale.delay must be more than 0'],
  [
    { nodes: [{ ...NODE, name: 'n', autoscale: { delay: 1, min: 2 } }] },
    'nodes[0].autoscale.min must be a whole number',
  ],
  [{ events: [{ at: 0, fail: 'node-1', notice: 1 }] }, 'events[0].notice must not be set without reclaim'],
  [{ events: [{ at: 0, join: 'x' }] }, 'events[0].join must be names of nodes'],
])('%j is reported', (more, message) => {
  expect(complaint(more)).toContain(message);
});
