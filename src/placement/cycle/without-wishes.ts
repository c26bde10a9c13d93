/**
 * Soft constraints never hold a gang back.
 *
 * What pods prefer (soft spread, preferred affinity, taints that only prefer) decides between places, and may leave the free room scattered.
 * A gang that then does not fit is tried once more after the gangs with preferences that this decision has placed are placed again
 * without them, each as its node score says. Bounded by `MOST_TRIED` such trials in a decision; running pods are left where they are.
 */
import { addTo } from '../../facts/collections';
import { type Cycle } from './cycle';
import { type GangRecord, type PodRecord, type Turn } from '../books/records';
import { hasWishes } from '../search/wishes';

/** Places the turn where the preferences of others leave too little room; changes nothing when that does not help. */
export function placeWithoutWishes(cycle: Cycle, turn: Turn): boolean {
  if (!cycle.hasWishes() || cycle.wishTrials <= 0) {
    return false;
  }
  // While the next cycle is tried out, what this decision starts may be started again.
  const bound = [...new Set(cycle.bound)].filter(({ row }) => row >= 0);
  const wishing = bound.filter(({ podClass }) => hasWishes(podClass.template));
  if (wishing.length === 0) {
    return false;
  }
  cycle.wishTrials--;
  const { ledger } = cycle.session;
  const mark = ledger.mark();
  const gangs = new Map<GangRecord, PodRecord[]>();
  const wanted = new Set(wishing.map(({ role }) => role!.gang));
  for (const pod of bound.filter(({ role }) => wanted.has(role!.gang))) {
    addTo(gangs, pod.role!.gang, pod);
    ledger.remove(pod);
  }
  const fits =
    [...gangs].every(([gang, pods]) => cycle.placer.place(gang.root, pods, { wishless: true })) && cycle.place(turn);
  if (fits) {
    ledger.keep();
  } else {
    ledger.rollback(mark);
  }
  return fits;
}
