/**
 * Which domains of a topology take how many pods of one kind.
 *
 * The method is that of Kueue's topology-aware scheduling, in three phases:
 *
 * 1. *Count* (`domain-room.ts`). What every domain takes, from the lowest ones up.
 * 2. *Find the level.* Among the domains of the wanted level, the fullest one that takes everything (best fit). `required` ends there;
 *    `preferred` climbs level by level to the top, and when no single domain is enough splits: largest first, best fit for the last part.
 *    Unconstrained work starts at the lowest level and splits there. Balanced work has another objective (`balanced.ts`).
 * 3. *Descend.* From the chosen domains down, each level is filled the same way: largest first, best fit for the last part, which uses the
 *    fewest domains at every level. Below the level of slices every domain hands on exactly what it was given.
 *
 * Order at every choice: domains that the pods prefer, then more slices, then fewer spare pods, then the level values. O(leaves + D log D)
 * for D domains.
 */
import { balancedStart } from './balanced';
import { byValues, DomainRoom, type LeafRoom } from './domain-room';
import { type Domain, domainsBelow, type TopologyTree } from './domains';

export { type LeafRoom } from './domain-room';

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
  /** Only this domain is considered. @default - the whole tree */
  readonly within?: Domain;
  /** A leader that takes room in one of the domains. @default false */
  readonly leader?: boolean;
  /** Unconstrained work takes the emptiest domain that is enough, so that large ones stay whole. @default false */
  readonly leastFreeFirst?: boolean;
  /** Preferred work is spread evenly over the fewest domains, where that can be. @default false */
  readonly balanced?: boolean;
}

export type TopologyAssignment =
  | {
      readonly fits: true;
      readonly domains: readonly { readonly domain: Domain; readonly count: number }[];
      readonly leader?: Domain;
    }
  /** How many pods the best single domain, or all domains together, can take. */
  | { readonly fits: false; readonly most: number };

/** Assigns `request` on the tree; `roomOf` is asked once for each lowest domain. */
export function assignTopology(
  tree: TopologyTree,
  request: TopologyRequest,
  roomOf: (leaf: Domain) => LeafRoom,
): TopologyAssignment {
  const search = new Search(tree, request, roomOf);
  const assignment = search.run();
  search.release();
  return assignment;
}

/** Domains of one level that take everything together. */
interface Found {
  readonly level: number;
  readonly domains: readonly Domain[];
}

class Search {
  private room: DomainRoom;
  private readonly lowest: number;
  private readonly size: number;
  private readonly sliceLevel: number;
  /** In slices. */
  private readonly wanted: number;
  private readonly leaders: number;
  private readonly emptiestFirst: boolean;

  constructor(
    private readonly tree: TopologyTree,
    private readonly request: TopologyRequest,
    roomOf: (leaf: Domain) => LeafRoom,
  ) {
    const { count, mode, sliceSize = 1, leader = false, leastFreeFirst = false, innerSlices } = request;
    this.lowest = tree.levels.length - 1;
    this.size = sliceSize;
    this.sliceLevel = request.sliceLevel ?? this.lowest;
    this.wanted = Math.floor(count / sliceSize);
    this.leaders = leader ? 1 : 0;
    this.emptiestFirst = leastFreeFirst && mode === 'unconstrained';
    const units = { sliceSize, sliceLevel: this.sliceLevel, innerSlices, leader, leastFreeFirst: this.emptiestFirst };
    this.room = DomainRoom.of(tree, units, roomOf, request.within);
  }

  /** Nothing of what it found refers to what was counted. */
  release(): void {
    this.room.release();
  }

  run(): TopologyAssignment {
    const { request, wanted, leaders } = this;
    const balanced =
      request.balanced === true && request.mode === 'preferred'
        ? balancedStart(this.tree, this.room, { slices: wanted, leaders, level: request.level })
        : undefined;
    if (balanced !== undefined) {
      this.room = balanced.room;
    }
    const found = balanced ?? this.findLevel(request.level);
    if ('most' in found) {
      return { fits: false, most: found.most };
    }
    const chosen = this.descend(found, balanced !== undefined);
    const { pods } = this.room;
    const domains: { readonly domain: Domain; readonly count: number }[] = [];
    for (const domain of chosen) {
      const count = pods[domain.index];
      if (count > 0) {
        domains.push({ domain, count });
      }
    }
    return {
      fits: true,
      domains: domains.length < 2 ? domains : domains.sort((a, b) => byValues(a.domain, b.domain)),
      leader: chosen.find(({ index }) => this.room.leaders[index] > 0),
    };
  }

  private descend({ level, domains }: Found, balanced: boolean): Domain[] {
    const { count } = this.request;
    let chosen = this.fill(domains, count, this.leaders, this.size, true);
    for (; !balanced && level < Math.min(this.lowest, this.sliceLevel); level++) {
      chosen = this.fill(
        this.room.sorted(chosen.flatMap(({ children }) => children)),
        count,
        this.leaders,
        this.size,
        true,
      );
    }
    for (; level < this.lowest; level++) {
      const at = level;
      chosen = chosen.flatMap((domain) => this.handDown(domain, at));
    }
    return chosen;
  }

  /** What a domain was given goes to its children, and to no others. */
  private handDown(domain: Domain, level: number): Domain[] {
    const below = level >= this.sliceLevel;
    const size = below ? (this.request.innerSlices?.get(level + 1) ?? 1) : this.size;
    // Below the outermost slices nothing is counted in slices yet: the smallest children come first, and the large ones stay whole.
    const children = this.room.sorted(domain.children);
    if (below && size > 1) {
      children.forEach((child) => this.room.countSlices(child, size));
    }
    return this.fill(children, this.room.pods[domain.index], this.room.leaders[domain.index], size, size > 1);
  }

  private findLevel(level: number): Found | { most: number } {
    const { room, wanted, leaders } = this;
    const { within } = this.request;
    const all = within === undefined ? this.tree.byLevel[level] : domainsBelow(within, level);
    const sorted = room.sortedWithLeader(leaders > 0 ? all : all.filter(({ index }) => room.pods[index] > 0));
    if (sorted.length === 0) {
      return { most: 0 };
    }
    const takesAll = ({ index }: Domain): boolean => room.slicesWith[index] >= wanted && room.leaders[index] >= leaders;
    const first = sorted.findIndex(takesAll);
    if (this.emptiestFirst && first >= 0) {
      return { level, domains: [sorted[first]] };
    }
    // What is preferred most comes first, and may be too small.
    if (first === 0 || (first > 0 && this.request.mode === 'required')) {
      return { level, domains: [room.tightest(sorted.slice(first), wanted, this.besideLeader(leaders), leaders)] };
    }
    if (this.request.mode === 'required') {
      return { most: room.slices[sorted[0].index] * this.size };
    }
    return level > 0 && this.request.mode === 'preferred' ? this.findLevel(level - 1) : this.split(level, sorted);
  }

  /** No domain is enough: as few as can be, the one for the leader first. */
  private split(level: number, sorted: readonly Domain[]): Found | { most: number } {
    const { room } = this;
    const domains: Domain[] = [];
    let [slices, leaders, next] = [this.wanted, this.leaders, 0];
    const ordered = room.leaderFirst(sorted, slices, leaders, room.slices, room.slicesWith);
    const take = (rest: readonly Domain[], counts: Int32Array): Domain => {
      const last = !this.emptiestFirst && counts[rest[0].index] >= slices;
      const domain = last ? room.tightest(rest, slices, counts, leaders) : rest[0];
      domains.push(domain);
      slices -= counts[domain.index];
      return domain;
    };
    for (; leaders > 0 && next < ordered.length && room.leaders[ordered[next].index] > 0; next++) {
      leaders -= room.leaders[take(ordered.slice(next), room.slicesWith).index];
    }
    if (leaders > 0) {
      return { most: 0 };
    }
    const others = room.sorted(ordered.slice(next));
    for (let i = 0; slices > 0 && i < others.length; i++) {
      take(others.slice(i), room.slices);
    }
    return slices > 0 ? { most: (this.wanted - slices) * this.size } : { level, domains };
  }

  /**
   * Gives `count` pods and the leader to the domains in their order, the last part to the tightest that takes it. What a domain is given is
   * left in the room's `pods` and `leaders`. The caller knows that it fits.
   */
  private fill(given: readonly Domain[], count: number, leaders: number, size: number, bySlices: boolean): Domain[] {
    const { room } = this;
    const unit = bySlices ? size : 1;
    const plain = bySlices ? room.slices : room.pods;
    const beside = bySlices ? room.slicesWith : room.podsWith;
    const result: Domain[] = [];
    let remaining = Math.floor(count / unit);
    const domains = room.leaderFirst(given, remaining, leaders, plain, beside);
    for (let i = 0; i < domains.length; i++) {
      const counts = leaders > 0 ? beside : plain;
      let domain = domains[i];
      if (!this.emptiestFirst && counts[domain.index] >= remaining && room.leaders[domain.index] >= leaders) {
        domain = room.tightest(domains.slice(i), remaining, counts, leaders);
      }
      const { index } = domain;
      const share = Math.min(counts[index], remaining);
      room.leaders[index] = Math.min(leaders, room.leaders[index]);
      const last = share === remaining && room.leaders[index] >= leaders;
      room.pods[index] = share * unit;
      if (bySlices) {
        room.slices[index] = share;
      }
      leaders -= room.leaders[index];
      remaining -= share;
      result.push(domain);
      if (last) {
        break;
      }
    }
    return result;
  }

  private besideLeader(leaders: number): Int32Array {
    return leaders > 0 ? this.room.slicesWith : this.room.slices;
  }
}
