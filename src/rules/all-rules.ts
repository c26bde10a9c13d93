/**
 * Every rule that there is. Loaded when the first check runs, not before.
 */
import { type Rule, type RuleFacts } from '../checks/rule';
import { sourceRules } from '../checks/source-rules';
import { suppressionNeedsReason } from '../checks/suppression';

/** Every semantic rule, domain by domain. */
export function allRules(): readonly Rule[] {
  return [];
}

/** The facts of everything that a check can report: semantic rules, and what the engine itself says of shape, text and suppressions. */
export function allRuleFacts(): readonly RuleFacts[] {
  return [...allRules(), ...Object.values(sourceRules), suppressionNeedsReason];
}
