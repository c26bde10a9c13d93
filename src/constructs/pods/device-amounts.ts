/**
 * Amounts of shared devices, in the unit that each plugin counts in.
 *
 * One and the same number means 1024 times more at one vendor than at the next: HAMi and Volcano count MiB, Tencent GiB, Aliyun
 * whichever its component is set to. So memory is said as a quantity here (`10Gi`), and written in the plugin's unit.
 */
import { bytesText, type ByteSize } from '../resources/quantities';
import { parseQuantity } from '../../manifests/values/quantity';

export type MemoryUnit = 'MiB' | 'GiB';

const BYTES: Readonly<Record<MemoryUnit, bigint>> = { MiB: 2n ** 20n, GiB: 2n ** 30n };

/**
 * Memory in whole units.
 *
 * @throws if it is not a quantity, not positive, or not a whole number of the unit
 */
export function memoryIn(unit: MemoryUnit, stated: ByteSize, prop = 'memory'): number {
  const memory = bytesText(prop, stated);
  const bytes = /^\d+(\.\d+)?$/.test(memory.trim()) ? undefined : parseQuantity(memory);
  if (bytes === undefined || !bytes.isPositive()) {
    throw new Error(`${prop} "${memory}": must be a quantity with its unit, for example 10Gi or 8192Mi.`);
  }
  const whole = bytes.wholeUnits();
  if (!bytes.isInteger() || whole % BYTES[unit] !== 0n) {
    throw new Error(
      `${prop} "${memory}": the device plugin counts whole ${unit}. Write a multiple of 1${unit === 'MiB' ? 'Mi' : 'Gi'}.`,
    );
  }
  return Number(whole / BYTES[unit]);
}

/**
 * Percent of one device.
 *
 * @throws if it is not a whole number from 1 to 100, or not a multiple of `step`
 */
export function percentOf(value: number, prop: string, step = 1): number {
  if (!Number.isInteger(value) || value < 1 || value > 100 || value % step !== 0) {
    throw new Error(
      `${prop} ${value}: must be ${step === 1 ? 'a whole number from 1 to 100' : `a multiple of ${step} from ${step} to 100`}, in percent of one device.`,
    );
  }
  return value;
}

/** Only members that have a value. */
export function stated<V>(members: Readonly<Record<string, V | undefined>>): Record<string, V> {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, V] => entry[1] !== undefined));
}
