/**
 * Capacity reports of a scenario: what they keep pods away from, for how long they count, and what is wrong with them in a file.
 */
import { complaint, gang, run } from './support';

const NODES = [
  { name: 'a', pool: 'p', allocatable: { cpu: 96, gpus: 1 }, report: { utilization: 0.95 } },
  { name: 'b', pool: 'p', allocatable: { cpu: 96, gpus: 1 }, report: { utilization: 0.95 } },
];
const HARD = { capacityFilters: [{ mode: 'hard', utilization: 0.5 }] };
const ONE = { name: 'g', queue: 'q', gpus: 1, duration: 60, arrives: '1h' };

test('the agent keeps its report fresh for as long as it runs', () => {
  const result = run({ nodes: NODES, policy: HARD, gangs: [ONE], run: { for: '9h' } });
  expect(gang(result, 'g')).toMatchObject({ state: 'pending' });
});

test('after the agent stops, the report counts for as long as the policy says, and then only requests count', () => {
  const startOf = (policy: object): number | undefined =>
    gang(
      run({ nodes: NODES, policy, gangs: [ONE], events: [{ at: '2h', report: 'b', stops: true }], run: { for: '9h' } }),
      'g',
    ).startedAt;
  expect(startOf(HARD)).toBe(7200 + 300 + 1);
  expect(startOf({ ...HARD, capacityReport: '10m' })).toBe(7200 + 600 + 1);
});

test('a report that is set again counts again', () => {
  const { startedAt, nodes } = gang(
    run({
      nodes: NODES,
      policy: HARD,
      gangs: [ONE],
      events: [
        { at: '2h', report: ['a', 'b'], stops: true },
        { at: 7300, report: 'a', set: { utilization: 0.9 } },
        { at: 7350, report: 'b', set: { utilization: 0.1 } },
      ],
      run: { for: '9h' },
    }),
    'g',
  );
  expect([startedAt, nodes]).toEqual([7350, ['b']]);
});

test('what was measured of a device that a pod held says nothing once it is free', () => {
  const held = { report: { devices: [{ index: 0, utilization: 0.95, held: true }] } };
  const result = run({ nodes: [{ ...NODES[0], ...held }], policy: HARD, gangs: [ONE] });
  const free = run({ nodes: [NODES[0]], policy: HARD, gangs: [ONE], run: { for: '2h' } });
  expect([gang(result, 'g').startedAt, gang(free, 'g').startedAt]).toEqual([3600, undefined]);
});

test.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
  [
    'a report without a measure',
    { nodes: [{ ...NODES[0], report: {} }] },
    'nodes[0].report must set at least one of freeMemoryMiB, utilization, and latencyMs',
  ],
  [
    'a utilization in percent',
    { nodes: [{ ...NODES[0], report: { utilization: 95 } }] },
    'nodes[0].report.utilization must be a number greater than or equal to 0 and less than or equal to 1, not 95',
  ],
  [
    'a device that the node does not have',
    { nodes: [{ ...NODES[0], report: { devices: [{ index: 1, latencyMs: 3 }] } }] },
    'nodes[0].report.devices[0].index must be at most 0, not 1',
  ],
  [
    'a node without devices',
    { nodes: [{ name: 'c', allocatable: { cpu: 1 }, report: { devices: [{ index: 0, latencyMs: 3 }] } }] },
    'nodes[0].report.devices[0].index must not be set, because the node has no devices',
  ],
  [
    'a device without an index',
    { nodes: [{ ...NODES[0], report: { devices: [{ latencyMs: 3 }] } }] },
    'nodes[0].report.devices[0].index is required; set the index of the device, from 0',
  ],
  [
    'a device twice',
    {
      events: [
        {
          at: 1,
          report: 'node-1',
          set: {
            devices: [
              { index: 2, latencyMs: 3 },
              { index: 2, latencyMs: 4 },
            ],
          },
        },
      ],
    },
    'events[0].set.devices contains device 2 twice',
  ],
  [
    'both forms',
    { events: [{ at: 1, report: 'node-1', set: { utilization: 0.5, devices: [] } }] },
    'events[0].set.utilization must not be set together with devices; set it on the devices',
  ],
  [
    'no node',
    { events: [{ at: 1, report: 'x', set: { utilization: 0.5 } }] },
    'events[0].report must be names of nodes, or a pattern such as rack-2-* that matches a node, not "x"',
  ],
  [
    'neither set nor stops',
    { events: [{ at: 1, report: 'node-1' }] },
    'events[0].set is required, such as {utilization: 0.9}, except with stops: true',
  ],
  [
    'set and stops',
    { events: [{ at: 1, report: 'node-1', set: { utilization: 0.5 }, stops: true }] },
    'events[0].set is required, such as {utilization: 0.9}, except with stops: true',
  ],
  [
    'stops alone',
    { events: [{ at: 1, stops: true, fail: 'node-1' }] },
    'events[0].stops must not be set without report',
  ],
  [
    'together with a queue',
    { events: [{ at: 1, report: 'node-1', queue: 'q', set: { weight: 2 } }] },
    'events[0].report must not be set together with queue',
  ],
  [
    'a filter of an unknown pool',
    { nodes: NODES, policy: { capacityFilters: [{ mode: 'hard', utilization: 1, pools: ['q'] }] } },
    'policy.capacityFilters[0].pools must be one of p, not "q" (did you mean p?)',
  ],
  [
    'a filter of a pool where there is none',
    { policy: { capacityFilters: [{ mode: 'hard', utilization: 1, pools: ['p'] }] } },
    'policy.capacityFilters[0].pools must be the name of a pool, which nodes have with pool: NAME, not "p"',
  ],
  [
    'a filter of an unknown queue',
    { policy: { capacityFilters: [{ mode: 'hard', utilization: 1, queues: ['qq'] }] } },
    'policy.capacityFilters[0].queues must be one of q, not "qq" (did you mean q?)',
  ],
])('%s', (_, more, expected) => {
  expect(
    complaint(more)
      .split('\n')
      .map((line) => line.replace(/^test\.json: /, '')),
  ).toContain(expected);
});
