/**
 * Everything that a check can report, for lists, for `--ignore` and for SARIF.
 */
import { type RuleFacts } from '../../checks/rules/rule';
import { shapeRules } from '../../checks/schema/shape-rules';
import { allRuleFacts } from './all-rules';

/** The facts of every rule, by id, each once. */
export function ruleFacts(): readonly RuleFacts[] {
  const byId = new Map([...Object.values(shapeRules), ...allRuleFacts()].map((facts) => [facts.id, facts] as const));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
