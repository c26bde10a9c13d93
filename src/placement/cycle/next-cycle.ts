/**
 * Will an eviction still have been right in the next cycle?
 *
 * What is evicted for a gang comes back as waiting work, and the next cycle starts from its queues and priorities, not from what was
 * planned here. If another gang, or the evicted one itself, would take the room first, the gang would wait again, and evict again, for
 * ever. So before anything is evicted the next cycle's allocation is tried out on the books: all that was evicted or nominated waits, in
 * the ordinary order. The eviction is kept only if the gang and everything that was to be moved get their places there too. What is evicted
 * takes its room again until it would have ended: what started because it ends before a promised moment could not start again for as long a
 * time, and would be evicted for a gang that came after it. O(one allocation).
 */
import { tryAllocate } from './allocate';
import { type Cycle } from './cycle';
import { type GangRecord, NOWHERE, type PodRecord } from '../books/records';

/**
 * Call it with the gang and the moved pods in place. Leaves the books as they were.
 *
 * @param back gets the gangs of evicted pods that would run again while the eviction did not help
 */
export function standsNextCycle(
  cycle: Cycle,
  placed: readonly PodRecord[],
  evicted: readonly PodRecord[],
  back: Set<GangRecord>,
): boolean {
  const { ledger } = cycle.session;
  const wanted = new Map<GangRecord, number>();
  placed.forEach(({ role }) => wanted.set(role!.gang, role!.gang.placed));
  const state = { bound: cycle.bound.length, nominated: cycle.nominated.length, reservation: cycle.reservation };

  const again = new Set([...placed, ...cycle.nominated.filter(({ row }) => row >= 0)]);
  const revived = [...evicted, ...cycle.evicted.map(({ pod }) => pod)].filter(({ waits }) => !waits);
  const mark = ledger.mark();
  again.forEach((pod) => ledger.remove(pod));
  revived.forEach((pod) => (pod.waits = true));
  cycle.reservation = undefined;
  const missing = new Map(wanted);
  // What was evicted waits beside what waited before.
  const singles = new Set(cycle.waiting.singles);
  [...revived, ...evicted, ...placed, ...cycle.bound].forEach(
    ({ role }) => isInLine(role!.gang) || singles.add(role!.gang),
  );
  const short = [...singles].filter(({ placed: count, size }) => count < size);
  const moved = new Set(placed);
  const backfill = cycle.session.policy.actions.includes('backfill');
  const isEnough = (gang: GangRecord): boolean => {
    if (gang.placed >= (missing.get(gang) ?? Infinity)) {
      missing.delete(gang);
    }
    return missing.size === 0;
  };
  cycle.runOn(
    evicted.filter((pod) => !moved.has(pod)),
    () => cycle.withOwnChoices(() => tryAllocate(cycle, short, backfill, isEnough)),
  );
  const holds = [...wanted].every(([gang, count]) => gang.placed >= count);
  if (!holds) {
    evicted.forEach(({ row, role }) => row !== NOWHERE && back.add(role!.gang));
  }

  revived.forEach((pod) => (pod.waits = false));
  ledger.rollback(mark);
  cycle.forget(state.bound, state.nominated);
  cycle.reservation = state.reservation;
  return holds;
}

/** Fresh gangs of a kind wait in a line; see `waiting.ts`. */
function isInLine({ kind, queue, placed }: GangRecord): boolean {
  return kind !== undefined && queue !== undefined && placed === 0;
}
