/**
 * Evictions for a gang whose pods another gang has taken before any of them started.
 *
 * An elastic gang whose first pods a decision starts may grow by evictions in the same decision. If a gang with a better claim then needs
 * the whole of it, what was to start does not start, and the evictions are those of that gang. What it does not need of them does not happen.
 */
import { type Cycle, type Evicted } from '../cycle/cycle';
import { isPlacedNextCycle } from '../cycle/next-cycle';
import { runs } from '../books/needs';
import { type GangRecord, type PodRecord, type Portion, type Turn } from '../books/records';
import { haveClaims } from '../search/units';
import { putBack } from './carry-out';

/**
 * From now on gangs whose pods the decision starts may be left waiting even if others were evicted for them.
 *
 * @returns whether there are any
 */
export function beginToInherit(cycle: Cycle): boolean {
  const started = new Set([...cycle.started].map(({ role }) => role!.gang));
  const grown = new Set(
    cycle.evicted.flatMap(({ beneficiary }) =>
      beneficiary !== undefined && started.has(beneficiary) ? [beneficiary] : [],
    ),
  );
  cycle.inherits = true;
  cycle.disturbs(grown);
  return grown.size > 0;
}

/** @param lost what is left waiting or evicted for the turn, which is in place */
export function inherit(cycle: Cycle, turn: Turn, lost: readonly Portion[]): void {
  const gone = lost.flatMap(({ pods }) => pods);
  const taken = new Set(gone.filter(({ existed }) => !existed).map(({ role }) => role!.gang));
  const isInherited = ({ beneficiary }: Evicted): boolean => beneficiary !== undefined && taken.has(beneficiary);
  for (const victim of new Set(cycle.evicted.filter(isInherited).map(({ pod }) => pod.role!.gang))) {
    const own = cycle.evicted.filter((evicted) => isInherited(evicted) && evicted.pod.role!.gang === victim);
    if (returns(cycle, turn, victim, own, gone)) {
      cycle.takeBack(new Set(own.map(({ pod }) => pod)));
      cycle.disturbs([victim]);
    }
  }
  const waits = new Set(cycle.nominated.map(({ role }) => role!.gang));
  cycle.evicted.forEach((evicted, at) => {
    if (isInherited(evicted) && !waits.has(evicted.beneficiary!)) {
      cycle.evicted[at] = { ...evicted, beneficiary: turn.gang };
    }
  });
}

/** What was evicted for a gang that gets no pods after all is evicted for one that takes its place. */
export function passOnEvictions(cycle: Cycle): void {
  const { nominated, bound, withdrawn, evicted } = cycle;
  const served = new Set([...nominated, ...bound.filter((pod) => !withdrawn.has(pod))].map(({ role }) => role!.gang));
  evicted.forEach((one, at) => {
    if (one.beneficiary !== undefined && !served.has(one.beneficiary)) {
      const heir = nominated.find(({ row }) => row === one.row) ?? nominated.at(0);
      evicted[at] = { ...one, beneficiary: heir?.role!.gang ?? one.beneficiary };
    }
  });
}

/** Puts a gang back exactly where it was, if all of it can be, and the turn gets its places in the next cycle nevertheless. */
function returns(
  cycle: Cycle,
  turn: Turn,
  victim: GangRecord,
  own: readonly Evicted[],
  gone: readonly PodRecord[],
): boolean {
  const { ledger } = cycle.session;
  const pods = own.map(({ pod }) => pod);
  return ledger.attempt(() => {
    pods.forEach((pod) => pod.row >= 0 && ledger.remove(pod));
    return (
      !haveClaims(pods) &&
      cycle.mayReturn(victim, pods) &&
      own.every((evicted) => putBack(cycle, evicted.pod, evicted)) &&
      runs(victim) &&
      isPlacedNextCycle(cycle, turn.pods, gone, new Set())
    );
  });
}
