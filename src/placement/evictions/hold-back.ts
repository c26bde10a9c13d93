/**
 * What starts while nodes change their MIG configuration is not evicted as soon as they have it: with the new devices gangs start that wait for
 * them, the shares of queues change, and a gang may evict what it may not evict now. So the next decision is tried in the world as it is then,
 * and what that would evict does not start before.
 *
 * O(everything) for each trial, where the decision starts anything that a gang may evict, and a node is changing.
 */
import { type GangRecord, NOWHERE, type PodRecord } from '../books/records';
import { runs } from '../books/needs';
import { Session } from '../books/session';
import { type Cycle } from '../cycle/cycle';
import { afterDecision } from '../cycle/repartition/trials';
import { type ClusterNode, type Snapshot } from '../model/model';
import { type Action } from '../model/policy';
import { withMigConfig } from '../nodes/mig-config';
import { decidePods } from './decide-pods';
import { mayBeUndone } from './foresee';
import { takeBackNeedless } from './take-back';

/** Next decisions that one decision tries. What does not start makes room for others, which may find other victims. */
const MOST_TRIALS = 4;

/** To be called last: the devices of what is held back are not free for another configuration. */
export function holdBack(cycle: Cycle, actions: readonly Action[]): void {
  const { nodes } = cycle.session.table;
  const changing = nodes.filter(({ migChange }) => migChange !== undefined).map(({ name }) => name);
  for (let trial = 0; trial < MOST_TRIALS && changing.length > 0 && mayBeUndone(cycle, actions); trial++) {
    const lost = lostOnceChanged(cycle, actions);
    if (lost.length === 0) {
      return;
    }
    withdraw(cycle, lost);
    lost.forEach(({ role }) => cycle.heldBack.set(role!.gang, changing));
    takeBackNeedless(cycle);
  }
}

/** Pods that this decision starts and the next one evicts if all nodes that are changing have their new configurations by then. */
function lostOnceChanged(cycle: Cycle, actions: readonly Action[]): readonly PodRecord[] {
  const { policy } = cycle.session;
  const next = decidePods(new Session(onceChanged(cycle), policy), actions).cycle;
  const evicted = new Set(next.evicted.filter(({ pod }) => pod.row === NOWHERE).map(({ pod }) => pod.name));
  return [...cycle.started].filter(({ row, name }) => row >= 0 && evicted.has(name));
}

/** The world after this decision, in which what waits for terminating pods has to find its places again. */
function onceChanged(cycle: Cycle): Snapshot {
  const { session } = cycle;
  const world = afterDecision(cycle);
  const pending = new Map(session.snapshot.pods.flatMap((pod) => (pod.state === 'pending' ? [[pod.name, pod]] : [])));
  const waiting = new Set(cycle.nominated.map(({ name }) => name));
  const started = new Set([...cycle.started].map(({ name }) => name));
  const changed = (node: ClusterNode): ClusterNode =>
    node.migChange === undefined ? node : withMigConfig(node, node.migChange);
  return {
    ...world,
    nodes: world.nodes.map(changed),
    pods: world.pods.flatMap((pod) => {
      if (waiting.has(pod.name)) {
        return pending.get(pod.name) ?? [];
      }
      return started.has(pod.name) ? { ...pod, startedAt: session.now } : pod;
    }),
  };
}

/** The pods do not start, nor what else the decision would start or place for a gang that then has too few. */
function withdraw(cycle: Cycle, lost: readonly PodRecord[]): void {
  const { ledger } = cycle.session;
  const leave = (pods: readonly PodRecord[]): void => {
    pods.forEach((pod) => ledger.remove(pod));
    cycle.withdraw(pods);
  };
  const gangs = new Set<GangRecord>(lost.map(({ role }) => role!.gang));
  leave(lost);
  for (const gang of gangs) {
    if (!runs(gang)) {
      const own = [...cycle.started, ...cycle.nominated].filter(
        ({ role, row, existed }) => role!.gang === gang && row >= 0 && !existed,
      );
      leave([...new Set(own)]);
    }
  }
  cycle.disturbs(gangs);
}
