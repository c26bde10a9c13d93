/**
 * A gang that has run with fewer pods than its minimum for too long does no work and only occupies capacity: its remaining pods are evicted,
 * and the gang waits as a whole. A gang with a pod that must not be evicted is skipped. O(gangs that lack pods and have some).
 */
import { type Cycle } from '../cycle/cycle';
import { runs } from '../books/needs';
import { type GangRecord } from '../books/records';

/** @param others gangs that may lack pods besides those that did when the decision began. @default - none */
export function evictStale(cycle: Cycle, others: Iterable<GangRecord> = []): void {
  const { session } = cycle;
  for (const gang of cycle.shortOfPods(({ placed }) => placed > 0, new Set([...session.incomplete, ...others]))) {
    const { staleSince = session.now } = gang.gang;
    if (runs(gang) || session.now - staleSince < session.policy.staleGangSeconds * 1000) {
      continue;
    }
    const pods = gang.roles.flatMap((role) => role.pods).filter(({ row, releasing }) => row >= 0 && !releasing);
    if (pods.every(({ existed, preemptible }) => existed && preemptible)) {
      for (const pod of pods) {
        const { row, devices } = pod;
        cycle.evicted.push({ pod, row, devices, action: 'evict-stale', beneficiary: undefined });
        session.ledger.remove(pod);
      }
    }
  }
}
