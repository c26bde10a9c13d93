/**
 * One action of making room, tried for one gang; `make-room.ts` says which gangs and in which order.
 */
import { Consolidation } from './consolidate';
import { type Cycle } from '../cycle/cycle';
import { type MakingRoom, type Outcome } from './carry-out';
import { evictFor } from './eviction-search';
import { isEntitled } from '../queues/quota';
import { preemptCandidates } from './preempt';
import { mayReclaim, ReclaimRules } from './reclaim';
import { type GangRecord, type Portion, type Turn } from '../books/records';
import { portions } from './running';
import { classesOfTurn } from '../search/units';

/**
 * Evicts or moves pods so that the gang gets the pods of its turn.
 *
 * @param accepts what may be lost, besides the rules of the action
 */
export function tryAction(
  cycle: Cycle,
  turn: Turn,
  action: MakingRoom,
  accepts: (lost: readonly Portion[]) => boolean = () => true,
): boolean {
  const claimants = new Set(classesOfTurn(turn).keys());
  switch (action) {
    case 'preempt': {
      const candidates = portions(cycle, preemptCandidates(cycle, turn), claimants);
      return evictFor({ cycle, turn, action, allows: ({ lost }) => accepts(lost) }, candidates);
    }
    case 'reclaim': {
      if (!mayReclaim(turn)) {
        return false;
      }
      const rules = new ReclaimRules(cycle, turn);
      const entitled = isEntitled(turn.gang.queue!, turn.asked);
      const allows = ({ lost }: Outcome): boolean => accepts(lost) && rules.allows(lost);
      return evictFor({ cycle, turn, action, allows }, rules.candidates(claimants), entitled);
    }
    case 'consolidate':
      return new Consolidation(cycle, turn).run(claimants);
  }
}

/** The first of the turn and of what the gang may get instead that can be carried out. */
export function firstOf(cycle: Cycle, turn: Turn, isDone: (turn: Turn) => boolean): Turn | undefined {
  if (isDone(turn)) {
    return turn;
  }
  for (const other of cycle.otherChoices(turn)) {
    if (isDone(other)) {
      return other;
    }
  }
  return undefined;
}

/** May the gang disturb others by now? */
export function mayDisturb({ session }: Cycle, { gang, arrival, queue }: GangRecord): boolean {
  return (
    gang.preempts !== false &&
    queue !== undefined &&
    queue.queue.state !== 'closed' &&
    session.now - arrival >= (gang.preemptionDelaySeconds ?? 0) * 1000
  );
}
