/**
 * Queues beside what they could have, for the view.
 */
import { type Decision } from '../../../placement';
import { type QueueRecord } from '../../../placement/books/records';
import { type Session } from '../../../placement/books/session';
import { type ViewAmounts, type ViewGang, type ViewQueue } from './view';

export function queueViews(session: Session, { queues }: Decision, gangs: readonly ViewGang[]): readonly ViewQueue[] {
  const usage = new Map(queues.map((one) => [one.queue, one]));
  const views: ViewQueue[] = [];
  const add = (record: QueueRecord): void => {
    const { queue } = record;
    const own = gangs.filter((gang) => gang.queue === queue.name);
    views.push({
      name: queue.name,
      ...(record.parent !== undefined && { parent: record.parent.queue.name }),
      depth: record.depth,
      weight: queue.weight ?? 1,
      ...(queue.priority !== undefined && queue.priority !== 0 && { priority: queue.priority }),
      ...(queue.state === 'closed' && { closed: true as const }),
      ...(queue.reclaimable === false && { reclaimable: false as const }),
      allocated: usage.get(queue.name)?.allocated ?? {},
      requested: requested(session, record),
      fairShare: usage.get(queue.name)?.fairShare ?? {},
      ...(queue.deserved !== undefined && { deserved: queue.deserved }),
      ...(queue.guarantee !== undefined && { guarantee: queue.guarantee }),
      ...(queue.capability !== undefined && { capability: queue.capability }),
      placed: own.filter(({ placed }) => placed > 0).length,
      pending: own.filter(({ state }) => state === 'pending').length,
    });
    record.children.forEach(add);
  };
  session.queues.filter(({ parent }) => parent === undefined).forEach(add);
  return views;
}

function requested({ accounts }: Session, record: QueueRecord): ViewAmounts {
  const asked = accounts.map((name, account) => [name, record.requested[account]] as const);
  return Object.fromEntries(asked.filter(([, amount]) => amount > 0));
}
