/**
 * Who could be evicted, in which portions, and who goes first.
 *
 * Portions keep gangs whole: pods beyond the minimum go one at a time, the last one first; what then is left of a gang goes together or
 * not at all. Never a pod that must not be evicted, or one that has not had its minimum running time. What this decision itself starts
 * may still be left waiting, so that nothing is started that the next decision would evict, and whatever its minimum running time. A gang whose pods are all on nodes where the claimant could not be anyway is of no use to it, and is left out.
 *
 * Order: the surplus of all gangs before the core of any; in each, lowest priority first; then the latest arrival, or, cheapest first, the least work lost. O(gangs log gangs + pods).
 */
import { type Cycle } from '../cycle/cycle';
import { isSurplus, rolesIn } from '../books/needs';
import { type PodClass } from '../nodes/pod-class';
import { type GangRecord, type PodRecord, type Portion } from '../books/records';
import { workLost } from './work-lost';

/** The surplus of all gangs goes before the core of any. */
export function surplusFirst(list: readonly Portion[]): Portion[] {
  return [...list.filter(({ core }) => !core), ...list.filter(({ core }) => core)];
}

export function newPortions(cycle: Cycle, gang: GangRecord, useful: Uint8Array): readonly Portion[] {
  const running: PodRecord[] = [];
  let isUseful = false;
  let isEvictable = true;
  for (const { pods } of gang.root.children.length === 0 ? gang.root.roles : rolesIn(gang.root)) {
    for (const pod of pods) {
      if (pod.row >= 0 && !pod.releasing) {
        running.push(pod);
        isUseful ||= useful[pod.row] === 1;
        isEvictable &&= evictable(cycle, pod);
      }
    }
  }
  if (!isUseful) {
    return NO_PORTIONS;
  }
  // Most gangs have no surplus.
  if (running.length <= gang.needed) {
    return isEvictable ? [{ gang, pods: running, core: true }] : NO_PORTIONS;
  }
  const list: Portion[] = [];
  const gone = new Set<PodRecord>();
  for (const pod of [...running].reverse()) {
    if (evictable(cycle, pod) && isSurplus(pod, gone)) {
      gone.add(pod);
      if (useful[pod.row] === 1) {
        list.push({ gang, pods: [pod], core: false });
      }
    }
  }
  const core = running.filter((pod) => !list.some(({ pods }) => pods[0] === pod));
  if (core.length > 0 && core.every((pod) => evictable(cycle, pod)) && core.some(({ row }) => useful[row] === 1)) {
    list.push({ gang, pods: core, core: true });
  }
  return list;
}

const NO_PORTIONS: readonly Portion[] = [];

export function evictable(cycle: Cycle, pod: PodRecord): boolean {
  const { session, disturbed } = cycle;
  const seconds = pod.role?.gang.gang.minimumRuntimeSeconds ?? 0;
  if (!pod.preemptible || (pod.existed && disturbed.has(pod))) {
    return false;
  }
  // What this decision starts could be evicted by a later one, so it may as well not start: no time has to be kept that has not begun.
  return pod.existed
    ? cycle.unprotected.has(pod) || session.now - pod.startedAt >= seconds * 1000
    : cycle.mayWithdraw(pod);
}

/** 1 for rows on which any of the classes may be, were there room. The same array for the same classes in one decision. */
export function usefulRows(cycle: Cycle, claimants: ReadonlySet<PodClass>): Uint8Array {
  const { session } = cycle;
  const key = [...claimants].map(({ id }) => id).join();
  let useful = cycle.useful.get(key);
  if (useful === undefined) {
    const rows = new Uint8Array(session.table.count);
    for (const podClass of claimants) {
      const codes = session.staticRow(podClass);
      for (let row = 0; row < codes.length; row++) {
        rows[row] |= codes[row] === 0 ? 1 : 0;
      }
    }
    // Mostly a class may be everywhere: then all such classes share one array, and what is known for it.
    const text = rows.includes(0) ? key : 'all';
    useful = cycle.useful.get(text) ?? rows;
    cycle.useful.set(text, useful);
    cycle.useful.set(key, useful);
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
        const known = lost.get(gang) ?? workLost(cycle.session.now, gang);
        lost.set(gang, known);
        return known;
      };
      return (a, b) => a.priority - b.priority || work(a) - work(b) || b.arrival - a.arrival || b.index - a.index;
    }
  }
}
