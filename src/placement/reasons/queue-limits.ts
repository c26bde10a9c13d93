/**
 * Which limit of its queues keeps a gang from starting, in words, and the changes of these limits with which it could start.
 */
import { allOf } from '../../facts/words';
import { amountOf } from '../model/amount-words';
import { type Cycle } from '../cycle/cycle';
import { type Counterfactual, type GuaranteeReduction, type PendingKind } from '../model/decision';
import { DUST, type Excess, withoutDust } from '../queues/queues';
import { type QueueRecord, type Turn } from '../books/records';

interface Limit {
  readonly kind: Extract<PendingKind, 'queue-capability' | 'queue-guarantees'>;
  readonly words: string;
}

/** The nearest queue is sufficient as a reason; the changes name the queues above it. A shortage of the whole cluster is not the limit of a queue. */
export function limitOf(cycle: Cycle, queue: QueueRecord, asked: Float64Array): Limit | undefined {
  const excesses = [...cycle.queues.excesses(queue, asked)].filter(({ bound }) => isOwn(bound));
  if (excesses.length === 0) {
    return undefined;
  }
  const { accounts } = cycle.session;
  const [first] = excesses;
  const nearest = excesses.filter((excess) => excess.queue === first.queue && excess.bound === first.bound);
  if (first.bound === 'capability') {
    const amounts = allOf(nearest.map(({ account, by }) => amountOf(accounts[account], by)));
    const words = `The gang would exceed the capability of queue "${first.queue.queue.name}" by ${amounts}.`;
    return { kind: 'queue-capability', words };
  }
  return { kind: 'queue-guarantees', words: guaranteeWords(cycle, first, asked) };
}

function isOwn(bound: Excess['bound']): boolean {
  return bound === 'capability' || bound === 'guarantees';
}

function guaranteeWords({ queues, session }: Cycle, { queue, account, by }: Excess, asked: Float64Array): string {
  const resource = session.accounts[account];
  const left = Math.max(0, withoutDust(asked[account] - by));
  const guaranteed = queues
    .siblingsOf(queue)
    .filter((other) => queues.guaranteeOf(other, account) > 0)
    .map((other) => `queue "${other.queue.name}" (${amountOf(resource, queues.guaranteeOf(other, account))})`);
  return (
    `The gang needs ${amountOf(resource, asked[account])}, but the guarantees of ${allOf(guaranteed)} leave ` +
    `${amountOf(resource, left)} for queue "${queue.queue.name}".`
  );
}

/** All capabilities that block the gang, since raising only some of them does not help. */
export function raisedCapabilities(cycle: Cycle, { gang, asked }: Turn): Counterfactual | undefined {
  const excesses = ownExcesses(cycle, gang.queue, asked);
  return excesses.length > 0 && excesses.every(({ bound }) => bound === 'capability')
    ? {
        kind: 'raise-capability',
        raises: excesses.map(({ queue, account, by }) => ({
          queue: queue.queue.name,
          resource: cycle.session.accounts[account],
          by: Math.round(by * 1000) / 1000,
        })),
      }
    : undefined;
}

/** All guarantees that block the gang, those that are used least first. */
export function loweredGuarantees(cycle: Cycle, { gang, asked }: Turn): Counterfactual | undefined {
  const excesses = ownExcesses(cycle, gang.queue, asked);
  if (excesses.length === 0 || excesses.some(({ bound }) => bound !== 'guarantees')) {
    return undefined;
  }
  const reductions = excesses.map((excess) => reductionsFor(cycle, excess, asked));
  return reductions.some((list) => list === undefined)
    ? undefined
    : { kind: 'lower-guarantees', reductions: reductions.flatMap((list) => list ?? []) };
}

function ownExcesses(cycle: Cycle, queue: QueueRecord | undefined, asked: Float64Array): readonly Excess[] {
  const all = queue === undefined ? [] : [...cycle.queues.excesses(queue, asked)];
  // No change of a queue gives what the cluster does not have.
  return all.some(({ bound }) => bound === 'cluster') ? [] : all.filter(({ bound }) => isOwn(bound));
}

/** @returns undefined if no reduction is enough */
function reductionsFor(
  { queues, session }: Cycle,
  { queue, account }: Excess,
  asked: Float64Array,
): readonly GuaranteeReduction[] | undefined {
  const others = queues.siblingsOf(queue);
  const kept = others.reduce((sum, other) => sum + queues.guaranteeOf(other, account), 0);
  // With its own reductions the parent may have what the gang asks for.
  const parent = queue.parent === undefined ? 0 : queue.parent.allocated[account] + asked[account];
  const shared = Math.max(queues.sharedBySiblings(queue, account), parent);
  let missing = queue.allocated[account] + asked[account] - (shared - kept);
  const unused = (other: QueueRecord): number => queues.guaranteeOf(other, account) - other.allocated[account];
  const reductions: GuaranteeReduction[] = [];
  for (const other of [...others].sort((a, b) => unused(b) - unused(a) || a.index - b.index)) {
    const by = Math.min(missing, queues.guaranteeOf(other, account));
    if (by > DUST) {
      reductions.push({ queue: other.queue.name, resource: session.accounts[account], by: withoutDust(by) });
      missing -= by;
    }
  }
  return missing > DUST ? undefined : reductions;
}
