/**
 * Who may be preempted: gangs of the same queue with a strictly lower priority.
 */
import { type Cycle } from './cycle';

import { type GangRecord, type Turn } from './records';

export function preemptCandidates({ session, lowestPriorities }: Cycle, { gang }: Turn): GangRecord[] {
  // Mostly there is none of lower priority, and no need to look at every gang.
  if ((lowestPriorities.get(gang.queue) ?? Infinity) >= gang.priority) {
    return [];
  }
  return session.gangs.filter(
    (other) => other.queue === gang.queue && other.priority < gang.priority && other.placed > 0,
  );
}
