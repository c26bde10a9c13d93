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

class Running implements GangObserver {
  private readonly byQueue = new Map<QueueRecord, GangRecord[]>();
  /** By the rows that are useful. */
  private readonly known = new Map<Uint8Array, Known>();

  constructor(private readonly cycle: Cycle) {
    for (const gang of cycle.session.gangs) {
      if (gang.placed > 0 && gang.queue !== undefined) {
        const list = this.byQueue.get(gang.queue);
        if (list === undefined) {
          this.byQueue.set(gang.queue, [gang]);
        } else {
          list.push(gang);
        }
      }
    }
    const order = victimOrder(cycle);
    this.byQueue.forEach((list) => list.sort(order));
  }

  /** The gangs of a queue, the one that goes first in front. */
  ofQueue(queue: QueueRecord): readonly GangRecord[] {
    return this.byQueue.get(queue) ?? [];
  }

  /** Queues with running gangs; the one whose gang goes first of all in front. */
  queues(): readonly QueueRecord[] {
    const order = victimOrder(this.cycle);
    return [...this.byQueue]
      .filter(([, gangs]) => gangs.length > 0)
      .sort(([, [a]], [, [b]]) => order(a, b))
      .map(([queue]) => queue);
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
    const list = this.byQueue.get(queue) ?? [];
    this.byQueue.set(queue, list);
    const at = list.indexOf(gang);
    if (at >= 0) {
      list.splice(at, 1);
    }
    if (gang.placed > 0) {
      const order = victimOrder(this.cycle);
      const next = list.findIndex((other) => order(gang, other) < 0);
      list.splice(next < 0 ? list.length : next, 0, gang);
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
