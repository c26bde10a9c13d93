/**
 * How much more on one node, or how many more nodes of one pool, would let a gang in: for gangs whose pods are of one kind and do not
 * depend on where other pods are.
 *
 * With pods of one kind room is a count. Where `short` pods find no place in a domain (the required one, or the whole cluster), a node of it
 * must take that many more than now, and what it then lacks is the amount; it counts only if it is one resource, and other pods use as much
 * of it on the node, because no more than that can be freed. Before anything is reported the pods are put there on the books, and the others must find their places by the ordinary method.
 * O(nodes) and a few placements.
 */
import { type Cycle } from '../cycle/cycle';
import { type Counterfactual } from '../model/decision';
import { milliOn } from '../nodes/devices';
import { type Domain, type TopologyTree } from '../topology/domains';
import { emptyRoom, EmptyRooms, usableDevices } from '../nodes/empty-node';
import { FreeRows } from '../nodes/free-rows';
import { type NodeTable, WHOLE } from '../nodes/node-table';
import { type PodClass } from '../nodes/pod-class';
import { type PodRecord, type Turn, type UnitRecord } from '../books/records';
import { type Within } from '../search/select';
import { type Session } from '../books/session';

/** Suggestions of one kind that are tried before none is reported. */
const MOST_TRIED = 4;

/** A place where all pods of the gang must be, and how many find none in it. */
interface Area {
  readonly within: Within;
  readonly rows: Int32Array;
  readonly short: number;
  readonly domain?: Domain;
}

interface Growth {
  readonly row: number;
  readonly resource: string;
  readonly amount: number;
  /** In requests of one pod. */
  readonly relative: number;
  /** Pods that the node then takes. */
  readonly pods: number;
}

/** What growths are ordered by. */
type Rank = Pick<Growth, 'relative' | 'row'>;

/** Both in the order of what is simpler: more on one node, then more nodes. */
export class MoreRoom {
  private readonly areas: readonly Area[];

  constructor(
    private readonly cycle: Cycle,
    private readonly turn: Turn,
  ) {
    this.areas = areasOf(cycle, turn);
  }

  *onNode(): Generator<Counterfactual> {
    const { table } = this.cycle.session;
    for (const growth of this.growths()) {
      if (helps(this.cycle, this.turn, growth)) {
        const { row, resource, amount } = growth;
        yield { kind: 'more-on-node', node: table.nodes[row].name, resource, amount };
        return;
      }
    }
  }

  /** The least growths, for each node at most one. */
  private growths(): readonly Growth[] {
    const { podClass, count } = this.turn;
    const best: Growth[] = [];
    if (podClass === undefined) {
      return best;
    }
    for (const { rows, short } of this.areas) {
      let worst = worstOf(best);
      for (const row of this.promising(podClass, rows, short, () => worst)) {
        const growth = growthOf(this.cycle, podClass, row, short, count);
        if (growth !== undefined && less(growth, worst)) {
          const at = best.findIndex((other) => less(growth, other));
          best.splice(at < 0 ? best.length : at, 0, growth);
          best.splice(MOST_TRIED);
          worst = worstOf(best);
        }
      }
    }
    return best;
  }

  /** Rows whose growth may be less than the worst one known; all where what a row has free does not say how little may be enough. */
  private promising(podClass: PodClass, rows: Int32Array, short: number, worst: () => Rank): Iterable<number> {
    const { session, placer } = this.cycle;
    return podClass.accelerator?.kind !== 'whole' || session.others.concerns(podClass)
      ? rows
      : rowsByGrowth(session, placer.room.onRows(podClass), podClass.deviceCount, rows, short, this.turn.count, worst);
  }

  /** The fewest more nodes like one that is there; with a required topology in one domain that has such a node. */
  *nodes(): Generator<Counterfactual> {
    const { cycle, turn } = this;
    const { table, ledger } = cycle.session;
    const { podClass } = turn;
    if (podClass === undefined) {
      return;
    }
    const found = this.areas.flatMap((area) => {
      const { like, takes } = roomiest(cycle.session, podClass, area.rows);
      return like < 0 ? [] : [{ area, like, takes, count: Math.ceil(area.short / takes) }];
    });
    found.sort((a, b) => a.count - b.count || a.like - b.like);
    for (const { area, like, takes, count } of found.slice(0, MOST_TRIED)) {
      const mark = ledger.mark();
      const rest = count * takes < turn.count ? turn.pods.slice(count * takes) : [];
      const fits = cycle.placer.place(turn.gang.root, rest, area.within);
      ledger.rollback(mark);
      if (fits) {
        const { name, pool } = table.nodes[like];
        yield {
          kind: 'more-nodes',
          like: name,
          count,
          ...(pool === undefined ? {} : { pool }),
          ...(area.domain === undefined ? {} : { domain: area.domain.values[area.domain.values.length - 1] }),
        };
        return;
      }
    }
  }
}

/**
 * Rows that may lack less of whole devices than the worst growth, by what they have free: most rows have nothing free, and are ruled out
 * together.
 */
function* rowsByGrowth(
  session: Session,
  room: Int32Array,
  deviceCount: number,
  rows: Int32Array,
  short: number,
  most: number,
  worst: () => Rank,
): Generator<number> {
  const { table } = session;
  const { wholeFree, overdrawn } = table;
  if (table.overdrawnRows === 0 && short * deviceCount > table.mostOffered()) {
    return;
  }
  const offered = table.offered();
  const isPromising = (row: number): boolean => {
    const wanted = (Math.min(room[row], most) + short) * deviceCount;
    const free = wholeFree[row];
    const { relative, row: at } = worst();
    return (
      overdrawn[row] > 0 ||
      ((wanted <= free || wanted <= offered[row]) && isLess((wanted - free) / deviceCount, row, relative, at))
    );
  };
  for (const row of rows === table.allRows ? session.index(FreeRows).rows() : rows) {
    if (isPromising(row)) {
      yield row;
    }
  }
  if (rows !== table.allRows) {
    return;
  }
  // The others lack all of it.
  for (let row = 0; row < rows.length && isLess(short, row, worst().relative, worst().row); row++) {
    if (wholeFree[row] === 0 && overdrawn[row] === 0 && isPromising(row)) {
      yield row;
    }
  }
}

interface Roomiest {
  /** -1 where no row takes a pod. */
  readonly like: number;
  readonly takes: number;
}

const NONE: Roomiest = { like: -1, takes: 0 };

/** For all rows, by class, with the nodes for which that holds. */
const roomiestOfAll = new WeakMap<PodClass, Roomiest & { readonly replaced: number }>();

/** The first of the rows that take the most pods of the class were they empty. */
function roomiest(session: Session, podClass: PodClass, rows: Int32Array): Roomiest {
  const { table } = session;
  const known = rows === table.allRows ? roomiestOfAll.get(podClass) : undefined;
  if (known?.replaced === table.replaced) {
    return known;
  }
  // Most of a crowd: no node has to be looked at.
  if (session.index(EmptyRooms).isNone(podClass)) {
    return NONE;
  }
  const allowed = session.staticRow(podClass);
  const room = emptyRoom(table, podClass);
  let like = -1;
  let takes = 0;
  for (const row of rows) {
    const empty = allowed[row] === 0 ? room[row] : 0;
    if (empty > takes) {
      like = row;
      takes = empty;
    }
  }
  const found = { like, takes, replaced: table.replaced };
  if (rows === table.allRows) {
    roomiestOfAll.set(podClass, found);
  }
  return found;
}

/** What a growth must be less than to be among the best. */
function worstOf(best: readonly Growth[]): Rank {
  return best.length < MOST_TRIED ? { relative: Infinity, row: -1 } : best[MOST_TRIED - 1];
}

function less(a: Rank, b: Rank): boolean {
  return isLess(a.relative, a.row, b.relative, b.row);
}

function isLess(a: number, aRow: number, b: number, bRow: number): boolean {
  return a < b || (a === b && aRow < bRow);
}

/** The domains of the required level that the gang may be in, or the cluster; none where counting pods does not say where they fit. */
function areasOf(cycle: Cycle, { gang, podClass, count }: Turn): readonly Area[] {
  const { session, placer } = cycle;
  if (podClass === undefined || podClass.dynamic || !saysNothingBelow(gang.root)) {
    return [];
  }
  const topology = gang.gang.topology;
  if (topology?.sliceLevel !== undefined) {
    return [];
  }
  if (topology?.required === undefined) {
    const within: Within = {};
    const short = count - placer.room.capacity(podClass, within, Infinity);
    return short <= 0 ? [] : [{ within, rows: session.table.allRows, short }];
  }
  const tree = session.topologies.forConstraint(topology);
  return tree === undefined
    ? []
    : domainsOf(tree, tree.levelOf(topology.required), gang.root).flatMap((domain) => {
        const within: Within = { rows: domain.rows, domain: { tree, domain } };
        const short = count - placer.room.capacity(podClass, within, Infinity);
        return short <= 0 ? [] : [{ within, rows: domain.rows, short, domain }];
      });
}

function saysNothingBelow({ children, roles }: UnitRecord): boolean {
  return (
    roles.every(({ role }) => role.topology === undefined) &&
    children.every((child) => child.topology === undefined && saysNothingBelow(child))
  );
}

/** Domains of the level; those with pods of the gang, where it has some. */
function domainsOf(tree: TopologyTree, level: number, root: UnitRecord): readonly Domain[] {
  const rows = new Set(
    [...rolesOf(root)]
      .flatMap(({ pods }) => pods.filter(({ row, releasing }) => row >= 0 && !releasing))
      .map(({ row }) => row),
  );
  return tree.byLevel[level].filter((domain) => rows.size === 0 || domain.rows.some((row) => rows.has(row)));
}

function* rolesOf(unit: UnitRecord): Generator<UnitRecord['roles'][number]> {
  yield* unit.roles;
  for (const child of unit.children) {
    yield* rolesOf(child);
  }
}

/** What the row lacks for `short` more pods than it takes now, if that is one resource. */
function growthOf(cycle: Cycle, podClass: PodClass, row: number, short: number, most: number): Growth | undefined {
  const { session } = cycle;
  const { table, ledger } = session;
  if (session.staticRow(podClass)[row] !== 0) {
    return undefined;
  }
  const room = session.others.concerns(podClass)
    ? ledger.capacity(podClass, row, most)
    : cycle.placer.room.onRow(podClass, row);
  const pods = Math.min(room, most) + short;
  const { columns, amounts } = podClass;
  let resource: string | undefined;
  let amount = 0;
  let per = 1;
  for (let i = 0; i < columns.length; i++) {
    const missing = amounts[i] * pods - table.free[columns[i]][row];
    if (missing > 0) {
      if (amount > 0) {
        return undefined;
      }
      resource = table.resources[columns[i]];
      [amount, per] = [missing, amounts[i]];
    }
  }
  const devices = podClass.accelerator === undefined ? 0 : devicesShort(cycle, podClass, row, pods);
  if (devices === undefined || (devices > 0 && amount > 0)) {
    return undefined;
  }
  if (devices > 0) {
    resource = table.deviceResource[row];
    [amount, per] = [devices, podClass.deviceCount];
  }
  if (resource === undefined) {
    return undefined;
  }
  const column = devices > 0 ? undefined : table.columns.get(resource);
  const free = column === undefined ? table.wholeFree[row] : table.free[column][row];
  return amount <= (table.nodes[row].allocatable[resource] ?? 0) - free
    ? { row, resource, amount, relative: amount / per, pods }
    : undefined;
}

/** Devices like those of the node that would have to be added; undefined where that cannot be said. */
function devicesShort({ session }: Cycle, podClass: PodClass, row: number, pods: number): number | undefined {
  const { table } = session;
  const { accelerator, deviceCount } = podClass;
  const first = table.deviceStart[row];
  if (accelerator === undefined || accelerator.kind === 'mig' || !areAlike(table, first, table.deviceStart[row + 1])) {
    return undefined;
  }
  if (accelerator.kind === 'whole') {
    return Math.max(0, pods * deviceCount - usableDevices(table, row, podClass));
  }
  const perDevice = Math.floor(WHOLE / milliOn(table, first, accelerator));
  return deviceCount > 1 || perDevice < 1
    ? undefined
    : Math.max(0, Math.ceil((pods - usableDevices(table, row, podClass)) / perDevice));
}

/** At least one device, all of one model and none of them divided. */
function areAlike({ devices, deviceModel }: NodeTable, from: number, to: number): boolean {
  for (let slot = from; slot < to; slot++) {
    if (devices[slot].mig !== undefined || deviceModel[slot] !== deviceModel[from]) {
      return false;
    }
  }
  return to > from;
}

/** Tried on the books: the node takes its pods with what is added, and the others find their places. */
function helps(cycle: Cycle, { gang, pods }: Turn, { row, resource, amount, pods: here }: Growth): boolean {
  const { table, ledger } = cycle.session;
  const column = table.columns.get(resource);
  const mark = ledger.mark();
  ledger.epochs.begin();
  const add = (by: number): void => {
    if (column !== undefined) {
      table.free[column][row] += by;
      table.changed(row);
    }
  };
  add(amount);
  const moved = pods.slice(0, Math.min(here, pods.length));
  // Devices that are added are no slots of the table: pods that get some of them are on the books without devices.
  let fits = moved.every((pod) => ledger.place(pod, row) || (column === undefined && placeOnAdded(cycle, pod, row)));
  fits &&= cycle.placer.place(gang.root, pods.slice(moved.length));
  ledger.rollback(mark);
  add(-amount);
  return fits;
}

function placeOnAdded({ session: { ledger } }: Cycle, pod: PodRecord, row: number): boolean {
  if (!ledger.couldReturn(pod, row, [])) {
    return false;
  }
  ledger.placeOn(pod, row, []);
  return true;
}
