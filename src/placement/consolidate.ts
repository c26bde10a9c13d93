/**
 * Moves running pods so that a pending gang fits and no running pod is lost.
 *
 * For a single pod every node that lacks the least is looked at first, and on it the smallest set of one, two or three portions whose
 * moving makes room; that finds chains such as moving one pod into the gap that another node has. Gangs of several pods, and what that
 * search does not find, go through the common method of `make-room.ts` with victims in their usual order, refused if anybody is lost. The
 * search draws on the trials of the whole decision.
 */
import { type Cycle } from './cycle';
import { carryOut, commit, evictFor, stands } from './eviction-search';
import { WHOLE } from './node-table';
import { type PodClass } from './pod-class';
import { type Turn } from './records';
import { portions, type Portion } from './victims';

const MOST_NODES = 64;
const MOST_MOVES = 3;

export class Consolidation {
  constructor(
    private readonly cycle: Cycle,
    private readonly turn: Turn,
  ) {}

  run(claimants: ReadonlySet<PodClass>): boolean {
    const { session } = this.cycle;
    if (!this.cycle.mayHave(this.turn) || !this.enoughInAll(claimants)) {
      return false;
    }
    const candidates = portions(
      this.cycle,
      session.gangs.filter(({ placed, gang }) => placed > 0 && gang !== this.turn.gang.gang),
      claimants,
    );
    if (candidates.length === 0) {
      return false;
    }
    if (this.turn.pods.length === 1 && this.onOneNode(candidates)) {
      return true;
    }
    return evictFor(this.cycle, this.turn, 'consolidate', candidates, ({ lost }) => lost.length === 0);
  }

  /** Moving pods makes no room that was not there in all. */
  private enoughInAll(claimants: ReadonlySet<PodClass>): boolean {
    const { table } = this.cycle.session;
    const wanted = new Map<number, number>();
    let devices = 0;
    for (const { podClass } of this.turn.pods) {
      podClass.columns.forEach((column, i) => wanted.set(column, (wanted.get(column) ?? 0) + podClass.amounts[i]));
      devices += deviceMilli(podClass, 0);
    }
    let free = 0;
    for (let row = 0; row < table.count; row++) {
      free += table.milliFree[row];
    }
    return (
      claimants.size > 0 &&
      free >= devices &&
      [...wanted].every(([column, amount]) => freeInAll(table.free[column]) >= amount)
    );
  }

  private onOneNode(candidates: readonly Portion[]): boolean {
    const { session } = this.cycle;
    const [{ podClass }] = this.turn.pods;
    const byRow = new Map<number, Portion[]>();
    for (const portion of candidates) {
      for (const row of new Set(portion.pods.map((pod) => pod.row))) {
        const list = byRow.get(row) ?? [];
        list.push(portion);
        byRow.set(row, list);
      }
    }
    const allowed = session.staticRow(podClass);
    const rows = [...byRow.keys()]
      .filter((row) => allowed[row] === 0)
      // A stable sort: among equals the node of the pod that would go first.
      .sort((a, b) => session.table.milliFree[b] - session.table.milliFree[a])
      .slice(0, MOST_NODES);
    for (let moves = 1; moves <= MOST_MOVES; moves++) {
      if (rows.some((row) => this.subsets(row, byRow.get(row)!, moves, 0, []))) {
        return true;
      }
    }
    return false;
  }

  private subsets(
    row: number,
    list: readonly Portion[],
    left: number,
    from: number,
    chosen: readonly Portion[],
  ): boolean {
    if (left === 0) {
      return this.frees(row, chosen) && this.couldMove(row, chosen) && this.attempt(chosen);
    }
    for (let i = from; i <= list.length - left && this.cycle.trials > 0; i++) {
      const portion = list[i];
      // The core of a gang goes only with its surplus.
      const alone =
        portion.core && list.some((other) => other.gang === portion.gang && !other.core && !chosen.includes(other));
      if (!alone && this.subsets(row, list, left - 1, i + 1, [...chosen, portion])) {
        return true;
      }
    }
    return false;
  }

  /** Would the row have enough without these, counted without trying? */
  private frees(row: number, chosen: readonly Portion[]): boolean {
    const { table } = this.cycle.session;
    const [{ podClass }] = this.turn.pods;
    const gone = chosen.flatMap(({ pods }) => pods.filter((pod) => pod.row === row).map((pod) => pod.podClass));
    const milli = gone.reduce((sum, other) => sum + deviceMilli(other, WHOLE), table.milliFree[row]);
    return (
      milli >= deviceMilli(podClass, 0) &&
      podClass.columns.every((column, i) => {
        const freed = gone.reduce((sum, other) => {
          const at = other.columns.indexOf(column);
          return sum + (at < 0 ? 0 : other.amounts[at]);
        }, table.free[column][row]);
        return freed >= podClass.amounts[i];
      })
    );
  }

  /** Is there room on other nodes for what is only on this one? Counted, so that a set which cannot move costs no trial. */
  private couldMove(row: number, chosen: readonly Portion[]): boolean {
    const { session, placer } = this.cycle;
    const pods = chosen.flatMap((portion) => portion.pods);
    if (session.others.active || pods.some((pod) => pod.row !== row)) {
      return true;
    }
    const counts = new Map<PodClass, number>();
    pods.forEach(({ podClass }) => counts.set(podClass, (counts.get(podClass) ?? 0) + 1));
    return [...counts].every(
      ([podClass, count]) => placer.capacity(podClass, {}, Infinity) - placer.roomOn(podClass, row) >= count,
    );
  }

  private attempt(chosen: readonly Portion[]): boolean {
    this.cycle.trials--;
    const { ledger } = this.cycle.session;
    const mark = ledger.mark();
    const outcome = carryOut(this.cycle, this.turn, chosen, 'consolidate');
    if (outcome === undefined || outcome.lost.length > 0 || !stands(this.cycle, this.turn, outcome)) {
      ledger.rollback(mark);
      return false;
    }
    ledger.keep();
    commit(this.cycle, this.turn, 'consolidate', outcome);
    return true;
  }
}

/** Thousandths of devices, with `otherwise` for each device of a request whose part depends on the device. */
function deviceMilli({ accelerator, deviceCount }: PodClass, otherwise: number): number {
  switch (accelerator?.kind) {
    case undefined:
    case 'mig':
      return 0;
    case 'whole':
      return deviceCount * WHOLE;
    case 'fraction':
      return deviceCount * accelerator.milli;
    case 'memory':
    case 'shared':
      return deviceCount * otherwise;
  }
}

function freeInAll(column: Float64Array): number {
  let sum = 0;
  for (let row = 0; row < column.length; row++) {
    sum += Math.max(0, column[row]);
  }
  return sum;
}
