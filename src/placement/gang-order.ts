/**
 * Which gang is considered next.
 *
 * Down the tree of queues, at each level the queue that has the best claim, then inside the queue by priority, gangs below their minimum
 * before extra pods of others, a gang that lost a pod before a fresh one, then by age. Shares are read at every step, so each start
 * counts at once. Only the path to the
 * last gang is compared again: O(depth · siblings + log gangs) for each gang.
 */
import { Heap } from './heap';
import { missingPods, optionalPod, type RoomFor, runs } from './needs';
import { type PodClass } from './pod-class';
import { type QueueOrder } from './policy';
import { DUST, holds, type Queues, saturation } from './queues';
import { type GangRecord, NOWHERE, type PodRecord, type QueueRecord } from './records';
import { type Session } from './session';

/** A gang, and the pods it is to get in this step. */
export interface Turn {
  readonly gang: GangRecord;
  readonly pods: readonly PodRecord[];
  /** What its queues would be charged. */
  readonly asked: Float64Array;
  /** The gang already has its minimum. */
  readonly optional: boolean;
}

interface Node {
  readonly queue: QueueRecord;
  readonly children: Node[];
  /** Gangs of this queue, the next one on top. */
  readonly own: Heap<GangRecord>;
  best: Turn | undefined;
  stale: boolean;
  parent: Node | undefined;
}

export class GangOrder {
  private readonly nodes = new Map<QueueRecord, Node>();
  private readonly roots: Node[] = [];

  constructor(
    private readonly session: Session,
    private readonly queues: Queues,
    gangs: readonly GangRecord[],
  ) {
    for (const queue of session.queues) {
      const parent = queue.parent === undefined ? undefined : this.nodes.get(queue.parent);
      const own = new Heap<GangRecord>((a, b) => this.compare(a, b));
      const node: Node = { queue, children: [], own, best: undefined, stale: true, parent };
      this.nodes.set(queue, node);
      (parent?.children ?? this.roots).push(node);
    }
    for (const gang of gangs) {
      if (gang.queue !== undefined) {
        this.nodes.get(gang.queue)!.own.push(gang);
      }
    }
  }

  /** The gang with the best claim; it is out of the order until `again` is called. */
  next(): Turn | undefined {
    const root = this.bestOf(this.roots);
    const turn = root?.best;
    if (turn !== undefined) {
      const node = this.nodes.get(turn.gang.queue!)!;
      node.own.pop();
      this.touch(node);
    }
    return turn;
  }

  /** The shares of its queue changed, and the gang returns to the order if it can have more pods: O(log gangs). */
  again(gang: GangRecord): void {
    const node = this.nodes.get(gang.queue!)!;
    if (gang.placed < gang.size) {
      node.own.push(gang);
    }
    this.touch(node);
  }

  /** Something changed in the shares of a queue. */
  changed(queue: QueueRecord): void {
    this.touch(this.nodes.get(queue)!);
  }

  private compare(a: GangRecord, b: GangRecord): number {
    const { session } = this;
    return compareGangs(a, b, session.policy.gangOrder === 'share' ? (gang) => shareOfGang(session, gang) : undefined);
  }

  private touch(node: Node): void {
    for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
      at.stale = true;
    }
  }

  private bestOf(nodes: readonly Node[]): Node | undefined {
    let best: Node | undefined;
    for (const node of nodes) {
      this.refresh(node);
      if (node.best !== undefined && (best === undefined || this.compareQueues(node, best) < 0)) {
        best = node;
      }
    }
    return best;
  }

  private refresh(node: Node): void {
    if (!node.stale) {
      return;
    }
    node.stale = false;
    node.best = this.ownTurn(node) ?? this.bestOf(node.children)?.best;
  }

  private ownTurn(node: Node): Turn | undefined {
    for (let gang = node.own.top(); gang !== undefined; gang = node.own.top()) {
      const turn = turnOf(this.session, gang);
      if (turn !== undefined) {
        return turn;
      }
      node.own.pop();
    }
    return undefined;
  }

  private compareQueues(a: Node, b: Node): number {
    return compareQueues(
      this.session.policy.queueOrder,
      this.queues.totals,
      a.queue,
      a.best!.asked,
      b.queue,
      b.best!.asked,
    );
  }
}

/** The pods a gang is to get next; undefined when there are none. */
export function turnOf(session: Session, gang: GangRecord): Turn | undefined {
  const below = !runs(gang);
  const roomFor: RoomFor = (podClass) => roomOf(session, podClass);
  const single = below ? undefined : optionalPod(gang, roomFor);
  const pods = below ? missingPods(gang, roomFor) : single === undefined ? undefined : [single];
  if (pods === undefined || pods.length === 0) {
    return undefined;
  }
  return { gang, pods, asked: askedFor(session, pods), optional: !below };
}

/** How many pods of the class the cluster takes as it is. */
function roomOf(session: Session, podClass: PodClass): ReturnType<RoomFor> {
  const { table, ledger } = session;
  const fixed = session.staticRow(podClass);
  let now = 0;
  for (let row = 0; row < table.count; row++) {
    now += fixed[row] === 0 && session.allowed(podClass, row) ? ledger.capacity(podClass, row, 1_000_000) : 0;
  }
  return { now, ever: fixed.includes(0) };
}

export function askedFor(session: Session, pods: readonly PodRecord[]): Float64Array {
  const asked = new Float64Array(session.accounts.length);
  for (const { podClass } of pods) {
    const { ids, amounts } = session.ledger.charge(podClass);
    for (let i = 0; i < ids.length; i++) {
      asked[ids[i]] += amounts[i];
    }
  }
  return asked;
}

/** Negative when `a` comes first. */
function compareGangs(a: GangRecord, b: GangRecord, shareOf: ((gang: GangRecord) => number) | undefined): number {
  const [aRuns, bRuns] = [runs(a), runs(b)];
  return (
    b.priority - a.priority ||
    Number(aRuns) - Number(bRuns) ||
    (aRuns ? 0 : Number(b.placed > 0) - Number(a.placed > 0)) ||
    (shareOf === undefined ? 0 : compareNumbers(shareOf(a), shareOf(b))) ||
    a.arrival - b.arrival ||
    a.index - b.index
  );
}

/** Largest part of the cluster that the gang's own pods have of any resource. */
function shareOfGang({ ledger, totals, accounts }: Session, { roles }: GangRecord): number {
  const sums = new Float64Array(accounts.length);
  for (const { pods } of roles) {
    for (const { row, podClass } of pods) {
      if (row !== NOWHERE) {
        const { ids, amounts } = ledger.charge(podClass);
        ids.forEach((account, i) => (sums[account] += amounts[i]));
      }
    }
  }
  return sums.reduce((most, sum, account) => Math.max(most, totals[account] > 0 ? sum / totals[account] : 0), 0);
}

/** Negative when queue `a`, with what its next gang asks for, comes first. */
export function compareQueues(
  order: QueueOrder,
  totals: Float64Array,
  a: QueueRecord,
  aAsked: Float64Array,
  b: QueueRecord,
  bAsked: Float64Array,
): number {
  switch (order) {
    case 'quota-then-surplus':
      return compareByQuota(totals, a, aAsked, b, bAsked) || byAge(a, b);
    case 'drf':
      return compareNumbers(dominantShare(totals, a), dominantShare(totals, b)) || byPriority(a, b) || byAge(a, b);
    case 'proportion':
      return byPriority(a, b) || compareNumbers(saturation(a, totals), saturation(b, totals)) || byAge(a, b);
  }
}

/**
 * Who is above its share comes last; who stays within its quota comes first; then queue priority; then who has something without any share
 * of it comes last; then the part of its share that the queue would use with the gang, and without it; then the smaller share.
 */
function compareByQuota(
  totals: Float64Array,
  a: QueueRecord,
  aAsked: Float64Array,
  b: QueueRecord,
  bAsked: Float64Array,
): number {
  return (
    Number(isOverShare(a)) - Number(isOverShare(b)) ||
    Number(staysInQuota(b, bAsked)) - Number(staysInQuota(a, aAsked)) ||
    byPriority(a, b) ||
    compareNumbers(saturation(a, totals, aAsked), saturation(b, totals, bAsked)) ||
    compareNumbers(saturation(a, totals), saturation(b, totals)) ||
    compareShares(a, b)
  );
}

/** Shares of devices are decimal parts, and what was added and taken away again leaves dust that must not decide. */
function compareNumbers(a: number, b: number): number {
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

/** More than its fair share in some resource. */
export function isOverShare(queue: QueueRecord): boolean {
  return queue.allocated.some((amount, account) => amount > queue.fairShare[account] + DUST);
}

/** Within its quota even with `asked` on top. A queue without any quota never is. */
export function staysInQuota(queue: QueueRecord, asked: Float64Array): boolean {
  return asked.every(
    (amount, account) => amount <= 0 || queue.allocated[account] + amount <= queue.deserved[account] + DUST,
  );
}

/** Largest part of the cluster that the queue has of any resource, by its weight. */
function dominantShare(totals: Float64Array, { allocated, queue }: QueueRecord): number {
  let share = 0;
  allocated.forEach((amount, account) => (share = Math.max(share, totals[account] > 0 ? amount / totals[account] : 0)));
  return share / (queue.weight ?? 1);
}
