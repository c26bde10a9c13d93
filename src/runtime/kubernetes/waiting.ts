/**
 * Every gang that has pods without a place, with the reason as a message: pending is never silent.
 */
import { addTo } from '../../facts/collections';
import { counted } from '../../facts/words';
import { type Binding, type Counterfactual, type PendingGang } from '../../placement';
import { changeText } from '../../planning/cluster';
import { type Assumptions } from './assumptions';
import { type Waiting } from './explain';
import { type Outcome } from './outcome';
import { type GangMembers } from './world/gang-members';
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
  return [...eachPending(outcome, assumptions)];
}

/**
 * The same one gang at a time, for callers that do other work in between.
 *
 * @param gangs that are asked about. @default - all that wait
 */
export function* eachPending(
  outcome: Outcome,
  assumptions: Assumptions,
  gangs: Iterable<GangMembers> = outcome.waiting.values(),
): Generator<PendingReport> {
  const before = firstReasons(outcome);
  for (const members of gangs) {
    const waiting = [...members.pods.values()].filter(
      ({ state, uid }) => state === 'waiting' && assumptions.placeOf(uid) === undefined,
    );
    if (waiting.length > 0) {
      const reason =
        before.get(members.name) ??
        decided(outcome.reasons.of(members.name)) ??
        unknownYet(outcome.queueOf(members.name), members, waiting.length);
      yield { gang: members.name, ...reason, pods: waiting.map(({ key }) => key).sort() };
    }
  }
}

function unknownYet(queue: string, { pods }: GangMembers, waiting: number): Reason {
  const isPlaced = [...pods.values()].some(({ state }) => state === 'placed');
  return {
    queue,
    kind: isPlaced ? 'extra-pods' : 'next-cycle',
    message: isPlaced
      ? `The gang runs with its minimum; ${counted(waiting, 'more pod')} ${waiting === 1 ? 'waits' : 'wait'} for free capacity.`
      : 'The gang is new or has changed, and is considered in the next cycle.',
    changes: [],
  };
}

function decided(pending: PendingGang | undefined): Reason | undefined {
  if (pending === undefined) {
    return undefined;
  }
  const { queue, kind, message, counterfactuals: changes, ...rest } = pending;
  const details: Omit<typeof rest, 'gang'> & { gang?: string } = { ...rest };
  delete details.gang;
  return { queue, kind, message, details, changes };
}

/** What takes precedence over the reason that the decision has: the gang waits for pods that terminate, or is held back. */
function firstReasons({ decision, held }: Outcome): ReadonlyMap<string, Reason> {
  const reasons = new Map<string, Reason>();
  const nominated = new Map<string, Binding[]>();
  decision.nominations.forEach((one) => addTo(nominated, one.gang, one));
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

/** What is written to the pods of the gang. */
export function waitingOf({ gang, kind, message, pods, changes, details }: PendingReport, world: World): Waiting {
  return {
    gang,
    reason: kind,
    message: [message, ...changes.slice(0, 2).map((change) => changeText(change, { needed: details?.needed }))].join(
      ' ',
    ),
    pods: pods.flatMap((key) => world.pods.get(key) ?? []),
  };
}
