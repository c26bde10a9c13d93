/**
 * What a simulation records about the health of nodes: problems, marks, refusals, and how much of each budget is in use.
 */
import { type SimulationResult } from '../../../src/planning/simulation';
import { run } from './support';

const ONE = { name: 'a', queue: 'q', gpus: 8, duration: '2h' };
const NODES = [
  { name: 'n', count: 4, allocatable: { cpu: 96, gpus: 8 }, labels: { 'topology.kubernetes.io/rack': 'r' } },
];
const RULES = {
  healthySeconds: 60,
  maxUnavailablePercent: 25,
  maxPerRack: 4,
  rules: [{ name: 'bad', cause: { condition: 'Bad' }, afterSeconds: 30, actions: ['taint', 'cordon'] }],
};

const simulated = (more: Readonly<Record<string, unknown>>): SimulationResult =>
  run({ nodes: NODES, gangs: [ONE], remediation: RULES, ...more });

test('spans of problems, marks, and what is not done, and the columns of the budget', () => {
  const { health } = simulated({ events: [{ at: 600, condition: 'Bad', nodes: ['n-1', 'n-2'], for: 100 }] });
  expect(health).toMatchObject({
    remediation: 'active',
    nodes: [
      {
        name: 'n-1',
        problems: [{ what: 'Bad', from: 600, to: 700 }],
        marks: [
          { what: 'taint', from: 630, to: 760 },
          { what: 'cordon', from: 630, to: 760 },
        ],
        refusals: [],
      },
      {
        name: 'n-2',
        problems: [{ what: 'Bad', from: 600, to: 700 }],
        marks: [],
        refusals: [
          { what: 'rule bad: 1 of 4 nodes of the pool may be unavailable, and 1 other is', from: 630, to: 700 },
        ],
      },
    ],
    budgets: [
      { kind: 'pool', name: '', at: [0, 630, 760], unavailable: [0, 1, 0], most: [1, 1, 1], nodes: [4, 4, 4] },
      { kind: 'rack', name: 'r', at: [0, 630, 760], unavailable: [0, 1, 0], most: [4, 4, 4], nodes: [4, 4, 4] },
    ],
  });
});

test('a dry run has the marks that it would have made, and changes nothing', () => {
  const result = simulated({
    remediation: { ...RULES, dryRun: true },
    events: [{ at: 600, alert: 'Fire', nodes: 'n-3', condition: 'Bad', for: 100 }],
  });
  expect(result.health).toMatchObject({
    remediation: 'dry-run',
    nodes: [
      { name: 'n-3', problems: [{ what: 'Bad' }, { what: 'alert Fire' }], marks: [{ what: 'taint', from: 630 }, {}] },
    ],
  });
  expect(result.gangs[0].evictions).toBe(0);
});

test('what lasts until the end has no end, and without remediation nothing is marked', () => {
  const { health } = simulated({
    remediation: undefined,
    run: { for: '1h' },
    events: [{ at: 600, condition: 'Bad', nodes: 'n-1' }],
  });
  expect(health).toEqual({
    remediation: 'none',
    nodes: [{ name: 'n-1', problems: [{ what: 'Bad', from: 600 }], marks: [], refusals: [] }],
    budgets: [],
  });
});

test('a scenario in which nothing is wrong has no health', () => {
  expect(simulated({})).not.toHaveProperty('health');
});

test('nodes that have not joined or have left are in no budget, and a node that failed is', () => {
  const terms = { ...NODES[0], name: 'spare', count: 2 };
  const { health } = simulated({
    nodes: [...NODES, terms],
    run: { for: '2h' },
    events: [
      { at: 300, fail: 'n-4', for: 100 },
      { at: 1000, join: ['spare-1', 'spare-2'] },
      { at: 2000, reclaim: 'spare-1', notice: 10 },
      { at: 600, condition: 'Bad', nodes: 'n-1', for: 100 },
    ],
  });
  const [{ at, nodes, unavailable }] = health!.budgets;
  expect(at.map((moment, i) => [moment, unavailable[i], nodes[i]])).toEqual([
    [0, 0, 4],
    [300, 1, 4],
    [400, 0, 4],
    [630, 1, 4],
    [760, 0, 4],
    [1000, 0, 6],
    [2000, 1, 6],
    [2010, 0, 5],
  ]);
});

test('a capacity report below the bound of a rule is a problem', () => {
  const { health, happenings } = simulated({
    remediation: {
      ...RULES,
      rules: [{ name: 'full', cause: { report: { freeMemoryBelowMiB: 4096 } }, afterSeconds: 60, actions: ['taint'] }],
    },
    events: [
      {
        at: 600,
        report: 'n-2',
        set: {
          devices: [
            { index: 3, freeMemoryMiB: 100 },
            { index: 4, freeMemoryMiB: 90_000 },
          ],
        },
      },
      { at: 900, report: 'n-2', set: { freeMemoryMiB: 90_000 } },
    ],
  });
  expect(health!.nodes).toEqual([
    {
      name: 'n-2',
      problems: [{ what: 'a device has 100 MiB of free memory, less than 4096 MiB', from: 600, to: 900 }],
      marks: [{ what: 'taint', from: 660, to: 960 }],
      refusals: [],
    },
  ]);
  expect(happenings.find(({ kind }) => kind === 'report')).toMatchObject({
    at: 600,
    text: 'n-2: the agent reports device 3 100 MiB free; device 4 90000 MiB free',
  });
});
