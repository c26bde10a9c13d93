/**
 * Evictions that nothing needs once the decision has made all room: a later eviction may have taken so much, for another gang or for the
 * next pod of the same one, that what went first could have stayed. Each gang goes back exactly where it was if all of it can, and
 * everything that waits gets its places in the next cycle nevertheless. O(gangs that lost pods × one placement), and a trial of the next
 * cycle for each that can go back.
 */
import { runs } from '../books/needs';
import { type GangRecord } from '../books/records';
import { type Cycle } from '../cycle/cycle';
import { standsNextCycle } from '../cycle/next-cycle';
import { haveClaims } from '../search/units';
import { putBack } from './eviction-search';

export function takeBackNeedless(cycle: Cycle): void {
  for (const gang of new Set(cycle.evicted.map(({ pod }) => pod.role!.gang))) {
    if (cycle.trials > 0 && staysAfterAll(cycle, gang)) {
      cycle.takeBack(new Set(cycle.evicted.filter(({ pod }) => pod.role!.gang === gang).map(({ pod }) => pod)));
      cycle.disturbs([gang]);
    }
  }
  if (cycle.startsPods && cycle.evicted.length + cycle.terminating.length === 0) {
    const pods = [...cycle.nominated];
    cycle.withdraw(pods);
    cycle.start(pods);
  }
}

function staysAfterAll(cycle: Cycle, gang: GangRecord): boolean {
  const { ledger } = cycle.session;
  const own = cycle.evicted.filter(({ pod }) => pod.role!.gang === gang);
  const pods = own.map(({ pod }) => pod);
  const gone = new Set(pods);
  return ledger.attempt(() => {
    pods.forEach((pod) => pod.row >= 0 && ledger.remove(pod));
    if (
      haveClaims(pods) ||
      !cycle.mayReturn(gang, pods) ||
      !own.every((evicted) => putBack(cycle, evicted.pod, evicted)) ||
      !runs(gang)
    ) {
      return false;
    }
    cycle.trials--;
    const waiting = cycle.nominated.filter((pod) => pod.row >= 0 && !gone.has(pod));
    return standsNextCycle(cycle, waiting, [], new Set());
  });
}
