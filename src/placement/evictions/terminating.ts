/**
 * Which pods must wait until others have terminated, of those that are placed while room is made. All others start in the same decision: what
 * was in their way is only what this decision was to start itself. Nominated, they would wait for nothing, in every cycle again.
 */
import { type Cycle } from '../cycle/cycle';
import { type GangRecord, type PodRecord, type QueueRecord } from '../books/records';
import { haveClaims } from '../search/units';

/** Could any of the pods, or their gang, need what terminating pods still hold? Where that is not simple to say, they wait. */
export function mustWait(cycle: Cycle, gang: GangRecord, pods: readonly PodRecord[]): boolean {
  const { session } = cycle;
  if (cycle.nominated.some(({ role }) => role!.gang === gang)) {
    return true;
  }
  const { terminating, evicted } = cycle;
  if (terminating.length + evicted.length === 0) {
    return false;
  }
  if (session.others.active || haveClaims(pods) || pods.some(({ existed }) => existed)) {
    return true;
  }
  const rows = new Set(pods.map(({ row }) => row));
  if (terminating.some(({ row }) => rows.has(row)) || evicted.some(({ row }) => rows.has(row))) {
    return true;
  }
  const isLimited =
    !gang.preemptible || session.queues.some(({ queue }) => (queue.capability ?? queue.guarantee) !== undefined);
  return (
    isLimited &&
    sharesQueue(
      gang,
      [...terminating, ...evicted].map(({ pod }) => pod),
    )
  );
}

/** Is any of the pods in a queue of the gang, or below one? */
function sharesQueue({ queue }: GangRecord, pods: readonly PodRecord[]): boolean {
  const own = new Set(withParents(queue));
  const queues = new Set(pods.map(({ role }) => role?.gang.queue));
  return [...queues].some((other) => withParents(other).some((at) => own.has(at)));
}

function withParents(queue: QueueRecord | undefined): QueueRecord[] {
  const list: QueueRecord[] = [];
  for (let at = queue; at !== undefined; at = at.parent) {
    list.push(at);
  }
  return list;
}
