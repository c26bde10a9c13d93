/**
 * What time alone brings about: a minimum runtime that ends, a broken gang that has waited long enough, a gang that may now have others evicted.
 */
import { type Policy } from '../../placement';
import { type GangRun } from './gang-run';

/** The next moment at which a decision may differ although nothing happens; `undefined` if there is none. */
export function nextMoment(live: Iterable<GangRun>, now: number, policy: Policy): number | undefined {
  let first = Infinity;
  const consider = (at: number): void => {
    if (at > now) {
      first = Math.min(first, at);
    }
  };
  for (const run of live) {
    const { gang, arrivesAt, expectedSeconds } = run.spec;
    if (run.staleSince !== undefined) {
      consider(run.staleSince + policy.staleGangSeconds);
    }
    if (!run.works) {
      consider(arrivesAt + (gang.preemptionDelaySeconds ?? 0));
      consider(arrivesAt + policy.sharedDeviceWaitSeconds);
    }
    for (const { startedAt } of run.pods.values()) {
      consider(startedAt + (gang.minimumRuntimeSeconds ?? 0));
      if (expectedSeconds !== undefined) {
        consider(startedAt + expectedSeconds);
      }
    }
  }
  return first < Infinity ? first : undefined;
}
