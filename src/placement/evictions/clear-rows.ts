/**
 * Clears the nodes on which the fewest pods have to move for one more pod of the gang: for gangs of one kind of pods that lack more room
 * than a few moves make.
 *
 * The nodes with the most free are looked at. On each, pods are taken away, the largest first, until it takes one more, and what was not
 * needed for that stays. The nodes with the fewest such pods are cleared, the gang is placed, and then the pods that move, the largest
 * first. O(nodes looked at × pods on them).
 */
import { largestFirst } from '../search/pod-size';
import { type Cycle } from '../cycle/cycle';
import { type Place, type Places, putBack } from './carry-out';
import { type PodRecord, type Turn } from '../books/records';
import { haveClaims } from '../search/units';

/** Nodes that are looked at for each pod of the gang that lacks room, and at least. */
const NODES_FOR_EACH = 2;
const LEAST_NODES = 32;

interface Cleared {
  readonly row: number;
  readonly pods: readonly PodRecord[];
  readonly gained: number;
}

/** @param accept decides, and commits if it returns true; called with the gang and the moved pods in place */
export function clearRows(
  cycle: Cycle,
  turn: Turn,
  movable: readonly PodRecord[],
  accept: (moved: readonly PodRecord[], places: Places) => boolean,
): boolean {
  const { session, placer } = cycle;
  const { ledger, table, policy } = session;
  const [{ podClass }] = turn.pods;
  if (session.others.active || podClass.dynamic || turn.pods.some((pod) => pod.podClass !== podClass)) {
    return false;
  }
  const within = cycle.besideReservation(turn.gang);
  const short = turn.pods.length - placer.room.capacity(podClass, within, Infinity);
  if (short <= 0 || short > policy.moveLimit) {
    return false;
  }
  const byRow = new Map<number, PodRecord[]>();
  const allowed = session.staticRow(podClass);
  for (const pod of movable) {
    if (allowed[pod.row] === 0 && within.without?.[pod.row] !== 1) {
      const list = byRow.get(pod.row) ?? [];
      list.push(pod);
      byRow.set(pod.row, list);
    }
  }
  const rows = [...byRow.keys()]
    .sort((a, b) => table.milliFree[b] - table.milliFree[a] || a - b)
    .slice(0, Math.max(LEAST_NODES, NODES_FOR_EACH * short));
  const found = rows
    .flatMap((row) => fewestOn(cycle, turn, row, byRow.get(row)!) ?? [])
    .sort((a, b) => a.pods.length / a.gained - b.pods.length / b.gained || a.row - b.row);
  const chosen: Cleared[] = [];
  let left = short;
  for (let i = 0; i < found.length && left > 0; i++) {
    chosen.push(found[i]);
    left -= found[i].gained;
  }
  const moved = chosen.flatMap(({ pods }) => pods);
  if (left > 0 || moved.length > policy.moveLimit) {
    return false;
  }
  const mark = ledger.mark();
  const places = new Map(moved.map((pod) => [pod, { row: pod.row, devices: pod.devices }]));
  moved.forEach((pod) => ledger.remove(pod));
  const inOrder = [...moved].sort(largestFirst(cycle.session.table));
  const fits =
    cycle.mayHave(turn) &&
    cycle.place(turn) &&
    inOrder.every(
      (pod) =>
        cycle.mayReturn(pod.role!.gang, [pod]) &&
        ((!haveClaims([pod]) && putBack(cycle, pod, places.get(pod)!)) || placer.place(pod.role!.gang.root, [pod])),
    );
  const away = moved.filter((pod) => !isWhereItWas(pod, places.get(pod)!));
  if (fits && away.length > 0 && accept(away, places)) {
    ledger.keep();
    return true;
  }
  ledger.rollback(mark);
  return false;
}

/** A pod that gets other devices of its node moves as well: it has to start again. */
function isWhereItWas(pod: PodRecord, { row, devices }: Place): boolean {
  return pod.row === row && pod.devices.every((slot) => devices.includes(slot));
}

/** The pods to take from the row so that it takes one more of the gang's; undefined where that is not possible. */
function fewestOn(
  { session, placer }: Cycle,
  { pods: [{ podClass }] }: Turn,
  row: number,
  list: readonly PodRecord[],
): Cleared | undefined {
  const { ledger } = session;
  const before = placer.room.onRow(podClass, row);
  const mark = ledger.mark();
  const places = new Map(list.map((pod) => [pod, { devices: pod.devices, claimed: pod.claimed }]));
  const taken: PodRecord[] = [];
  const larger = largestFirst(session.table);
  for (const pod of [...list].sort((a, b) => larger(a, b) || a.index - b.index)) {
    ledger.remove(pod);
    taken.push(pod);
    if (placer.room.onRow(podClass, row) > before) {
      break;
    }
  }
  const gained = placer.room.onRow(podClass, row) - before;
  const needed = taken.filter((pod) => {
    const { devices, claimed } = places.get(pod)!;
    ledger.placeOn(pod, row, devices, claimed);
    if (placer.room.onRow(podClass, row) >= before + gained) {
      return false;
    }
    ledger.remove(pod);
    return true;
  });
  ledger.rollback(mark);
  return gained > 0 ? { row, pods: needed, gained } : undefined;
}
