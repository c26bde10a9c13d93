/**
 * What is within the quota of a queue.
 */
import { type QueueRecord } from '../books/records';
import { DUST } from './queues';

/** Within the unused quota of the queue, and of every queue above it that has one. */
export function isEntitled(queue: QueueRecord, asked: Float64Array): boolean {
  if (!staysInQuota(queue, asked)) {
    return false;
  }
  for (let at = queue.parent; at !== undefined; at = at.parent) {
    for (let account = 0; account < asked.length; account++) {
      if (
        asked[account] > 0 &&
        at.hasQuota[account] &&
        at.allocated[account] + asked[account] > at.deserved[account] + DUST
      ) {
        return false;
      }
    }
  }
  return true;
}

/**
 * Within its quota even with `asked` on top. A resource without a quota is shared by weight: there the fair share counts. A queue without
 * any quota for what is asked never is.
 */
export function staysInQuota(queue: QueueRecord, asked: Float64Array): boolean {
  let stated = false;
  for (let account = 0; account < asked.length; account++) {
    if (asked[account] <= 0) {
      continue;
    }
    const limit = queue.hasQuota[account] ? queue.deserved[account] : queue.fairShare[account];
    if (queue.allocated[account] + asked[account] > limit + DUST) {
      return false;
    }
    stated ||= queue.hasQuota[account];
  }
  return stated;
}
