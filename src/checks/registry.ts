/**
 * The rules that run when nobody names any.
 *
 * The engine stands below the domains and cannot import their rules. Whoever composes the whole (`src/interfaces/checks`) provides them here.
 */
import { type Rule } from './rule';

let provided: readonly Rule[] = [];

export function provideRules(rules: readonly Rule[]): void {
  provided = rules;
}

export function defaultRules(): readonly Rule[] {
  return provided;
}
