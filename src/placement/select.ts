/**
 * The best row for one more pod of a class, in the whole cluster or among some rows.
 *
 * Scores are kept per class and row and are worked out again only for rows whose version has moved on, so a search reads two arrays and
 * scores the few rows that have changed. The best score wins, the lowest row among equals. O(rows) reads, O(changed rows) scores.
 */
import { Fragmentation, typicalPods } from './score/fragmentation';
import { type ScoreFunction, scoreFunction } from './score/node-score';
import { preferenceRow, signalPenalty } from './score/static-preference';
import { type Session } from './session';
import { type PodClass } from './pod-class';
import { NOWHERE } from './records';

/** Rows to look at, and rows to leave alone. */
export interface Within {
  /** @default - all rows */
  readonly rows?: Int32Array;
  /** 1 for rows that are out of bounds. @default - none */
  readonly without?: Uint8Array;
}

interface ScoreRow {
  readonly scores: Float64Array;
  readonly versions: Int32Array;
  readonly preference: Float64Array | undefined;
}

/** A wish outweighs every difference in packing. */
const WISH = 1e9;
/** Signals weigh like so many thousandths of a device. */
const SIGNAL = 1000;

export class Selector {
  private readonly rows: (ScoreRow | undefined)[] = [];
  private readonly score: ScoreFunction;

  constructor(private readonly session: Session) {
    const { table, policy } = session;
    this.score = scoreFunction(policy.nodeScore, table, () => new Fragmentation(table, typicalPods(workload(session))));
  }

  /** The row, or -1 when the pod fits none of them. */
  best(podClass: PodClass, within: Within = {}): number {
    const { ledger, table } = this.session;
    const everywhere = within.rows === undefined && within.without === undefined && !podClass.dynamic && !this.session.others.active;
    if (everywhere && ledger.isKnownNotToFit(podClass)) {
      return NOWHERE;
    }
    const kept = this.scoreRow(podClass);
    const allowed = this.session.staticRow(podClass);
    const count = within.rows?.length ?? table.count;
    let best = NOWHERE;
    let bestScore = -Infinity;
    for (let i = 0; i < count; i++) {
      const row = within.rows === undefined ? i : within.rows[i];
      if (allowed[row] !== 0 || within.without?.[row] === 1) {
        continue;
      }
      if (kept.versions[row] !== table.version[row]) {
        kept.scores[row] = ledger.fits(podClass, row) ? this.staticScore(podClass, row, kept) : -Infinity;
        kept.versions[row] = table.version[row];
      }
      if (kept.scores[row] > bestScore || this.session.others.active) {
        const score = kept.scores[row] === -Infinity ? -Infinity : this.dynamicScore(podClass, row, kept.scores[row]);
        if (score > bestScore) {
          best = row;
          bestScore = score;
        }
      }
    }
    if (best === NOWHERE && everywhere) {
      ledger.rememberNoFit(podClass);
    }
    return best;
  }

  private staticScore(podClass: PodClass, row: number, { preference }: ScoreRow): number {
    const { policy, table } = this.session;
    const wish = preference === undefined ? 0 : preference[row] * policy.affinityWeight * WISH;
    const signal = table.reports.fresh === 0 ? 0 : signalPenalty(table, row) * policy.signalWeight * SIGNAL;
    return this.score(podClass, row) + wish - signal;
  }

  private dynamicScore(podClass: PodClass, row: number, score: number): number {
    const { others, policy } = this.session;
    if (!others.active) {
      return score;
    }
    if (others.constraint(podClass, row) !== undefined) {
      return -Infinity;
    }
    return podClass.dynamic ? score + others.preference(podClass, row) * policy.affinityWeight * WISH : score;
  }

  private scoreRow(podClass: PodClass): ScoreRow {
    const { table } = this.session;
    return (this.rows[podClass.id] ??= {
      scores: new Float64Array(table.count),
      versions: new Int32Array(table.count).fill(-1),
      preference: preferenceRow(table, podClass),
    });
  }
}

/** How many pods there are of each class, running or not: what the cluster is used for. */
function workload(session: Session): Map<PodClass, number> {
  const counts = new Map<PodClass, number>();
  for (const { podClass, role } of session.pods) {
    if (role !== undefined && podClass.accelerator !== undefined) {
      counts.set(podClass, (counts.get(podClass) ?? 0) + 1);
    }
  }
  return counts;
}
