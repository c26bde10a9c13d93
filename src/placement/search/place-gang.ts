/**
 * Places the pods of one gang, all or none.
 *
 * Units (the gang, its subgroups, roles with a topology of their own) are placed from the outside in. A unit with a topology constraint
 * goes to `domain-placer.ts`. The pods of a unit go one by one to the best row (`pod-placer.ts`), in the order of roles, else the largest
 * first, else by a bounded search. Every attempt is a mark in the operation log, and what fails is rolled back.
 */
import { type TopologyConstraint } from '../model/model';
import { HOSTNAME } from '../topology/domains';
import { type PodClass } from '../nodes/pod-class';
import { type PodRecord, type RoleRecord, type UnitRecord } from '../books/records';
import { type Session } from '../books/session';
import { ClaimSearch } from './claim-search';
import { DomainPlacer } from './domain-placer';
import { JointSearch } from './joint-search';
import { PodPlacer } from './pod-placer';
import { largestFirst, sizeIn } from './pod-size';
import { Room } from './room';
import { type Selector, type Within } from './select';
import { haveClaims, type Part, podsOf, prefers, saysNothing } from './units';

export class GangPlacer {
  readonly room: Room;
  readonly joint: JointSearch;
  private readonly claims: ClaimSearch;
  private readonly each: PodPlacer;
  private readonly domains: DomainPlacer;
  /** The innermost level of the first topology as a preference. */
  private readonly innermost: TopologyConstraint | undefined;

  constructor(
    private readonly session: Session,
    selector: Selector,
  ) {
    const [topology] = session.topologyList;
    const level = topology?.levels.filter((label) => label !== HOSTNAME).at(-1);
    this.innermost = level === undefined ? undefined : { topology: topology.name, preferred: level };
    this.room = new Room(session);
    this.joint = new JointSearch(session, selector);
    this.claims = new ClaimSearch(session, selector);
    this.each = new PodPlacer(session, selector, this.room, this.claims);
    this.domains = new DomainPlacer(session, this.room, this.each, (unit, wanted, within) =>
      this.parts(unit, wanted, within),
    );
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
      return haveClaims(pods) ? this.claims.place(pods, within) : this.each.placeOne(pods[0], within);
    }
    // Where pods depend on one another each node has to be looked at, which is worth it for large gangs and domains alone.
    const worth = !this.each.concerns(pods) || pods.length >= WORTH_COUNTING || root.topology !== undefined;
    if (worth && !this.room.mayHold(pods, within)) {
      return false;
    }
    const wanted = new Set(pods);
    const tried = (inside: Within): boolean =>
      this.session.ledger.attempt(() => this.unit(this.together(root, pods), wanted, inside));
    return tried(within) || (!within.wishless && prefers(pods) && tried({ ...within, wishless: true }));
  }

  /** The gang with a preference to stay together, if it sets no topology itself and there is one. */
  private together(root: UnitRecord, pods: readonly PodRecord[]): Part {
    const silent =
      this.session.policy.gangSpread === 'together' &&
      root.topology === undefined &&
      root.children.every(saysNothing) &&
      root.roles.every(({ role }) => role.topology === undefined) &&
      pods.some(({ podClass }) => podClass.deviceCount > 0 || podClass.claims.length > 0);
    return silent && this.innermost !== undefined ? { ...root, topology: this.innermost } : root;
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
    return this.domains.place(unit, pods, wanted, topology, tree, within);
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
        !this.each.placeEach(
          role.pods.filter((pod) => wanted.has(pod)),
          within,
        )
      ) {
        return false;
      }
    }
    return true;
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
