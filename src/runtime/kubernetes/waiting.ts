/**
 * Every gang that has pods without a place, with the reason in words: pending is never silent.
 */
import { amountOf } from '../../placement/amount-words';
import { type Binding, type Counterfactual, type PendingGang } from '../../placement';
import { type Assumptions } from './assumptions';
import { type Waiting } from './explain';
import { type Outcome } from './outcome';
import { type HeldGang } from './world/snapshot';
import { type World } from './world/world';

/** What the HTTP face says of a gang that waits. */
export interface PendingReport {
  /** `namespace/name` wherever that is unique. */
  readonly gang: string;
  readonly queue: string;
  readonly kind: string;
  readonly message: string;
  /** Names of pods without a place. */
  readonly pods: readonly string[];
  readonly details?: Omit<PendingGang, 'gang' | 'queue' | 'kind' | 'message' | 'counterfactuals'>;
  /** Smallest changes that let it in, each enough by itself. */
  readonly changes: readonly Counterfactual[];
}

type Reason = Omit<PendingReport, 'pods' | 'gang'>;

export function pendingReports(outcome: Outcome, world: World, assumptions: Assumptions): readonly PendingReport[] {
  const reasons = reasonsOf(outcome);
  const queues = new Map(outcome.snapshot.gangs.map(({ name, queue }) => [name, queue]));
  return [...world.gangs.values()].flatMap((members): PendingReport[] => {
    const waiting = [...members.pods.values()].filter(
      ({ state, uid }) => state === 'waiting' && assumptions.placeOf(uid) === undefined,
    );
    if (waiting.length === 0) {
      return [];
    }
    const placed = [...members.pods.values()].filter(({ state }) => state === 'placed').length;
    const reason = reasons.get(members.name) ?? {
      queue: queues.get(members.name) ?? '',
      kind: placed > 0 ? 'extra-pods' : 'next-cycle',
      message:
        placed > 0
          ? `The gang runs with its minimum; ${waiting.length} more of its pods wait for room.`
          : 'The gang has just come, or changed, and is considered in the next cycle.',
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
      message: `Room is being made on ${where}; it starts when those who leave are gone.`,
      changes: [],
    });
  }
  held.forEach(({ gang, queue, kind, message }: HeldGang) => reasons.set(gang, { queue, kind, message, changes: [] }));
  return reasons;
}

export function waitingOf(reports: readonly PendingReport[], world: World): readonly Waiting[] {
  return reports.map(({ gang, kind, message, pods, changes }) => ({
    gang,
    reason: kind,
    message: [message, ...changes.slice(0, 2).map((change) => `It fits ${changeWords(change)}.`)].join(' '),
    pods: pods.flatMap((key) => world.pods.get(key) ?? []),
  }));
}

/** Continues "It fits …". */
export function changeWords(change: Counterfactual): string {
  switch (change.kind) {
    case 'more-on-node':
      return `with ${change.amount} more ${change.resource} on node ${change.node}`;
    case 'wider-topology':
      return change.level === null ? 'without its topology constraint' : `within one domain of "${change.level}"`;
    case 'fewer-pods':
      return `with ${change.by} fewer pods`;
    case 'raise-capability':
      return `when ${change.raises.map(({ queue, resource, by }) => `the ceiling of queue "${queue}" is ${amountOf(resource, by)} higher`).join(' and ')}`;
    case 'make-preemptible':
      return 'when it may be evicted';
    case 'wait-until':
      return `by itself at ${new Date(change.at).toISOString().replace(/\.\d+Z$/, 'Z')}`;
  }
}
