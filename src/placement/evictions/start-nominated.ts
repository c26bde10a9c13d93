/**
 * Starts gangs that were placed while room was made and have nothing to wait for: only gangs that this decision was to start were in their
 * way, and those do not start after all. The next cycle would decide the same again, so their nominations would never become bindings.
 */
import { addTo } from '../../facts/collections';
import { type Cycle } from '../cycle/cycle';
import { type GangRecord, type PodRecord, type QueueRecord } from '../books/records';
import { haveClaims } from '../search/units';

/** What still holds the room that pods leave when they terminate. */
interface Departing {
  readonly rows: ReadonlySet<number>;
  /** With the queues above them. */
  readonly queues: ReadonlySet<QueueRecord>;
}

/** @param releasing pods that were terminating before the decision */
export function startNominated(
  cycle: Cycle,
  releasing: readonly { readonly pod: PodRecord; readonly row: number }[],
): void {
  const gangs = new Map<GangRecord, PodRecord[]>();
  cycle.nominated.forEach((pod) => addTo(gangs, pod.role!.gang, pod));
  if (gangs.size === 0) {
    return;
  }
  const departing = departingOf([...releasing, ...cycle.evicted]);
  for (const [gang, pods] of gangs) {
    if (!waits(cycle, gang, pods, departing)) {
      cycle.startNominated(pods);
    }
  }
}

function departingOf(pods: readonly { readonly pod: PodRecord; readonly row: number }[]): Departing {
  const queues = new Set<QueueRecord>();
  for (const { pod } of pods) {
    for (let queue = pod.role?.gang.queue; queue !== undefined; queue = queue.parent) {
      queues.add(queue);
    }
  }
  return { rows: new Set(pods.map(({ row }) => row)), queues };
}

/** Could any of the pods need what terminating pods still hold? Where that is not simple to say, the gang waits. */
function waits({ session }: Cycle, gang: GangRecord, pods: readonly PodRecord[], { rows, queues }: Departing): boolean {
  if (rows.size === 0) {
    return false;
  }
  if (session.others.active || haveClaims(pods) || pods.some(({ existed, row }) => existed || rows.has(row))) {
    return true;
  }
  if (gang.preemptible && session.queues.every(({ queue }) => (queue.capability ?? queue.guarantee) === undefined)) {
    return false;
  }
  let queue = gang.queue;
  while (queue !== undefined && !queues.has(queue)) {
    queue = queue.parent;
  }
  return queue !== undefined;
}
