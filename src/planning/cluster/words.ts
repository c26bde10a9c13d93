/**
 * Amounts, constraints and changes in words that people read.
 */
import {
  type CapabilityRaise,
  type Counterfactual,
  type GuaranteeReduction,
  type Taint,
  type TopologyConstraint,
} from '../../placement';
import { amountOf } from '../../placement/model/amount-words';
import { levelTitle } from './objects/topologies';
import { allOf, counted } from '../../facts/words';

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

/**
 * A counterfactual as a sentence: `Fits with 4 pods instead of 6.`
 *
 * Times are spans from `now`, or points in time where there is no `now`, so that a text that is stored does not change with the clock.
 */
export function changeText(
  change: Counterfactual,
  { now, needed }: { readonly now?: number; readonly needed?: number },
): string {
  switch (change.kind) {
    case 'more-on-node':
      return `Fits with ${moreOf(change.resource, change.amount)} free on node ${change.node}.`;
    case 'wider-topology':
      return change.level === null
        ? 'Fits without its required topology.'
        : `Fits within one ${levelTitle(change.level)} (${change.level}).`;
    case 'fewer-pods':
      return needed === undefined
        ? `Fits with ${counted(change.by, 'pod')} fewer${ofRole(change.role)}.`
        : change.role === undefined
          ? `Fits with ${counted(needed - change.by, 'pod')} instead of ${needed}.`
          : `Fits with ${counted(change.by, 'fewer pod')}${ofRole(change.role)}.`;
    case 'more-nodes':
      return `Fits with ${nodesText(change)}.`;
    case 'add-toleration':
      return `Fits if its pods tolerate the ${change.taints.length === 1 ? 'taint' : 'taints'} ${allOf(change.taints.map(taintText))}.`;
    case 'drop-node-selector':
      return `Fits without the node selector ${change.key}=${change.value}.`;
    case 'drop-node-affinity':
      return 'Fits without its required node affinity.';
    case 'raise-capability':
      return `Fits if ${allOf(raisesText(change.raises))}.`;
    case 'lower-guarantees':
      return `Fits if ${allOf(reductionsText(change.reductions))}.`;
    case 'make-preemptible':
      return 'Can start above the quota of its queue if it is preemptible.';
    case 'wait-until':
      return `Starts ${now === undefined ? `at ${timeText(change.at)}` : `in ${spanText(change.at - now)}`}, when running work has ended.`;
  }
}

function ofRole(role: string | undefined): string {
  return role === undefined ? '' : ` of role "${role}"`;
}

/** `2 more nodes of pool "training" in rack-1`, `1 more node like n1`. */
function nodesText({ count, pool, like, domain }: Extract<Counterfactual, { kind: 'more-nodes' }>): string {
  const nodes = counted(count, 'more node');
  return `${nodes} ${pool === undefined ? `like ${like}` : `of pool "${pool}"`}${domain === undefined ? '' : ` in ${domain}`}`;
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}${value === undefined || value === '' ? '' : `=${value}`}:${effect}`;
}

/** `16 more nvidia.com/gpu`, `4 more cores of CPU`, `64Gi more memory`. */
function moreOf(resource: string, amount: number): string {
  const text = amountOf(resource, amount);
  return /^\S+ of /.test(text) ? text.replace(' of ', ' more ') : text.replace(' ', ' more ');
}

function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The capability of each queue with the amounts by which it is too low. */
function raisesText(raises: readonly CapabilityRaise[]): readonly string[] {
  return byQueue(raises).map(([queue, amounts]) => `the capability of queue "${queue}" is raised by ${amounts}`);
}

/** The guarantee of each queue with the amounts by which it is too high. */
function reductionsText(reductions: readonly GuaranteeReduction[]): readonly string[] {
  return byQueue(reductions).map(([queue, amounts]) => `the guarantee of queue "${queue}" is lowered by ${amounts}`);
}

function byQueue(changes: readonly (CapabilityRaise | GuaranteeReduction)[]): readonly (readonly [string, string])[] {
  return [...new Set(changes.map(({ queue }) => queue))].map((queue) => {
    const own = changes.filter((change) => change.queue === queue);
    return [queue, allOf(own.map(({ resource, by }) => amountOf(resource, by)))];
  });
}

/** `all in one rack`, `slices of 4 in one block`; empty without a constraint. */
export function topologyText({ required, preferred, sliceSize, sliceLevel }: TopologyConstraint): string {
  return [
    required === undefined ? undefined : `in one ${levelTitle(required)}`,
    preferred === undefined ? undefined : `in one ${levelTitle(preferred)} if possible`,
    sliceLevel === undefined ? undefined : `slices of ${sliceSize ?? 1} in one ${levelTitle(sliceLevel)}`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

export { amountOf, amountText, rounded } from '../../placement/model/amount-words';
