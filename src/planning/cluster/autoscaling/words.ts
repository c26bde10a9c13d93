/**
 * Autoscaling in sentences, which the text, the JSON report, and the page of a plan show among their notes.
 */
import { counted } from '../../../facts/words';
import { type FurtherCapacity, type ScaleUp, type ScaleUps } from './scale-up';

export function scaleUpNotes({ scaleUps, unknown, notExamined }: ScaleUps): readonly string[] {
  return [
    ...scaleUps.map(scaleUpText),
    ...unknown.map(
      ({ name, kind }) =>
        `${kind} ${name} may add nodes of unknown size: the cluster has none of its nodes, and it does not state their CPU and memory.`,
    ),
    ...(notExamined === 0 ? [] : [`For ${counted(notExamined, 'further gang')}, autoscaling was not examined.`]),
  ];
}

export function scaleUpText({ gang, outcome, capacity, lacking = 0 }: ScaleUp): string {
  switch (outcome) {
    case 'fits':
      return capacity.length === 0
        ? `${gang} fits on nodes that are added for earlier gangs.`
        : `${gang} fits with ${capacity.map(capacityText).join(' and ')}${costText(capacity)}.`;
    case 'lacks':
      return `${gang} would fit with ${capacity.map(capacityText).join(' and ')}, ${counted(lacking, 'node')} more than the limit allows.`;
    case 'none':
      return `${gang} fits no nodes that an autoscaler may add.`;
  }
}

function capacityText({ pool, nodes, limit }: FurtherCapacity): string {
  return `${counted(nodes, 'more node')} of pool ${pool}${limit === undefined ? '' : ` (${limit})`}`;
}

/** Nothing where a price is missing: a part of the costs would be taken for all. */
function costText(capacity: readonly FurtherCapacity[]): string {
  const prices = capacity.flatMap(({ pricePerHour }) => pricePerHour ?? []);
  return prices.length < capacity.length
    ? ''
    : `, about $${prices.reduce((sum, price) => sum + price, 0).toFixed(2)}/h`;
}
