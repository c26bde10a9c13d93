/**
 * When one queue takes back from another, after the rules of KAI's scheduler.
 *
 * The claimant's queue must stay within its fair share with the gang in it. A victim's queue (compared where the two paths up the tree
 * part) must be above what it can hold on to, in a resource that the gang wants; or above its quota while the claimant stays within its
 * own. Afterwards, on no level of the tree may the claimant's side be above its share and at least as saturated as the side that lost:
 * that keeps the order of saturation, without which two queues would reclaim from each other forever.
 *
 * Victims come from the most saturated queue first, one portion at a time. Gangs of queues that are not above their share are listed after
 * them: they may be moved out of the way, and the outcome is refused if any of them is lost.
 */
import { type Cycle } from '../cycle/cycle';
import { staysInQuota } from '../queues/quota';
import { type PodClass, type SharedCharge } from '../nodes/pod-class';
import { DUST, holds, siblingsAbove } from '../queues/queues';
import { type GangRecord, type PodRecord, type Portion, type QueueRecord, type Turn } from '../books/records';
import { runningOf } from './running';
import { usefulRows, victimOrder } from './victims';

/** Does the claimant's queue stay within its fair share? */
export function mayReclaim({ gang, asked }: Turn): boolean {
  const { fairShare, allocated } = gang.queue!;
  return fairShare.every(
    (share, account) => asked[account] <= 0 || allocated[account] + asked[account] <= share + DUST,
  );
}

export class ReclaimRules {
  private readonly queue: QueueRecord;
  private readonly asked: Float64Array;
  /** What was allocated before any eviction; later the books contain the outcome. */
  private readonly before = new Map<QueueRecord, Float64Array>();
  /** By victim: the two siblings above it and the claimant, and whether the claimant's side stays in its quota. */
  private readonly pairs = new Map<QueueRecord, { mine: QueueRecord; theirs: QueueRecord; within: boolean }>();

  constructor(
    private readonly cycle: Cycle,
    turn: Turn,
  ) {
    this.queue = turn.gang.queue!;
    this.asked = turn.asked;
    cycle.session.queues.forEach((queue) => this.before.set(queue, queue.allocated.slice()));
  }

  candidates(claimants: ReadonlySet<PodClass>): Portion[] {
    const { session } = this.cycle;
    const useful = usefulRows(this.cycle, claimants);
    const running = runningOf(this.cycle);
    const lists: Victims[] = [];
    for (const queue of running.queues()) {
      if (queue !== this.queue && queue.queue.reclaimable !== false) {
        lists.push({ queue, list: running.portionsOfQueue(queue, useful), next: 0 });
      }
    }
    const taken = new Map<QueueRecord, Float64Array>();
    const chosen: Portion[] = [];
    while (chosen.length < session.policy.victimLimit) {
      const from = this.mostSaturated(lists, taken);
      if (from === undefined) {
        break;
      }
      const portion = from.list[from.next++];
      this.take(portion, taken);
      chosen.push(portion);
    }
    const movable = lists.flatMap(({ list, next }) => list.slice(next));
    return [...chosen, ...movable].slice(0, session.policy.victimLimit);
  }

  /** Is the loss of these portions, in the order in which they go, within the rules? */
  allows(lost: readonly Portion[]): boolean {
    const taken = new Map<QueueRecord, Float64Array>();
    const order = victimOrder(this.cycle);
    const waiting = [...lost].sort((a, b) => Number(a.core) - Number(b.core) || order(a.gang, b.gang));
    while (waiting.length > 0) {
      const at = waiting.findIndex(({ gang }) => this.mayTakeFrom(gang.queue!, taken, 'quota'));
      if (at < 0) {
        return false;
      }
      this.take(waiting[at], taken);
      waiting.splice(at, 1);
    }
    return this.keepsOrder(taken);
  }

  private mostSaturated(lists: readonly Victims[], taken: ReadonlyMap<QueueRecord, Float64Array>): Victims | undefined {
    let best: Victims | undefined;
    let bestPart = -1;
    for (const one of lists) {
      if (one.next < one.list.length && this.mayTakeFrom(one.queue, taken, 'stated quota')) {
        const part = this.saturationOf(one.queue, taken);
        if (part > bestPart + DUST) {
          best = one;
          bestPart = part;
        }
      }
    }
    return best;
  }

  private mayTakeFrom(
    victim: QueueRecord,
    taken: ReadonlyMap<QueueRecord, Float64Array>,
    quota: 'quota' | 'stated quota',
  ): boolean {
    let pair = this.pairs.get(victim);
    if (pair === undefined) {
      const [mine, theirs] = siblingsAbove(this.queue, victim);
      const within = staysInQuota(withAllocated(mine, this.before.get(mine)!), this.asked);
      pair = { mine, theirs, within };
      this.pairs.set(victim, pair);
    }
    const { mine, theirs, within } = pair;
    return (
      mine !== theirs &&
      ((this.isAbove(theirs, taken, 'holds') && this.isAbove(victim, taken, 'nothing')) ||
        (within && this.isAbove(theirs, taken, quota)))
    );
  }

  /** Has the queue more left than that, of anything that is asked for? */
  private isAbove(queue: QueueRecord, taken: ReadonlyMap<QueueRecord, Float64Array>, limit: Limit): boolean {
    const { asked } = this;
    const before = this.before.get(queue)!;
    const gone = taken.get(queue);
    for (let account = 0; account < asked.length; account++) {
      if (asked[account] > 0) {
        const left = before[account] - (gone?.[account] ?? 0);
        if (left > LIMITS[limit](queue, account, asked) + DUST) {
          return true;
        }
      }
    }
    return false;
  }

  private saturationOf(queue: QueueRecord, taken: ReadonlyMap<QueueRecord, Float64Array>): number {
    const { asked } = this;
    const before = this.before.get(queue)!;
    const gone = taken.get(queue);
    let worst = 0;
    for (let account = 0; account < asked.length; account++) {
      const left = before[account] - (gone?.[account] ?? 0);
      if (asked[account] > 0 && left > DUST) {
        const share = queue.fairShare[account];
        worst = Math.max(worst, share > 0 ? left / share : Infinity);
      }
    }
    return worst;
  }

  /** On every level: not above its share and at least as saturated as a sibling that lost. */
  private keepsOrder(taken: ReadonlyMap<QueueRecord, Float64Array>): boolean {
    for (let mine: QueueRecord | undefined = this.queue; mine !== undefined; mine = mine.parent) {
      const own = this.left(mine, taken).map((amount, account) => amount + this.asked[account]);
      for (const other of this.cycle.session.queues) {
        if (other.parent !== mine.parent || other === mine || !taken.has(other)) {
          continue;
        }
        const left = this.left(other, taken);
        for (let account = 0; account < own.length; account++) {
          const part = ratio(own[account], mine.fairShare[account]);
          if (
            this.asked[account] > 0 &&
            part > 1 + DUST &&
            other.fairShare[account] > 0 &&
            part >= ratio(left[account], other.fairShare[account])
          ) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private left(queue: QueueRecord, taken: ReadonlyMap<QueueRecord, Float64Array>): Float64Array {
    const before = this.before.get(queue)!;
    const gone = taken.get(queue);
    return gone === undefined ? before : before.map((amount, account) => amount - gone[account]);
  }

  private take({ pods, gang }: Portion, taken: Map<QueueRecord, Float64Array>): void {
    const { ledger, accounts } = this.cycle.session;
    const kept = gang.claimPods === undefined ? undefined : keptBy(gang, pods);
    for (let queue = gang.queue; queue !== undefined; queue = queue.parent) {
      const sum = taken.get(queue) ?? new Float64Array(accounts.length);
      taken.set(queue, sum);
      for (const { podClass } of pods) {
        const { ids, amounts } = ledger.charge(podClass);
        for (let i = 0; i < ids.length; i++) {
          sum[ids[i]] += amounts[i];
        }
      }
      kept?.forEach((times, shared) => {
        const { ids, amounts } = ledger.chargeOfShared(shared);
        ids.forEach((account, i) => (sum[account] -= times * amounts[i]));
      });
    }
  }
}

/** What runs of a queue, in the order in which it would go, and the first of it that is not chosen. */
interface Victims {
  readonly queue: QueueRecord;
  readonly list: readonly Portion[];
  next: number;
}

/** What a queue has to be above, of one resource. */
const LIMITS = {
  nothing: () => 0,
  holds,
  quota: quotaOf,
  // All that might be lost or moved is looked at in the order of saturation.
  'stated quota': ({ deserved }, account) => deserved[account],
} satisfies Record<string, (queue: QueueRecord, account: number, asked: Float64Array) => number>;
type Limit = keyof typeof LIMITS;

/** Claims that pods of a gang share are charged once, as long as one of the pods has them: how often the charge of these pods is not freed. */
function keptBy({ claimPods }: GangRecord, pods: readonly PodRecord[]): ReadonlyMap<SharedCharge, number> {
  const kept = new Map<SharedCharge, number>();
  const left = new Map<string, number>();
  for (const shared of pods.flatMap(({ podClass }) => podClass.shared)) {
    const holders = (left.get(shared.key) ?? claimPods?.get(shared.key)?.all ?? 0) - 1;
    left.set(shared.key, holders);
    kept.set(shared, (kept.get(shared) ?? 0) + (holders > 0 ? 1 : 0));
  }
  return kept;
}

function ratio(amount: number, share: number): number {
  return share > 0 ? amount / share : amount > DUST ? Infinity : 0;
}

/**
 * What of a resource counts as the quota of a queue. A queue that has a quota for something else that is asked for keeps its fair share of the
 * rest; all that a queue without any quota has is borrowed.
 */
function quotaOf({ deserved, fairShare, hasQuota }: QueueRecord, account: number, asked: Float64Array): number {
  const hasAny = asked.some((amount, other) => amount > 0 && hasQuota[other]);
  return hasQuota[account] || !hasAny ? deserved[account] : fairShare[account];
}

function withAllocated(queue: QueueRecord, allocated: Float64Array): QueueRecord {
  return { ...queue, allocated };
}
