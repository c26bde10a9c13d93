/**
 * What each queue may have: fair shares, ceilings, and the rules by which one queue takes back from another.
 *
 * *Fair share*, for every resource by itself and down the tree: first each queue gets the smaller of its quota and what it asks for
 * (running and waiting, up to its ceiling), and never less than its guarantee. What is left goes to queues of the highest priority first;
 * among equals by weight, in rounds, as a queue that asks for less than its part leaves some over (water-filling). Parts are whole; the
 * pieces that rounding leaves go to the largest remainders. A queue without a quota is one whose quota is zero, so plain weights are the
 * same rule. O(queues² · resources) at worst, in practice a few rounds.
 */
import { type QueueRecord } from '../books/records';
import { type Session } from '../books/session';

/** Fractions of devices make sums inexact. */
export const DUST = 1e-6;

/**
 * What limits a queue: its own capability, what the guarantees of its siblings leave, what limits its parent, or what the cluster has.
 */
export type Bound = 'capability' | 'guarantees' | 'parent' | 'cluster';

/** A ceiling that would be exceeded, and by how much. */
export interface Excess {
  readonly queue: QueueRecord;
  readonly account: number;
  readonly by: number;
  readonly bound: Bound;
}

interface Ceiling {
  readonly amount: number;
  readonly bound: Bound;
}

export class Queues {
  /** What the cluster has, by account. */
  readonly totals: Float64Array;
  private readonly guarantees: boolean;

  constructor(private readonly session: Session) {
    this.totals = session.totals;
    this.guarantees = session.queues.some(({ queue }) => queue.guarantee !== undefined);
    const roots = session.queues.filter(({ parent }) => parent === undefined);
    session.accounts.forEach((name, account) => this.divide(roots, this.totals[account], account, name));
  }

  /** Would any queue up the tree exceed its ceiling, or what others' guarantees leave? */
  isOverCapability(queue: QueueRecord, asked: Float64Array): boolean {
    for (let at: QueueRecord | undefined = queue; at !== undefined; at = at.parent) {
      for (let account = 0; account < asked.length; account++) {
        if (asked[account] > 0) {
          const most = this.guarantees ? this.ceiling(at, account).amount : at.capability[account];
          if (at.allocated[account] + asked[account] - most > DUST) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Every account in which a queue up the tree would exceed its ceiling, or what others' guarantees leave; the nearest queue first. */
  *excesses(queue: QueueRecord, asked: Float64Array): Generator<Excess> {
    for (let at: QueueRecord | undefined = queue; at !== undefined; at = at.parent) {
      for (let account = 0; account < asked.length; account++) {
        if (asked[account] > 0) {
          const { amount, bound } = this.ceiling(at, account);
          const by = at.allocated[account] + asked[account] - amount;
          if (by > DUST) {
            yield { queue: at, account, by: withoutDust(by), bound };
          }
        }
      }
    }
  }

  /** The first account in which work that cannot be evicted would exceed the quota of a queue up the tree. */
  overQuota(
    queue: QueueRecord,
    asked: Float64Array,
  ): { readonly queue: QueueRecord; readonly account: number } | undefined {
    for (let at: QueueRecord | undefined = queue; at !== undefined; at = at.parent) {
      for (let account = 0; account < asked.length; account++) {
        if (
          asked[account] > 0 &&
          at.hasQuota[account] &&
          at.nonPreemptible[account] + asked[account] > at.deserved[account] + DUST
        ) {
          return { queue: at, account };
        }
      }
    }
    return undefined;
  }

  /** Queues with the same parent, without the queue itself. */
  siblingsOf(queue: QueueRecord): readonly QueueRecord[] {
    const siblings = queue.parent?.children ?? this.session.queues.filter(({ parent }) => parent === undefined);
    return siblings.filter((other) => other !== queue);
  }

  /** What a queue is guaranteed of a resource. */
  guaranteeOf({ queue }: QueueRecord, account: number): number {
    return Math.max(queue.guarantee?.[this.session.accounts[account]] ?? 0, 0);
  }

  /** What a queue and its siblings may have together. */
  sharedBySiblings(queue: QueueRecord, account: number): number {
    return queue.parent === undefined ? this.totals[account] : this.ceiling(queue.parent, account).amount;
  }

  private ceiling(queue: QueueRecord, account: number): Ceiling {
    const capability: Ceiling = { amount: queue.capability[account], bound: 'capability' };
    if (!this.guarantees) {
      return capability;
    }
    const above: Ceiling = {
      amount: this.sharedBySiblings(queue, account),
      bound: queue.parent === undefined ? 'cluster' : 'parent',
    };
    const kept = this.siblingsOf(queue).reduce((sum, other) => sum + this.guaranteeOf(other, account), 0);
    const room: Ceiling = kept > 0 ? { amount: above.amount - kept, bound: 'guarantees' } : above;
    const amount = Math.max(room.amount, this.guaranteeOf(queue, account));
    return capability.amount <= amount ? capability : { amount, bound: room.bound };
  }

  private divide(siblings: readonly QueueRecord[], total: number, account: number, name: string): void {
    let left = total;
    for (const record of siblings) {
      const deserved = Math.min(record.deserved[account], total);
      const granted = Math.max(Math.min(deserved, requestable(record, account)), record.queue.guarantee?.[name] ?? 0);
      record.fairShare[account] = granted;
      left -= granted;
    }
    const priorities = [...new Set(siblings.map(({ queue }) => queue.priority ?? 0))].sort((a, b) => b - a);
    for (const priority of priorities) {
      if (left <= DUST) {
        break;
      }
      left = divideByWeight(
        siblings.filter(({ queue }) => (queue.priority ?? 0) === priority),
        left,
        account,
        name,
      );
    }
    siblings.forEach((record) => this.divide(record.children, record.fairShare[account], account, name));
  }
}

/** Sums of decimal parts, as they were meant. */
export function withoutDust(amount: number): number {
  return Number.isInteger(amount) ? amount : Math.round(amount * 1e6) / 1e6;
}

/** What a queue can make use of. */
function requestable(record: QueueRecord, account: number): number {
  return Math.min(record.capability[account], record.requested[account]);
}

function divideByWeight(siblings: readonly QueueRecord[], total: number, account: number, name: string): number {
  let left = total;
  const remainders = new Map<QueueRecord, number>();
  for (let again = true; again && left > DUST;) {
    again = false;
    const hungry = siblings.filter(
      (record) => requestable(record, account) - record.fairShare[account] > DUST && weight(record, name) > 0,
    );
    const weights = hungry.reduce((sum, record) => sum + weight(record, name), 0);
    const round = left;
    for (const record of hungry) {
      const wanted = requestable(record, account) - record.fairShare[account];
      const part = (round * weight(record, name)) / weights;
      const given = wanted <= part + DUST ? wanted : Math.floor(part + DUST);
      if (wanted <= part + DUST) {
        remainders.delete(record);
        again ||= wanted < part - DUST;
      } else {
        remainders.set(record, part - given);
      }
      record.fairShare[account] += given;
      left -= given;
    }
  }
  const byRemainder = [...remainders].sort(
    ([a, m], [b, n]) => n - m || (a.queue.arrival ?? 0) - (b.queue.arrival ?? 0) || a.index - b.index,
  );
  for (const [record, remainder] of byRemainder) {
    if (left <= DUST) {
      break;
    }
    if (remainder > DUST) {
      const given = Math.min(1, left, requestable(record, account) - record.fairShare[account]);
      record.fairShare[account] += given;
      left -= given;
    }
  }
  return left;
}

function weight({ queue }: QueueRecord, name: string): number {
  return queue.surplusWeight?.[name] ?? queue.weight ?? 1;
}

/** What a queue can hold on to: the larger of its share and its quota, within its ceiling. */
export function holds(record: QueueRecord, account: number): number {
  return Math.min(record.capability[account], Math.max(record.fairShare[account], record.deserved[account]));
}

/** Part of its own share that the queue would use with `more` on top, in its worst resource, or in the worst of those in `counted`. */
export function saturation(
  record: QueueRecord,
  totals: Float64Array,
  more?: Float64Array,
  less?: Float64Array,
  counted?: Float64Array,
): number {
  let worst = 0;
  for (let account = 0; account < totals.length; account++) {
    const used = record.allocated[account] + (more?.[account] ?? 0) - (less?.[account] ?? 0);
    if (used > DUST && (counted === undefined || counted[account] > 0)) {
      const share = holds(record, account);
      const part = share === Infinity ? used / (totals[account] || 1) : share > 0 ? used / share : used * ZERO_SHARE;
      worst = Math.max(worst, part);
    }
  }
  return worst;
}

/** A queue that has something without any share of it comes last. */
const ZERO_SHARE = 1e6;

/** The two queues, one above each of the given ones, that are siblings; the same queue twice when one holds the other. */
export function siblingsAbove(a: QueueRecord, b: QueueRecord): readonly [QueueRecord, QueueRecord] {
  const aPath = path(a);
  const bPath = path(b);
  let depth = 0;
  while (depth < aPath.length - 1 && depth < bPath.length - 1 && aPath[depth] === bPath[depth]) {
    depth++;
  }
  return [aPath[depth], bPath[depth]];
}

function path(queue: QueueRecord): QueueRecord[] {
  const list: QueueRecord[] = [];
  for (let at: QueueRecord | undefined = queue; at !== undefined; at = at.parent) {
    list.unshift(at);
  }
  return list;
}
