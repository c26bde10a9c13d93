/**
 * How many pods of a class each node, each domain of a topology, and the whole cluster have room for, kept up to date by what changed.
 *
 * A row is counted again when its version changed. Sums follow the notes of the node table: O(rows that changed × levels), however many
 * domains are asked for. Only for classes whose room depends on nothing but the node: not where pods have constraints on one another.
 */
import { type Domain, type TopologyTree } from '../topology/domains';
import { type PodClass } from '../nodes/pod-class';
import { type Session } from '../books/session';

/** More pods than a node takes. */
const NO_LIMIT = 1_000_000;

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
  total: number;
  position: number;
  era: number;
}

export class RoomIndex {
  private readonly rooms: (Int32Array | undefined)[] = [];
  private readonly versions: (Int32Array | undefined)[] = [];
  private readonly sums = new Map<TopologyTree | undefined, (Sums | undefined)[]>();
  private readonly paths = new Map<TopologyTree, readonly (Domain | undefined)[]>();

  constructor(private readonly session: Session) {}

  /** Room on one node. */
  ofRow(podClass: PodClass, row: number): number {
    const { table, ledger } = this.session;
    const room = (this.rooms[podClass.id] ??= new Int32Array(table.count));
    const versions = (this.versions[podClass.id] ??= new Int32Array(table.count).fill(-1));
    if (versions[row] !== table.version[row]) {
      versions[row] = table.version[row];
      room[row] = this.session.staticRow(podClass)[row] === 0 ? ledger.capacity(podClass, row, NO_LIMIT) : 0;
    }
    return room[row];
  }

  /** Room by row, up to date until the books change. */
  ofRows(podClass: PodClass): Int32Array {
    return this.upToDate(podClass, undefined).counted;
  }

  /** Room on all nodes. */
  total(podClass: PodClass): number {
    return this.upToDate(podClass, undefined).total;
  }

  /** The rows that have room, in no order. */
  openRows(podClass: PodClass): readonly number[] {
    return this.upToDate(podClass, undefined).open;
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
      list = [];
      this.sums.set(tree, list);
    }
    const sums = (list[podClass.id] ??= {
      counted: new Int32Array(table.count),
      byDomain: new Float64Array(tree?.domains.length ?? 0),
      open: [],
      places: new Int32Array(tree === undefined ? table.count : 0),
      openDomains: (tree?.levels ?? []).map(() => []),
      domainPlaces: new Int32Array(tree?.domains.length ?? 0),
      stamps: new Int32Array(tree?.domains.length ?? 0),
      total: 0,
      position: 0,
      era: -1,
    });
    if (sums.era !== table.era || table.changes.length - sums.position > table.count) {
      for (let row = 0; row < table.count; row++) {
        this.recount(podClass, tree, sums, row);
      }
    } else {
      this.follow(podClass, tree, sums);
    }
    sums.era = table.era;
    sums.position = table.changes.length;
    return sums;
  }

  /** Most rows that are noted are as they were counted: they changed more than once, or the change was undone. */
  private follow(podClass: PodClass, tree: TopologyTree | undefined, sums: Sums): void {
    const { version, changes } = this.session.table;
    const rooms = this.rooms[podClass.id];
    const versions = this.versions[podClass.id];
    const { counted } = sums;
    for (let i = sums.position; i < changes.length; i++) {
      const row = changes[i];
      if (
        rooms === undefined ||
        versions === undefined ||
        versions[row] !== version[row] ||
        rooms[row] !== counted[row]
      ) {
        this.recount(podClass, tree, sums, row);
      }
    }
  }

  private recount(podClass: PodClass, tree: TopologyTree | undefined, sums: Sums, row: number): void {
    const by = this.ofRow(podClass, row) - sums.counted[row];
    if (by === 0) {
      return;
    }
    const { counted } = sums;
    if (tree === undefined && (counted[row] === 0) !== (counted[row] + by === 0)) {
      toggle(sums.open, sums.places, row, row, counted[row] === 0, ITSELF);
    }
    counted[row] += by;
    sums.total += by;
    for (let at = tree === undefined ? undefined : this.path(tree)[row]; at !== undefined; at = at.parent) {
      const before = sums.byDomain[at.index];
      sums.byDomain[at.index] += by;
      sums.stamps[at.index]++;
      if ((before === 0) !== (before + by === 0)) {
        toggle(sums.openDomains[at.level], sums.domainPlaces, at, at.index, before === 0, INDEX);
      }
    }
  }

  /** The lowest domain of each row. */
  private path(tree: TopologyTree): readonly (Domain | undefined)[] {
    let path = this.paths.get(tree);
    if (path === undefined) {
      const list = new Array<Domain | undefined>(this.session.table.count).fill(undefined);
      tree.leaves.forEach((leaf) => leaf.rows.forEach((row) => (list[row] = leaf)));
      path = list;
      this.paths.set(tree, path);
    }
    return path;
  }
}

const ITSELF = (row: number): number => row;
const INDEX = ({ index }: Domain): number => index;

/** Puts an element into a list without an order, or takes it out. */
function toggle<T>(
  list: T[],
  places: Int32Array,
  element: T,
  id: number,
  isIn: boolean,
  idOf: (one: T) => number,
): void {
  if (isIn) {
    places[id] = list.push(element) - 1;
    return;
  }
  const last = list.pop()!;
  if (last !== element) {
    list[places[id]] = last;
    places[idOf(last)] = places[id];
  }
}
