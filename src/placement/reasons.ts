/**
 * Why a gang waits. A first form; see `explainPending`.
 */
import { type Cycle } from './cycle';
import { type PendingGang } from './decision';
import { type GangRecord } from './records';

export function explainPending(_cycle: Cycle, left: readonly GangRecord[]): PendingGang[] {
  return left.map(({ gang, needed, placed }) => ({
    gang: gang.name, queue: gang.queue, kind: 'no-fit', message: '', blocked: [], fits: 0, needed: needed - placed, counterfactuals: [],
  }));
}
