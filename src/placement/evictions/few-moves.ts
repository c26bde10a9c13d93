/**
 * The smallest set of pods with whose moving a gang fits: all sets of one to four pods, in growing number, among the pods on the nodes that
 * lack the least.
 *
 * Sets that do not free enough are ruled out by counting. The others are tried on the books: the gang first and then the pods that move,
 * the largest first; where that fails, by a bounded search over all of them together. Pods that are alike on one node are tried once.
 */
import { type Cycle } from '../cycle/cycle';
import { type Places } from './carry-out';
import { largestFirst, sizeIn } from '../search/pod-size';
import { requires } from '../search/units';
import { type PodClass } from '../nodes/pod-class';
import { type GangRecord, type PodRecord, type Turn } from '../books/records';
import { victimOrder } from './victims';

/** Pods that move at most, pods that are candidates for it, and sets that are looked at for one gang. */
export const MOST_MOVES = 4;
const MOST_CANDIDATES = 32;
const MOST_SETS = 6_000;
/** Sets whose pods are placed on the books, for one gang. */
const MOST_PLACED = 64;

type Place = Places extends ReadonlyMap<PodRecord, infer P> ? P : never;

/** @param accept decides, and commits if it returns true; called with the gang and the moved pods in place */
export function fewMoves(
  cycle: Cycle,
  turn: Turn,
  movable: readonly PodRecord[],
  accept: (moved: readonly PodRecord[], places: Places) => boolean,
): boolean {
  return new FewMoves(cycle, turn, candidatesOf(cycle, turn, movable), accept).run();
}

class FewMoves {
  private readonly places = new Map<PodRecord, Place>();
  /** The class of all pods of the gang, where room for them can be counted. */
  private readonly counted: PodClass | undefined;
  private sets = MOST_SETS;
  private placed = MOST_PLACED;

  constructor(
    private readonly cycle: Cycle,
    private readonly turn: Turn,
    private readonly candidates: readonly PodRecord[],
    private readonly accept: (moved: readonly PodRecord[], places: Places) => boolean,
  ) {
    const [{ podClass }] = turn.pods;
    const alike = turn.pods.every((pod) => pod.podClass === podClass);
    this.counted = alike && !cycle.session.others.active && !podClass.dynamic ? podClass : undefined;
  }

  run(): boolean {
    const { placer } = this.cycle;
    const within = this.cycle.besideReservation(this.turn.gang);
    const short =
      this.counted === undefined ? 0 : this.turn.pods.length - placer.room.capacity(this.counted, within, Infinity);
    // A move frees room for pods on one node; each node that has to take more pods needs at least one.
    for (let moves = 1; moves <= MOST_MOVES; moves++) {
      if (this.subsets(moves, 0, [], short)) {
        return true;
      }
    }
    return false;
  }

  /** @param short pods for which no room is counted */
  private subsets(left: number, from: number, chosen: readonly PodRecord[], short: number): boolean {
    if (left === 0) {
      this.cycle.moveSets--;
      this.sets--;
      return short <= 0 && this.attempt(chosen);
    }
    const { candidates, cycle } = this;
    const { ledger } = cycle.session;
    for (let i = from; i <= candidates.length - left; i++) {
      if (this.sets <= 0 || this.placed <= 0 || cycle.moveSets <= 0 || cycle.moveTrials <= 0) {
        return false;
      }
      const pod = candidates[i];
      if (i > from && isLike(pod, candidates[i - 1])) {
        continue;
      }
      const { row, devices } = pod;
      const before = this.roomOn(row);
      const mark = ledger.mark();
      this.places.set(pod, { row, devices });
      ledger.remove(pod);
      const gained = this.roomOn(row) - before;
      if (this.subsets(left - 1, i + 1, [...chosen, pod], short - gained)) {
        ledger.keep();
        return true;
      }
      ledger.rollback(mark);
      this.places.delete(pod);
    }
    return false;
  }

  private roomOn(row: number): number {
    const { counted, cycle, turn } = this;
    return counted === undefined || cycle.besideReservation(turn.gang).without?.[row] === 1
      ? 0
      : cycle.placer.room.onRow(counted, row);
  }

  private attempt(chosen: readonly PodRecord[]): boolean {
    this.placed--;
    const { cycle } = this;
    const inOrder = [...chosen].sort(largestFirst(cycle.session.table));
    if (!cycle.mayHave(this.turn)) {
      return false;
    }
    const simple = this.tried(chosen, () => cycle.place(this.turn) && inOrder.every((pod) => this.moves(pod)));
    return (simple === 'unplaced' ? this.tried(chosen, () => this.jointly(inOrder)) : simple) === 'accepted';
  }

  private tried(chosen: readonly PodRecord[], placed: () => boolean): 'unplaced' | 'refused' | 'accepted' {
    const { ledger } = this.cycle.session;
    const mark = ledger.mark();
    const isPlaced = placed() && chosen.every((pod) => pod.row !== this.places.get(pod)!.row);
    if (isPlaced && this.accept(chosen, new Map(this.places))) {
      ledger.keep();
      return 'accepted';
    }
    ledger.rollback(mark);
    return isPlaced ? 'refused' : 'unplaced';
  }

  private moves(pod: PodRecord): boolean {
    const { gang } = pod.role!;
    return this.cycle.mayReturn(gang, [pod]) && this.cycle.placer.place(gang.root, [pod]);
  }

  /** The gang and the pods that move, where none of them must be in a domain. */
  private jointly(moved: readonly PodRecord[]): boolean {
    const { cycle, turn } = this;
    const gangs = new Set<GangRecord>([turn.gang, ...moved.map(({ role }) => role!.gang)]);
    if (turn.pods.length > MOST_JOINT || [...gangs].some(({ root }) => requires(root))) {
      return false;
    }
    const own = new Set(turn.pods);
    const without = cycle.besideReservation(turn.gang);
    const pods = [...turn.pods, ...moved].sort(largestFirst(cycle.session.table));
    return (
      cycle.placer.joint.place(pods, (pod) => (own.has(pod) ? without : {})) &&
      moved.every(({ role }) => cycle.mayReturn(role!.gang, []))
    );
  }
}

/** Pods of a gang that are placed together with those that move. */
const MOST_JOINT = 16;

function isLike(a: PodRecord, b: PodRecord): boolean {
  return a.row === b.row && a.podClass === b.podClass && a.role === b.role;
}

/** Pods on the nodes that lack the least for one more pod of the gang; of equal nodes, those that would be evicted first. */
function candidatesOf(cycle: Cycle, { pods: [{ podClass }] }: Turn, movable: readonly PodRecord[]): PodRecord[] {
  const { session } = cycle;
  const before = victimOrder(cycle);
  const { milliFree } = session.table;
  const allowed = session.staticRow(podClass);
  const useful = movable.filter(({ row }) => allowed[row] === 0);
  // Where there are few, chains may lead over the others.
  const list = movable.length <= MOST_CANDIDATES ? movable : useful;
  const size = new Map<PodClass, number>();
  const sizeOf = (pod: PodRecord): number => {
    let known = size.get(pod.podClass);
    if (known === undefined) {
      known = sizeIn(session.table, pod.podClass);
      size.set(pod.podClass, known);
    }
    return known;
  };
  return [...list]
    .sort(
      (a, b) =>
        milliFree[b.row] - milliFree[a.row] ||
        before(a.role!.gang, b.role!.gang) ||
        a.row - b.row ||
        sizeOf(a) - sizeOf(b) ||
        a.index - b.index,
    )
    .slice(0, MOST_CANDIDATES);
}
