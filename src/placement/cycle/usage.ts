/**
 * What every queue has after a decision, beside what it could have.
 */
import { type Cycle } from './cycle';
import { type QueueUsage } from '../model/decision';
import { type Amounts } from '../model/model';
import { withoutDust } from '../queues/queues';

export function queueUsage({ session }: Cycle): QueueUsage[] {
  const amounts = (values: ArrayLike<number>): Amounts =>
    Object.fromEntries(
      session.accounts.flatMap((name, account) => {
        const amount = withoutDust(values[account]);
        return amount > 0 && Number.isFinite(amount) ? [[name, amount]] : [];
      }),
    );
  return session.queues.map(({ queue, allocated, fairShare, deserved, capability }) => ({
    queue: queue.name,
    allocated: amounts(allocated),
    fairShare: amounts(fairShare),
    ...(queue.deserved === undefined ? {} : { deserved: amounts(deserved) }),
    ...(queue.capability === undefined ? {} : { capability: amounts(capability) }),
  }));
}
