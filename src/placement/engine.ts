/**
 * The face of the placement core: a snapshot and a policy in, a decision out.
 */
import { parkedGangs } from './cycle/allocate';
import { type Cycle } from './cycle/cycle';
import { type Contradiction, type Decision, type PendingGang } from './model/decision';
import { type GangRecord } from './books/records';
import { decidePods } from './evictions/decide-pods';
import { holdBack } from './evictions/hold-back';
import { type Snapshot } from './model/model';
import { compareNames } from './model/names';
import { type Action, DEFAULT_POLICY, type Policy } from './model/policy';
import { type Asks, explainPending, NOTHING, PendingReasons } from './reasons/reasons';
import { repartition } from './cycle/repartition/repartition';
import { Session } from './books/session';
import { queueUsage } from './cycle/usage';

/**
 * Decides one cycle. Equal input gives equal output, whatever the order of nodes, gangs and pods.
 *
 * @throws SnapshotError when the snapshot contradicts itself, such as a pod of a gang that is not there.
 */
export function decide(snapshot: Snapshot, policy: Policy = DEFAULT_POLICY): Decision {
  return decideIn(new Session(snapshot, policy));
}

/**
 * Decides one cycle in a session. What was decided stays on its books, to be looked at, until the next decision or the next change of the
 * world.
 *
 * @param asks what is said of each gang that waits. @default - why it waits, and the changes that would help
 * @param actions what this decision may do. @default - the actions of the session's policy
 */
export function decideIn(session: Session, asks?: Asks, actions: readonly Action[] = session.policy.actions): Decision {
  const { cycle, passed } = decided(session, actions);
  const pending = asks === NOTHING ? [] : explainPending(cycle, [...passed, ...parkedGangs(cycle)], asks);
  return decisionOf(cycle, pending);
}

/** The same without reasons, which can be asked for afterwards, as long as the books are those of the decision. */
export function decideAndExplainLater(
  session: Session,
  actions: readonly Action[] = session.policy.actions,
): {
  readonly decision: Decision;
  readonly reasons: PendingReasons;
} {
  const { cycle } = decided(session, actions);
  return { decision: decisionOf(cycle, []), reasons: new PendingReasons(cycle) };
}

function decided(
  session: Session,
  actions: readonly Action[],
): { readonly cycle: Cycle; readonly passed: readonly GangRecord[] } {
  const { cycle, passed } = decidePods(session, actions);
  if (actions.includes('allocate')) {
    repartition(
      cycle,
      () => [...passed, ...parkedGangs(cycle)],
      (next) => decidePods(next, actions).cycle,
    );
    holdBack(cycle, actions);
  }
  return { cycle, passed };
}

function decisionOf(cycle: Cycle, pending: readonly PendingGang[]): Decision {
  const { session, bound, withdrawn } = cycle;
  const started = withdrawn.size === 0 ? bound : bound.filter((pod) => !withdrawn.has(pod));
  return {
    bindings: started.map((pod) => cycle.binding(pod)),
    nominations: cycle.nominated.map((pod) => cycle.binding(pod)),
    evictions: cycle.evicted.map((evicted) => cycle.eviction(evicted)),
    ...(cycle.repartitions.length === 0 ? {} : { repartitions: cycle.repartitions }),
    reservations: cycle.reservations(),
    pending,
    queues: queueUsage(cycle),
    capacityReports: session.table.reports,
    ...(session.ledger.contradictions.size === 0 ? {} : { contradictions: contradictions(session) }),
  };
}

function contradictions({ ledger, table }: Session): readonly Contradiction[] {
  const found = [...ledger.contradictions].sort(([a], [b]) => compareNames(a.name, b.name));
  return found.map(([pod, row]) => {
    const { name } = table.nodes[row];
    const message =
      `Pod "${pod.name}" runs on node "${name}", but the other pods there leave no ${table.deviceResource[row]} for it; ` +
      'more pods are placed there only if the devices of the node have enough left in total.';
    return { pod: pod.name, node: name, message };
  });
}
