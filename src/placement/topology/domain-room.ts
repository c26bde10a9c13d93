/**
 * How many pods, and how many whole slices, each domain of a topology takes, alone and beside a leader.
 *
 * Every lowest domain says what it takes. Rolled up: a domain takes the sum of its children; from the level of slices upwards whole slices
 * are counted as well. With a leader one child gives up what the leader costs least in.
 */
import { type Domain, leavesBelow, type TopologyTree } from './domains';

/** What a lowest domain takes. */
export interface LeafRoom {
  readonly pods: number;
  /** Can the leader be here? */
  readonly leader: boolean;
  /** Pods beside the leader. */
  readonly podsWithLeader: number;
  /** How much the pods would like to be here: domains of more come before all others that are as able. @default 0 */
  readonly preference?: number;
}

/** What is counted: pods come in slices of `sliceSize`, each within one domain of `sliceLevel`. */
export interface RoomUnits {
  readonly sliceSize: number;
  readonly sliceLevel: number;
  /** Slices within slices: size by level, for levels below `sliceLevel`. */
  readonly innerSlices?: ReadonlyMap<number, number>;
  readonly leader: boolean;
  /** The emptiest domain comes first, so that large ones stay whole; else the fullest. */
  readonly leastFreeFirst: boolean;
}

export class DomainRoom {
  /** @param within only this domain has any room. @default - all have */
  static of(tree: TopologyTree, units: RoomUnits, roomOf: (leaf: Domain) => LeafRoom, within?: Domain): DomainRoom {
    const { length } = tree.domains;
    const spare = length === spareLength ? spares.pop() : undefined;
    const room = spare === undefined ? DomainRoom.empty(units, length) : spare.emptied(units);
    for (const leaf of within === undefined ? tree.leaves : leavesBelow(within)) {
      const { pods, leader, podsWithLeader, preference = 0 } = roomOf(leaf);
      room.pods[leaf.index] = pods;
      room.leaders[leaf.index] = units.leader && leader ? 1 : 0;
      room.podsWith[leaf.index] = units.leader ? podsWithLeader : pods;
      room.preference[leaf.index] = preference;
    }
    (within === undefined ? tree.roots : [within]).forEach((root) => room.rollUp(root));
    return room;
  }

  private static empty(units: RoomUnits, length: number): DomainRoom {
    return new DomainRoom(
      units,
      new Int32Array(length),
      new Int32Array(length),
      new Int32Array(length),
      new Int32Array(length),
      new Int32Array(length),
      new Float64Array(length),
    );
  }

  private constructor(
    public units: RoomUnits,
    readonly pods: Int32Array,
    readonly podsWith: Int32Array,
    readonly slices: Int32Array,
    readonly slicesWith: Int32Array,
    readonly leaders: Int32Array,
    readonly preference: Float64Array,
  ) {}

  private emptied(units: RoomUnits): DomainRoom {
    this.units = units;
    this.pods.fill(0);
    this.podsWith.fill(0);
    this.slices.fill(0);
    this.slicesWith.fill(0);
    this.leaders.fill(0);
    this.preference.fill(0);
    return this;
  }

  /** Is not looked at any more: its arrays, which cost more than what is counted in them, serve the next count. */
  release(): void {
    if (this.pods.length !== spareLength) {
      spareLength = this.pods.length;
      spares.length = 0;
    }
    if (spares.length < MOST_SPARES) {
      spares.push(this);
    }
  }

  /** The same room, to be changed by itself. */
  copy(): DomainRoom {
    const { units, pods, podsWith, slices, slicesWith, leaders, preference } = this;
    return new DomainRoom(
      units,
      pods.slice(),
      podsWith.slice(),
      slices.slice(),
      slicesWith.slice(),
      leaders.slice(),
      preference,
    );
  }

  /** Counts a domain from its lowest domains up. */
  rollUp(domain: Domain): void {
    const { index, level, children } = domain;
    children.forEach((child) => this.rollUp(child));
    if (children.length > 0) {
      this.sumUp(index, level, children);
    }
    if (level === this.units.sliceLevel) {
      this.countSlices(domain, this.units.sliceSize);
    }
  }

  /** Counts the slices of a domain by its pods. */
  countSlices({ index }: Domain, size: number): void {
    this.slices[index] = Math.floor(this.pods[index] / size);
    this.slicesWith[index] = Math.floor(this.podsWith[index] / size);
  }

  private sumUp(index: number, level: number, children: readonly Domain[]): void {
    // A child hands out whole inner slices only.
    const inner = this.units.innerSlices?.get(level + 1) ?? 1;
    let [pods, slices, leaders, preference] = [0, 0, 0, 0];
    let [leastPods, leastSlices] = [Infinity, Infinity];
    for (const child of children) {
      const all = Math.floor(this.pods[child.index] / inner) * inner;
      const beside = Math.floor(this.podsWith[child.index] / inner) * inner;
      pods += all;
      slices += this.slices[child.index];
      leaders = Math.max(leaders, this.leaders[child.index]);
      preference += this.preference[child.index];
      if (!this.units.leader || this.leaders[child.index] > 0) {
        leastPods = Math.min(leastPods, all - beside);
        leastSlices = Math.min(leastSlices, this.slices[child.index] - this.slicesWith[child.index]);
      }
    }
    this.pods[index] = pods;
    this.slices[index] = slices;
    this.leaders[index] = leaders;
    this.preference[index] = preference;
    this.podsWith[index] = leastPods === Infinity ? 0 : pods - leastPods;
    this.slicesWith[index] = leastSlices === Infinity ? 0 : slices - leastSlices;
  }

  /** Most preferred first, then more slices (or fewer, where the emptiest comes first), then fewer spare pods, then by their values. */
  sorted(domains: readonly Domain[]): Domain[] {
    return this.sortedBy(domains, this.slices, this.pods);
  }

  /** The same by what they take beside a leader; those that can have the leader first. */
  sortedWithLeader(domains: readonly Domain[]): Domain[] {
    return this.sortedBy(domains, this.slicesWith, this.podsWith, this.leaders);
  }

  private sortedBy(domains: readonly Domain[], slices: Int32Array, pods: Int32Array, first?: Int32Array): Domain[] {
    const sign = this.units.leastFreeFirst ? 1 : -1;
    return [...domains].sort(
      (a, b) =>
        (first === undefined ? 0 : first[b.index] - first[a.index]) ||
        this.preference[b.index] - this.preference[a.index] ||
        sign * (slices[a.index] - slices[b.index]) ||
        pods[a.index] - pods[b.index] ||
        byValues(a, b),
    );
  }

  /**
   * The first of the smallest that are enough and can have the leaders, among those that are preferred as much as the first; the first of
   * all where none is.
   */
  tightest(domains: readonly Domain[], needed: number, room: Int32Array, leaders: number): Domain {
    const [first] = domains;
    let best: Domain | undefined;
    for (const domain of domains) {
      const { index } = domain;
      if (this.preference[index] !== this.preference[first.index]) {
        break;
      }
      if (this.leaders[index] < leaders || room[index] < needed) {
        continue;
      }
      if (best === undefined || room[index] < room[best.index]) {
        best = domain;
      }
    }
    return best ?? first;
  }

  /**
   * The domains in their order, but the first that can have the leader without the rest becoming too small comes before all others: what
   * was rolled up counts on the leader being where it costs least.
   */
  leaderFirst(
    domains: readonly Domain[],
    needed: number,
    leaders: number,
    plain: Int32Array,
    beside: Int32Array,
  ): readonly Domain[] {
    if (leaders === 0 || domains.length < 2) {
      return domains;
    }
    const slack = domains.reduce((sum, { index }) => sum + plain[index], 0) - needed;
    const host = domains.find(({ index }) => this.leaders[index] >= leaders && plain[index] - beside[index] <= slack);
    return host === undefined ? domains : [host, ...domains.filter((domain) => domain !== host)];
  }
}

/** Rooms that are not in use, all of one length: mostly one tree is counted again and again. */
const spares: DomainRoom[] = [];
let spareLength = 0;
const MOST_SPARES = 4;

/** By the values of the levels, outermost first. */
export function byValues(a: Domain, b: Domain): number {
  for (let i = 0; i < a.values.length && i < b.values.length; i++) {
    if (a.values[i] !== b.values[i]) {
      return a.values[i] < b.values[i] ? -1 : 1;
    }
  }
  return a.values.length - b.values.length;
}
