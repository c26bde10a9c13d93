/**
 * Who may be preempted: gangs of the same queue with a strictly lower priority.
 */
import { type Cycle } from './cycle';
import { type GangRecord, type Turn } from './records';

/** In the order in which they would go, which begins with the lowest priority. */
export function preemptCandidates(cycle: Cycle, { gang }: Turn): readonly GangRecord[] {
  const gangs = cycle.running().ofQueue(gang.queue!);
  const end = gangs.findIndex(({ priority }) => priority >= gang.priority);
  return end < 0 ? gangs : gangs.slice(0, end);
}
