/**
 * The best row for one more pod of a class, in the whole cluster or among some rows: the best score wins, the lowest row among equals.
 *
 * In the whole cluster the index of scores is searched from the top. Among some rows, or where pods have constraints on one another, the
 * scores of the rows are read one by one: O(rows).
 */
import { listById } from '../../facts/collections';
import { devicesFit, meetsSoftFilters } from '../nodes/devices';
import { type Domain, type TopologyTree } from '../topology/domains';
import { EmptyRooms } from '../nodes/empty-node';
import { CPU_COLUMN, MEMORY_COLUMN, PODS_COLUMN } from '../nodes/node-table';
import { canonicalText } from '../model/canonical-text';
import { nodeConstraints, type PodClass } from '../nodes/pod-class';
import { NOWHERE } from '../books/records';
import { OpenRows } from './open-rows';
import { RoomIndex } from './room-index';
import { DeviceStates } from './score/device-states';
import { Fragmentation } from './score/fragmentation';
import { type ScoreFunction, scoreFunction } from './score/node-score';
import { PartValues } from './score/part-values';
import { FreeTrees, type RowScore, ScoreIndex, type Wanted } from './score/score-index';
import { preferenceRow, signalPenalty } from './score/static-preference';
import { cpuOf, magnitude, WorkloadKinds } from './score/workload';
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

interface ClassNeeds extends Wanted {
  readonly group: Group;
}

const EVERYWHERE: Within = {};

/** Rows that are scored sooner than the scores of all rows are brought up to date. */
const FEW_ROWS = 64;
/** A wish outweighs every difference in packing. */
const WISH = 1e9;
/** Signals weigh as much as this number of points. */
const SIGNAL = 1000;

export class Selector {
  private readonly index: ScoreIndex;
  private readonly open: OpenRows;
  private readonly room: RoomIndex;
  private readonly score: ScoreFunction;
  private readonly kinds: WorkloadKinds;
  private readonly constraints: ConstraintIds;
  private readonly groups = new Map<string, Group>();
  private readonly classes = listById<ClassNeeds>();
  private readonly wishless = listById<ClassNeeds>();
  private readonly never = listById<boolean>();

  constructor(private readonly session: Session) {
    const { table, policy } = session;
    this.open = session.index(OpenRows);
    this.room = session.index(RoomIndex);
    this.index = new ScoreIndex(table, session.ledger, session.index(FreeTrees));
    this.kinds = kindsOf(session);
    this.constraints = session.index(ConstraintIds);
    this.score = scoreFunction(
      policy.nodeScore,
      table,
      () => new Fragmentation(table, session.index(DeviceStates), this.kinds.workload, session.index(PartValues)),
    );
  }

  /** The row, or -1 when the pod fits none of them. */
  best(podClass: PodClass, within: Within = EVERYWHERE): number {
    const { ledger, others } = this.session;
    if (others.isForlorn(podClass) || this.isNever(podClass)) {
      return NOWHERE;
    }
    const needs = this.needs(podClass, within.wishless ?? false);
    const { group } = needs;
    if (within.rows !== undefined) {
      return this.bestOfRows(podClass, group, within);
    }
    const { without } = within;
    if (others.concerns(podClass)) {
      this.session.rowsSearched += this.session.table.count;
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
    const open = this.index.knows(group.id) ? undefined : this.room.openIfFew(podClass, FEW_ROWS);
    const row =
      open === undefined
        ? this.index.best(group.id, group.score, needs, without)
        : this.bestOfFew(podClass, open, group.score, without);
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
      const { score } = group;
      return (row) => score.of(row);
    }
    const { values, offset } = this.index.scores(group.id, group.score);
    return (row) => values[offset + row];
  }

  /** Where a cluster is full, the scores of all rows need not be known. The rows are in no order. */
  private bestOfFew(
    podClass: PodClass,
    rows: readonly number[],
    score: RowScore,
    without: Uint8Array | undefined,
  ): number {
    const { ledger } = this.session;
    let best = NOWHERE;
    let bestScore = -Infinity;
    for (const row of rows) {
      if (without?.[row] !== 1 && ledger.fits(podClass, row)) {
        const own = score.of(row);
        if (own > bestScore || (own === bestScore && row < best)) {
          best = row;
          bestScore = own;
        }
      }
    }
    return best;
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

  /** Does no node take a pod of the class, whatever is on it? Nothing has to be scored for it then. The nodes are those of the scores. */
  private isNever(podClass: PodClass): boolean {
    return (this.never[podClass.id] ??= this.session.index(EmptyRooms).isNone(podClass));
  }

  private needs(podClass: PodClass, wishless: boolean): ClassNeeds {
    const classes = wishless ? this.wishless : this.classes;
    return (classes[podClass.id] ??= {
      podClass,
      group: this.groupOf(podClass, wishless),
      cpu: cpuOf(podClass),
      memory: podClass.amounts[podClass.columns.indexOf(MEMORY_COLUMN)] ?? 0,
    });
  }

  private groupOf(podClass: PodClass, wishless: boolean): Group {
    const { policy } = this.session;
    const exact = policy.nodeScore === 'fgd';
    const size = exact ? cpuOf(podClass) : magnitude(cpuOf(podClass));
    const key = `${this.constraints.of(podClass)} ${size} ${wishless}`;
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
    const mean = this.kinds.meanCpu(podClass, size);
    return mean === undefined ? cpuOf(podClass) : Math.round(mean);
  }

  private rowScore(podClass: PodClass, cpu: number, wishless: boolean): RowScore {
    const { table, policy } = this.session;
    const allowed = this.session.staticRow(podClass);
    const preference = wishless ? undefined : preferenceRow(table, podClass);
    const signals = table.reports.fresh > 0;
    const softFilters = podClass.filters.some(({ mode }) => mode === 'soft');
    const least = Math.min(cpu, cpuOf(podClass)) / 2;
    const free = table.free[CPU_COLUMN];
    const byStates = policy.nodeScore === 'fgd' || policy.nodeScore === 'fragmentation';
    const fits = byStates
      ? this.session.index(DeviceStates).fits(podClass)
      : { of: (row: number): boolean => devicesFit(table, row, podClass) };
    const score = new AllowedScore(allowed, free, least, fits, this.score(podClass, cpu));
    if (preference === undefined && !signals) {
      return score;
    }
    return {
      of: (row) => {
        const own = score.of(row);
        if (own === -Infinity) {
          return own;
        }
        const wish = preference === undefined ? 0 : preference[row] * policy.affinityWeight * WISH;
        const beyond = signals && softFilters && !meetsSoftFilters(table, row, podClass) ? WISH : 0;
        const signal = signals ? signalPenalty(table, row) * policy.signalWeight * SIGNAL : 0;
        return own + wish - signal - beyond;
      },
    };
  }
}

/** The score of rows on which the class may be. Asked for thousands of rows. */
class AllowedScore implements RowScore {
  constructor(
    private readonly allowed: Uint8Array,
    private readonly cpuFree: Float64Array,
    private readonly least: number,
    private readonly fits: { of(row: number): boolean },
    private readonly score: RowScore,
  ) {}

  of(row: number): number {
    return this.allowed[row] !== 0 || this.cpuFree[row] < this.least || !this.fits.of(row)
      ? -Infinity
      : this.score.of(row);
  }
}

/** What the cluster is used for: as the policy says, else what the snapshot has. */
function kindsOf(session: Session): WorkloadKinds {
  const { classCounts, policy, classes } = session;
  const kinds = policy.workload === undefined ? session.index(UsedKinds) : new WorkloadKinds();
  kinds.take(
    policy.workload === undefined
      ? classCounts
      : new Map(policy.workload.map(({ template, count }) => [classes.of(template), count])),
  );
  return kinds;
}

/** Of the pods that there are: kept from decision to decision. */
class UsedKinds extends WorkloadKinds {}

/** Equal for classes that ask the same of a node, except for the amounts of CPU and memory. Worked out once for a class. */
class ConstraintIds {
  private readonly ofClass = listById<number>();
  private readonly byText = new Map<string, number>();

  of(podClass: PodClass): number {
    return (this.ofClass[podClass.id] ??= this.idOf(podClass));
  }

  private idOf({ accelerator, columns, template, filters }: PodClass): number {
    const counted = [...columns].filter((column) => column > PODS_COLUMN);
    const text = canonicalText([accelerator, counted, nodeConstraints(template), filters]);
    const id = this.byText.get(text) ?? this.byText.size;
    this.byText.set(text, id);
    return id;
  }
}
