/**
 * Gangs with pods on the books, by queue and in the order in which they would be evicted, and their portions: worked out once for a decision,
 * and again only for gangs whose pods it has evicted, moved, or placed.
 */
import { addAll } from '../../facts/collections';
import { type Cycle, type GangObserver } from '../cycle/cycle';
import { type PodClass } from '../nodes/pod-class';
import { type GangRecord, type Portion, type QueueRecord } from '../books/records';
import { newPortions, surplusFirst, usefulRows, victimOrder } from './victims';

/** What is known where some rows are useful to the claimant. */
interface Known {
  readonly ofGang: Map<GangRecord, readonly Portion[]>;
  readonly ofQueue: Map<QueueRecord, readonly Portion[]>;
}

/** The running gangs of a queue. */
interface OfQueue {
  readonly gangs: GangRecord[];
  isSorted: boolean;
}

class Running implements GangObserver {
  private readonly byQueue = new Map<QueueRecord, OfQueue>();
  /** By the rows that are useful. */
  private readonly known = new Map<Uint8Array, Known>();

  constructor(private readonly cycle: Cycle) {
    for (const gang of cycle.session.gangs) {
      if (gang.placed > 0 && gang.queue !== undefined) {
        const known = this.inQueue(gang.queue);
        known.gangs.push(gang);
        known.isSorted = false;
      }
    }
  }

  /** The gangs of a queue, the one that goes first in front. */
  ofQueue(queue: QueueRecord): readonly GangRecord[] {
    return this.sorted(queue).gangs;
  }

  /** The gangs of a queue with a lower priority, likewise. */
  below(queue: QueueRecord, priority: number): readonly GangRecord[] {
    const gangs = this.ofQueue(queue);
    const end = gangs.findIndex((other) => other.priority >= priority);
    return end < 0 ? gangs : gangs.slice(0, end);
  }

  /** Queues with running gangs; the one whose gang goes first of all in front. */
  queues(): readonly QueueRecord[] {
    const order = victimOrder(this.cycle);
    return [...this.byQueue.keys()]
      .map((queue) => ({ queue, first: this.ofQueue(queue)[0] }))
      .filter(({ first }) => first !== undefined)
      .sort((a, b) => order(a.first, b.first))
      .map(({ queue }) => queue);
  }

  private inQueue(queue: QueueRecord): OfQueue {
    let known = this.byQueue.get(queue);
    if (known === undefined) {
      known = { gangs: [], isSorted: true };
      this.byQueue.set(queue, known);
    }
    return known;
  }

  /** Sorted when they are first asked for: mostly no gang has to go. */
  private sorted(queue: QueueRecord): OfQueue {
    const known = this.inQueue(queue);
    if (!known.isSorted) {
      known.gangs.sort(victimOrder(this.cycle));
      known.isSorted = true;
    }
    return known;
  }

  portionsOf(gang: GangRecord, useful: Uint8Array): readonly Portion[] {
    const { ofGang } = this.of(useful);
    let list = ofGang.get(gang);
    if (list === undefined) {
      list = newPortions(this.cycle, gang, useful);
      ofGang.set(gang, list);
    }
    return list;
  }

  /** Portions of all gangs of a queue: the surplus of all before the core of any. */
  portionsOfQueue(queue: QueueRecord, useful: Uint8Array): readonly Portion[] {
    const { ofQueue } = this.of(useful);
    let list = ofQueue.get(queue);
    if (list === undefined) {
      list = surplusFirst(this.ofQueue(queue).flatMap((gang) => this.portionsOf(gang, useful)));
      ofQueue.set(queue, list);
    }
    return list;
  }

  /** The decision has evicted, moved, or placed pods of the gang. */
  changed(gang: GangRecord): void {
    const { queue } = gang;
    if (queue === undefined) {
      return;
    }
    this.known.forEach(({ ofGang, ofQueue }) => {
      ofGang.delete(gang);
      ofQueue.delete(queue);
    });
    const known = this.sorted(queue);
    const { gangs } = known;
    const at = gangs.indexOf(gang);
    if (at >= 0) {
      gangs.splice(at, 1);
    }
    if (gang.placed > 0) {
      const order = victimOrder(this.cycle);
      const next = gangs.findIndex((other) => order(gang, other) < 0);
      gangs.splice(next < 0 ? gangs.length : next, 0, gang);
    }
  }

  private of(useful: Uint8Array): Known {
    let known = this.known.get(useful);
    if (known === undefined) {
      known = { ofGang: new Map(), ofQueue: new Map() };
      this.known.set(useful, known);
    }
    return known;
  }
}

const known = new WeakMap<Cycle, Running>();

/** Gangs that could be evicted; asked for once the decision begins to make room. */
export function runningOf(cycle: Cycle): Running {
  let running = known.get(cycle);
  if (running === undefined) {
    running = new Running(cycle);
    known.set(cycle, running);
    cycle.observers.push(running);
  }
  return running;
}

/** Gangs from `candidates`, which are in the order in which they go, as portions. */
export function portions(cycle: Cycle, candidates: readonly GangRecord[], claimants: ReadonlySet<PodClass>): Portion[] {
  if (candidates.length === 0) {
    return [];
  }
  const useful = usefulRows(cycle, claimants);
  const running = runningOf(cycle);
  const list: Portion[] = [];
  for (const gang of candidates) {
    addAll(list, running.portionsOf(gang, useful));
    if (list.length >= cycle.session.policy.victimLimit) {
      break;
    }
  }
  return surplusFirst(list);
}
