/**
 * Balanced placement: pods spread as evenly as can be over the fewest domains, instead of filling the first and leaving a rest for the
 * last.
 *
 * The search considers the domains one level above the wanted one that can hold everything. In each, a greedy choice gives the number of
 * domains, and with it the *threshold*: the largest number of slices that each of these domains can hold. Domains that hold fewer are
 * excluded. The best threshold wins, then fewer domains of the wanted level. There, the set of domains with the least surplus capacity is
 * chosen (dynamic programming over domains and remaining pods); each gets the threshold, the first ones the rest.
 */
import { byValues, type DomainRoom } from './domain-room';
import { type Domain, type TopologyTree } from './domains';

export interface BalancedRequest {
  /** In slices. */
  readonly slices: number;
  readonly leaders: number;
  /** Index of the wanted level. */
  readonly level: number;
}

/** Domains with what each gets, written into `room`, from which the tree is descended parent by parent. */
export interface BalancedStart {
  readonly room: DomainRoom;
  readonly domains: readonly Domain[];
  readonly level: number;
}

/** Undefined where nothing can be balanced. */
export function balancedStart(
  tree: TopologyTree,
  room: DomainRoom,
  request: BalancedRequest,
): BalancedStart | undefined {
  const best = bestSiblings(tree, room, request);
  if (best === undefined) {
    return undefined;
  }
  const below = request.level < room.units.sliceLevel;
  const parents = below ? leastSpare(best.room, best.domains, request, byEvenness(best.room)) : undefined;
  if (below && parents === undefined) {
    return undefined;
  }
  const candidates = parents?.flatMap(({ children }) => children) ?? best.domains;
  const domains = spread(best.room, candidates, request, best.threshold);
  return domains === undefined ? undefined : { room: best.room, domains, level: request.level + (below ? 1 : 0) };
}

interface Siblings {
  readonly room: DomainRoom;
  readonly domains: readonly Domain[];
  readonly threshold: number;
  /** Domains of the wanted level that are needed. */
  readonly used: number;
}

function bestSiblings(tree: TopologyTree, room: DomainRoom, request: BalancedRequest): Siblings | undefined {
  const { level } = request;
  const families =
    level === 0 ? [tree.roots] : [...tree.byLevel[level - 1]].sort(byValues).map(({ children }) => children);
  let best: Siblings | undefined;
  for (const domains of families) {
    const units = level < room.units.sliceLevel ? domains.flatMap(({ children }) => children) : domains;
    const greedy = greedyChoice(room, units, request);
    if (greedy === undefined) {
      continue;
    }
    for (const threshold of thresholds(room, request, greedy)) {
      if (threshold <= 0 || threshold < (best?.threshold ?? 0)) {
        break;
      }
      const pruned = withoutSmall(room, domains, threshold);
      const used = greedyChoice(pruned, domains, request)?.count;
      if (used === undefined) {
        continue;
      }
      if (threshold > (best?.threshold ?? 0) || used < best!.used) {
        best = { room: pruned, domains, threshold, used };
      }
      break;
    }
  }
  return best;
}

interface Greedy {
  readonly count: number;
  readonly lastWithLeader?: Domain;
  readonly last?: Domain;
}

/** Largest first, the leader's domain before the others; undefined where all of them are not enough. */
function greedyChoice(
  room: DomainRoom,
  domains: readonly Domain[],
  { slices, leaders }: BalancedRequest,
): Greedy | undefined {
  let [left, leadersLeft, count] = [slices, leaders, 0];
  let lastWithLeader: Domain | undefined;
  const withLeader = leaders > 0 ? room.sortedWithLeader(domains) : domains;
  for (; leadersLeft > 0 && count < withLeader.length && room.leaders[withLeader[count].index] > 0; count++) {
    lastWithLeader = withLeader[count];
    leadersLeft -= room.leaders[lastWithLeader.index];
    left -= room.slicesWith[lastWithLeader.index];
  }
  if (leadersLeft > 0) {
    return undefined;
  }
  let last: Domain | undefined;
  for (const domain of room.sorted(withLeader.slice(count))) {
    if (left <= 0 || room.slices[domain.index] <= 0) {
      break;
    }
    last = domain;
    left -= room.slices[domain.index];
    count++;
  }
  return left > 0 ? undefined : { count, lastWithLeader, last };
}

/** What each of the chosen domains can have; and less, where the leader may have to go to the last of them. */
function thresholds(
  room: DomainRoom,
  { slices, leaders }: BalancedRequest,
  { count, lastWithLeader, last }: Greedy,
): number[] {
  const most = Math.min(
    Math.floor(slices / count),
    lastWithLeader === undefined ? Infinity : room.slicesWith[lastWithLeader.index],
    last === undefined ? Infinity : room.slices[last.index],
  );
  const reserved = leaders > 0 && last !== undefined ? Math.min(most, room.slicesWith[last.index]) : most;
  return reserved < most ? [most, reserved] : [most];
}

/** The room of the domains when those that cannot have `threshold` slices are left out, and the children of the others likewise. */
function withoutSmall(room: DomainRoom, domains: readonly Domain[], threshold: number): DomainRoom {
  const pruned = room.copy();
  const prune = (domain: Domain): void => {
    const besideLeader = [pruned.podsWith, pruned.slicesWith, pruned.leaders];
    if (pruned.slices[domain.index] < threshold) {
      clear(domain, [pruned.pods, pruned.slices, ...besideLeader]);
    } else if (pruned.leaders[domain.index] > 0 && pruned.slicesWith[domain.index] < threshold) {
      clear(domain, besideLeader);
    }
  };
  domains.forEach(({ children }) => children.forEach(prune));
  for (const domain of domains) {
    pruned.rollUp(domain);
    prune(domain);
  }
  return pruned;
}

function clear(domain: Domain, counts: readonly Int32Array[]): void {
  for (const numbers of counts) {
    numbers[domain.index] = 0;
  }
  domain.children.forEach((child) => clear(child, counts));
}

/** Those that can have the leader and most slices first; among alike ones those whose children are most alike. */
function byEvenness(room: DomainRoom): (a: Domain, b: Domain) => number {
  return (a, b) =>
    room.leaders[b.index] - room.leaders[a.index] ||
    room.slicesWith[b.index] - room.slicesWith[a.index] ||
    evenness(room, b) - evenness(room, a) ||
    byValues(a, b);
}

/** Entropy of the pods over the children, in bits: the larger, the more even. */
function evenness(room: DomainRoom, { children }: Domain): number {
  const counts = children.map(({ index }) => room.pods[index]).filter((count) => count > 0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((sum, count) => sum - (count / total) * Math.log2(count / total), 0);
}

interface Chain {
  readonly domain: Domain;
  readonly before: Chain | undefined;
}

/** Sets of the given number of domains, by remaining leaders and pods; the first that was found for each. */
type Sets = Map<number, Map<number, Chain | undefined>>;

/** The fewest domains that are enough, and of such sets the one with the least to spare; ties go to the set that comes first in `order`. */
function leastSpare(
  room: DomainRoom,
  domains: readonly Domain[],
  request: BalancedRequest,
  order: (a: Domain, b: Domain) => number,
): readonly Domain[] | undefined {
  const count = greedyChoice(room, domains, request)?.count;
  if (count === undefined) {
    return undefined;
  }
  const sets = Array.from({ length: count + 1 }, (): Sets => new Map());
  put(sets[0], request.leaders, request.slices * room.units.sliceSize, undefined);
  for (const domain of [...domains].sort(order)) {
    for (let size = count; size > 0; size--) {
      for (const [leaders, pods, before] of entries(sets[size - 1])) {
        if (leaders <= 0 && pods <= 0) {
          continue;
        }
        const chain = { domain, before };
        if (leaders > 0 && room.leaders[domain.index] > 0) {
          put(sets[size], leaders - 1, pods - room.podsWith[domain.index], chain);
        }
        if (room.slices[domain.index] > 0) {
          put(sets[size], leaders, pods - room.pods[domain.index], chain);
        }
      }
    }
  }
  const enough = [...(sets[count].get(0) ?? [])].filter(([left]) => left <= 0);
  if (enough.length === 0) {
    return undefined;
  }
  const [, chain] = enough.reduce((best, one) => (one[0] > best[0] ? one : best));
  const chosen: Domain[] = [];
  for (let at = chain; at !== undefined; at = at.before) {
    chosen.unshift(at.domain);
  }
  return chosen;
}

function put(sets: Sets, leaders: number, pods: number, chain: Chain | undefined): void {
  const byPods = sets.get(leaders) ?? new Map<number, Chain | undefined>();
  sets.set(leaders, byPods);
  if (!byPods.has(pods)) {
    byPods.set(pods, chain);
  }
}

type Entry = [leaders: number, pods: number, chain: Chain | undefined];

function entries(sets: Sets): Entry[] {
  const all = [...sets].flatMap(([leaders, byPods]) =>
    [...byPods].map(([pods, chain]): Entry => [leaders, pods, chain]),
  );
  return all.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** Each of the domains gets `threshold` slices, and the first ones the rest and the leader; undefined where that does not come out. */
function spread(
  room: DomainRoom,
  candidates: readonly Domain[],
  request: BalancedRequest,
  threshold: number,
): readonly Domain[] | undefined {
  const chosen = leastSpare(room, candidates, request, byValues);
  if (chosen === undefined || request.slices < chosen.length * threshold) {
    return undefined;
  }
  let rest = request.slices - chosen.length * threshold;
  let { leaders } = request;
  const domains = room.sortedWithLeader(chosen);
  for (const { index } of domains) {
    const leader = leaders > 0 ? 1 : 0;
    const most = leader > 0 ? room.slicesWith[index] : room.slices[index];
    const extra = Math.max(0, Math.min(most - threshold, rest));
    leaders -= leader;
    rest -= extra;
    room.leaders[index] = leader;
    room.slices[index] = threshold + extra;
    room.slicesWith[index] = threshold + extra;
    room.pods[index] = (threshold + extra) * room.units.sliceSize;
    room.podsWith[index] = room.pods[index] - leader;
  }
  return rest > 0 || leaders > 0 ? undefined : domains;
}
