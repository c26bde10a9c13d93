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
import { type Cycle } from './cycle';
import { staysInQuota } from './gang-order';
import { type PodClass } from './pod-class';
import { DUST, holds, siblingsAbove } from './queues';
import { type GangRecord, type Portion, type QueueRecord, type Turn } from './records';
import { inVictimOrder, portionsOf, surplusFirst, usefulRows, victimOrder } from './victims';

export class ReclaimRules {
  private readonly queue: QueueRecord;
  private readonly asked: Float64Array;
  /** What was allocated before any eviction; later the books contain the outcome. */
  private readonly before = new Map<QueueRecord, Float64Array>();

  constructor(
    private readonly cycle: Cycle,
    turn: Turn,
  ) {
    this.queue = turn.gang.queue!;
    this.asked = turn.asked;
    cycle.session.queues.forEach((queue) => this.before.set(queue, queue.allocated.slice()));
  }

  /** Does the claimant's queue stay within its fair share? */
  mayReclaim(): boolean {
    return this.queue.fairShare.every((share, account) => {
      const used = this.queue.allocated[account] + this.asked[account];
      return this.asked[account] <= 0 || used <= share + DUST;
    });
  }

  candidates(claimants: ReadonlySet<PodClass>): Portion[] {
    const { session } = this.cycle;
    const useful = usefulRows(this.cycle, claimants);
    const queues = new Map<QueueRecord, Portion[]>();
    const others = session.gangs.filter((other) => this.isOther(other));
    for (const gang of inVictimOrder(this.cycle, others)) {
      const list = queues.get(gang.queue!) ?? [];
      list.push(...portionsOf(this.cycle, gang, useful));
      queues.set(gang.queue!, list);
    }
    queues.forEach((list, queue) => queues.set(queue, surplusFirst(list)));
    const taken = new Map<QueueRecord, Float64Array>();
    const chosen: Portion[] = [];
    const next = new Map([...queues.keys()].map((queue) => [queue, 0]));
    while (chosen.length < session.policy.victimLimit) {
      const from = this.mostSaturated(queues, next, taken);
      if (from === undefined) {
        break;
      }
      const portion = queues.get(from)![next.get(from)!];
      next.set(from, next.get(from)! + 1);
      this.take(portion, taken);
      chosen.push(portion);
    }
    const movable = [...queues].flatMap(([queue, list]) => list.slice(next.get(queue)));
    return [...chosen, ...movable].slice(0, session.policy.victimLimit);
  }

  /** Is the loss of these portions, in the order in which they go, within the rules? */
  allows(lost: readonly Portion[]): boolean {
    const taken = new Map<QueueRecord, Float64Array>();
    const order = victimOrder(this.cycle);
    const waiting = [...lost].sort((a, b) => Number(a.core) - Number(b.core) || order(a.gang, b.gang));
    while (waiting.length > 0) {
      const at = waiting.findIndex(({ gang }) => this.mayTakeFrom(gang.queue!, taken));
      if (at < 0) {
        return false;
      }
      this.take(waiting[at], taken);
      waiting.splice(at, 1);
    }
    return this.keepsOrder(taken);
  }

  private isOther({ queue, placed }: GangRecord): boolean {
    return placed > 0 && queue !== undefined && queue !== this.queue && queue.queue.reclaimable !== false;
  }

  private mostSaturated(
    queues: ReadonlyMap<QueueRecord, readonly Portion[]>,
    next: ReadonlyMap<QueueRecord, number>,
    taken: ReadonlyMap<QueueRecord, Float64Array>,
  ): QueueRecord | undefined {
    let best: QueueRecord | undefined;
    let bestPart = -1;
    for (const [queue, list] of queues) {
      if (next.get(queue)! < list.length && this.mayTakeFrom(queue, taken)) {
        const part = this.saturationOf(queue, taken);
        if (part > bestPart + DUST) {
          best = queue;
          bestPart = part;
        }
      }
    }
    return best;
  }

  private mayTakeFrom(victim: QueueRecord, taken: ReadonlyMap<QueueRecord, Float64Array>): boolean {
    const [mine, theirs] = siblingsAbove(this.queue, victim);
    if (mine === theirs) {
      return false;
    }
    const left = this.left(theirs, taken);
    const leftOfQueue = this.left(victim, taken);
    const above = (queue: QueueRecord, amounts: Float64Array, limit: (account: number) => number): boolean =>
      amounts.some(
        (amount, account) => this.asked[account] > 0 && amount > limit(account) + DUST && queue.allocated.length > 0,
      );
    if (above(theirs, left, (account) => holds(theirs, account)) && above(victim, leftOfQueue, () => 0)) {
      return true;
    }
    return (
      staysInQuota(withAllocated(mine, this.before.get(mine)!), this.asked) &&
      above(theirs, left, (account) => theirs.deserved[account])
    );
  }

  private saturationOf(queue: QueueRecord, taken: ReadonlyMap<QueueRecord, Float64Array>): number {
    const left = this.left(queue, taken);
    let worst = 0;
    left.forEach((amount, account) => {
      if (this.asked[account] > 0 && amount > DUST) {
        const share = queue.fairShare[account];
        worst = Math.max(worst, share > 0 ? amount / share : Infinity);
      }
    });
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
    for (let queue = gang.queue; queue !== undefined; queue = queue.parent) {
      const sum = taken.get(queue) ?? new Float64Array(accounts.length);
      taken.set(queue, sum);
      for (const { podClass } of pods) {
        const { ids, amounts } = ledger.charge(podClass);
        ids.forEach((account, i) => (sum[account] += amounts[i]));
      }
    }
  }
}

function ratio(amount: number, share: number): number {
  return share > 0 ? amount / share : amount > DUST ? Infinity : 0;
}

function withAllocated(queue: QueueRecord, allocated: Float64Array): QueueRecord {
  return { ...queue, allocated };
}
