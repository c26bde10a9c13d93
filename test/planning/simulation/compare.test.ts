import { table } from '../../../src/interfaces/cli/table';
import { DEFAULT_POLICY } from '../../../src/placement';
import { comparisonText, readScenario, simulate } from '../../../src/planning/simulation';

test('policies are compared side by side, figure by figure', () => {
  const scenario = readScenario(
    `
name: "\\e[2Jteam"
nodes: [{name: node, count: 2, allocatable: {cpu: 96, memory: 1Ti, gpus: 8}}]
queues: [{name: a}]
gangs:
  - {name: first, queue: a, gpus: 8, duration: 100}
  - {name: large, queue: a, pods: 2, gpus: 8, arrives: 1, duration: 100}
  - {name: short, queue: a, gpus: 8, arrives: 2, duration: 50}
`,
    'scenario.yaml',
    () => ({ text: '', file: '' }),
  );
  const strict = { ...DEFAULT_POLICY, actions: ['allocate' as const], queueing: 'strict-fifo' as const };
  const runs = [
    { policy: 'default', result: simulate(scenario) },
    { policy: 'fifo.yaml', result: simulate({ ...scenario, policy: strict }) },
  ];
  const text = comparisonText(runs, {
    color: false,
    file: 'scenario.yaml',
    table: (head, rows) => table(head, rows, { color: false, width: 100 }),
  });
  expect(text.split('\n')[0]).toBe('\\u001b[2Jteam  scenario.yaml');
  const lines = text.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(lines[1]).toEqual(['default', 'fifo.yaml']);
  // The short gang fills the gap in front of the large one, or waits behind it.
  expect(lines).toContainEqual(['longest wait', '1m 39s', '3m 18s']);
  expect(lines).toContainEqual(['mean wait, 9 to 64 devices', '1m 39s', '1m 39s']);
});
