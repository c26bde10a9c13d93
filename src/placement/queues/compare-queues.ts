/**
 * Which of two queues has the better claim, by the order that the policy states.
 */
import { type QueueRecord } from '../books/records';
import { type Policy, type ShareJudgment } from '../model/policy';
import { DUST, holds, saturation } from './queues';
import { staysInQuota } from './quota';

/** Negative when queue `a`, with what its next gang asks for, comes first. */
export function compareQueues(
  { queueOrder, shareJudgment }: Policy,
  totals: Float64Array,
  a: QueueRecord,
  aAsked: Float64Array,
  b: QueueRecord,
  bAsked: Float64Array,
): number {
  switch (queueOrder) {
    case 'quota-then-surplus':
      return compareByQuota(shareJudgment, totals, a, aAsked, b, bAsked) || byAge(a, b);
    case 'drf':
      return compareNumbers(dominantShare(totals, a), dominantShare(totals, b)) || byPriority(a, b) || byAge(a, b);
    case 'proportion':
    case 'weight':
      return byPriority(a, b) || compareNumbers(saturation(a, totals), saturation(b, totals)) || byAge(a, b);
  }
}

/**
 * Who is above its share comes last; who stays within its quota comes first; then queue priority; then who has something without any share
 * of it comes last; then the part of its share that the queue would use with the gang, and without it; then the smaller share.
 */
function compareByQuota(
  judgment: ShareJudgment,
  totals: Float64Array,
  a: QueueRecord,
  aAsked: Float64Array,
  b: QueueRecord,
  bAsked: Float64Array,
): number {
  const partOf = (queue: QueueRecord, asked: Float64Array, more?: Float64Array): number =>
    saturation(queue, totals, more, undefined, judgment === 'any-resource' ? undefined : asked);
  return (
    Number(isOverShare(a, judgment, aAsked)) - Number(isOverShare(b, judgment, bAsked)) ||
    Number(staysInQuota(b, bAsked)) - Number(staysInQuota(a, aAsked)) ||
    byPriority(a, b) ||
    compareNumbers(partOf(a, aAsked, aAsked), partOf(b, bAsked, bAsked)) ||
    compareNumbers(partOf(a, aAsked), partOf(b, bAsked)) ||
    compareShares(a, b)
  );
}

/** Shares of devices are decimal parts, and what was added and taken away again leaves dust that must not decide. */
export function compareNumbers(a: number, b: number): number {
  return Math.abs(a - b) <= DUST ? 0 : a - b;
}

function compareShares(a: QueueRecord, b: QueueRecord): number {
  let less = 0;
  let more = 0;
  for (let account = 0; account < a.fairShare.length; account++) {
    const mine = holds(a, account);
    const theirs = holds(b, account);
    less += mine < theirs ? 1 : 0;
    more += mine > theirs ? 1 : 0;
  }
  return less > 0 && more === 0 ? -1 : more > 0 && less === 0 ? 1 : 0;
}

function byPriority(a: QueueRecord, b: QueueRecord): number {
  return (b.queue.priority ?? 0) - (a.queue.priority ?? 0);
}

function byAge(a: QueueRecord, b: QueueRecord): number {
  return (a.queue.arrival ?? 0) - (b.queue.arrival ?? 0) || a.index - b.index;
}

/** More than its fair share in some resource that counts. */
function isOverShare(queue: QueueRecord, judgment: ShareJudgment, asked: Float64Array): boolean {
  const { allocated, fairShare } = queue;
  for (let account = 0; account < allocated.length; account++) {
    if (allocated[account] > fairShare[account] + DUST && (judgment === 'any-resource' || asked[account] > 0)) {
      return true;
    }
  }
  return false;
}

/** Largest part of the cluster that the queue has of any resource, by its weight. */
function dominantShare(totals: Float64Array, { allocated, queue }: QueueRecord): number {
  let share = 0;
  allocated.forEach((amount, account) => (share = Math.max(share, totals[account] > 0 ? amount / totals[account] : 0)));
  return share / (queue.weight ?? 1);
}
