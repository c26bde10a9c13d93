/**
 * Amounts, constraints and changes in words that people read.
 */
import { type CapabilityRaise, type Counterfactual, type PendingGang, type TopologyConstraint } from '../../placement';
import { amountOf, listOf } from '../../placement/amount-words';
import { levelTitle } from './objects/topologies';

/** Hours and minutes, days and hours. */
export function spanText(milliseconds: number): string {
  const minutes = Math.max(0, Math.round(milliseconds / 60_000));
  if (minutes < 60) {
    return `${minutes} min`;
  }
  const hours = Math.floor(minutes / 60);
  if (hours < 48) {
    return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  }
  return hours % 24 === 0 ? `${Math.floor(hours / 24)} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A counterfactual as a sentence. */
export function changeText(
  change: Counterfactual,
  { now, pending }: { readonly now: number; readonly pending: PendingGang },
): string {
  switch (change.kind) {
    case 'more-on-node':
      return `It fits once node ${change.node} has ${amountOf(change.resource, change.amount)} more.`;
    case 'wider-topology':
      return change.level === null
        ? 'It fits without its required topology.'
        : `It fits if it may spread over one ${levelTitle(change.level)} (${change.level}).`;
    case 'fewer-pods':
      return `It fits with ${change.by === 1 ? 'one pod' : `${change.by} pods`} fewer: ${pending.needed - change.by} instead of ${pending.needed}.`;
    case 'raise-capability':
      return `It fits once ${listOf(raisesText(change.raises))}.`;
    case 'make-preemptible':
      return 'It may start beyond the quota of its queue once it may be evicted for others.';
    case 'wait-until':
      return `It starts in ${spanText(change.at - now)}, when work that runs now has ended.`;
  }
}

/** The ceiling of each queue with all that it lacks. */
function raisesText(raises: readonly CapabilityRaise[]): readonly string[] {
  return [...new Set(raises.map(({ queue }) => queue))].map((queue) => {
    const amounts = raises.filter((raise) => raise.queue === queue).map(({ resource, by }) => amountOf(resource, by));
    return `the ceiling of queue "${queue}" is raised by ${listOf(amounts)}`;
  });
}

/** `all in one rack`, `slices of 4 in one block`; empty where nothing is asked. */
export function topologyText({ required, preferred, sliceSize, sliceLevel }: TopologyConstraint): string {
  return [
    required === undefined ? undefined : `in one ${levelTitle(required)}`,
    preferred === undefined ? undefined : `in one ${levelTitle(preferred)} if possible`,
    sliceLevel === undefined ? undefined : `slices of ${sliceSize ?? 1} in one ${levelTitle(sliceLevel)}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

export { amountOf, amountText, rounded } from '../../placement/amount-words';
