/**
 * Moves running pods out of the way: a gang gets in and nobody is lost.
 *
 * For a single pod every node that lacks the least is looked at first, and on it the smallest set of one, two or three portions whose
 * moving makes room; that finds chains such as moving one pod into the gap that another node has. Gangs of several pods, and what that
 * search does not find, go through the common method of `make-room.ts` with victims in their usual order, refused if anybody is lost. The
 * search tries at most `MOST_TRIALS` sets.
 */
import { type Turn } from './records';
import { type Cycle } from './cycle';
import { carryOut, commit, evictFor, stands } from './eviction-search';

import { type PodClass } from './pod-class';
import { portions, type Portion } from './victims';

const MOST_TRIALS = 2000;
const MOST_NODES = 64;
const MOST_MOVES = 3;

export class Consolidation {
  private trials = MOST_TRIALS;

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
      devices += podClass.accelerator === undefined || podClass.accelerator.kind === 'mig' ? 0 : deviceMilli(podClass);
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
      if (rows.some((row) => this.subsets(byRow.get(row)!, moves, 0, []))) {
        return true;
      }
    }
    return false;
  }

  private subsets(list: readonly Portion[], left: number, from: number, chosen: readonly Portion[]): boolean {
    if (left === 0) {
      return this.attempt(chosen);
    }
    for (let i = from; i <= list.length - left && this.trials > 0; i++) {
      const portion = list[i];
      // The core of a gang goes only with its surplus.
      const alone =
        portion.core && list.some((other) => other.gang === portion.gang && !other.core && !chosen.includes(other));
      if (!alone && this.subsets(list, left - 1, i + 1, [...chosen, portion])) {
        return true;
      }
    }
    return false;
  }

  private attempt(chosen: readonly Portion[]): boolean {
    this.trials--;
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

function deviceMilli({ accelerator, deviceCount }: PodClass): number {
  return (
    deviceCount * (accelerator?.kind === 'fraction' ? accelerator.milli : accelerator?.kind === 'whole' ? 1000 : 0)
  );
}

function freeInAll(column: Float64Array): number {
  let sum = 0;
  for (let row = 0; row < column.length; row++) {
    sum += Math.max(0, column[row]);
  }
  return sum;
}
