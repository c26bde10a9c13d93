/**
 * Evictions that nothing needs once the decision has made all room: a later eviction may have taken so much, for another gang or for the
 * next pod of the same one, that what went first could have stayed. Each gang goes back exactly where it was if all of it can, and
 * everything that waits gets its places in the next cycle nevertheless. O(gangs that lost pods × one placement), and a trial of the next
 * cycle for each that can go back.
 */
import { runs } from '../books/needs';
import { type GangRecord, type PodRecord } from '../books/records';
import { type Cycle } from '../cycle/cycle';
import { placedNextCycle, isPlacedNextCycle } from '../cycle/next-cycle';
import { haveClaims } from '../search/units';
import { putBack } from './carry-out';
import { passOnEvictions } from './inherited';

export function takeBackNeedless(cycle: Cycle): void {
  let served: ReadonlySet<PodRecord> | undefined;
  let isAnyBack = false;
  for (const gang of new Set(cycle.evicted.map(({ pod }) => pod.role!.gang))) {
    const stays = cycle.trials > 0 && (staysAfterAll(cycle, gang) || staysBesideServed(gang));
    if (stays) {
      cycle.takeBack(new Set(cycle.evicted.filter(({ pod }) => pod.role!.gang === gang).map(({ pod }) => pod)));
      cycle.disturbs([gang]);
      served = undefined;
      isAnyBack = true;
    }
  }
  if (isAnyBack) {
    // It may have been the one that others were evicted for, to find another place.
    passOnEvictions(cycle);
  }
  if (cycle.startsPods && cycle.evicted.length + cycle.terminating.length === 0) {
    const pods = [...cycle.nominated];
    cycle.withdraw(pods);
    cycle.start(pods);
  }

  /** What gets no place in the next cycle anyway does not count. */
  function staysBesideServed(gang: GangRecord): boolean {
    served ??= new Set(placedNextCycle(cycle));
    return cycle.trials > 0 && served.size < cycle.nominated.length && staysAfterAll(cycle, gang, served);
  }
}

/** @param served what has to get its places in the next cycle. @default - all that waits */
function staysAfterAll(cycle: Cycle, gang: GangRecord, served?: ReadonlySet<PodRecord>): boolean {
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
    const mark = ledger.mark();
    const left = served === undefined ? waiting : waiting.filter((pod) => served.has(pod));
    waiting.filter((pod) => served?.has(pod) === false).forEach((pod) => ledger.remove(pod));
    const isPlaced = isPlacedNextCycle(cycle, left, [], new Set());
    ledger.rollback(mark);
    return isPlaced;
  });
}
