/**
 * What the event of an evicted pod says.
 */
import { type Eviction } from '../../placement';

export function evictionWords(action: Eviction['action'], beneficiary: string | undefined): string {
  switch (action) {
    case 'preempt':
      return `Evicted for gang ${beneficiary}, which has a higher priority in the same queue.`;
    case 'reclaim':
      return `Evicted for gang ${beneficiary}, whose queue takes back its share.`;
    case 'consolidate':
      return `Moved so that gang ${beneficiary} fits.`;
    case 'evict-stale':
      return 'Evicted because its gang stayed below its minimum for too long.';
  }
}
