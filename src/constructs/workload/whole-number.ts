/**
 * Counts that a constructor refuses because no type can.
 */
import { known } from '../../manifests/values/deferred';

/** @throws if the value is not a whole number of at least `least` */
export function requireWholeNumber(name: string, value: number, least = 1): void {
  known(name, value);
  if (!Number.isInteger(value) || value < least) {
    throw new Error(`${name} must be a whole number greater than or equal to ${least}, not ${value}.`);
  }
}
