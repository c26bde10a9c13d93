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
import { Heap } from '../../facts/collections/heap';
import { runs } from '../books/needs';
import { isOverdue } from './overdue';
import { type Policy } from '../model/policy';
import { compareNumbers, compareQueues } from './compare-queues';
import { isEntitled } from './quota';
import { turnOf } from './turns';
import { type Queues } from './queues';
import { type GangRecord, NOWHERE, type QueueRecord, type Turn } from '../books/records';
import { type Session } from '../books/session';
import { type Line, lineOf, type Lines, rankOf } from '../books/waiting';

/** A gang, and the line of like ones behind it. */
interface Entry {
  gang: GangRecord;
  readonly line: Line;
  at: number;
  /** What is known of all gangs in the line: none of them starts, or none that must avoid reserved nodes. */
  hopeless: Hopeless;
  /** The same for the question whether it contends. */
  misfit: Hopeless;
  /** The first place of the line, from `at` on, that is not left out as of an era of what is; see `skip`. */
  live: number;
  liveEra: number;
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

/** Gangs that an action leaves out: of those that wait more and more, until another era begins. */
export interface Skips {
  readonly era: number;
  has(gang: GangRecord): boolean;
  /** Whether the gang is left out with all that are alike. */
  hasAlike(gang: GangRecord): boolean;
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
  /** The line of the gang that `next` gave last. */
  private taken: Line | undefined;
  /** Gangs that need not be considered, as long as the books are what they are; see `skip`. */
  private skipped: Skips | undefined;

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
        this.enter(node.within, entryOf(line, -1));
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
    for (;;) {
      const first = this.bestOf(this.roots)?.best;
      const turn = first === undefined ? undefined : (this.entitledBefore(first) ?? first);
      if (turn === undefined) {
        return undefined;
      }
      const node = this.nodes.get(turn.gang.queue!)!;
      const heap = node.within.top()?.gang === turn.gang ? node.within : node.beyond;
      const entry = heap.pop()!;
      const isSkipped = entry.line.gangs.length > 1 && this.skipped?.has(turn.gang) === true;
      if (isSkipped) {
        this.skipAlike(entry, turn === first ? [node.within, node.beyond] : [heap]);
      } else {
        this.taken = entry.line;
      }
      this.enter(heap, entry);
      this.touch(node);
      if (!isSkipped) {
        return turn;
      }
    }
  }

  /**
   * Leaves gangs in lines out while nothing changes, those that are alike at once: `next` gives what it would give were each of them taken and
   * passed.
   */
  skip(skips: Skips): void {
    this.skipped = this.strict ? undefined : skips;
  }

  /** Goes to the last gang of the line before one that is considered, or before a gang of another line that is. */
  private skipAlike(entry: Entry, heaps: readonly Heap<Entry>[]): void {
    const { gangs } = entry.line;
    const [{ compare }] = heaps;
    const next = this.liveOf(entry);
    const rival = this.firstRival(heaps);
    for (const at = { ...entry }; entry.at + 1 < next; entry.at++) {
      at.gang = gangs[entry.at + 1];
      if (rival !== undefined && compare(rival, at) < 0) {
        return;
      }
    }
  }

  /** The first entry with a gang that is not left out. */
  private firstRival(heaps: readonly Heap<Entry>[]): Entry | undefined {
    let first: Entry | undefined;
    for (const heap of heaps) {
      for (const entry of heap.elements()) {
        if ((first === undefined || heap.compare(entry, first) < 0) && this.liveOf(entry) < entry.line.gangs.length) {
          first = entry;
        }
      }
    }
    return first;
  }

  /** The first place of the line, from where it is, whose gang waits and is not left out. What was left out stays so during an era. */
  private liveOf(entry: Entry): number {
    const { gangs, areAlike } = entry.line;
    const skipped = this.skipped!;
    if (entry.liveEra !== skipped.era) {
      entry.liveEra = skipped.era;
      entry.live = entry.at;
    }
    let live = Math.max(entry.live, entry.at);
    if (areAlike && live < gangs.length && skipped.hasAlike(gangs[live])) {
      live = gangs.length;
    }
    while (live < gangs.length && (gangs[live].placed > 0 || skipped.has(gangs[live]))) {
      live++;
    }
    entry.live = live;
    return live;
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
    } else if (this.outlook !== undefined && taken !== undefined && taken.gangs.length > 1) {
      const { keepsOff, tooLong } = this.outlook;
      const rest = [...node.within.elements(), ...node.beyond.elements()].find(({ line }) => line === taken);
      if (rest !== undefined) {
        rest.hopeless = keepsOff(gang) && !tooLong(taken.shortest) ? 'beside' : 'all';
        this.giveSkipped(rest, alike);
      }
    }
    this.touch(node);
  }

  private giveSkipped(entry: Entry, alike: GangRecord[] | undefined): void {
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
    node?.within.push(entryOf(lineOf(gang), 0));
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

function entryOf(line: Line, at: number): Entry {
  return { gang: line.gangs[0], line, at, hopeless: 'no', misfit: 'no', live: 0, liveEra: -1 };
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
function shareOfGang({ ledger, totals, accounts }: Session, { roles, claimPods }: GangRecord): number {
  const sums = new Float64Array(accounts.length);
  const charged = new Set<string>();
  for (const { pods } of roles) {
    for (const { row, podClass } of pods) {
      if (row !== NOWHERE) {
        const { ids, amounts } = ledger.charge(podClass);
        ids.forEach((account, i) => (sums[account] += amounts[i]));
        for (const shared of claimPods === undefined ? [] : podClass.shared) {
          const again = ledger.chargeOfShared(shared);
          const times = charged.has(shared.key) ? 1 : 0;
          again.ids.forEach((account, i) => (sums[account] -= times * again.amounts[i]));
          charged.add(shared.key);
        }
      }
    }
  }
  return sums.reduce((most, sum, account) => Math.max(most, totals[account] > 0 ? sum / totals[account] : 0), 0);
}
