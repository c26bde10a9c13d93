/**
 * How many accelerators a container asks for.
 */
import { isAcceleratorResource } from '../../../facts/catalog/resource-names';
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asObject } from '../../../manifests/read';

/** Devices (or shares, or MIG slices) of a container; `undefined` if it requests none, or an amount that is not a whole number. */
export function devicesOf(container: JsonObject): number | undefined {
  const resources = asObject(container.resources);
  const asked = { ...asObject(resources.requests), ...asObject(resources.limits) };
  const counts = Object.entries(asked).flatMap(([name, amount]) =>
    isAcceleratorResource(name) ? [wholeNumber(amount)] : [],
  );
  if (counts.length === 0) {
    return undefined;
  }
  const sum = counts.reduce((total, count) => total + count, 0);
  return Number.isInteger(sum) && sum > 0 ? sum : undefined;
}

function wholeNumber(amount: JsonValue): number {
  if (typeof amount === 'number') {
    return amount;
  }
  return typeof amount === 'string' && /^\d+$/.test(amount) ? Number(amount) : Number.NaN;
}
