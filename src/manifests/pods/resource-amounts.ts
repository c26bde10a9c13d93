/**
 * Resource lists of Kubernetes as whole amounts of the placement core: milli-CPU, bytes, pieces.
 */
import { type JsonValue } from '../../facts/api/schema';
import { parseQuantity } from '../values/quantity';
import { asObject } from '../read';

/** Amounts while they are being summed up. */
export type AmountsDraft = Record<string, number>;

/** What Kubernetes itself counts to; sums of amounts stay finite. */
const LARGEST = 2 ** 63;

/** The amounts of a resource list; values that are not quantities are skipped, because the schema check reports them. */
export function amountsOf(list: JsonValue | undefined): AmountsDraft {
  const amounts: AmountsDraft = {};
  for (const [resource, value] of Object.entries(asObject(list))) {
    const amount = amountOf(resource, value);
    // Definitions accept any key: one that every object inherits would be found although the file does not contain it.
    if (amount !== undefined && !(resource in Object.prototype)) {
      amounts[resource] = amount;
    }
  }
  return amounts;
}

/** A quantity in the unit of its resource, rounded up: thousandths for `cpu`, whole units for everything else. */
export function amountOf(resource: string, value: JsonValue): number | undefined {
  const quantity = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  if (quantity === undefined) {
    return undefined;
  }
  return Math.min(LARGEST, Number(resource === 'cpu' ? quantity.thousandths() : quantity.wholeUnits()));
}

export function addTo(sum: AmountsDraft, more: Readonly<Record<string, number>>, times = 1): void {
  for (const resource in more) {
    sum[resource] = (sum[resource] ?? 0) + more[resource] * times;
  }
}

/** The larger of both, for each resource. */
export function raiseTo(sum: AmountsDraft, other: Readonly<Record<string, number>>): void {
  for (const resource in other) {
    sum[resource] = Math.max(sum[resource] ?? 0, other[resource]);
  }
}
