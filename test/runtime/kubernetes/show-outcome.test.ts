import { DEFAULT_POLICY } from '../../../src/placement';
import { decideIn } from '../../../src/placement/engine';
import { Session } from '../../../src/placement/books/session';
import { Metrics } from '../../../src/runtime/kubernetes/metrics';
import { type Outcome } from '../../../src/runtime/kubernetes/outcome';
import { showNothing, showOutcome } from '../../../src/runtime/kubernetes/show-outcome';
import { cluster, gang, node, running, template } from '../../placement/builders';

describe('the gauges that follow from a cycle', () => {
  const metrics = new Metrics();
  const whole = template(1);
  const world = cluster(
    [
      node('partly', 4),
      node('free', 4),
      { ...node('cordoned', 2), unschedulable: true },
      { ...node('broken', 3), ready: false },
    ],
    [gang('g', 1, whole)],
    [running('g', 'partly')],
  );
  const session = new Session(world, DEFAULT_POLICY);
  const outcome = { session, decision: decideIn(session) } as unknown as Outcome;
  const values = async (name: 'devices' | 'queueShare' | 'queueFairShare' | 'queueDeserved'): Promise<object> =>
    Object.fromEntries(
      (await metrics[name].get()).values.map(({ labels, value }) => [Object.values(labels).join(' '), value]),
    );

  it('count devices by what they are of use for', async () => {
    showOutcome(metrics, outcome, 2500);
    expect(await values('devices')).toEqual({
      used: 1,
      'free beside others': 3,
      'free on free nodes': 4,
      unavailable: 5,
    });
    expect((await metrics.clockSkew.get()).values[0].value).toBe(2.5);
  });

  it('say what queues have, what they would have by their shares, and what they deserve', async () => {
    const usage = { allocated: { cpu: 1000 }, fairShare: { cpu: 2000, 'nvidia.com/gpu': 1 } };
    const queues = [
      { queue: 'q', ...usage, deserved: { cpu: 3000 } },
      { queue: 'r', ...usage },
    ];
    showOutcome(metrics, { session, decision: { queues } } as unknown as Outcome, 0);
    expect(await values('queueShare')).toEqual({ 'q cpu': 1000, 'r cpu': 1000 });
    expect(await values('queueFairShare')).toEqual({
      'q cpu': 2000,
      'q nvidia.com/gpu': 1,
      'r cpu': 2000,
      'r nvidia.com/gpu': 1,
    });
    expect(await values('queueDeserved')).toEqual({ 'q cpu': 3000 });
    // A queue that no longer exists is not shown.
    showOutcome(metrics, { session, decision: { queues: [] } } as unknown as Outcome, 0);
    for (const name of ['queueShare', 'queueFairShare', 'queueDeserved'] as const) {
      expect(await values(name)).toEqual({});
    }
  });

  it('are empty on a replica that does not decide', async () => {
    showOutcome(metrics, outcome, 0);
    metrics.pending.set({ reason: 'no-fit' }, 3);
    showNothing(metrics);
    for (const name of ['devices', 'queueShare', 'queueFairShare', 'queueDeserved'] as const) {
      expect(await values(name)).toEqual({});
    }
    expect((await metrics.pending.get()).values).toEqual([]);
  });
});
