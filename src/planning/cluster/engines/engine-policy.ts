/**
 * The configuration of another scheduler in the terms of the placement core.
 */
import { type JsonValue } from '../../../facts/api/schema';
import { type Policy } from '../../../placement';

/** What of a configuration shapes the policy, and what has no counterpart. */
export interface EnginePolicy {
  readonly policy: Partial<Policy>;
  /** Names of actions, plugins, and fields of the configuration that have no effect on a plan. */
  readonly notMapped: readonly string[];
}

/** A weight as a number, or as a string of digits. */
export function weightOf(value: JsonValue | undefined, fallback: number): number {
  const weight = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof weight === 'number' && Number.isFinite(weight) ? weight : fallback;
}

/** `name (a, b)`, or the name alone. */
export function withParts(name: string, parts: readonly string[]): string {
  return parts.length === 0 ? name : `${name} (${parts.join(', ')})`;
}
