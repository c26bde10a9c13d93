/**
 * Every gang that has pods without a place, with the reason as a message: pending is never silent.
 */
import { type Binding, type Counterfactual, type PendingGang } from '../../placement';
import { changeText } from '../../planning/cluster';
import { type Assumptions } from './assumptions';
import { type Waiting } from './explain';
import { type Outcome } from './outcome';
import { type HeldGang } from './world/snapshot';
import { type World } from './world/world';

/** What the HTTP API reports about a gang that waits. */
export interface PendingReport {
  /** `namespace/name` wherever that is unique. */
  readonly gang: string;
  readonly queue: string;
  readonly kind: string;
  readonly message: string;
  /** Names of the pods that are not placed. */
  readonly pods: readonly string[];
  readonly details?: Omit<PendingGang, 'gang' | 'queue' | 'kind' | 'message' | 'counterfactuals'>;
  /** The smallest changes after which it fits; each one alone is enough. */
  readonly changes: readonly Counterfactual[];
}

type Reason = Omit<PendingReport, 'pods' | 'gang'>;

export function pendingReports(outcome: Outcome, assumptions: Assumptions): readonly PendingReport[] {
  const reasons = reasonsOf(outcome);
  return [...outcome.waiting.values()].flatMap((members): PendingReport[] => {
    const waiting = [...members.pods.values()].filter(
      ({ state, uid }) => state === 'waiting' && assumptions.placeOf(uid) === undefined,
    );
    if (waiting.length === 0) {
      return [];
    }
    const placed = [...members.pods.values()].filter(({ state }) => state === 'placed').length;
    const reason = reasons.get(members.name) ?? {
      queue: outcome.queueOf(members.name),
      kind: placed > 0 ? 'extra-pods' : 'next-cycle',
      message:
        placed > 0
          ? `The gang runs with its minimum; ${waiting.length} more of its pods wait for free capacity.`
          : 'The gang is new or has changed, and is considered in the next cycle.',
      changes: [],
    };
    return [{ gang: members.name, ...reason, pods: waiting.map(({ key }) => key).sort() }];
  });
}

function reasonsOf({ decision, held }: Outcome): ReadonlyMap<string, Reason> {
  const reasons = new Map<string, Reason>();
  for (const { gang, queue, kind, message, counterfactuals, ...details } of decision.pending) {
    reasons.set(gang, { queue, kind, message, details, changes: counterfactuals });
  }
  const nominated = new Map<string, Binding[]>();
  decision.nominations.forEach((one) => nominated.set(one.gang, [...(nominated.get(one.gang) ?? []), one]));
  for (const [gang, list] of nominated) {
    const nodes = [...new Set(list.map(({ node }) => node))].sort();
    const where = nodes.length > 5 ? `${nodes.length} nodes` : nodes.join(', ');
    reasons.set(gang, {
      queue: '',
      kind: 'nominated',
      message: `Pods on ${where} are being evicted; the gang starts when they have terminated.`,
      changes: [],
    });
  }
  held.forEach(({ gang, queue, kind, message }: HeldGang) => reasons.set(gang, { queue, kind, message, changes: [] }));
  return reasons;
}

export function waitingOf(reports: readonly PendingReport[], world: World): readonly Waiting[] {
  return reports.map(({ gang, kind, message, pods, changes, details }) => ({
    gang,
    reason: kind,
    message: [message, ...changes.slice(0, 2).map((change) => changeText(change, { needed: details?.needed }))].join(
      ' ',
    ),
    pods: pods.flatMap((key) => world.pods.get(key) ?? []),
  }));
}
