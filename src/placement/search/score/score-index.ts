/**
 * The best row for a class without looking at every row.
 *
 * Classes that score alike (same devices, same constraints on nodes, CPU of the same magnitude) share a group. A group keeps a tournament
 * tree over the rows: each inner node holds the best score below it, so the best row is found from the top; where the best does not fit,
 * the search goes on with the next best branch and skips branches where no row has the CPU or memory (two more trees hold the most that
 * is free). When a row changes it is noted once; a group that is asked brings those rows up to date first: O(log rows) each. A search is
 * O(log rows) where the first rows fit, which is the usual case: the very first one is looked at before anything else.
 */
import { listById } from '../../../facts/collections';
import { type Ledger } from '../../books/ledger';
import { MaxTree } from '../../../facts/collections/max-tree';
import { CPU_COLUMN, MEMORY_COLUMN, type NodeTable } from '../../nodes/node-table';
import { type PodClass } from '../../nodes/pod-class';

/** Scores of one group; -Infinity where its classes may not be, or their devices do not fit. */
export interface RowScore {
  of(row: number): number;
}

/** What a pod of a class asks for. */
export interface Wanted {
  readonly podClass: PodClass;
  readonly cpu: number;
  readonly memory: number;
}

/** A tree that follows the notes of the node table. */
class RowTree extends MaxTree {
  /** Of the rows for which the values hold. */
  readonly versions: Int32Array;
  /** Place in the notes up to which this tree is up to date, and in which era of them. */
  position = 0;
  era = -1;

  constructor(rows: number) {
    super(rows);
    this.versions = new Int32Array(rows).fill(-1);
  }

  /** Is it as well to look at every row? */
  isFar({ era, changes, count }: NodeTable): boolean {
    return this.era !== era || changes.length - this.position > count;
  }
}

export class ScoreIndex {
  private readonly leaves: number;
  private readonly groups = listById<RowTree>();
  private readonly stack: Int32Array;

  constructor(
    private readonly table: NodeTable,
    private readonly ledger: Ledger,
    private readonly free: FreeTrees,
  ) {
    this.leaves = free.leaves;
    this.stack = new Int32Array(128);
  }

  /** Have the scores of the group been asked for? */
  knows(group: number): boolean {
    return this.groups[group] !== undefined;
  }

  /** Scores by row, up to date. The rows begin at `offset`. */
  scores(group: number, score: RowScore): { readonly values: Float64Array; readonly offset: number } {
    return { values: this.upToDate(group, score).values, offset: this.leaves };
  }

  /**
   * The row with the best score that the pod fits, the lowest of equals; -1 when there is none.
   *
   * @param without 1 for rows that it must not be on
   */
  best(group: number, score: RowScore, wanted: Wanted, without: Uint8Array | undefined): number {
    const tree = this.upToDate(group, score);
    const first = tree.first();
    return first < 0 || this.takes(first, wanted.podClass, without)
      ? first
      : this.searched(tree.values, wanted, without);
  }

  /** The row has a score, so the devices fit; reports of what is in use are asked again. */
  private takes(row: number, podClass: PodClass, without: Uint8Array | undefined): boolean {
    const { ledger, table } = this;
    return (
      (without === undefined || without[row] !== 1) &&
      (table.reports.fresh === 0 ? ledger.resourcesFit(podClass, row) : ledger.fits(podClass, row))
    );
  }

  private searched(tree: Float64Array, { podClass, cpu, memory }: Wanted, without: Uint8Array | undefined): number {
    const mostCpu = this.free.cpu;
    const mostMemory = this.free.memory;
    const { stack, leaves } = this;
    let best = -1;
    let bestScore = -Infinity;
    let depth = 0;
    stack[depth++] = 1;
    while (depth > 0) {
      const at = stack[--depth];
      const top = tree[at];
      if (top < bestScore || top === -Infinity || mostCpu[at] < cpu || mostMemory[at] < memory) {
        continue;
      }
      if (at >= leaves) {
        const row = at - leaves;
        if ((top > bestScore || row < best) && this.takes(row, podClass, without)) {
          best = row;
          bestScore = top;
        }
        continue;
      }
      if (top === bestScore && at << (Math.clz32(at) - Math.clz32(leaves)) > leaves + best) {
        continue;
      }
      // What is pushed last is looked at first: the better half, of equals the left one.
      const left = 2 * at;
      if (tree[left] >= tree[left + 1]) {
        stack[depth++] = left + 1;
        stack[depth++] = left;
      } else {
        stack[depth++] = left;
        stack[depth++] = left + 1;
      }
    }
    return best;
  }

  private upToDate(group: number, score: RowScore): RowTree {
    const tree = (this.groups[group] ??= new RowTree(this.table.count));
    refresh(tree, this.table, score);
    return tree;
  }
}

/** The most CPU and memory that is free below each inner node, whatever the scores are. */
export class FreeTrees {
  private readonly table: NodeTable;
  private readonly trees: readonly [RowTree, RowTree];

  constructor({ table }: { readonly table: NodeTable }) {
    this.table = table;
    this.trees = [new RowTree(table.count), new RowTree(table.count)];
  }

  get leaves(): number {
    return this.trees[0].leaves;
  }

  get cpu(): Float64Array {
    return this.upToDate(this.trees[0], this.table.free[CPU_COLUMN]);
  }

  get memory(): Float64Array {
    return this.upToDate(this.trees[1], this.table.free[MEMORY_COLUMN]);
  }

  /** As `refresh`, but the value is a number in a column: thousands of rows are read without a call for each. */
  private upToDate(tree: RowTree, free: Float64Array): Float64Array {
    const { version, changes, era, count } = this.table;
    const { versions } = tree;
    if (tree.isFar(this.table)) {
      for (let row = 0; row < count; row++) {
        tree.fill(row, free[row]);
      }
      versions.set(version);
      tree.build();
    } else {
      for (let i = tree.position; i < changes.length; i++) {
        const row = changes[i];
        if (versions[row] !== version[row]) {
          versions[row] = version[row];
          tree.set(row, free[row]);
        }
      }
    }
    tree.era = era;
    tree.position = changes.length;
    return tree.values;
  }
}

/** Brings the rows that changed up to date, each once. */
function refresh(tree: RowTree, table: NodeTable, score: RowScore): void {
  const { version, changes, era, count } = table;
  const { versions } = tree;
  if (tree.isFar(table)) {
    for (let row = 0; row < count; row++) {
      if (versions[row] !== version[row]) {
        versions[row] = version[row];
        tree.fill(row, score.of(row));
      }
    }
    tree.build();
  } else {
    for (let i = tree.position; i < changes.length; i++) {
      const row = changes[i];
      if (versions[row] !== version[row]) {
        versions[row] = version[row];
        tree.set(row, score.of(row));
      }
    }
  }
  tree.era = era;
  tree.position = changes.length;
}
