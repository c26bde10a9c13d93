/**
 * What is wrong with a scenario is reported in its own words, all at once.
 */
import { readScenario, ScenarioError } from '../../../src/planning/simulation';
import { complaint, noFile } from './support';

test.each([
  [
    'a name that is nearly right',
    { gangs: [{ name: 'a', queue: 'q', duration: 60, prioritty: 3 }] },
    'gangs[0].prioritty is an unknown field (did you mean priority?)',
  ],
  [
    'a duration in other words',
    { gangs: [{ name: 'a', queue: 'q', duration: '90 mins' }] },
    'gangs[0].duration must be a duration such as 90s, 15m, 1h30m, or 2d, or forever, not "90 mins"',
  ],
  [
    'no duration',
    { gangs: [{ name: 'a', queue: 'q' }] },
    'gangs[0].duration is required; set how long the gang runs, such as 2h, or forever',
  ],
  [
    'a queue that does not exist',
    { gangs: [{ name: 'a', queue: 'reserch', duration: 1 }], queues: [{ name: 'research' }] },
    'gangs name the queue "reserch", which does not exist (did you mean research?)',
  ],
  [
    'a minimum that is too large',
    { gangs: [{ name: 'a', queue: 'q', pods: 2, minimum: 3, duration: 1 }] },
    'gangs[0].minimum must be at most the 2 pods that the gang has, not 3',
  ],
  [
    'random arrivals without a seed',
    { gangs: [{ name: 'a', queue: 'q', duration: 1, repeat: { perHour: 2, until: '1h' } }] },
    'gangs[0].repeat.seed is required for random arrivals, so that every run gives the same result',
  ],
  [
    'an amount that is none',
    { queues: [{ name: 'q', deserved: { gpus: 'many' } }] },
    'queues[0].deserved.gpus must be a quantity such as 8, 500m, or 64Gi, not "many"',
  ],
  [
    'thousandths of cores',
    { nodes: [{ name: 'n', allocatable: { cpu: 96000 } }] },
    'nodes[0].allocatable.cpu is 96000 cores; write milli-CPU with the suffix m, such as 96000m',
  ],
  [
    'an event without a what',
    { events: [{ at: '1h' }] },
    'events[0] must set one of fail, return, drain, reclaim, join, deviceFault, linkFault, condition, alert, report, queue, or cancel',
  ],
  [
    'an event on no node',
    { events: [{ at: '1h', fail: 'rack-9-*' }] },
    'events[0].fail must be names of nodes, or a pattern such as rack-2-* that matches a node, not "rack-9-*"',
  ],
  [
    'an action that is none',
    { policy: { without: 'back-fill' } },
    'policy.without must be allocate, backfill, preempt, reclaim, consolidate, or evict-stale, not "back-fill" (did you mean backfill?)',
  ],
  [
    'an expectation about no gang',
    { expect: [{ gang: 'z-*', startsBy: 1 }] },
    'expect[0].gang must be the name of a gang, or a pattern such as sweep-* that matches a gang, not "z-*"',
  ],
  ['an expectation of nothing', { expect: [{ gang: 'a' }] }, 'expect[0] expects nothing'],
  [
    'two nodes of one name',
    {
      nodes: [
        { name: 'n', allocatable: {} },
        { name: 'n', allocatable: {} },
      ],
    },
    'nodes has two entries named "n"; names must be unique',
  ],
  [
    'a conformance case',
    { podGroups: [] },
    'podGroups is a field of a conformance case; run these cases with `npm run conformance`',
  ],
  ['no cluster', { nodes: [] }, 'cluster is required; set a cluster file, an inline cluster, or a list of nodes'],
  [
    'a cluster that is wrong',
    { nodes: undefined, cluster: { pools: [{ name: 'p', acelerator: 'H100' }] } },
    'test.json: cluster: pools[0].acelerator is an unknown field (did you mean accelerator?)',
  ],
])('%s', (_, more, expected) => {
  expect(
    complaint(more)
      .split('\n')
      .map((line) => line.replace(/^test\.json: (?!cluster:)/, '')),
  ).toContain(expected);
});

test('everything is reported at once', () => {
  expect(complaint({ gangs: [{ name: 'a', queue: 'q' }], expect: [{ gang: 'a' }] }).split('\n')).toHaveLength(2);
});

test('broken YAML is reported with its place', () => {
  expect(() => readScenario('a: [1\nb: 2', 's.yaml', noFile)).toThrow(ScenarioError);
  expect(() => readScenario('a: [1\nb: 2', 's.yaml', noFile)).toThrow(/^s\.yaml:\d+:\d+: /);
});

test('a cluster file is found by its name, and the sample by the word', () => {
  const gangs = [{ name: 'a', queue: 'default', duration: 1 }];
  const scenario = (cluster: unknown): string => JSON.stringify({ cluster, queues: [{ name: 'default' }], gangs });
  const text = 'pools:\n  - {name: gpu, count: 3, accelerator: H100-SXM-80GB}\n';
  expect(readScenario(scenario('c.yaml'), 's.json', (name) => ({ text, file: name })).nodes).toHaveLength(3);
  expect(readScenario(scenario('sample'), 's.json', noFile).nodes).toHaveLength(80);
});

test('a cluster may be what kubectl printed', () => {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    status: { allocatable: { cpu: '8', 'nvidia.com/gpu': '4' } },
  };
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [node] });
  const scenario = JSON.stringify({
    cluster: 'live.json',
    queues: [{ name: 'q' }],
    gangs: [{ name: 'a', queue: 'q', duration: 1 }],
  });
  const read = readScenario(scenario, 's.json', (name) => ({ text: list, file: name }));
  expect(read.nodes).toMatchObject([{ name: 'n1', allocatable: { cpu: 8000, 'nvidia.com/gpu': 4 } }]);
});
