/**
 * What a decision does with pods: gangs that fit start, room is made for others, what is left of broken gangs is evicted, and nothing starts that
 * the next decision would evict. MIG configurations are decided afterwards.
 */
import { allocate } from '../cycle/allocate';
import { Cycle } from '../cycle/cycle';
import { type GangRecord } from '../books/records';
import { type Session } from '../books/session';
import { type Action } from '../model/policy';
import { Selector } from '../search/select';
import { foresee } from './foresee';
import { makeRoom } from './make-room';
import { evictStale } from './stale';

/** The cycle, and the gangs that got nothing, or not all that they want, when gangs started. */
export function decidePods(
  session: Session,
  actions: readonly Action[],
): { readonly cycle: Cycle; readonly passed: readonly GangRecord[] } {
  session.begin();
  const cycle = new Cycle(session, session.scoring(Selector));
  const passed = actions.includes('allocate')
    ? allocate(cycle, actions.includes('backfill'))
    : session.gangs.filter(({ placed, size }) => placed < size);
  const tried = makeRoom(cycle, passed, actions);
  if (actions.includes('evict-stale')) {
    evictStale(cycle);
  }
  foresee(cycle, actions, tried);
  return { cycle, passed };
}
