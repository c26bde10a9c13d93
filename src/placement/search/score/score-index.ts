/**
 * The best row for a class without looking at every row.
 *
 * Classes that score alike (same devices, same constraints on nodes, CPU of the same magnitude) share a group. A group keeps a tournament
 * tree over the rows: each inner node holds the best score below it, so the best row is found from the top; where the best does not fit,
 * the search goes on with the next best branch and skips branches where no row has the CPU or memory (two more trees hold the most that
 * is free). When a row changes it is noted once; a group that is asked brings those rows up to date first: O(log rows) each. A search is
 * O(log rows) where the first rows fit, which is the usual case: the very first one is looked at before anything else.
 */
import { type Ledger } from '../../books/ledger';
import { MaxTree } from '../../../facts/collections/max-tree';
import { CPU_COLUMN, MEMORY_COLUMN, type NodeTable } from '../../nodes/node-table';
import { type PodClass } from '../../nodes/pod-class';

/** Scores of one group; -Infinity where its classes may not be, or their devices do not fit. */
export type RowScore = (row: number) => number;

/** One pod, and rows that it must not be on. */
export interface Wanted {
  readonly podClass: PodClass;
  readonly cpu: number;
  readonly memory: number;
  readonly without: Uint8Array | undefined;
}

/** A tree that follows the notes of the node table. */
class RowTree extends MaxTree {
  readonly versions: Int32Array;
  /** Place in the notes up to which this tree is up to date, and in which era of them. */
  position = 0;
  era = -1;

  constructor(rows: number) {
    super(rows);
    this.versions = new Int32Array(rows).fill(-1);
  }
}

export class ScoreIndex {
  private readonly leaves: number;
  private readonly groups: (RowTree | undefined)[] = [];
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

  /** The row with the best score that the pod fits, the lowest of equals; -1 when there is none. */
  best(group: number, score: RowScore, wanted: Wanted): number {
    const tree = this.upToDate(group, score);
    const first = tree.first();
    return first < 0 || this.takes(first, wanted) ? first : this.searched(tree.values, wanted);
  }

  private takes(row: number, { podClass, without }: Wanted): boolean {
    return without?.[row] !== 1 && this.ledger.fits(podClass, row);
  }

  private searched(tree: Float64Array, wanted: Wanted): number {
    const { cpu, memory } = wanted;
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
        if ((top > bestScore || row < best) && this.takes(row, wanted)) {
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
  private readonly trees: readonly RowTree[];
  private readonly scores: readonly RowScore[];

  constructor({ table }: { readonly table: NodeTable }) {
    this.table = table;
    const columns = [table.free[CPU_COLUMN], table.free[MEMORY_COLUMN]];
    this.trees = columns.map(() => new RowTree(table.count));
    this.scores = columns.map((free) => (row) => free[row]);
  }

  get leaves(): number {
    return this.trees[0].leaves;
  }

  get cpu(): Float64Array {
    return this.upToDate(0);
  }

  get memory(): Float64Array {
    return this.upToDate(1);
  }

  private upToDate(which: 0 | 1): Float64Array {
    refresh(this.trees[which], this.table, this.scores[which]);
    return this.trees[which].values;
  }
}

/** Brings the rows that changed up to date, each once. */
function refresh(tree: RowTree, { version, changes, era, count }: NodeTable, score: RowScore): void {
  if (tree.era !== era || changes.length - tree.position > count) {
    for (let row = 0; row < count; row++) {
      if (tree.versions[row] !== version[row]) {
        tree.versions[row] = version[row];
        tree.fill(row, score(row));
      }
    }
    tree.build();
  } else {
    for (let i = tree.position; i < changes.length; i++) {
      const row = changes[i];
      if (tree.versions[row] !== version[row]) {
        tree.versions[row] = version[row];
        tree.set(row, score(row));
      }
    }
  }
  tree.era = era;
  tree.position = changes.length;
}
