/**
 * Who may be preempted: gangs of the same queue with a strictly lower priority. For a gang that is overdue (`overdue.ts`) also gangs of
 * other queues that use shared devices.
 */
import { type Cycle } from '../cycle/cycle';
import { isOverdue, usesSharedDevices } from '../queues/overdue';
import { mayReclaim } from './reclaim';
import { type GangRecord, type QueueRecord, type Turn } from '../books/records';
import { runningOf } from './running';
import { victimOrder } from './victims';

/** In the order in which they would go, which begins with the lowest priority. */
export function preemptCandidates(cycle: Cycle, turn: Turn): readonly GangRecord[] {
  const { gang } = turn;
  const own = lower(cycle, gang.queue!, gang.priority);
  if (!isOverdue(cycle.session, gang) || !mayReclaim(turn)) {
    return own;
  }
  const others = runningOf(cycle)
    .queues()
    .filter((queue) => queue !== gang.queue);
  const sharing = others.flatMap((queue) => lower(cycle, queue, gang.priority)).filter(usesSharedDevices);
  return [...own, ...sharing].sort(victimOrder(cycle));
}

function lower(cycle: Cycle, queue: QueueRecord, priority: number): readonly GangRecord[] {
  return cycle.session.hasGangBelow(queue, priority) ? runningOf(cycle).below(queue, priority) : [];
}
