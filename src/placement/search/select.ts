/**
 * The best row for one more pod of a class, in the whole cluster or among some rows: the best score wins, the lowest row among equals.
 *
 * In the whole cluster the index of scores is searched from the top. Among some rows, or where pods have constraints on one another, the
 * scores of the rows are read one by one: O(rows).
 */
import { devicesFit, meetsSoftFilters } from '../nodes/devices';
import { type Domain, type TopologyTree } from '../topology/domains';
import { CPU_COLUMN, MEMORY_COLUMN, PODS_COLUMN } from '../nodes/node-table';
import { canonicalText } from '../model/canonical-text';
import { nodeConstraints, type PodClass } from '../nodes/pod-class';
import { NOWHERE } from '../books/records';
import { OpenRows } from './open-rows';
import { DeviceStates } from './score/device-states';
import { Fragmentation } from './score/fragmentation';
import { type ScoreFunction, scoreFunction } from './score/node-score';
import { PartValues } from './score/part-values';
import { FreeTrees, type RowScore, ScoreIndex } from './score/score-index';
import { preferenceRow, signalPenalty } from './score/static-preference';
import { cpuOf, workloadOf } from './score/workload';
import { type Session } from '../books/session';

/** Rows to look at, and rows to leave alone. */
export interface Within {
  /** @default - all rows */
  readonly rows?: Int32Array;
  /** What pods prefer does not count. @default false */
  readonly wishless?: boolean;
  /** 1 for rows that are out of bounds. @default - none */
  readonly without?: Uint8Array;
  /** The domain whose rows `rows` are, where they are all of them. */
  readonly domain?: { readonly tree: TopologyTree; readonly domain: Domain };
}

interface Group {
  readonly id: number;
  readonly score: RowScore;
}

interface ClassNeeds {
  readonly group: Group;
  readonly cpu: number;
  readonly memory: number;
}

/** Rows that are scored sooner than the scores of all rows are brought up to date. */
const FEW_ROWS = 64;
/** A wish outweighs every difference in packing. */
const WISH = 1e9;
/** Signals weigh as much as this number of points. */
const SIGNAL = 1000;

export class Selector {
  private readonly index: ScoreIndex;
  private readonly open: OpenRows;
  private readonly score: ScoreFunction;
  private readonly workload: ReadonlyMap<PodClass, number>;
  private readonly groups = new Map<string, Group>();
  private means: ReadonlyMap<string, Mean> | undefined;
  private readonly classes: (ClassNeeds | undefined)[] = [];
  private readonly wishless: (ClassNeeds | undefined)[] = [];

  constructor(private readonly session: Session) {
    const { table, policy } = session;
    this.open = session.index(OpenRows);
    this.index = new ScoreIndex(table, session.ledger, session.index(FreeTrees));
    this.workload = workload(session);
    this.score = scoreFunction(
      policy.nodeScore,
      table,
      () => new Fragmentation(table, session.index(DeviceStates), workloadOf(this.workload), session.index(PartValues)),
    );
  }

  /** The row, or -1 when the pod fits none of them. */
  best(podClass: PodClass, within: Within = {}): number {
    const { ledger, others } = this.session;
    if (others.isForlorn(podClass)) {
      return NOWHERE;
    }
    const { group, cpu, memory } = this.needs(podClass, within.wishless ?? false);
    if (within.rows !== undefined) {
      return this.bestOfRows(podClass, group, within);
    }
    const { without } = within;
    if (others.concerns(podClass)) {
      const row = this.open.mayBeAny(podClass) ? this.bestOfRows(podClass, group, within) : NOWHERE;
      if (row === NOWHERE && without === undefined) {
        // So that it is known the next time.
        this.open.any(podClass);
      }
      return row;
    }
    if (without === undefined && ledger.isKnownNotToFit(podClass)) {
      return NOWHERE;
    }
    const row = this.index.best(group.id, group.score, { podClass, cpu, memory, without });
    if (row === NOWHERE && without === undefined) {
      ledger.rememberNoFit(podClass);
    }
    return row;
  }

  /**
   * Scores of the class by row, up to date until the books change.
   *
   * @param count rows that are asked for: a few are scored one by one. @default - perhaps all
   */
  scoresOf(podClass: PodClass, wishless: boolean, count = Infinity): (row: number) => number {
    const { group } = this.needs(podClass, wishless);
    if (count <= FEW_ROWS) {
      return group.score;
    }
    const { values, offset } = this.index.scores(group.id, group.score);
    return (row) => values[offset + row];
  }

  private bestOfRows(podClass: PodClass, group: Group, { rows, without, wishless = false }: Within): number {
    const { ledger, table, others } = this.session;
    const { values, offset } = this.index.scores(group.id, group.score);
    const count = rows?.length ?? table.count;
    const wishes = podClass.dynamic && !wishless;
    let best = NOWHERE;
    let bestScore = -Infinity;
    for (let i = 0; i < count; i++) {
      const row = rows === undefined ? i : rows[i];
      const score = values[offset + row];
      if (score === -Infinity || without?.[row] === 1 || (score <= bestScore && !wishes)) {
        continue;
      }
      if (!ledger.fits(podClass, row) || (others.active && others.constraint(podClass, row) !== undefined)) {
        continue;
      }
      const whole = wishes
        ? score + others.preference(podClass, row) * this.session.policy.affinityWeight * WISH
        : score;
      if (whole > bestScore) {
        best = row;
        bestScore = whole;
      }
    }
    return best;
  }

  private needs(podClass: PodClass, wishless: boolean): ClassNeeds {
    const classes = wishless ? this.wishless : this.classes;
    return (classes[podClass.id] ??= {
      group: this.groupOf(podClass, wishless),
      cpu: cpuOf(podClass),
      memory: podClass.amounts[podClass.columns.indexOf(MEMORY_COLUMN)] ?? 0,
    });
  }

  private groupOf(podClass: PodClass, wishless: boolean): Group {
    const { policy } = this.session;
    const exact = policy.nodeScore === 'fgd';
    const size = exact ? cpuOf(podClass) : magnitude(cpuOf(podClass));
    const counted = [...podClass.columns].filter((column) => column > PODS_COLUMN);
    const key = canonicalText([
      podClass.accelerator,
      size,
      counted,
      nodeConstraints(podClass.template),
      podClass.filters,
      wishless,
    ]);
    let group = this.groups.get(key);
    if (group === undefined) {
      const cpu = exact ? size : this.meanCpu(podClass, size);
      group = { id: this.groups.size, score: this.rowScore(podClass, cpu, wishless) };
      this.groups.set(key, group);
    }
    return group;
  }

  /** Representative CPU of the group: the mean of its pods in the workload. */
  private meanCpu(podClass: PodClass, size: number): number {
    this.means ??= meansOf(this.workload);
    const mean = this.means.get(meanKey(podClass, size));
    return mean === undefined || mean.pods === 0 ? cpuOf(podClass) : Math.round(mean.sum / mean.pods);
  }

  private rowScore(podClass: PodClass, cpu: number, wishless: boolean): RowScore {
    const { table, policy } = this.session;
    const allowed = this.session.staticRow(podClass);
    const preference = wishless ? undefined : preferenceRow(table, podClass);
    const signals = table.reports.fresh > 0;
    const softFilters = podClass.filters.some(({ mode }) => mode === 'soft');
    const least = Math.min(cpu, cpuOf(podClass)) / 2;
    const free = table.free[CPU_COLUMN];
    const score = this.score(podClass, cpu);
    const byStates = policy.nodeScore === 'fgd' || policy.nodeScore === 'fragmentation';
    const fits = byStates
      ? this.session.index(DeviceStates).fits(podClass)
      : (row: number): boolean => devicesFit(table, row, podClass);
    if (preference === undefined && !signals) {
      return (row) => (allowed[row] !== 0 || free[row] < least || !fits(row) ? -Infinity : score(row));
    }
    return (row) => {
      if (allowed[row] !== 0 || free[row] < least || !fits(row)) {
        return -Infinity;
      }
      const wish = preference === undefined ? 0 : preference[row] * policy.affinityWeight * WISH;
      const beyond = signals && softFilters && !meetsSoftFilters(table, row, podClass) ? WISH : 0;
      const signal = signals ? signalPenalty(table, row) * policy.signalWeight * SIGNAL : 0;
      return score(row) + wish - signal - beyond;
    };
  }
}

interface Mean {
  sum: number;
  pods: number;
}

/** CPU of pods of the workload that ask for the same devices, by the magnitude of their CPU. O(classes), once for all groups. */
function meansOf(workload: ReadonlyMap<PodClass, number>): ReadonlyMap<string, Mean> {
  const means = new Map<string, Mean>();
  for (const [podClass, count] of workload) {
    const cpu = cpuOf(podClass);
    const key = meanKey(podClass, magnitude(cpu));
    const mean = means.get(key) ?? { sum: 0, pods: 0 };
    mean.sum += cpu * count;
    mean.pods += count;
    means.set(key, mean);
  }
  return means;
}

function meanKey({ accelerator }: PodClass, size: number): string {
  return `${size} ${canonicalText(accelerator)}`;
}

/** The power of two that is nearest in ratio. */
function magnitude(cpu: number): number {
  return cpu <= 0 ? 0 : 2 ** Math.round(Math.log2(cpu));
}

/** What the cluster is used for: as the policy says, else what the snapshot has. */
function workload({ classCounts, policy, classes }: Session): ReadonlyMap<PodClass, number> {
  return policy.workload === undefined
    ? classCounts
    : new Map(policy.workload.map(({ template, count }) => [classes.of(template), count]));
}
