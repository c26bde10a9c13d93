/**
 * Every semantic rule, domain by domain. Loaded when the first check runs, not before.
 */
import { type Rule } from '../checks/rule';

export function allRules(): readonly Rule[] {
  return [];
}
