/**
 * Places the pods of one gang, all or none.
 *
 * Units (the gang, its subgroups, roles with a topology of their own) are placed from the outside in. A unit with a topology constraint
 * tries domains from the tightest: for `required` those of the required level, from the preferred level outwards when there is one;
 * `preferred` alone ends with the whole cluster. Pods of one kind are spread over a domain by `assignTopology`, so that they touch the
 * fewest domains of every level; mixed pods go one by one to the best row inside the domain, in the order of roles, else the largest
 * first, else by a bounded search. Every attempt is a mark in the operation
 * log, and what fails is rolled back. A unit with running pods stays in their domain.
 *
 * O(domains tried × (pods × rows read + rows scored)); one kind of pod in one domain is O(leaves + pods).
 */
import { type Domain, HOSTNAME, type TopologyTree } from './domains';
import { fewestRows, fewestRowsCount } from './fewest-rows';
import { type TopologyConstraint } from './model';
import { rolesIn } from './needs';
import { WHOLE } from './node-table';
import { type PodClass } from './pod-class';
import { type PodRecord, type RoleRecord, type Turn, type UnitRecord } from './records';
import { Remembered } from './remembered';
import { RoomIndex } from './room-index';
import { type Selector, type Within } from './select';
import { preferenceRow } from './score/static-preference';
import { type Session } from './session';
import { hasWishes } from './wishes';
import { assignTopology, type TopologyRequest } from './topology';

type Part = Pick<UnitRecord, 'roles' | 'children' | 'topology'>;

export class GangPlacer {
  private readonly room: RoomIndex;
  private readonly preferences = new Map<PodClass, Float64Array>();
  /** Most pods of a class that the cluster has room for. */
  private readonly most: Remembered<number>;

  constructor(
    private readonly session: Session,
    private readonly selector: Selector,
  ) {
    this.most = new Remembered(session.ledger.epochs);
    this.room = session.index(RoomIndex);
  }

  /** Places every pod of `pods`, which belong to one gang; changes nothing when that cannot be. */
  place(root: UnitRecord, pods: readonly PodRecord[], within: Within = {}): boolean {
    if (
      pods.length === 1 &&
      root.topology === undefined &&
      root.children.length === 0 &&
      pods[0].role!.role.topology === undefined
    ) {
      return this.placeOne(pods[0], within);
    }
    // Where pods depend on one another each node has to be looked at, which is worth it for large gangs and domains alone.
    const worth = !this.session.others.active || pods.length >= WORTH_COUNTING || root.topology !== undefined;
    if (worth && !this.enoughRoom(pods, within)) {
      return false;
    }
    const wanted = new Set(pods);
    const tried = (inside: Within): boolean => this.attempt(() => this.unit(this.together(root, pods), wanted, inside));
    return tried(within) || (!within.wishless && prefers(pods) && tried({ ...within, wishless: true }));
  }

  /**
   * Whether the pods fit, by counting. Exact for pods of one class without constraints on one another and without a required domain;
   * undefined if the pods have to be placed to find out.
   */
  countsFor({ gang: { root }, podClass, pods }: Turn, within: Within): boolean | undefined {
    return podClass === undefined || this.session.others.active || !isCountable(podClass) || requires(root)
      ? undefined
      : this.capacity(podClass, within, pods.length) >= pods.length;
  }

  /** The gang with a preference to stay together, if it sets no topology itself and there is one. */
  private together(root: UnitRecord, pods: readonly PodRecord[]): Part {
    const { policy, topologyList } = this.session;
    const silent =
      policy.gangSpread === 'together' &&
      root.topology === undefined &&
      root.children.every(saysNothing) &&
      root.roles.every(({ role }) => role.topology === undefined) &&
      pods.some(({ podClass }) => podClass.deviceCount > 0);
    const [topology] = silent ? topologyList : [];
    const level = topology?.levels.filter((label) => label !== HOSTNAME).at(-1);
    return level === undefined ? root : { ...root, topology: { topology: topology.name, preferred: level } };
  }

  /** Is there room for the pods of each kind, were they alone? If not, there is no need to try. */
  private enoughRoom(pods: readonly PodRecord[], within: Within): boolean {
    const kinds = new Map<PodClass, number>();
    pods.forEach(({ podClass }) => kinds.set(podClass, (kinds.get(podClass) ?? 0) + 1));
    return [...kinds].every(([podClass, count]) => podClass.dynamic || this.hasRoom(podClass, within, count));
  }

  /** As long as nothing is released, room that was counted is a bound of what there is. */
  private hasRoom(podClass: PodClass, within: Within, count: number): boolean {
    if ((this.most.get(podClass.id) ?? Infinity) < count) {
      return false;
    }
    const room = this.capacity(podClass, within, count);
    if (room < count && within.rows === undefined && within.without === undefined) {
      this.most.set(podClass.id, room);
    }
    return room >= count;
  }

  private unit(unit: Part, wanted: ReadonlySet<PodRecord>, within: Within): boolean {
    const { topology } = unit;
    if (topology === undefined) {
      return this.parts(unit, wanted, within);
    }
    const pods = podsOf(unit, (pod) => wanted.has(pod));
    if (pods.length === 0) {
      return true;
    }
    if (topology?.required === undefined && topology?.preferred === undefined && topology?.sliceLevel === undefined) {
      return this.parts(unit, wanted, within);
    }
    if (topology.sliceLevel !== undefined && topology.sliceSize === undefined) {
      return false;
    }
    const tree = this.session.topologies.forConstraint(topology);
    if (tree === undefined) {
      // Nothing to prefer; but what is required does not exist.
      return topology.required === undefined && topology.sliceLevel === undefined && this.parts(unit, wanted, within);
    }
    return this.constrained(unit, pods, wanted, topology, tree, within);
  }

  /**
   * Subgroups, then the unit's own roles: in their order; where that fails and the pods differ, the largest first; then a search that
   * takes back choices, for gangs of up to `MOST_SEARCHED` pods and at most `MOST_CHOICES` choices.
   */
  private parts(unit: Part, wanted: ReadonlySet<PodRecord>, within: Within): boolean {
    if (this.attempt(() => this.inOrder(unit, wanted, within, unit.roles))) {
      return true;
    }
    const classes = new Map<PodClass, PodRecord>();
    unit.roles.forEach(({ pods }) =>
      pods.forEach((pod) => wanted.has(pod) && !classes.has(pod.podClass) && classes.set(pod.podClass, pod)),
    );
    if (classes.size < 2) {
      return false;
    }
    const size = (role: RoleRecord): number =>
      role.pods.reduce((most, pod) => (wanted.has(pod) ? Math.max(most, this.sizeOf(pod.podClass)) : most), 0);
    const largestFirst = [...unit.roles].sort((a, b) => size(b) - size(a));
    return this.attempt(() => this.inOrder(unit, wanted, within, largestFirst)) || this.searched(unit, wanted, within);
  }

  private inOrder(unit: Part, wanted: ReadonlySet<PodRecord>, within: Within, roles: readonly RoleRecord[]): boolean {
    for (const child of unit.children) {
      if (!this.unit(child, wanted, within)) {
        return false;
      }
    }
    for (const role of roles) {
      if (role.role.topology !== undefined && role.role.topology !== unit.topology) {
        if (!this.unit({ roles: [role], children: [], topology: role.role.topology }, wanted, within)) {
          return false;
        }
        continue;
      }
      if (
        !this.placeEach(
          role.pods.filter((pod) => wanted.has(pod)),
          within,
        )
      ) {
        return false;
      }
    }
    return true;
  }

  /** Pods of one kind on the fewest nodes where the policy keeps gangs together, others one by one. */
  private placeEach(pods: readonly PodRecord[], within: Within): boolean {
    if (
      pods.length > 1 &&
      this.isPacked(pods[0].podClass) &&
      pods.every(({ podClass }) => podClass === pods[0].podClass)
    ) {
      if (this.attempt(() => this.packed(pods, within))) {
        return true;
      }
    }
    return pods.every((pod) => this.placeOne(pod, within));
  }

  private isPacked(podClass: PodClass): boolean {
    const { policy, others, table } = this.session;
    return (
      policy.gangSpread === 'together' &&
      policy.nodeScore !== 'spread' &&
      policy.nodeScore !== 'spread-devices' &&
      policy.nodeScore !== 'first-fit' &&
      podClass.deviceCount > 0 &&
      !podClass.dynamic &&
      !others.active &&
      (policy.affinityWeight === 0 || (!table.softTaints && (podClass.template.preferredNodeTerms ?? []).length === 0))
    );
  }

  private packed(pods: readonly PodRecord[], { rows, without, wishless = false }: Within): boolean {
    const { ledger } = this.session;
    const [{ podClass }] = pods;
    const room = (row: number): number => (without?.[row] === 1 ? 0 : this.room.ofRow(podClass, row));
    const score = this.selector.scoresOf(podClass, wishless);
    const parts = fewestRows(rows ?? this.room.openRows(podClass), pods.length, room, score);
    let next = 0;
    return (
      parts !== undefined &&
      parts.every(({ row, pods: here }) =>
        pods.slice(next, (next += here)).every((pod) => ledger.fits(podClass, row) && ledger.place(pod, row)),
      )
    );
  }

  /** Depth first over the pods, the largest first; each may go to the `MOST_ROWS` best rows that differ in what they have free. */
  private searched(unit: Part, wanted: ReadonlySet<PodRecord>, within: Within): boolean {
    const pods = unit.roles
      .flatMap((role) => role.pods.filter((pod) => wanted.has(pod)))
      .sort((a, b) => this.sizeOf(b.podClass) - this.sizeOf(a.podClass) || a.index - b.index);
    const plain =
      unit.children.length === 0 &&
      unit.roles.every(({ role }) => role.topology === undefined || role.topology === unit.topology);
    if (!plain || pods.length > MOST_SEARCHED) {
      return false;
    }
    return this.jointly(pods, () => within);
  }

  /** Places pods of any gangs, in their order, by the same search; changes nothing where it finds no places for all of them. */
  jointly(pods: readonly PodRecord[], withinOf: (pod: PodRecord) => Within): boolean {
    const allowed = [...new Set(pods.map(({ podClass }) => podClass))].map((podClass) =>
      this.session.staticRow(podClass),
    );
    let choices = MOST_CHOICES;
    const step = (at: number): boolean => {
      if (at === pods.length) {
        return true;
      }
      const tried = new Set<string>();
      const within = withinOf(pods[at]);
      const without = within.without?.slice() ?? new Uint8Array(this.session.table.count);
      for (let looks = 0; looks < MOST_LOOKS && tried.size < MOST_ROWS && choices > 0; looks++) {
        const row = this.selector.best(pods[at].podClass, { ...within, without });
        if (row < 0) {
          return false;
        }
        without[row] = 1;
        const state = `${this.freeText(row)};${allowed.map((codes) => (codes[row] === 0 ? 1 : 0)).join('')}`;
        if (tried.has(state)) {
          continue;
        }
        tried.add(state);
        choices--;
        if (this.attempt(() => this.session.ledger.place(pods[at], row) && step(at + 1))) {
          return true;
        }
      }
      return false;
    };
    return step(0);
  }

  /** What the row has free, as text: rows that are equal in it are equal for the search. */
  private freeText(row: number): string {
    const { free, deviceStart, deviceFree, deviceModel } = this.session.table;
    const slots: string[] = [];
    for (let slot = deviceStart[row]; slot < deviceStart[row + 1]; slot++) {
      slots.push(`${deviceModel[slot]}:${deviceFree[slot]}`);
    }
    return `${free.map((column) => column[row]).join()};${slots.sort().join()}`;
  }

  /** What makes a pod hard to place: devices first, then its part of the cluster's CPU and memory. */
  sizeOf(podClass: PodClass): number {
    const { accelerator, deviceCount, columns, amounts } = podClass;
    const devices = accelerator?.kind === 'fraction' ? (deviceCount * accelerator.milli) / WHOLE : deviceCount;
    const { table } = this.session;
    let part = 0;
    columns.forEach((column, i) => (part = Math.max(part, amounts[i] / (table.largest(column) || 1))));
    return devices + part;
  }

  private placeOne(pod: PodRecord, within: Within): boolean {
    const row = this.selector.best(pod.podClass, within);
    return row >= 0 && this.session.ledger.place(pod, row);
  }

  private constrained(
    unit: Part,
    pods: readonly PodRecord[],
    wanted: ReadonlySet<PodRecord>,
    topology: TopologyConstraint,
    tree: TopologyTree,
    within: Within,
  ): boolean {
    const running = placedRows(unit, wanted);
    const lowest = tree.levels.length - 1;
    const required = topology.required === undefined ? -1 : tree.levelOf(topology.required);
    const first =
      topology.preferred === undefined ? Math.max(required, 0) : Math.max(tree.levelOf(topology.preferred), required);
    const kind = sameKind(unit, pods);
    const room = new Map<Domain, number>();
    if (kind !== undefined && running.length === 0 && this.evenly(tree, kind, pods, topology, within)) {
      return true;
    }
    for (let level = first; level >= Math.max(required, 0); level--) {
      for (const domain of this.candidates(tree, level, pods, within, running, room)) {
        const inside = intersect(within, tree, domain);
        const done = this.attempt(() =>
          kind === undefined
            ? this.parts(unit, wanted, inside)
            : this.spread(
                tree,
                kind,
                pods,
                { count: pods.length, mode: 'required', level, ...slices(tree, topology) },
                inside,
                domain,
              ),
        );
        if (done) {
          return true;
        }
      }
    }
    if (required >= 0) {
      return false;
    }
    const anywhere: TopologyRequest = {
      count: pods.length,
      mode: 'unconstrained',
      level: topology.preferred === undefined ? lowest : 0,
      ...slices(tree, topology),
    };
    if (kind !== undefined && this.attempt(() => this.spread(tree, kind, pods, anywhere, within, undefined))) {
      return true;
    }
    return topology.sliceLevel === undefined && this.parts(unit, wanted, within);
  }

  /** Balanced over the domains of the preferred level, where the policy wants that and it can be. */
  private evenly(
    tree: TopologyTree,
    kind: Kind,
    pods: readonly PodRecord[],
    { required, preferred, ...slicing }: TopologyConstraint,
    within: Within,
  ): boolean {
    if (preferred === undefined || this.session.policy.preferredTopology !== 'balanced') {
      return false;
    }
    const level = tree.levelOf(preferred);
    const request: TopologyRequest = {
      count: pods.length,
      mode: 'preferred',
      level,
      balanced: true,
      ...slices(tree, slicing),
    };
    const outer =
      required === undefined ? [undefined] : this.candidates(tree, tree.levelOf(required), pods, within, [], new Map());
    return outer.some((domain) => {
      const inside = domain === undefined ? within : intersect(within, tree, domain);
      return this.attempt(() => this.spread(tree, kind, pods, request, inside, domain));
    });
  }

  /** Keeps what was done where it succeeds, and nothing of it where it does not. */
  private attempt(placed: () => boolean): boolean {
    const { ledger } = this.session;
    const mark = ledger.mark();
    if (placed()) {
      ledger.keep();
      return true;
    }
    ledger.rollback(mark);
    return false;
  }

  /** Domains of the level that could take all of the pods, the tightest first. */
  private candidates(
    tree: TopologyTree,
    level: number,
    pods: readonly PodRecord[],
    within: Within,
    running: readonly number[],
    room: Map<Domain, number>,
  ): readonly Domain[] {
    const kinds = new Map<PodClass, number>();
    pods.forEach(({ podClass }) => kinds.set(podClass, (kinds.get(podClass) ?? 0) + 1));
    const [kind] = pods;
    const byNodes = kinds.size === 1 && pods.length > 1 && this.isPacked(kind.podClass);
    const nodes = new Map<Domain, number>();
    const { others } = this.session;
    // A full cluster has few domains with any room.
    const open = others.active ? tree.byLevel[level] : this.room.openDomains(kind.podClass, tree, level);
    const counted = others.active
      ? []
      : [...kinds].map(([podClass, count]) => ({ byDomain: this.room.domains(podClass, tree), count }));
    const found = open
      .filter(({ index }) => counted.every(({ byDomain, count }) => byDomain[index] >= count))
      .filter((domain) => running.length === 0 || running.some((row) => domain.rows.includes(row)))
      .filter((domain) => {
        const rows = intersect(within, tree, domain);
        let spare = Infinity;
        for (const [podClass, count] of kinds) {
          const most = this.capacity(podClass, rows, Infinity);
          if (most < count) {
            return false;
          }
          spare = Math.min(spare, most / count);
        }
        room.set(domain, spare);
        if (byNodes) {
          nodes.set(
            domain,
            fewestRowsCount(rows.rows!, pods.length, (row) =>
              within.without?.[row] === 1 ? 0 : this.room.ofRow(kind.podClass, row),
            ),
          );
        }
        return true;
      });
    return found.sort(
      (a, b) => (nodes.get(a) ?? 0) - (nodes.get(b) ?? 0) || room.get(a)! - room.get(b)! || a.index - b.index,
    );
  }

  /** How many pods of the class one node takes; only for classes that `countsFor` counts. */
  roomOn(podClass: PodClass, row: number): number {
    return this.room.ofRow(podClass, row);
  }

  /** The same by row, until the books change. */
  roomOnRows(podClass: PodClass): Int32Array {
    return this.room.ofRows(podClass);
  }

  /** How many pods of the class the rows take, at most about `limit`. */
  capacity(podClass: PodClass, { rows, without, domain }: Within, limit: number): number {
    const { table, ledger, others } = this.session;
    if (!others.active && without === undefined) {
      if (rows === undefined) {
        return this.room.total(podClass);
      }
      if (domain !== undefined) {
        return this.room.ofDomain(podClass, domain.tree, domain.domain);
      }
    }
    if (!others.active && rows === undefined) {
      return rowsOf(without!).reduce((sum, row) => sum - this.room.ofRow(podClass, row), this.room.total(podClass));
    }
    let sum = 0;
    const count = rows?.length ?? table.count;
    for (let i = 0; i < count && sum < limit; i++) {
      const row = rows === undefined ? i : rows[i];
      if (without?.[row] === 1) {
        continue;
      }
      if (!others.active) {
        sum += this.room.ofRow(podClass, row);
      } else if (this.session.allowed(podClass, row)) {
        sum += ledger.capacity(podClass, row, 1_000_000);
      }
    }
    return sum;
  }

  /** Pods of one kind (and perhaps a leader before them) over the leaves of the tree. */
  private spread(
    tree: TopologyTree,
    kind: Kind,
    pods: readonly PodRecord[],
    request: TopologyRequest,
    within: Within,
    domain: Domain | undefined,
  ): boolean {
    const workers = pods.filter((pod) => pod !== kind.leader);
    if (domain !== undefined && kind.leader === undefined && isWhole(request, domain)) {
      const rows = intersect(within, tree, domain);
      return this.capacity(kind.worker, rows, workers.length) >= workers.length && this.placeEach(workers, rows);
    }
    const rowsOf = (leaf: Domain): Within => intersect(within, tree, leaf);
    const only = request.balanced === true ? undefined : domain;
    const asked: TopologyRequest = {
      ...request,
      count: workers.length,
      leader: kind.leader !== undefined,
      within: only,
    };
    // Counted without a look at the rows: most domains of a full cluster have no room.
    const counted =
      kind.leader !== undefined || this.session.others.active ? undefined : this.room.domains(kind.worker, tree);
    const assignment = assignTopology(tree, asked, (leaf) =>
      counted?.[leaf.index] === 0 || (domain !== undefined && !isUnder(leaf, domain))
        ? NO_ROOM
        : { ...this.leafRoom(kind, rowsOf(leaf), pods.length), preference: this.preferenceOf(kind.worker, leaf) },
    );
    if (!assignment.fits) {
      return false;
    }
    if (kind.leader !== undefined && !this.placeOne(kind.leader, rowsOf(assignment.leader!))) {
      return false;
    }
    let next = 0;
    for (const { domain: leaf, count } of assignment.domains) {
      if (!this.placeEach(workers.slice(next, (next += count)), rowsOf(leaf))) {
        return false;
      }
    }
    return next === workers.length;
  }

  /** How much a leaf is what the pods' preferred node affinity asks for. */
  private preferenceOf(podClass: PodClass, { rows }: Domain): number {
    const { table, policy } = this.session;
    if (policy.affinityWeight === 0 || (podClass.template.preferredNodeTerms ?? []).length === 0) {
      return 0;
    }
    let preference = this.preferences.get(podClass);
    if (preference === undefined) {
      preference = preferenceRow(table, podClass) ?? new Float64Array(table.count);
      this.preferences.set(podClass, preference);
    }
    return rows.reduce((sum, row) => sum + (this.session.allowed(podClass, row) ? preference[row] : 0), 0);
  }

  private leafRoom(kind: Kind, rows: Within, limit: number): { pods: number; leader: boolean; podsWithLeader: number } {
    const pods = this.capacity(kind.worker, rows, limit);
    if (kind.leader === undefined) {
      return { pods, leader: false, podsWithLeader: pods };
    }
    const { ledger } = this.session;
    const mark = ledger.mark();
    const leader = this.placeOne(kind.leader, rows);
    const podsWithLeader = leader ? this.capacity(kind.worker, rows, limit) : pods;
    ledger.rollback(mark);
    return { pods, leader, podsWithLeader };
  }
}

/** Bounds of the search for mixed gangs: pods of a gang, rows for each of them, rows looked at for those, and choices in all. */
const MOST_SEARCHED = 32;
const MOST_ROWS = 4;
const MOST_LOOKS = 64;
const MOST_CHOICES = 256;

/** From this number of pods on, capacity is counted before pods are placed one by one; with a topology always, since domains cost more to try. */
const WORTH_COUNTING = 16;

const NO_ROOM = { pods: 0, leader: false, podsWithLeader: 0 };

interface Kind {
  readonly worker: PodClass;
  readonly leader: PodRecord | undefined;
}

/** The pods are of one kind, but for a single leader; and nothing inside has a topology of its own. */
function sameKind(unit: Part, pods: readonly PodRecord[]): Kind | undefined {
  const plain =
    unit.children.every((child) => child.topology === undefined && child.children.length === 0) &&
    unit.roles.every(({ role }) => role.topology === undefined || role.topology === unit.topology);
  const leaders = pods.filter(({ role }) => role!.role.leader === true);
  const workers = pods.filter(({ role }) => role!.role.leader !== true);
  if (
    !plain ||
    leaders.length > 1 ||
    workers.length === 0 ||
    workers.some(({ podClass }) => podClass !== workers[0].podClass)
  ) {
    return undefined;
  }
  return { worker: workers[0].podClass, leader: leaders[0] };
}

function slices(
  tree: TopologyTree,
  { sliceLevel, sliceSize }: TopologyConstraint,
): Pick<TopologyRequest, 'sliceLevel' | 'sliceSize'> {
  return sliceLevel === undefined ? {} : { sliceLevel: tree.levelOf(sliceLevel), sliceSize: sliceSize ?? 1 };
}

function saysNothing({ topology, children, roles }: UnitRecord): boolean {
  return (
    topology === undefined && children.every(saysNothing) && roles.every(({ role }) => role.topology === undefined)
  );
}

/** Is what nodes have room for the sum of what their devices have room for, whichever of them are taken first? */
function isCountable({ accelerator, deviceCount }: PodClass): boolean {
  return accelerator === undefined || accelerator.kind === 'whole' || deviceCount === 1;
}

/** Must any part of the unit be in one domain? */
export function requires({ topology, children, roles }: UnitRecord): boolean {
  const must = (constraint: TopologyConstraint | undefined): boolean =>
    constraint?.required !== undefined || constraint?.sliceLevel !== undefined;
  return must(topology) || children.some(requires) || roles.some(({ role }) => must(role.topology));
}

/** Do all pods go to this one domain, however they are told apart? */
function isWhole({ mode, balanced = false, sliceLevel }: TopologyRequest, { children }: Domain): boolean {
  return mode === 'required' && !balanced && sliceLevel === undefined && children.length === 0;
}

function podsOf(unit: Part, isMeant: (pod: PodRecord) => boolean): PodRecord[] {
  const found: PodRecord[] = [];
  for (const { pods } of unit.children.length === 0 ? unit.roles : [...unit.roles, ...unit.children.flatMap(rolesIn)]) {
    for (const pod of pods) {
      if (isMeant(pod)) {
        found.push(pod);
      }
    }
  }
  return found;
}

/** Rows of pods of the unit that run already. */
function placedRows(unit: Part, wanted: ReadonlySet<PodRecord>): number[] {
  return podsOf(unit, (pod) => pod.row >= 0 && !pod.releasing && !wanted.has(pod)).map(({ row }) => row);
}

function isUnder(leaf: Domain, domain: Domain): boolean {
  for (let at: Domain | undefined = leaf; at !== undefined; at = at.parent) {
    if (at === domain) {
      return true;
    }
  }
  return false;
}

/** Do the pods differ, and some of them prefer places that others need? */
function prefers(pods: readonly PodRecord[]): boolean {
  const [{ podClass }] = pods;
  return pods.some((pod) => pod.podClass !== podClass) && pods.some((pod) => hasWishes(pod.podClass.template));
}

/** The rows of each mask: what is promised to a gang is left out again and again. */
const maskedRows = new WeakMap<Uint8Array, readonly number[]>();

function rowsOf(mask: Uint8Array): readonly number[] {
  let rows = maskedRows.get(mask);
  if (rows === undefined) {
    rows = [...mask.keys()].filter((row) => mask[row] === 1);
    maskedRows.set(mask, rows);
  }
  return rows;
}

/** A set for each list of rows that others are cut to: the rows of one domain are asked for again for every leaf below it. */
const rowSets = new WeakMap<Int32Array, ReadonlySet<number>>();

/** The part of `within` that is in the domain. */
function intersect(within: Within, tree: TopologyTree, domain: Domain): Within {
  const whole =
    within.rows === undefined ||
    within.rows === domain.rows ||
    (within.domain?.tree === tree && isUnder(domain, within.domain.domain));
  if (whole) {
    return { rows: domain.rows, without: within.without, wishless: within.wishless, domain: { tree, domain } };
  }
  const known = rowSets.get(within.rows);
  const inside = known ?? new Set(within.rows);
  if (known === undefined) {
    rowSets.set(within.rows, inside);
  }
  return {
    rows: domain.rows.filter((row) => inside.has(row)),
    without: within.without,
    wishless: within.wishless,
  };
}
