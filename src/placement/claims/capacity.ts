/**
 * What a claim consumes of a device's capacities, by the device's policy.
 */
import { type CapacityPolicy, type Device, type DeviceCapacity } from '../model/claims';

/** Integers, in the billionths that amounts are counted in. */
const WHOLE = 1_000_000_000n;

/** The amount of each capacity that a claim consumes; `undefined` where the device's policy or size does not allow it. */
export function consumedOf(
  device: Device,
  requested: ReadonlyMap<string, bigint>,
  held: (capacity: string) => bigint,
): ReadonlyMap<string, bigint> | undefined {
  if ([...requested.keys()].some((name) => !device.capacity.has(name))) {
    return undefined;
  }
  const consumed = new Map<string, bigint>();
  for (const [name, capacity] of device.capacity) {
    const amount = amountOf(requested.get(name), capacity);
    // A negative amount would add to what others can have.
    if (amount < 0n || isAgainst(amount, capacity.policy) || held(name) + amount > capacity.value) {
      return undefined;
    }
    consumed.set(name, amount);
  }
  return consumed;
}

function amountOf(requested: bigint | undefined, { value, policy }: DeviceCapacity): bigint {
  if (requested === undefined) {
    return policy?.default ?? value;
  }
  const { min, step } = policy?.range ?? {};
  if (min !== undefined) {
    return requested < min ? min : step === undefined ? requested : rounded(requested, min, step);
  }
  return policy?.values?.find((allowed) => requested <= allowed) ?? requested;
}

/** Up to the next step from the minimum, in whole units. */
function rounded(requested: bigint, min: bigint, step: bigint): bigint {
  const [from, by] = [wholes(min), wholes(step)];
  const over = wholes(requested) - from;
  return (from + ((over + by - 1n) / by) * by) * WHOLE;
}

function isAgainst(amount: bigint, policy: CapacityPolicy | undefined): boolean {
  if (policy === undefined || amount === policy.default) {
    return false;
  }
  const { range, values } = policy;
  if (range !== undefined) {
    const { min = 0n, max, step } = range;
    return (
      (max !== undefined && amount > max) ||
      (step !== undefined && (wholes(amount) - wholes(min)) % wholes(step) !== 0n)
    );
  }
  return values !== undefined && values.length > 0 && !values.includes(amount);
}

/** Rounded up. */
function wholes(amount: bigint): bigint {
  return (amount + WHOLE - 1n) / WHOLE;
}
