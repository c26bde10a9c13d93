/**
 * Which domains of a topology take how many pods of one kind.
 *
 * The method is that of Kueue's topology-aware scheduling, in three phases:
 *
 * 1. *Count.* Every lowest domain says how many pods it takes, and how many beside a leader. Roll up: a domain takes the sum of its
 *    children; from the level of slices upwards whole slices are counted as well. With a leader one child gives up what the leader costs
 *    least in.
 * 2. *Find the level.* Among the domains of the wanted level, the fullest one that takes everything (best fit). `required` ends there;
 *    `preferred` climbs level by level to the top, and when no single domain is enough splits: largest first, best fit for the last part.
 *    Unconstrained work starts at the lowest level and splits there.
 * 3. *Descend.* From the chosen domains down, each level is filled the same way: largest first, best fit for the last part, which uses the
 *    fewest domains at every level. Below the level of slices every domain hands on exactly what it was given.
 *
 * Order at every choice: more slices first, then fewer spare pods, then the level values. O(leaves + D log D) for D domains.
 */
import { type Domain, type TopologyTree } from './domains';

export interface TopologyRequest {
  /** Pods, without the leader. */
  readonly count: number;
  readonly mode: 'required' | 'preferred' | 'unconstrained';
  /** Index of the level in the tree. */
  readonly level: number;
  /** @default 1 */
  readonly sliceSize?: number;
  /** @default - the lowest level */
  readonly sliceLevel?: number;
  /** Slices within slices: size by level, for levels below `sliceLevel`. Each size divides the one above. */
  readonly innerSlices?: ReadonlyMap<number, number>;
  /** A leader that takes room in one of the domains. @default false */
  readonly leader?: boolean;
  /** Take the emptiest domain that is enough, so that large ones stay whole. @default false */
  readonly leastFreeFirst?: boolean;
}

/** What a lowest domain takes. */
export interface LeafRoom {
  readonly pods: number;
  /** Can the leader be here? */
  readonly leader: boolean;
  /** Pods beside the leader. */
  readonly podsWithLeader: number;
}

export type TopologyAssignment =
  | { readonly fits: true; readonly domains: readonly { readonly domain: Domain; readonly count: number }[]; readonly leader?: Domain }
  /** The best single domain, or all together, takes only so many. */
  | { readonly fits: false; readonly most: number };

/** Assigns `request` on the tree; `roomOf` is asked once for each lowest domain. */
export function assignTopology(tree: TopologyTree, request: TopologyRequest, roomOf: (leaf: Domain) => LeafRoom): TopologyAssignment {
  return new Search(tree, request, roomOf).run();
}

class Search {
  private readonly pods: Int32Array;
  private readonly podsWith: Int32Array;
  private readonly slices: Int32Array;
  private readonly slicesWith: Int32Array;
  private readonly leaders: Int32Array;
  private readonly size: number;
  private readonly sliceLevel: number;
  private readonly lowest: number;

  constructor(
    private readonly tree: TopologyTree,
    private readonly request: TopologyRequest,
    private readonly roomOf: (leaf: Domain) => LeafRoom,
  ) {
    const count = tree.domains.length;
    [this.pods, this.podsWith, this.slices, this.slicesWith, this.leaders] = Array.from({ length: 5 }, () => new Int32Array(count));
    this.lowest = tree.levels.length - 1;
    this.size = request.sliceSize ?? 1;
    this.sliceLevel = request.sliceLevel ?? this.lowest;
  }

  run(): TopologyAssignment {
    this.tree.roots.forEach((root) => this.countUp(root));
    const found = this.findLevel(this.request.level);
    if ('most' in found) {
      return { fits: false, most: found.most };
    }
    const { count } = this.request;
    const leader = this.request.leader === true ? 1 : 0;
    let level = found.level;
    let chosen = this.fill(found.domains, count, leader, this.size, true);
    for (; level < Math.min(this.lowest, this.sliceLevel); level++) {
      chosen = this.fill(this.sorted(chosen.flatMap(({ children }) => children)), count, leader, this.size, true);
    }
    for (; level < this.lowest; level++) {
      const size = this.request.innerSlices?.get(level + 1) ?? 1;
      chosen = chosen.flatMap((domain) => this.handDown(domain, size));
    }
    return {
      fits: true,
      domains: chosen.filter(({ index }) => this.pods[index] > 0).sort(byValues)
        .map((domain) => ({ domain, count: this.pods[domain.index] })),
      leader: chosen.find(({ index }) => this.leaders[index] > 0),
    };
  }

  private handDown(domain: Domain, size: number): Domain[] {
    if (size > 1) {
      for (const { index } of domain.children) {
        this.slices[index] = Math.floor(this.pods[index] / size);
        this.slicesWith[index] = Math.floor(this.podsWith[index] / size);
      }
    }
    return this.fill(this.sorted(domain.children), this.pods[domain.index], this.leaders[domain.index], size, size > 1);
  }

  private countUp(domain: Domain): void {
    const { index, level, children } = domain;
    if (children.length === 0) {
      const { pods, leader, podsWithLeader } = this.roomOf(domain);
      this.pods[index] = pods;
      this.leaders[index] = this.request.leader === true && leader ? 1 : 0;
      this.podsWith[index] = this.request.leader === true ? podsWithLeader : pods;
    } else {
      this.sumUp(index, level, children);
    }
    if (level === this.sliceLevel) {
      this.slices[index] = Math.floor(this.pods[index] / this.size);
      this.slicesWith[index] = Math.floor(this.podsWith[index] / this.size);
    }
  }

  private sumUp(index: number, level: number, children: readonly Domain[]): void {
    const inner = this.request.innerSlices?.get(level + 1) ?? 1;
    let leastPods = Infinity;
    let leastSlices = Infinity;
    for (const child of children) {
      this.countUp(child);
      const pods = Math.floor(this.pods[child.index] / inner) * inner;
      const podsWith = Math.floor(this.podsWith[child.index] / inner) * inner;
      this.pods[index] += pods;
      this.slices[index] += this.slices[child.index];
      this.leaders[index] = Math.max(this.leaders[index], this.leaders[child.index]);
      if (this.request.leader !== true || this.leaders[child.index] > 0) {
        leastPods = Math.min(leastPods, pods - podsWith);
        leastSlices = Math.min(leastSlices, this.slices[child.index] - this.slicesWith[child.index]);
      }
    }
    this.podsWith[index] = leastPods === Infinity ? 0 : this.pods[index] - leastPods;
    this.slicesWith[index] = leastSlices === Infinity ? 0 : this.slices[index] - leastSlices;
  }

  private findLevel(level: number): { level: number; domains: Domain[] } | { most: number } {
    const { mode, count } = this.request;
    const leaders = this.request.leader === true ? 1 : 0;
    const wanted = Math.floor(count / this.size);
    const sorted = this.sortedWithLeader(this.tree.byLevel[level]);
    if (sorted.length === 0) {
      return { most: 0 };
    }
    if (this.emptiestFirst()) {
      const enough = sorted.find(({ index }) => this.slices[index] >= wanted);
      if (enough !== undefined) {
        return { level, domains: [enough] };
      }
    }
    const top = sorted[0];
    if (this.slicesWith[top.index] >= wanted && this.leaders[top.index] >= leaders) {
      return { level, domains: [this.emptiestFirst() ? top : this.tightest(sorted, wanted, this.slicesFor(leaders))] };
    }
    if (mode === 'required') {
      return { most: this.slices[top.index] * this.size };
    }
    return level > 0 && mode === 'preferred' ? this.findLevel(level - 1) : this.split(level, sorted, wanted, leaders);
  }

  /** No domain is enough: as few as can be, those for the leader first. */
  private split(level: number, sorted: Domain[], wanted: number, leaders: number): { level: number; domains: Domain[] } | { most: number } {
    const domains: Domain[] = [];
    let slices = wanted;
    let next = 0;
    for (; leaders > 0 && next < sorted.length && this.leaders[sorted[next].index] > 0; next++) {
      const rest = sorted.slice(next);
      const domain = !this.emptiestFirst() && this.slicesWith[rest[0].index] >= slices
        ? this.tightest(rest, slices, this.slicesWith) : rest[0];
      domains.push(domain);
      leaders -= this.leaders[domain.index];
      slices -= this.slicesWith[domain.index];
    }
    if (leaders > 0) {
      return { most: 0 };
    }
    const others = this.sorted(sorted.slice(next));
    for (let i = 0; slices > 0 && i < others.length; i++) {
      const rest = others.slice(i);
      const domain = !this.emptiestFirst() && this.slices[rest[0].index] >= slices ? this.tightest(rest, slices, this.slices) : rest[0];
      domains.push(domain);
      slices -= this.slices[domain.index];
    }
    return slices > 0 ? { most: (wanted - slices) * this.size } : { level, domains };
  }

  /**
   * Gives `count` pods and the leader to the domains in their order, the last part to the tightest that takes it. What a domain is given is
   * left in `pods` and `leaders`. The caller knows that it fits.
   */
  private fill(domains: readonly Domain[], count: number, leaders: number, size: number, bySlices: boolean): Domain[] {
    const unit = bySlices ? size : 1;
    const plain = bySlices ? this.slices : this.pods;
    const withLeader = bySlices ? this.slicesWith : this.podsWith;
    const result: Domain[] = [];
    let remaining = Math.floor(count / unit);
    for (let i = 0; i < domains.length; i++) {
      const room = leaders > 0 ? withLeader : plain;
      let domain = domains[i];
      if (!this.emptiestFirst() && room[domain.index] >= remaining && this.leaders[domain.index] >= leaders) {
        domain = this.tightest(domains.slice(i), remaining, room);
      }
      const { index } = domain;
      const given = Math.min(room[index], remaining);
      this.leaders[index] = Math.min(leaders, this.leaders[index]);
      const last = given === remaining && this.leaders[index] >= leaders;
      this.pods[index] = given * unit;
      this.slices[index] = bySlices ? given : this.slices[index];
      leaders -= this.leaders[index];
      remaining -= given;
      result.push(domain);
      if (last) {
        break;
      }
    }
    return result;
  }

  private emptiestFirst(): boolean {
    return this.request.leastFreeFirst === true && this.request.mode === 'unconstrained';
  }

  private slicesFor(leaders: number): Int32Array {
    return leaders > 0 ? this.slicesWith : this.slices;
  }

  /** The first of the smallest that are enough; the first of all when none is. */
  private tightest(domains: readonly Domain[], needed: number, room: Int32Array): Domain {
    let best = domains[0];
    for (const domain of domains) {
      if (room[domain.index] >= needed && room[domain.index] < room[best.index]) {
        best = domain;
      }
    }
    return best;
  }

  private sorted(domains: readonly Domain[]): Domain[] {
    const sign = this.emptiestFirst() ? 1 : -1;
    return [...domains].sort((a, b) =>
      sign * (this.slices[a.index] - this.slices[b.index]) || this.pods[a.index] - this.pods[b.index] || byValues(a, b));
  }

  private sortedWithLeader(domains: readonly Domain[]): Domain[] {
    const sign = this.emptiestFirst() ? 1 : -1;
    return [...domains].sort((a, b) =>
      this.leaders[b.index] - this.leaders[a.index] ||
      sign * (this.slicesWith[a.index] - this.slicesWith[b.index]) ||
      this.podsWith[a.index] - this.podsWith[b.index] ||
      byValues(a, b));
  }
}

function byValues(a: Domain, b: Domain): number {
  for (let i = 0; i < a.values.length && i < b.values.length; i++) {
    if (a.values[i] !== b.values[i]) {
      return a.values[i] < b.values[i] ? -1 : 1;
    }
  }
  return a.values.length - b.values.length;
}
