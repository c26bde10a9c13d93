/**
 * Places a unit with a topology constraint in domains, from the tightest: for `required` those of the required level, from the preferred level
 * outwards when there is one; `preferred` alone ends with the whole cluster. Pods of one kind are spread over a domain by `assignTopology`, so
 * that they touch the fewest domains of every level; what else a unit consists of is placed inside a domain by the caller's `parts`. A unit
 * with running pods stays in their domain.
 *
 * O(domains tried × (pods × rows read + rows scored)); one kind of pod in one domain is O(leaves + pods).
 */
import { type PodRecord } from '../books/records';
import { type Session } from '../books/session';
import { type TopologyConstraint } from '../model/model';
import { type PodClass } from '../nodes/pod-class';
import { type Domain, type TopologyTree } from '../topology/domains';
import { assignTopology, type TopologyRequest } from '../topology/topology';
import { type Candidate, tightestFirst } from './candidates';
import { DomainNodes } from './domain-nodes';
import { fewestRowsCount } from './fewest-rows';
import { type PodPlacer } from './pod-placer';
import { type Room } from './room';
import { RoomIndex } from './room-index';
import { preferenceRow } from './score/static-preference';
import { type Within } from './select';
import { classesOf, haveClaims, type Kind, type Part, placedRows, sameKind } from './units';
import { intersect, isUnder } from './within';

export class DomainPlacer {
  private readonly index: RoomIndex;
  private readonly nodes: DomainNodes;
  private readonly preferences = new Map<PodClass, Float64Array>();

  /** @param parts places what the unit consists of */
  constructor(
    private readonly session: Session,
    private readonly room: Room,
    private readonly each: PodPlacer,
    private readonly parts: (unit: Part, wanted: ReadonlySet<PodRecord>, within: Within) => boolean,
  ) {
    this.index = session.index(RoomIndex);
    this.nodes = session.index(DomainNodes);
  }

  /** Places the pods, which are those of the unit that are wanted. */
  place(
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
    const byNodes = kinds.size === 1 && pods.length > 1 && this.each.isPacked(podClass);
    const isConcerned = this.each.concerns(pods);
    // A full cluster has few domains with any room.
    const open = isConcerned ? tree.byLevel[level] : this.index.openDomains(podClass, tree, level);
    const counted: { readonly byDomain: Float64Array; readonly count: number }[] = [];
    if (!isConcerned) {
      kinds.forEach((count, one) => counted.push({ byDomain: this.index.domains(one, tree), count }));
    }
    const hasRoom = ({ index, rows }: Domain): boolean => {
      for (let i = 0; i < counted.length; i++) {
        if (counted[i].byDomain[index] < counted[i].count) {
          return false;
        }
      }
      return running.length === 0 || running.some((row) => rows.includes(row));
    };
    if (!isConcerned && within.rows === undefined && within.without === undefined) {
      // No look at the rows of domains.
      const nodesOf = byNodes ? this.nodes.of(podClass, tree, pods.length) : undefined;
      const fitting: Candidate[] = [];
      for (let i = 0; i < open.length; i++) {
        const domain = open[i];
        if (hasRoom(domain)) {
          let spare = Infinity;
          for (const { byDomain, count } of counted) {
            spare = Math.min(spare, byDomain[domain.index] / count);
          }
          fitting.push({ domain, nodes: nodesOf === undefined ? 0 : nodesOf(domain), spare });
        }
      }
      return tightestFirst(fitting);
    }
    const found: Candidate[] = [];
    for (const domain of open.filter(hasRoom)) {
      const rows = intersect(within, tree, domain);
      let spare = Infinity;
      for (const [one, count] of kinds) {
        spare = Math.min(spare, this.room.capacity(one, rows, Infinity) / count);
      }
      if (spare >= 1) {
        const room = (row: number): number => (within.without?.[row] === 1 ? 0 : this.room.onRow(podClass, row));
        const nodes = byNodes ? fewestRowsCount(rows.rows!, pods.length, room) : 0;
        found.push({ domain, nodes, spare });
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
      return (
        this.room.capacity(kind.worker, rows, workers.length) >= workers.length && this.each.placeEach(workers, rows)
      );
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
    const isCounted = counted !== undefined && within.rows === undefined && within.without === undefined;
    const assignment = assignTopology(tree, asked, (leaf) => {
      if (counted?.[leaf.index] === 0 || (domain !== undefined && !isUnder(leaf, domain))) {
        return NO_ROOM;
      }
      const preference = this.preferenceOf(kind.worker, leaf);
      return isCounted
        ? { pods: counted[leaf.index], leader: false, podsWithLeader: counted[leaf.index], preference }
        : { ...this.leafRoom(kind, rowsOf(leaf), pods.length), preference };
    });
    if (!assignment.fits) {
      return false;
    }
    if (kind.leader !== undefined && !this.each.placeOne(kind.leader, rowsOf(assignment.leader!))) {
      return false;
    }
    let next = 0;
    for (const { domain: leaf, count } of assignment.domains) {
      if (!this.each.placeEach(workers.slice(next, (next += count)), rowsOf(leaf))) {
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
    const leader = this.each.placeOne(kind.leader, rows);
    const podsWithLeader = leader ? this.room.capacity(kind.worker, rows, limit) : pods;
    ledger.rollback(mark);
    return { pods, leader, podsWithLeader };
  }
}

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
