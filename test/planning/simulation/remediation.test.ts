/**
 * Faults of devices, links, and nodes that stay ready, and what remediation does about them over time.
 */
import { type SimulationResult, simulationText } from '../../../src/planning/simulation';
import { complaint, gang, run } from './support';

const NODES = [{ name: 'n', count: 3, allocatable: { cpu: 96, gpus: 8 } }];
const ONE = { name: 'a', queue: 'q', gpus: 8, duration: '1h' };
const TWO = { ...ONE, pods: 2 };
const RULES = {
  healthySeconds: 60,
  maxUnavailablePercent: 100,
  maxPerRack: 100,
  rules: [
    {
      name: 'missing',
      cause: { condition: 'AcceleratorsMissing' },
      afterSeconds: 30,
      actions: ['taint', 'restart-device-plugin'],
    },
    { name: 'rdma', cause: { condition: 'RdmaDegraded' }, afterSeconds: 30, actions: ['cordon', 'move'] },
    { name: 'bad', cause: { condition: 'Bad' }, actions: ['taint', 'evict'], graceSeconds: 10 },
    { name: 'fire', cause: { alert: 'Fire' }, actions: ['request-repair'] },
    { name: 'few', cause: { report: { devicesBelow: 6 } }, actions: ['request-driver-upgrade'] },
  ],
};

const simulated = (more: Readonly<Record<string, unknown>>): SimulationResult =>
  run({ nodes: NODES, gangs: [ONE], remediation: RULES, ...more });
const told = ({ happenings }: SimulationResult): readonly (readonly [number, string])[] =>
  happenings
    .filter(({ kind }) => kind === 'fault' || kind === 'fault-ends' || kind === 'remediate')
    .map(({ at, text }) => [at, text]);

test('a device that disappears ends the pod that has it, and comes back with the device plugin', () => {
  const result = simulated({
    gangs: [ONE, { ...ONE, name: 'b' }, { ...ONE, name: 'c' }],
    events: [{ at: 600, deviceFault: 'n-1', devices: 2, endedBy: 'restart-device-plugin', takes: 20 }],
  });
  expect(told(result)).toEqual([
    [600, 'n-1: 2 of the devices failed, condition AcceleratorsMissing'],
    [630, 'n-1: rule missing: condition AcceleratorsMissing is True; taint, restart-device-plugin'],
    [650, 'n-1: the fault ended'],
    [710, 'n-1: no cause for 60 seconds (undo taint)'],
  ]);
  const lost = result.gangs.filter(({ losses }) => losses > 0);
  expect(lost).toHaveLength(1);
  // All of its work is lost, and it waits until the node is given back.
  expect(lost[0]).toMatchObject({ lostSeconds: 600, endedAt: 710 + 3600, evictions: 0 });
});

test('a pod on the other devices of the node goes on', () => {
  const small = { ...ONE, gpus: 4 };
  const result = simulated({
    nodes: [{ ...NODES[0], count: 1 }],
    gangs: [small],
    events: [{ at: 600, deviceFault: 'n-1' }],
  });
  expect(gang(result, 'a')).toMatchObject({ losses: 0, endedAt: 3600 });
});

test('without remediation a fault stays until it ends, and devices that failed take nothing', () => {
  const result = run({
    nodes: [{ ...NODES[0], count: 1 }],
    gangs: [{ ...ONE, arrives: 60 }],
    events: [{ at: 30, deviceFault: 'n-1', for: '1h' }],
  });
  expect(told(result).map(([at]) => at)).toEqual([30, 3630]);
  expect(gang(result, 'a').startedAt).toBe(3630);
});

test('a link that fails slows down gangs of several nodes, and no others', () => {
  const result = run({
    nodes: NODES,
    gangs: [TWO, { ...ONE, name: 'b' }],
    events: [{ at: 600, linkFault: 'n-*', speed: 0.5, for: 1000 }],
  });
  expect(gang(result, 'a')).toMatchObject({ endedAt: 3600 + 500, lostSeconds: 0, interruptions: 0 });
  expect(gang(result, 'b').endedAt).toBe(3600);
});

test('a gang without progress is moved as a whole, and not before there is room', () => {
  const stuck = { ...TWO, checkpoint: 60 };
  const result = simulated({
    gangs: [stuck, { ...ONE, name: 'b', duration: 1000 }],
    events: [{ at: 600, linkFault: 'n-1', for: '5h' }],
  });
  expect(told(result)).toContainEqual([630, 'n-1: rule rdma is not done: gang a does not fit on the healthy nodes']);
  expect(told(result)).toContainEqual([1000, 'n-1: rule rdma: condition RdmaDegraded is True; move; evicts a']);
  // It made no progress from 600 to 1000, its pods take 30 seconds to end, and nothing is done twice.
  expect(gang(result, 'a')).toMatchObject({ evictions: 2, lostSeconds: 0, endedAt: 3600 + 400 + 30 });
});

test('an eviction takes the grace period of the rule', () => {
  const result = simulated({ events: [{ at: 600, condition: 'Bad', nodes: 'n-1', for: 60 }] });
  expect(gang(result, 'a')).toMatchObject({ evictions: 1, lostSeconds: 600 });
  expect(gang(result, 'a').spans.map(({ from, to }) => [from, to])[0]).toEqual([0, 600]);
});

test('alerts and reports are causes, and repairs end faults', () => {
  const result = simulated({
    events: [
      { at: 100, alert: 'Fire', nodes: 'n-2', endedBy: 'request-repair', takes: '5m' },
      { at: 200, deviceFault: 'n-3', devices: 3, condition: 'Other', endedBy: 'request-driver-upgrade', takes: '10m' },
    ],
  });
  expect(told(result)).toEqual([
    [100, 'n-2: alert Fire'],
    [100, 'n-2: rule fire: alert Fire fires; request-repair'],
    [200, 'n-3: 3 of the devices failed, condition Other'],
    [200, 'n-3: rule few: the capacity report has 5 devices, fewer than 6; request-driver-upgrade'],
    [400, 'n-2: the fault ended'],
    [460, 'n-2: no cause for 60 seconds (undo request-repair)'],
    [800, 'n-3: the fault ended'],
    [860, 'n-3: no cause for 60 seconds (undo request-driver-upgrade)'],
  ]);
});

test('a dry run says what would be done, and changes nothing', () => {
  const events = [{ at: 600, condition: 'Bad', nodes: 'n-1', for: 600 }];
  const result = simulated({ remediation: { ...RULES, dryRun: true }, events });
  expect(told(result)).toEqual([
    [600, 'n-1: condition Bad'],
    [600, 'n-1: would do: rule bad: condition Bad is True; taint, evict; evicts a'],
    [1200, 'n-1: the fault ended'],
    [1260, 'n-1: would do: no cause for 60 seconds (undo taint)'],
  ]);
  expect(gang(result, 'a')).toMatchObject({ evictions: 0, endedAt: 3600 });
});

test('what is not done is said once for all nodes with one reason', () => {
  const result = simulated({
    remediation: { ...RULES, maxUnavailablePercent: 34 },
    events: [{ at: 600, condition: 'Bad', nodes: 'n-*', for: 600 }],
  });
  const refused = told(result).filter(([, text]) => text.includes('is not done'));
  expect(refused).toEqual([
    [600, 'n-2, n-3: rule bad is not done: 1 of 3 nodes of the pool may be unavailable, and 1 other is'],
  ]);
});

test('expectations about nodes', () => {
  const { expectations } = simulated({
    events: [{ at: 600, condition: 'Bad', nodes: 'n-1', for: 60 }],
    expect: [
      { node: 'n-1', marks: { at: 601, exactly: ['taint'] } },
      { node: 'n-*', marks: { at: 601, exactly: [] } },
      { node: 'n-*', marks: { at: 3600, exactly: [] } },
    ],
  });
  expect(expectations).toEqual([
    { expected: 'n-1 has taint at 10m 1s', met: true, found: '1 node had' },
    { expected: 'n-* has no marks at 10m 1s', met: false, found: 'n-1 had taint' },
    { expected: 'n-* has no marks at 1h', met: true, found: '3 nodes had' },
  ]);
});

test('the report lists faults and actions', () => {
  const result = simulated({ events: [{ at: 600, condition: 'Bad', nodes: 'n-1', for: 60 }] });
  const text = simulationText(result, { color: false, file: 'f', table: () => '' });
  expect(text).toContain('      10m  n-1: rule bad: condition Bad is True; taint, evict; evicts a\n');
  expect(simulationText(run({ gangs: [ONE] }), { color: false, file: 'f', table: () => '' })).not.toContain('rule');
});

test.each<readonly [Readonly<Record<string, unknown>>, string]>([
  [{ at: 0, deviceFault: 'x' }, 'events[0].deviceFault'],
  [{ at: 0, condition: 'Bad' }, 'events[0].nodes is required; set the nodes that have the condition or the alert'],
  [{ at: 0, nodes: 'node-1' }, 'events[0].nodes must not be set without condition or alert'],
  [{ at: 0, linkFault: 'node-1', devices: 2 }, 'events[0].devices must not be set without deviceFault'],
  [{ at: 0, deviceFault: 'node-1', speed: 0.5 }, 'events[0].speed must not be set without linkFault'],
  [{ at: 0, linkFault: 'node-1', speed: 2 }, 'events[0].speed'],
  [{ at: 0, linkFault: 'node-1', takes: 60 }, 'events[0].takes must not be set without endedBy'],
  [{ at: 0, linkFault: 'node-1', endedBy: 'reboot' }, 'events[0].endedBy'],
])('a fault %j is refused', (event, message) => {
  expect(complaint({ events: [event] })).toContain(message);
});

test.each<readonly [unknown, string]>([
  ['all', 'remediation must be a map of settings, or default, not "all"'],
  [{ dryRun: 1 }, 'remediation.dryRun'],
  [{ rules: [{ name: 'x' }] }, 'remediation is invalid: rules[0].cause must be an object'],
  [{ maxPerRack: 0 }, 'remediation is invalid: maxPerRack must be a whole number from 1 to 10000, not 0'],
])('remediation %j is refused', (remediation, message) => {
  expect(complaint({ remediation })).toContain(message);
});

test.each<readonly [unknown, string]>([
  [{ node: 'x', marks: { at: 0, exactly: [] } }, 'expect[0].node'],
  [{ node: 'node-1' }, 'expects nothing'],
  [{ node: 'node-1', marks: { at: 0 } }, 'expect[0].marks.exactly is required'],
  [{ node: 'node-1', marks: { at: 0, exactly: ['reboot'] } }, 'marks of taint, cordon'],
])('an expectation %j is refused', (expectation, message) => {
  expect(complaint({ expect: [expectation] })).toContain(message);
});
