/**
 * Why gangs wait, as the API of the scheduler reports it.
 */
import { Assumptions } from '../../../src/runtime/kubernetes/assumptions';
import { type Outcome } from '../../../src/runtime/kubernetes/outcome';
import { pendingReports, waitingOf } from '../../../src/runtime/kubernetes/waiting';
import { type GangMembers } from '../../../src/runtime/kubernetes/world/gang-members';
import { type World } from '../../../src/runtime/kubernetes/world/world';

const gang = (name: string, ...states: readonly string[]): GangMembers =>
  ({
    name,
    pods: new Map(
      states.map((state, i) => [`${name}-${i}`, { key: `${name}-${states.length - i}`, uid: `${name}-${i}`, state }]),
    ),
  }) as unknown as GangMembers;

function reportsOf(
  members: GangMembers,
  parts: { pending?: object[]; nominations?: object[]; held?: object[] } = {},
  assumptions = new Assumptions(),
): ReturnType<typeof pendingReports> {
  const { pending = [], nominations = [], held = [] } = parts;
  const outcome = {
    decision: { nominations },
    reasons: { of: (name: string) => pending.find((one) => (one as { gang: string }).gang === name) },
    held,
    queueOf: () => 'research',
    waiting: new Map([[members.name, members]]),
  };
  return pendingReports(outcome as unknown as Outcome, assumptions);
}

const NO_FIT = {
  gang: 'a',
  queue: 'q',
  kind: 'no-fit',
  message: 'no room',
  counterfactuals: [{ kind: 'fewer-pods', by: 1 }, { kind: 'make-preemptible' }, { kind: 'drop-node-affinity' }],
  needed: 2,
};

test('a gang that the decision does not name is considered in the next cycle', () => {
  expect(reportsOf(gang('a', 'waiting', 'waiting'))).toEqual([
    {
      gang: 'a',
      queue: 'research',
      kind: 'next-cycle',
      message: 'The gang is new or has changed, and is considered in the next cycle.',
      changes: [],
      pods: ['a-1', 'a-2'],
    },
  ]);
});

test('a gang that runs with its minimum waits for its other pods', () => {
  expect(reportsOf(gang('a', 'placed', 'waiting', 'waiting'))).toMatchObject([
    { kind: 'extra-pods', message: 'The gang runs with its minimum; 2 more pods wait for free capacity.' },
  ]);
});

test('pods that have a place, or are about to have one, do not wait', () => {
  const assumptions = new Assumptions();
  assumptions.place('a-1', { node: 'n', devices: [] });
  expect(reportsOf(gang('a', 'placed', 'waiting'), {}, assumptions)).toEqual([]);
  expect(reportsOf(gang('a', 'placed', 'leaving', 'failed'))).toEqual([]);
  expect(reportsOf(gang('a', 'waiting', 'waiting'), {}, assumptions)).toMatchObject([{ pods: ['a-2'] }]);
});

test('the reason of the decision is reported, with its details and the changes that would help', () => {
  const { needed, counterfactuals: changes, ...reason } = NO_FIT;
  const expected = { ...reason, details: { needed }, changes, pods: ['a-1'] };
  expect(reportsOf(gang('a', 'waiting'), { pending: [NO_FIT] })).toEqual([expected]);
});

test.each([
  [['n2', 'n1', 'n1'], 'n1, n2'],
  [['n1', 'n2', 'n3', 'n4', 'n5'], 'n1, n2, n3, n4, n5'],
  [['n1', 'n2', 'n3', 'n4', 'n5', 'n6'], '6 nodes'],
])('a gang nominated to %j waits for pods on %s', (nodes, where) => {
  const nominations = nodes.map((node) => ({ gang: 'a', node }));
  expect(reportsOf(gang('a', 'waiting'), { pending: [NO_FIT], nominations })).toMatchObject([
    {
      kind: 'nominated',
      message: `Pods on ${where} are being evicted; the gang starts when they have terminated.`,
      changes: [],
    },
  ]);
});

test('why a gang is held back takes precedence', () => {
  const held = [{ gang: 'a', queue: 'q', kind: 'refused', message: 'gone' }];
  expect(reportsOf(gang('a', 'waiting'), { pending: [NO_FIT], held })).toMatchObject([
    { queue: 'q', kind: 'refused', message: 'gone', changes: [] },
  ]);
});

test('what is written to pods has the two simplest changes, and the pods that still exist', () => {
  const world = { pods: new Map([['a-2', { key: 'a-2' }]]) } as unknown as World;
  const reports = reportsOf(gang('a', 'waiting', 'waiting'), { pending: [NO_FIT] });
  const [{ message, ...waiting }] = reports.map((report) => waitingOf(report, world));
  expect(waiting).toEqual({ gang: 'a', reason: 'no-fit', pods: [{ key: 'a-2' }] });
  expect(message).toMatch(/^no room .*1 pod.*preemptible/);
  expect(message).not.toMatch(/affinity/);
});
