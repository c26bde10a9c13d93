/**
 * Places the pods of one gang, all or none.
 *
 * Units (the gang, its subgroups, roles with a topology of their own) are placed from the outside in. A unit with a topology constraint
 * tries domains from the tightest: for `required` those of the required level, from the preferred level outwards when there is one;
 * `preferred` alone ends with the whole cluster. Pods of one kind are spread over a domain by `assignTopology`, so that they touch the
 * fewest domains of every level; mixed pods go one by one to the best row inside the domain, in the order of roles, else the largest
 * first, else by a bounded search. Every attempt is a mark in the operation log, and what fails is rolled back. A unit with running pods
 * stays in their domain.
 *
 * O(domains tried × (pods × rows read + rows scored)); one kind of pod in one domain is O(leaves + pods).
 */
import { type Domain, HOSTNAME, type TopologyTree } from '../topology/domains';
import { type Candidate, tightestFirst } from './candidates';
import { DomainNodes } from './domain-nodes';
import { fewestRows, fewestRowsCount } from './fewest-rows';
import { type TopologyConstraint } from '../model/model';
import { type PodClass } from '../nodes/pod-class';
import { type PodRecord, type RoleRecord, type UnitRecord } from '../books/records';
import { ClaimSearch } from './claim-search';
import { JointSearch } from './joint-search';
import { largestFirst, sizeIn } from './pod-size';
import { Room } from './room';
import { RoomIndex } from './room-index';
import { type Selector, type Within } from './select';
import { preferenceRow } from './score/static-preference';
import { type Session } from '../books/session';
import {
  classesOf,
  haveClaims,
  type Kind,
  type Part,
  placedRows,
  podsOf,
  prefers,
  sameKind,
  saysNothing,
} from './units';
import { intersect, isUnder } from './within';
import { assignTopology, type TopologyRequest } from '../topology/topology';

export class GangPlacer {
  readonly room: Room;
  readonly joint: JointSearch;
  private readonly claims: ClaimSearch;
  private readonly index: RoomIndex;
  private readonly nodes: DomainNodes;
  private readonly preferences = new Map<PodClass, Float64Array>();

  constructor(
    private readonly session: Session,
    private readonly selector: Selector,
  ) {
    this.room = new Room(session);
    this.joint = new JointSearch(session, selector);
    this.claims = new ClaimSearch(session, selector);
    this.index = session.index(RoomIndex);
    this.nodes = session.index(DomainNodes);
  }

  /** Places every pod of `pods`, which belong to one gang; changes nothing when that cannot be. */
  place(root: UnitRecord, pods: readonly PodRecord[], within: Within = {}): boolean {
    if (pods.length === 0) {
      return true;
    }
    if (
      pods.length === 1 &&
      root.topology === undefined &&
      root.children.length === 0 &&
      pods[0].role!.role.topology === undefined
    ) {
      return haveClaims(pods) ? this.claims.place(pods, within) : this.placeOne(pods[0], within);
    }
    // Where pods depend on one another each node has to be looked at, which is worth it for large gangs and domains alone.
    const worth = !this.concerns(pods) || pods.length >= WORTH_COUNTING || root.topology !== undefined;
    if (worth && !this.room.mayHold(pods, within)) {
      return false;
    }
    const wanted = new Set(pods);
    const tried = (inside: Within): boolean =>
      this.session.ledger.attempt(() => this.unit(this.together(root, pods), wanted, inside));
    return tried(within) || (!within.wishless && prefers(pods) && tried({ ...within, wishless: true }));
  }

  private concerns(pods: readonly PodRecord[]): boolean {
    const { others } = this.session;
    return others.active && [...classesOf(pods).keys()].some((podClass) => others.concerns(podClass));
  }

  /** The gang with a preference to stay together, if it sets no topology itself and there is one. */
  private together(root: UnitRecord, pods: readonly PodRecord[]): Part {
    const { policy, topologyList } = this.session;
    const silent =
      policy.gangSpread === 'together' &&
      root.topology === undefined &&
      root.children.every(saysNothing) &&
      root.roles.every(({ role }) => role.topology === undefined) &&
      pods.some(({ podClass }) => podClass.deviceCount > 0 || podClass.claims.length > 0);
    const [topology] = silent ? topologyList : [];
    const level = topology?.levels.filter((label) => label !== HOSTNAME).at(-1);
    return level === undefined ? root : { ...root, topology: { topology: topology.name, preferred: level } };
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
   * takes back choices, for gangs of up to `MOST_SEARCHED` pods.
   */
  private parts(unit: Part, wanted: ReadonlySet<PodRecord>, within: Within): boolean {
    if (this.session.hasClaims && isPlain(unit)) {
      const pods = podsOf(unit, (pod) => wanted.has(pod));
      if (haveClaims(pods)) {
        return this.claims.place(pods, within);
      }
    }
    if (this.session.ledger.attempt(() => this.inOrder(unit, wanted, within, unit.roles))) {
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
      role.pods.reduce(
        (most, pod) => (wanted.has(pod) ? Math.max(most, sizeIn(this.session.table, pod.podClass)) : most),
        0,
      );
    const inOrder = [...unit.roles].sort((a, b) => size(b) - size(a));
    return (
      this.session.ledger.attempt(() => this.inOrder(unit, wanted, within, inOrder)) ||
      this.searched(unit, wanted, within)
    );
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
    if (haveClaims(pods)) {
      return this.claims.place(pods, within);
    }
    if (
      pods.length > 1 &&
      this.isPacked(pods[0].podClass) &&
      pods.every(({ podClass }) => podClass === pods[0].podClass)
    ) {
      if (this.session.ledger.attempt(() => this.packed(pods, within))) {
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
    const room = (row: number): number => (without?.[row] === 1 ? 0 : this.room.onRow(podClass, row));
    const score = this.selector.scoresOf(podClass, wishless, rows?.length);
    const parts = fewestRows(rows ?? this.index.openRows(podClass), pods.length, room, score);
    let next = 0;
    return (
      parts !== undefined &&
      parts.every(({ row, pods: here }) =>
        pods.slice(next, (next += here)).every((pod) => ledger.fits(podClass, row) && ledger.place(pod, row)),
      )
    );
  }

  /** The joint search over the pods, the largest first. */
  private searched(unit: Part, wanted: ReadonlySet<PodRecord>, within: Within): boolean {
    const larger = largestFirst(this.session.table);
    const pods = unit.roles
      .flatMap((role) => role.pods.filter((pod) => wanted.has(pod)))
      .sort((a, b) => larger(a, b) || a.index - b.index);
    const plain =
      unit.children.length === 0 &&
      unit.roles.every(({ role }) => role.topology === undefined || role.topology === unit.topology);
    if (!plain || pods.length > MOST_SEARCHED) {
      return false;
    }
    return this.joint.place(pods, () => within);
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
    const kind = haveClaims(pods) ? undefined : sameKind(unit, pods);
    if (kind !== undefined && running.length === 0 && this.evenly(tree, kind, pods, topology, within)) {
      return true;
    }
    for (let level = first; level >= Math.max(required, 0); level--) {
      for (const domain of this.candidates(tree, level, pods, within, running)) {
        const inside = intersect(within, tree, domain);
        const done = this.session.ledger.attempt(() =>
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
    if (
      kind !== undefined &&
      this.session.ledger.attempt(() => this.spread(tree, kind, pods, anywhere, within, undefined))
    ) {
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
      required === undefined ? [undefined] : [...this.candidates(tree, tree.levelOf(required), pods, within, [])];
    return outer.some((domain) => {
      const inside = domain === undefined ? within : intersect(within, tree, domain);
      return this.session.ledger.attempt(() => this.spread(tree, kind, pods, request, inside, domain));
    });
  }

  /** Domains of the level that could take all of the pods, the tightest first. */
  private candidates(
    tree: TopologyTree,
    level: number,
    pods: readonly PodRecord[],
    within: Within,
    running: readonly number[],
  ): Iterable<Domain> {
    const kinds = classesOf(pods);
    const [{ podClass }] = pods;
    const byNodes = kinds.size === 1 && pods.length > 1 && this.isPacked(podClass);
    const isConcerned = this.concerns(pods);
    // A full cluster has few domains with any room.
    const open = isConcerned ? tree.byLevel[level] : this.index.openDomains(podClass, tree, level);
    const counted = isConcerned
      ? []
      : [...kinds].map(([one, count]) => ({ byDomain: this.index.domains(one, tree), count }));
    const hasRoom = ({ index, rows }: Domain): boolean =>
      counted.every(({ byDomain, count }) => byDomain[index] >= count) &&
      (running.length === 0 || running.some((row) => rows.includes(row)));
    if (!isConcerned && within.rows === undefined && within.without === undefined) {
      // No look at the rows of domains.
      const nodesOf = byNodes ? this.nodes.of(podClass, tree, pods.length) : (): number => 0;
      const spareOf = ({ index }: Domain): number =>
        counted.reduce((least, { byDomain, count }) => Math.min(least, byDomain[index] / count), Infinity);
      return tightestFirst(
        open.filter(hasRoom).map((domain) => ({ domain, nodes: nodesOf(domain), spare: spareOf(domain) })),
      );
    }
    const found: Candidate[] = [];
    for (const domain of open.filter(hasRoom)) {
      const rows = intersect(within, tree, domain);
      const most = [...kinds].map(([one, count]) => this.room.capacity(one, rows, Infinity) / count);
      if (most.every((times) => times >= 1)) {
        const room = (row: number): number => (within.without?.[row] === 1 ? 0 : this.room.onRow(podClass, row));
        const nodes = byNodes ? fewestRowsCount(rows.rows!, pods.length, room) : 0;
        found.push({ domain, nodes, spare: Math.min(...most) });
      }
    }
    return tightestFirst(found);
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
      return this.room.capacity(kind.worker, rows, workers.length) >= workers.length && this.placeEach(workers, rows);
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
      kind.leader !== undefined || this.session.others.concerns(kind.worker)
        ? undefined
        : this.index.domains(kind.worker, tree);
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
    const pods = this.room.capacity(kind.worker, rows, limit);
    if (kind.leader === undefined) {
      return { pods, leader: false, podsWithLeader: pods };
    }
    const { ledger } = this.session;
    const mark = ledger.mark();
    const leader = this.placeOne(kind.leader, rows);
    const podsWithLeader = leader ? this.room.capacity(kind.worker, rows, limit) : pods;
    ledger.rollback(mark);
    return { pods, leader, podsWithLeader };
  }
}

/** Whether the pods can be chosen together: nothing inside has a topology of its own. */
function isPlain({ children, roles, topology }: Part): boolean {
  return (
    roles.every(({ role }) => role.topology === undefined || role.topology === topology) &&
    children.every((child) => child.topology === undefined && isPlain(child))
  );
}

/** Gangs with more pods than this are not searched. */
const MOST_SEARCHED = 32;

/** From this number of pods on, capacity is counted before pods are placed one by one; with a topology always, since domains cost more to try. */
const WORTH_COUNTING = 16;

const NO_ROOM = { pods: 0, leader: false, podsWithLeader: 0 };

function slices(
  tree: TopologyTree,
  { sliceLevel, sliceSize }: TopologyConstraint,
): Pick<TopologyRequest, 'sliceLevel' | 'sliceSize'> {
  return sliceLevel === undefined ? {} : { sliceLevel: tree.levelOf(sliceLevel), sliceSize: sliceSize ?? 1 };
}

/** Do all pods go to this one domain, however they are told apart? */
function isWhole({ mode, balanced = false, sliceLevel }: TopologyRequest, { children }: Domain): boolean {
  return mode === 'required' && !balanced && sliceLevel === undefined && children.length === 0;
}
