/**
 * Rules that do not see the name of the object that they judge: they run once for objects that differ in their names alone.
 */
import { type Rule } from './rule';

/**
 * The rules, with `sees: 'all-but-name'` on each rule on objects that does not state what it sees.
 *
 * @param named ids of the rules that see the name, or which of the other objects of the set is this one
 */
export function seeAllButName(rules: readonly Rule[], named: readonly string[] = []): readonly Rule[] {
  return rules.map((rule) =>
    rule.on === 'object' && rule.sees === undefined && !named.includes(rule.id)
      ? { ...rule, sees: 'all-but-name' }
      : rule,
  );
}
