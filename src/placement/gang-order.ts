/**
 * Which gang is considered next.
 *
 * Down the tree of queues, at each level the queue that has the best claim, then inside the queue by priority, gangs below their minimum
 * before extra pods of others, a gang that lost a pod before a fresh one, then by age. Under `quota-then-surplus` a gang that fits into
 * the unused quota of its queue goes before every claim on surplus, even if gangs that need more wait in front of it: so nothing that
 * waits in a queue keeps entitled work of the queue back. Shares are read at every step, so each start counts at once.
 *
 * Gangs without pods that request the same wait in one line (see `waiting.ts`); only the first of a line is compared: only the path to the last
 * gang is updated, O(depth · siblings + log lines) for each gang.
 */
import { Heap } from './heap';
import { missingPods, optionalPod, type RoomFor, runs } from './needs';
import { isOverdue } from './overdue';
import { type PodClass } from './pod-class';
import { type Policy, type ShareJudgment } from './policy';
import { DUST, holds, type Queues, saturation } from './queues';
import { type GangRecord, NOWHERE, type PodRecord, type QueueRecord, type Turn } from './records';
import { type Session } from './session';
import { type Line, lineOf, type Lines, rankOf } from './waiting';

/** A gang, and the line of like ones behind it. */
interface Entry {
  gang: GangRecord;
  readonly line: Line;
  at: number;
  /** What is known of all gangs in the line: none of them starts, or none that must avoid reserved nodes. */
  hopeless: Hopeless;
  /** The same for the question whether it contends. */
  misfit: Hopeless;
}

type Hopeless = 'no' | 'beside' | 'all';

interface Node {
  readonly queue: QueueRecord;
  readonly children: Node[];
  /** Lines that may be within the unused quota of the queue, the next gang on top. */
  readonly within: Heap<Entry>;
  /** Lines that were seen to need more than that. */
  readonly beyond: Heap<Entry>;
  readonly parent: Node | undefined;
  /** The claim that is next by rank, and whether it has to be looked for again. */
  best: Turn | undefined;
  stale: boolean;
  /** The next claim within unused quota, likewise. */
  entitled: Turn | undefined;
  staleEntitled: boolean;
}

/** What the order asks about the books. */
export interface Outlook {
  /** Can the turn be carried out now? Asked only to find out whether queues contend for what is free. */
  readonly fitsNow: (turn: Turn) => boolean;
  /** Must the gang leave alone what is promised to another? */
  readonly keepsOff: (gang: GangRecord) => boolean;
  /** Whether all gangs whose work takes this long or longer, seconds, must do so. */
  readonly tooLong: (seconds: number) => boolean;
}

export class GangOrder {
  private readonly nodes = new Map<QueueRecord, Node>();
  private readonly roots: Node[] = [];
  /** Gangs that come before all others. */
  private readonly overdue: Heap<GangRecord>;
  private readonly byQuota: boolean;
  private readonly strict: boolean;
  /** The entry that `next` took last, where more of its line may follow. */
  private taken: Entry | undefined;

  /**
   * @param lines fresh gangs; those that have been placed meanwhile are left out
   * @param singles all other gangs
   * @param outlook where it is not given, every claim contends with every other
   */
  constructor(
    private readonly session: Session,
    private readonly queues: Queues,
    lines: Lines,
    singles: Iterable<GangRecord>,
    private readonly outlook?: Outlook,
  ) {
    this.strict = session.policy.queueing === 'strict-fifo';
    this.byQuota = session.policy.queueOrder === 'quota-then-surplus' && !this.strict;
    const byShare = session.policy.gangOrder === 'share';
    const shareOf = byShare ? (gang: GangRecord): number => shareOfGang(session, gang) : undefined;
    const compare = (a: Entry, b: Entry): number => compareGangs(a.gang, b.gang, session.policy, shareOf);
    this.overdue = new Heap((a, b) => compareGangs(a, b, session.policy, shareOf));
    for (const queue of session.queues) {
      const parent = queue.parent === undefined ? undefined : this.nodes.get(queue.parent);
      const node: Node = {
        queue,
        children: [],
        within: new Heap(compare),
        beyond: new Heap(compare),
        parent,
        best: undefined,
        stale: true,
        entitled: undefined,
        staleEntitled: true,
      };
      this.nodes.set(queue, node);
      (parent?.children ?? this.roots).push(node);
      for (const line of lines.get(queue) ?? []) {
        this.enter(node.within, { gang: line.gangs[0], line, at: -1, hopeless: 'no', misfit: 'no' });
      }
    }
    for (const gang of singles) {
      this.add(gang);
    }
  }

  /** The gang with the best claim; it is out of the order until `again` is called. */
  next(): Turn | undefined {
    for (let gang = this.overdue.pop(); gang !== undefined; gang = this.overdue.pop()) {
      const turn = turnOf(this.session, gang);
      if (turn !== undefined) {
        this.taken = undefined;
        return turn;
      }
    }
    const first = this.bestOf(this.roots)?.best;
    const turn = first === undefined ? undefined : (this.entitledBefore(first) ?? first);
    if (turn !== undefined) {
      const node = this.nodes.get(turn.gang.queue!)!;
      const heap = node.within.top()?.gang === turn.gang ? node.within : node.beyond;
      const entry = heap.pop()!;
      this.taken = { ...entry };
      this.enter(heap, entry);
      this.touch(node);
    }
    return turn;
  }

  /** The shares of its queue changed, and the gang returns to the order if it can have more pods: O(log gangs). */
  again(gang: GangRecord): void {
    if (gang.placed < gang.size) {
      this.add(gang);
    }
    this.touch(this.nodes.get(gang.queue!)!);
  }

  /**
   * The gang that came last got nothing. Where an outlook is given, those behind it in its line need not be considered: as less is free, they get nothing too.
   * Under `strict-fifo` no gang of its queue is considered any more.
   *
   * @param alike gets the gangs that are not considered
   */
  passed(gang: GangRecord, alike?: GangRecord[]): void {
    const node = this.nodes.get(gang.queue!)!;
    const { taken } = this;
    if (this.strict) {
      this.empty(node, alike);
    } else if (this.outlook !== undefined && taken !== undefined && taken.line.gangs.length > 1) {
      const { keepsOff, tooLong } = this.outlook;
      const rest = [...node.within.elements(), ...node.beyond.elements()].find(({ line }) => line === taken.line);
      if (rest !== undefined) {
        rest.hopeless = keepsOff(gang) && !tooLong(taken.line.shortest) ? 'beside' : 'all';
        this.skipped(rest, alike);
      }
    }
    this.touch(node);
  }

  private skipped(entry: Entry, alike: GangRecord[] | undefined): void {
    const { gangs } = entry.line;
    for (let at = entry.at; alike !== undefined && at < gangs.length; at++) {
      if (gangs[at].placed === 0 && this.isHopeless(entry, gangs[at])) {
        alike.push(gangs[at]);
      }
    }
  }

  private empty({ within, beyond }: Node, alike: GangRecord[] | undefined): void {
    for (const heap of [within, beyond]) {
      for (let other = heap.pop(); other !== undefined; other = heap.pop()) {
        alike?.push(other.gang);
        this.enter(heap, other);
      }
    }
  }

  /** The queue lost pods: its gangs may be within its quota again. */
  changed(queue: QueueRecord): void {
    const node = this.nodes.get(queue)!;
    for (let entry = node.beyond.pop(); entry !== undefined; entry = node.beyond.pop()) {
      node.within.push(entry);
    }
    this.touch(node);
  }

  private add(gang: GangRecord): void {
    if (isOverdue(this.session, gang)) {
      this.overdue.push(gang);
      return;
    }
    const node = gang.queue === undefined ? undefined : this.nodes.get(gang.queue);
    node?.within.push({
      gang,
      line: lineOf([gang], this.session.policy.gangOrder),
      at: 0,
      hopeless: 'no',
      misfit: 'no',
    });
  }

  /** Puts the entry in with the next gang of its line that still waits, if there is one. */
  private enter(heap: Heap<Entry>, entry: Entry): void {
    const { gangs } = entry.line;
    for (entry.at = entry.hopeless === 'all' ? gangs.length : entry.at + 1; entry.at < gangs.length; entry.at++) {
      const gang = gangs[entry.at];
      if (gang.placed === 0 && !this.isHopeless(entry, gang)) {
        entry.gang = gang;
        heap.push(entry);
        return;
      }
    }
  }

  private isHopeless({ hopeless }: Entry, gang: GangRecord): boolean {
    return hopeless === 'all' || (hopeless === 'beside' && this.outlook!.keepsOff(gang));
  }

  /**
   * A claim within unused quota that goes before `first`, which needs more than its queue's quota.
   *
   * Such a claim goes before the claims of all other queues, whatever waits in front of it. In its own queue the order is kept as long as
   * no other queue has a claim on what is free: then a queue may use its quota and the surplus as it likes.
   */
  private entitledBefore(first: Turn): Turn | undefined {
    if (!this.byQuota || isEntitled(first.gang.queue!, first.asked)) {
      return undefined;
    }
    const entitled = this.entitledOf(this.roots);
    const own = entitled?.gang.queue === first.gang.queue;
    return entitled !== undefined && (!own || this.isContended(first.gang.queue!)) ? entitled : undefined;
  }

  /** Has a gang of another queue a claim on what is free? Each is tried until it is seen not to fit: what is free only shrinks. */
  private isContended(queue: QueueRecord): boolean {
    if (this.outlook === undefined) {
      return true;
    }
    for (const { queue: other, within, beyond } of this.nodes.values()) {
      if (other !== queue && (this.anyFits(within.elements()) || this.anyFits(beyond.elements()))) {
        return true;
      }
    }
    return false;
  }

  private anyFits(entries: readonly Entry[]): boolean {
    return entries.some((entry) => this.lineFits(entry));
  }

  /** One gang of the line speaks for all: a second one only where the first must keep off promised nodes and the second need not. */
  private lineFits(entry: Entry): boolean {
    const { fitsNow, keepsOff, tooLong } = this.outlook!;
    const { gangs, shortest } = entry.line;
    for (let at = entry.at; at < gangs.length && entry.misfit !== 'all'; at++) {
      const gang = gangs[at];
      const beside = keepsOff(gang);
      const isPlaced = gang.placed > 0 && gangs.length > 1;
      if (isPlaced || (beside && entry.misfit === 'beside')) {
        continue;
      }
      const turn = turnOf(this.session, gang);
      if (turn !== undefined && fitsNow(turn)) {
        return true;
      }
      entry.misfit = beside && !tooLong(shortest) ? 'beside' : 'all';
    }
    entry.misfit = 'all';
    return false;
  }

  private touch(node: Node): void {
    for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
      at.stale = true;
      at.staleEntitled = true;
    }
  }

  private bestOf(nodes: readonly Node[]): Node | undefined {
    let best: Node | undefined;
    for (const node of nodes) {
      if (node.stale) {
        node.stale = false;
        node.best = this.ownTurn(node) ?? this.bestOf(node.children)?.best;
      }
      if (
        node.best !== undefined &&
        (best === undefined || this.compareQueues(node.queue, node.best, best.queue, best.best!) < 0)
      ) {
        best = node;
      }
    }
    return best;
  }

  private entitledOf(nodes: readonly Node[]): Turn | undefined {
    let best: Node | undefined;
    for (const node of nodes) {
      if (node.staleEntitled) {
        node.staleEntitled = false;
        node.entitled = this.ownEntitled(node) ?? this.entitledOf(node.children);
      }
      if (
        node.entitled !== undefined &&
        (best === undefined || this.compareQueues(node.queue, node.entitled, best.queue, best.entitled!) < 0)
      ) {
        best = node;
      }
    }
    return best?.entitled;
  }

  /** What the queue itself has next: the better one of its two heaps. */
  private ownTurn({ within, beyond }: Node): Turn | undefined {
    for (;;) {
      const [a, b] = [this.top(within), this.top(beyond)];
      if (a === undefined && b === undefined) {
        return undefined;
      }
      const heap = b === undefined || (a !== undefined && within.compare(a, b) < 0) ? within : beyond;
      const turn = turnOf(this.session, heap.top()!.gang);
      if (turn !== undefined) {
        return turn;
      }
      this.enter(heap, heap.pop()!);
    }
  }

  /** The first entry for which there is hope. */
  private top(heap: Heap<Entry>): Entry | undefined {
    for (let entry = heap.top(); entry !== undefined; entry = heap.top()) {
      if (!this.isHopeless(entry, entry.gang)) {
        return entry;
      }
      this.enter(heap, heap.pop()!);
    }
    return undefined;
  }

  /** Each line that needs more than the quota has left is put aside once. */
  private ownEntitled({ queue, within, beyond }: Node): Turn | undefined {
    for (let entry = this.top(within); entry !== undefined; entry = this.top(within)) {
      const turn = turnOf(this.session, entry.gang);
      if (turn !== undefined && isEntitled(queue, turn.asked)) {
        return turn;
      }
      within.pop();
      if (turn === undefined) {
        this.enter(within, entry);
      } else {
        beyond.push(entry);
      }
    }
    return undefined;
  }

  private compareQueues(a: QueueRecord, aTurn: Turn, b: QueueRecord, bTurn: Turn): number {
    return compareQueues(this.session.policy, this.queues.totals, a, aTurn.asked, b, bTurn.asked);
  }
}

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

/** The pods a gang is to get next; undefined when there are none. */
export function turnOf(session: Session, gang: GangRecord): Turn | undefined {
  if (gang.kind === undefined || gang.placed > 0) {
    return turnNow(session, gang);
  }
  // It starts with all of its pods, whenever that is.
  let turn = session.firstTurns.get(gang);
  if (turn === undefined) {
    turn = turnNow(session, gang);
    if (turn !== undefined) {
      session.firstTurns.set(gang, turn);
    }
  }
  return turn;
}

function turnNow(session: Session, gang: GangRecord): Turn | undefined {
  const below = !runs(gang);
  const roomFor: RoomFor = (podClass) => roomOf(session, podClass);
  const single = below ? undefined : optionalPod(gang, roomFor);
  const pods = below ? missingPods(gang, roomFor) : single === undefined ? undefined : [single];
  if (pods === undefined || pods.length === 0) {
    return undefined;
  }
  const [{ podClass }] = pods;
  return {
    gang,
    pods,
    podClass: pods.every((pod) => pod.podClass === podClass) ? podClass : undefined,
    asked: askedFor(session, pods),
    optional: !below,
  };
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
function compareGangs(
  a: GangRecord,
  b: GangRecord,
  { gangOrder, surplusOrder }: Policy,
  shareOf: ((gang: GangRecord) => number) | undefined,
): number {
  const [aRuns, bRuns] = [runs(a), runs(b)];
  return (
    b.priority - a.priority ||
    Number(aRuns) - Number(bRuns) ||
    (aRuns ? 0 : Number(b.placed > 0) - Number(a.placed > 0)) ||
    (aRuns && surplusOrder === 'in-turn' ? a.placed - a.needed - (b.placed - b.needed) : 0) ||
    (shareOf === undefined ? 0 : compareNumbers(shareOf(a), shareOf(b))) ||
    rankOf(a, gangOrder) - rankOf(b, gangOrder) ||
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

/** More than its fair share in some resource that counts. */
function isOverShare(queue: QueueRecord, judgment: ShareJudgment, asked: Float64Array): boolean {
  return queue.allocated.some(
    (amount, account) =>
      amount > queue.fairShare[account] + DUST && (judgment === 'any-resource' || asked[account] > 0),
  );
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

/** Largest part of the cluster that the queue has of any resource, by its weight. */
function dominantShare(totals: Float64Array, { allocated, queue }: QueueRecord): number {
  let share = 0;
  allocated.forEach((amount, account) => (share = Math.max(share, totals[account] > 0 ? amount / totals[account] : 0)));
  return share / (queue.weight ?? 1);
}
