/**
 * Which pods are on which node while no decision is under way.
 *
 * Which devices a pod holds that does not say so, or that names those of another pod, depends on the order in which pods are booked. So a node
 * on which anything changed is booked again as a whole, in the order of a session built from scratch: pods whose devices are known first,
 * then by gang, those without a gang last. O(pods of the node).
 */
import { type Ledger } from './ledger';
import { compareNames } from '../model/names';
import { type NodeTable } from '../nodes/node-table';
import { ELSEWHERE, NOWHERE, type PodRecord } from './records';

/** When a running pod is expected to end, milliseconds since the epoch. */
export interface End {
  readonly pod: PodRecord;
  readonly at: number;
}

export class RowBooks {
  /** Soonest first. */
  readonly ends: End[] = [];
  private readonly onRow: (Set<PodRecord> | undefined)[] = [];
  private readonly releasing = new Set<PodRecord>();
  private readonly touched = new Set<number>();
  /** Ends that are still to be sorted in, and pods whose ends are to be taken out. */
  private readonly newEnds: End[] = [];
  private readonly oldEnds = new Set<PodRecord>();

  constructor(
    private readonly table: NodeTable,
    private readonly ledger: Ledger,
  ) {}

  touch(row: number): void {
    this.touched.add(row);
  }

  /** A pod that runs comes to the row where it is, or goes. */
  enter(pod: PodRecord, by: 1 | -1): void {
    const { home } = pod;
    if (home === NOWHERE) {
      return;
    }
    this.ledger.claims.enter(pod, by);
    if (home === ELSEWHERE) {
      if (by === 1) {
        this.ledger.load(pod, home, pod.stated);
      }
      return;
    }
    this.touched.add(home);
    const pods = (this.onRow[home] ??= new Set());
    if (by === 1) {
      pods.add(pod);
      this.enterEnd(pod);
    } else {
      this.ledger.unload(pod);
      pods.delete(pod);
      this.oldEnds.add(pod);
    }
    if (pod.releasing && by === 1) {
      this.releasing.add(pod);
    } else {
      this.releasing.delete(pod);
    }
  }

  leaving(): readonly PodRecord[] {
    return [...this.releasing].sort(byLoading);
  }

  /** Pods that are on the books of nodes. */
  *booked(): Generator<PodRecord> {
    for (const pods of this.onRow) {
      for (const pod of pods ?? []) {
        if (pod.row >= 0) {
          yield pod;
        }
      }
    }
  }

  /** Books again what changed. */
  settle(): void {
    for (const row of this.touched) {
      const pods = [...(this.onRow[row] ?? [])].sort(byLoading);
      pods.forEach((pod) => pod.row !== NOWHERE && this.ledger.unload(pod));
      this.table.reset(row);
      this.ledger.claims.restore(row);
      pods.forEach((pod) => this.ledger.load(pod, row, this.table.slotsOf(row, pod.stated)));
    }
    this.touched.clear();
    this.settleEnds();
  }

  private enterEnd(pod: PodRecord): void {
    const seconds = pod.role?.gang.gang.expectedSeconds;
    if (seconds !== undefined && !pod.releasing) {
      this.newEnds.push({ pod, at: pod.startedAt + seconds * 1000 });
    }
  }

  private settleEnds(): void {
    const { ends, newEnds, oldEnds } = this;
    if (newEnds.length === 0 && oldEnds.size === 0) {
      return;
    }
    newEnds.sort(byEnd);
    const merged: End[] = [];
    let next = 0;
    for (const end of ends) {
      if (oldEnds.has(end.pod)) {
        continue;
      }
      while (next < newEnds.length && byEnd(newEnds[next], end) < 0) {
        merged.push(newEnds[next++]);
      }
      merged.push(end);
    }
    while (next < newEnds.length) {
      merged.push(newEnds[next++]);
    }
    ends.length = 0;
    merged.forEach((end) => ends.push(end));
    newEnds.length = 0;
    oldEnds.clear();
  }
}

function byEnd(a: End, b: End): number {
  return a.at - b.at || a.pod.role!.gang.index - b.pod.role!.gang.index || a.pod.index - b.pod.index;
}

function byLoading(a: PodRecord, b: PodRecord): number {
  return Number(b.stated.length > 0) - Number(a.stated.length > 0) || comparePods(a, b);
}

/** Pods of gangs in the order of gangs; those without a gang after them, by name. */
function comparePods(a: PodRecord, b: PodRecord): number {
  if (a.role === undefined || b.role === undefined) {
    return Number(a.role === undefined) - Number(b.role === undefined) || compareNames(a.name, b.name);
  }
  return a.role.gang.index - b.role.gang.index || a.index - b.index;
}
