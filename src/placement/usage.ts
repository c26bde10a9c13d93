/**
 * What every queue has after a decision, beside what it could have.
 */
import { type Cycle } from './cycle';
import { type QueueUsage } from './decision';
import { type Amounts } from './model';

export function queueUsage({ session }: Cycle): QueueUsage[] {
  const amounts = (values: ArrayLike<number>): Amounts =>
    Object.fromEntries(
      session.accounts.flatMap((name, account) =>
        values[account] > 0 && Number.isFinite(values[account]) ? [[name, values[account]]] : [],
      ),
    );
  return session.queues.map(({ queue, allocated, fairShare, deserved, capability }) => ({
    queue: queue.name,
    allocated: amounts(allocated),
    fairShare: amounts(fairShare),
    ...(queue.deserved === undefined ? {} : { deserved: amounts(deserved) }),
    ...(queue.capability === undefined ? {} : { capability: amounts(capability) }),
  }));
}
