/**
 * Evictions and moves of one decision, one note for all pods of a gang that have the same cause.
 */
import { type Decision } from '../../placement';

export interface EvictionNote {
  readonly kind: 'evict' | 'move';
  readonly text: string;
  readonly gang: string;
}

export function evictionNotes(evictions: Decision['evictions']): readonly EvictionNote[] {
  const groups = new Map<string, Decision['evictions'][number][]>();
  for (const eviction of evictions) {
    const { gang, action, beneficiary, movesTo } = eviction;
    const key = JSON.stringify([gang, movesTo === undefined ? action : 'move', beneficiary]);
    groups.set(key, [...(groups.get(key) ?? []), eviction]);
  }
  return [...groups.values()].map((group): EvictionNote => {
    const [{ gang, action, beneficiary, movesTo }] = group;
    const pods = `${group.length} pod${group.length === 1 ? '' : 's'} of ${gang}`;
    const goal = beneficiary === undefined ? '' : ` for ${beneficiary}`;
    return movesTo === undefined
      ? { kind: 'evict', text: `${pods} evicted${goal} (${action})`, gang }
      : { kind: 'move', text: `${pods} moved${goal}`, gang };
  });
}
