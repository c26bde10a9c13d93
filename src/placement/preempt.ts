/**
 * Who may be preempted: gangs of the same queue with a strictly lower priority.
 */
import { type Cycle } from './cycle';

import { type GangRecord, type Turn } from './records';

export function preemptCandidates({ session }: Cycle, { gang }: Turn): GangRecord[] {
  return session.gangs.filter(
    (other) => other.queue === gang.queue && other.priority < gang.priority && other.placed > 0,
  );
}
