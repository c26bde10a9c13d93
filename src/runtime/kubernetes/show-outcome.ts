/**
 * The gauges that follow from one cycle: what queues have against what they should have, and how broken up the free devices are.
 */
import { type Metrics } from './metrics';
import { type Outcome } from './outcome';

/** What a replica that decides no more knew is not shown beside what the one that does knows. */
export function showNothing({ queueShare, queueDeserved, queueFairShare, devices, pending }: Metrics): void {
  [queueShare, queueDeserved, queueFairShare, devices, pending].forEach((gauge) => gauge.reset());
}

export function showOutcome(metrics: Metrics, { decision, session }: Outcome, skew: number): void {
  metrics.clockSkew.set(skew / 1000);
  metrics.queueShare.reset();
  metrics.queueDeserved.reset();
  metrics.queueFairShare.reset();
  for (const { queue, allocated, fairShare, deserved = {} } of decision.queues) {
    Object.entries(allocated).forEach(([resource, amount]) => metrics.queueShare.set({ queue, resource }, amount));
    Object.entries(fairShare).forEach(([resource, amount]) => metrics.queueFairShare.set({ queue, resource }, amount));
    Object.entries(deserved).forEach(([resource, amount]) => metrics.queueDeserved.set({ queue, resource }, amount));
  }
  const { table } = session;
  const counts = { used: 0, 'free on free nodes': 0, 'free beside others': 0, unavailable: 0 };
  for (let row = 0; row < table.count; row++) {
    const all = table.deviceStart[row + 1] - table.deviceStart[row];
    const free = table.wholeFree[row];
    const { ready = true, unschedulable = false } = table.nodes[row];
    if (!ready || unschedulable) {
      counts.unavailable += all;
    } else {
      counts.used += all - free;
      counts[free === all ? 'free on free nodes' : 'free beside others'] += free;
    }
  }
  Object.entries(counts).forEach(([state, count]) => metrics.devices.set({ state }, count));
}
