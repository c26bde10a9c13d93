/**
 * Who could be evicted, in which portions, and who goes first.
 *
 * Portions keep gangs whole: pods beyond the minimum go one at a time, the last one first; what then is left of a gang goes together or
 * not at all. Never a pod that must not be evicted, or one that has not had its minimum running time. What this decision itself starts
 * may still be left waiting, so that nothing is started that the next decision would evict. A gang whose pods are all on nodes where the claimant could not be anyway is of no use to it, and is left out.
 *
 * Order: the surplus of all gangs before the core of any; in each, lowest priority first; then the latest arrival, or, cheapest first, the least work lost. O(gangs log gangs + pods).
 */
import { type Cycle } from './cycle';
import { isSurplus, rolesIn } from './needs';
import { type PodClass } from './pod-class';
import { type GangRecord, type PodRecord } from './records';

export interface Portion {
  readonly gang: GangRecord;
  readonly pods: readonly PodRecord[];
  /** What is left of the gang after its surplus. */
  readonly core: boolean;
}

/** Gangs from `candidates` as portions; the first one is to go first. */
export function portions(cycle: Cycle, candidates: readonly GangRecord[], claimants: ReadonlySet<PodClass>): Portion[] {
  const useful = usefulRows(cycle, claimants);
  const list: Portion[] = [];
  for (const gang of [...candidates].sort(victimOrder(cycle))) {
    list.push(...portionsOf(cycle, gang, useful));
    if (list.length >= cycle.session.policy.victimLimit) {
      break;
    }
  }
  return surplusFirst(list);
}

/** The surplus of all gangs goes before the core of any. */
export function surplusFirst(list: readonly Portion[]): Portion[] {
  return [...list.filter(({ core }) => !core), ...list.filter(({ core }) => core)];
}

export function portionsOf(cycle: Cycle, gang: GangRecord, useful: Uint8Array): Portion[] {
  const running = rolesIn(gang.root)
    .flatMap(({ pods }) => pods)
    .filter(({ row, releasing }) => row >= 0 && !releasing);
  if (!running.some(({ row }) => useful[row] === 1)) {
    return [];
  }
  const list: Portion[] = [];
  const gone = new Set<PodRecord>();
  if (running.length > gang.needed) {
    for (const pod of [...running].reverse()) {
      if (evictable(cycle, pod) && isSurplus(pod, gone)) {
        gone.add(pod);
        if (useful[pod.row] === 1) {
          list.push({ gang, pods: [pod], core: false });
        }
      }
    }
  }
  const core = running.filter((pod) => !list.some(({ pods }) => pods[0] === pod));
  if (core.length > 0 && core.every((pod) => evictable(cycle, pod)) && core.some(({ row }) => useful[row] === 1)) {
    list.push({ gang, pods: core, core: true });
  }
  return list;
}

function evictable({ session, disturbed, started }: Cycle, pod: PodRecord): boolean {
  const seconds = pod.role?.gang.gang.minimumRuntimeSeconds ?? 0;
  if (disturbed.has(pod) || !pod.preemptible) {
    return false;
  }
  // What this decision starts could be evicted by the next one, so it may as well not start.
  return pod.existed ? session.now - pod.startedAt >= seconds * 1000 : seconds === 0 && started.has(pod);
}

/** 1 for rows on which any of the classes may be, were there room. */
export function usefulRows({ session }: Cycle, claimants: ReadonlySet<PodClass>): Uint8Array {
  const useful = new Uint8Array(session.table.count);
  for (const podClass of claimants) {
    session.staticRow(podClass).forEach((code, row) => (useful[row] = code === 0 ? 1 : useful[row]));
  }
  return useful;
}

/** Negative when `a` goes first. */
export function victimOrder(cycle: Cycle): (a: GangRecord, b: GangRecord) => number {
  const { policy } = cycle.session;
  switch (policy.victimOrder) {
    case 'youngest-first':
      return (a, b) => a.priority - b.priority || b.arrival - a.arrival || b.index - a.index;
    case 'cheapest-first': {
      const lost = new Map<GangRecord, number>();
      const work = (gang: GangRecord): number => {
        const known = lost.get(gang) ?? workLost(cycle, gang);
        lost.set(gang, known);
        return known;
      };
      return (a, b) => a.priority - b.priority || work(a) - work(b) || b.arrival - a.arrival || b.index - a.index;
    }
  }
}

/** Device-seconds, or pod-seconds for work without devices. */
function workLost({ session }: Cycle, gang: GangRecord): number {
  let sum = 0;
  for (const { pods } of gang.roles) {
    for (const { row, startedAt, podClass } of pods) {
      sum += row >= 0 ? Math.max(0, session.now - startedAt) * Math.max(1, podClass.deviceCount) : 0;
    }
  }
  return sum;
}
