/**
 * The smallest change of each kind, of those that help with different choices of a gang's pods.
 */
import { type Counterfactual } from '../model/decision';

/** In the order in which changes are reported: the simplest first. */
const KINDS: readonly Counterfactual['kind'][] = [
  'make-preemptible',
  'raise-capability',
  'lower-guarantees',
  'add-toleration',
  'drop-node-selector',
  'drop-node-affinity',
  'wider-topology',
  'more-on-node',
  'fewer-pods',
  'more-nodes',
  'wait-until',
];

/**
 * @param ofChoices the changes that help with each choice, those of the first choice in front
 * @param areMixed whether any choice has different pods: `more-room.ts` does not say how many nodes these need
 * @param widthOf how wide a level is; any level is wider than one inside it
 */
export function leastChanges(
  ofChoices: readonly (readonly Counterfactual[])[],
  areMixed: boolean,
  widthOf: (level: string | null) => number,
): Counterfactual[] {
  const least = new Map<Counterfactual['kind'], Counterfactual>();
  for (const change of ofChoices.flat()) {
    const known = least.get(change.kind);
    if (known === undefined || isSmaller(change, known, widthOf)) {
      least.set(change.kind, change);
    }
  }
  return KINDS.flatMap((kind) => least.get(kind) ?? []).filter((change) => isLeastOfAll(change, areMixed));
}

/** Can nothing smaller of its kind help with another choice? Each choice names one node, where others may lack less of the resource. */
function isLeastOfAll(change: Counterfactual, areMixed: boolean): boolean {
  if (change.kind === 'more-on-node') {
    return change.amount === 1;
  }
  return change.kind !== 'more-nodes' || !areMixed || change.count === 1;
}

/** Of two changes of one kind; of those that cannot be compared neither is smaller. */
function isSmaller(a: Counterfactual, b: Counterfactual, widthOf: (level: string | null) => number): boolean {
  const most = new Map(amountsOf(b, widthOf));
  const amounts = amountsOf(a, widthOf);
  return (
    amounts.every(([what, amount]) => amount <= (most.get(what) ?? -Infinity)) &&
    (amounts.length < most.size || amounts.some(([what, amount]) => amount < most.get(what)!))
  );
}

/** What the change takes, by what it is an amount of. */
function amountsOf(
  change: Counterfactual,
  widthOf: (level: string | null) => number,
): readonly (readonly [string, number])[] {
  switch (change.kind) {
    case 'more-on-node':
      return [[change.resource, change.amount]];
    case 'wider-topology':
      return [['level', widthOf(change.level)]];
    case 'fewer-pods':
      return [['pods', change.by]];
    case 'more-nodes':
      return [['nodes', change.count]];
    case 'add-toleration':
      return [['taints', change.taints.length]];
    case 'raise-capability':
      return change.raises.map(({ queue, resource, by }) => [JSON.stringify([queue, resource]), by]);
    case 'lower-guarantees':
      return change.reductions.map(({ queue, resource, by }) => [JSON.stringify([queue, resource]), by]);
    case 'wait-until':
      return [['time', change.at]];
    case 'drop-node-selector':
    case 'drop-node-affinity':
    case 'make-preemptible':
      return [];
  }
}
