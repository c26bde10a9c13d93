/**
 * How many pods of a class each node, each domain of a topology, and the whole cluster have room for, kept up to date by what changed.
 *
 * A row is counted again when its version changed. Sums follow the notes of the node table: O(rows that changed × levels), however many
 * domains are asked for. Only for classes whose room depends on nothing but the node: not where pods have constraints on one another.
 */
import { listById } from '../../facts/collections';
import { type Domain, type TopologyTree } from '../topology/domains';
import { FreeRows } from '../nodes/free-rows';
import { type PodClass } from '../nodes/pod-class';
import { type Session } from '../books/session';

/** More pods than a node takes. */
const NO_LIMIT = 1_000_000;

/** Nodes with free devices that are looked at for a class, rather than counting on all nodes and following what changes. */
const FEW_FREE = 512;

/** Room of one class by row, and the version of the row for which it holds. */
interface Counts {
  readonly room: Int32Array;
  readonly versions: Int32Array;
}

/** Sums of one class over one tree, or over the cluster where there is no tree. */
interface Sums {
  /** Room by row, as it is in the sums. */
  readonly counted: Int32Array;
  readonly byDomain: Float64Array;
  /** Rows with room, in no order, and the place of each row among them. Of the cluster alone. */
  readonly open: number[];
  readonly places: Int32Array;
  /** Domains with room by level, in no order, and the place of each domain among those of its level. Of trees alone. */
  readonly openDomains: readonly Domain[][];
  readonly domainPlaces: Int32Array;
  /** By domain: grows whenever the room of one of its rows changes. Of trees alone. */
  readonly stamps: Int32Array;
  /** The lowest domain of each row. Undefined without a tree. */
  readonly leaves: readonly (Domain | undefined)[] | undefined;
  total: number;
  position: number;
  era: number;
}

export class RoomIndex {
  private readonly counts = listById<Counts>();
  private readonly sums = new Map<TopologyTree | undefined, (Sums | undefined)[]>();
  private readonly leaves = new Map<TopologyTree, (Domain | undefined)[]>();

  constructor(private readonly session: Session) {}

  /** Room on one node. */
  ofRow(podClass: PodClass, row: number): number {
    const { table, ledger } = this.session;
    const { room, versions } = this.countsOf(podClass);
    if (versions[row] !== table.version[row]) {
      versions[row] = table.version[row];
      room[row] = this.session.staticRow(podClass)[row] === 0 ? ledger.capacity(podClass, row, NO_LIMIT) : 0;
    }
    return room[row];
  }

  private countsOf({ id }: PodClass): Counts {
    const { count } = this.session.table;
    return (this.counts[id] ??= { room: new Int32Array(count), versions: new Int32Array(count).fill(-1) });
  }

  /** Room by row, up to date until the books change. */
  ofRows(podClass: PodClass): Int32Array {
    return this.upToDate(podClass, undefined).counted;
  }

  /** Room on all nodes. */
  total(podClass: PodClass): number {
    return this.upToDate(podClass, undefined).total;
  }

  /**
   * Room on all nodes, or at least `limit`. Of whole devices the few nodes that have any free are looked at, and nothing is kept for the class:
   * thousands of classes may be asked about.
   */
  upTo(podClass: PodClass, limit: number): number {
    const rows = podClass.accelerator?.kind === 'whole' ? this.session.index(FreeRows).ifFew(FEW_FREE) : undefined;
    if (rows === undefined) {
      return this.total(podClass);
    }
    const ruledOut = this.session.staticRow(podClass);
    let room = 0;
    for (const row of rows) {
      room += ruledOut[row] === 0 ? this.session.ledger.capacity(podClass, row, NO_LIMIT) : 0;
      if (room >= limit) {
        break;
      }
    }
    return room;
  }

  /** The rows that have room, in no order. */
  openRows(podClass: PodClass): readonly number[] {
    return this.upToDate(podClass, undefined).open;
  }

  /** The same where they are few; undefined also where the room of the class has not been asked for yet, since counting it takes a look at all rows. */
  openIfFew(podClass: PodClass, most: number): readonly number[] | undefined {
    if (this.sums.get(undefined)?.[podClass.id] === undefined) {
      return undefined;
    }
    const open = this.openRows(podClass);
    return open.length <= most ? open : undefined;
  }

  /** The domains of a level that have room, in no order. */
  openDomains(podClass: PodClass, tree: TopologyTree, level: number): readonly Domain[] {
    return this.upToDate(podClass, tree).openDomains[level];
  }

  /** Room on the nodes of each domain, up to date until the books change. */
  domains(podClass: PodClass, tree: TopologyTree): Float64Array {
    return this.upToDate(podClass, tree).byDomain;
  }

  /** By domain: equal as long as each of its nodes has the same room. */
  stamps(podClass: PodClass, tree: TopologyTree): Int32Array {
    return this.upToDate(podClass, tree).stamps;
  }

  /** Room on the nodes of a domain. */
  ofDomain(podClass: PodClass, tree: TopologyTree, { index }: Domain): number {
    return this.upToDate(podClass, tree).byDomain[index];
  }

  private upToDate(podClass: PodClass, tree: TopologyTree | undefined): Sums {
    const { table } = this.session;
    let list = this.sums.get(tree);
    if (list === undefined) {
      list = listById();
      this.sums.set(tree, list);
    }
    const sums = (list[podClass.id] ??= this.newSums(tree));
    const isFar = sums.era !== table.era || table.changes.length - sums.position > table.count;
    if (isFar) {
      this.countAll(podClass, sums);
    } else if (sums.position < table.changes.length) {
      this.follow(podClass, sums);
    }
    sums.era = table.era;
    sums.position = table.changes.length;
    return sums;
  }

  private newSums(tree: TopologyTree | undefined): Sums {
    const { count } = this.session.table;
    const domains = tree?.domains.length ?? 0;
    const openDomains: Domain[][] = [];
    for (let level = 0; tree !== undefined && level < tree.levels.length; level++) {
      openDomains.push([]);
    }
    return {
      counted: new Int32Array(count),
      byDomain: new Float64Array(domains),
      open: [],
      places: new Int32Array(tree === undefined ? count : 0),
      openDomains,
      domainPlaces: new Int32Array(domains),
      stamps: new Int32Array(domains),
      leaves: tree === undefined ? undefined : this.leavesOf(tree),
      total: 0,
      position: 0,
      era: -1,
    };
  }

  /** Most rows that are noted are as they were counted: they changed more than once, or the change was undone. */
  private follow(podClass: PodClass, sums: Sums): void {
    const { version, changes } = this.session.table;
    const { counted } = sums;
    const { room, versions } = this.countsOf(podClass);
    for (let i = sums.position; i < changes.length; i++) {
      const row = changes[i];
      const by = (versions[row] === version[row] ? room[row] : this.ofRow(podClass, row)) - counted[row];
      if (by !== 0) {
        add(sums, row, by);
      }
    }
  }

  private countAll(podClass: PodClass, sums: Sums): void {
    const { count } = this.session.table;
    for (let row = 0; row < count; row++) {
      const by = this.ofRow(podClass, row) - sums.counted[row];
      if (by !== 0) {
        add(sums, row, by);
      }
    }
  }

  private leavesOf(tree: TopologyTree): readonly (Domain | undefined)[] {
    let leaves = this.leaves.get(tree);
    if (leaves === undefined) {
      leaves = new Array<Domain | undefined>(this.session.table.count).fill(undefined);
      for (const leaf of tree.leaves) {
        for (const row of leaf.rows) {
          leaves[row] = leaf;
        }
      }
      this.leaves.set(tree, leaves);
    }
    return leaves;
  }
}

/** Takes in that the row has room for more pods, or for fewer. */
function add(sums: Sums, row: number, by: number): void {
  const { counted, leaves } = sums;
  const before = counted[row];
  counted[row] = before + by;
  sums.total += by;
  if (leaves !== undefined) {
    addToDomains(sums, leaves[row], by);
  } else if (before === 0) {
    sums.places[row] = sums.open.push(row) - 1;
  } else if (before + by === 0) {
    const last = sums.open.pop()!;
    if (last !== row) {
      sums.open[sums.places[row]] = last;
      sums.places[last] = sums.places[row];
    }
  }
}

/** The same for the domains of the row. */
function addToDomains(
  { byDomain, stamps, openDomains, domainPlaces }: Sums,
  leaf: Domain | undefined,
  by: number,
): void {
  for (let at = leaf; at !== undefined; at = at.parent) {
    const { index } = at;
    const had = byDomain[index];
    byDomain[index] = had + by;
    stamps[index]++;
    if (had === 0) {
      domainPlaces[index] = openDomains[at.level].push(at) - 1;
    } else if (had + by === 0) {
      const open = openDomains[at.level];
      const last = open.pop()!;
      if (last !== at) {
        open[domainPlaces[index]] = last;
        domainPlaces[last.index] = domainPlaces[index];
      }
    }
  }
}
