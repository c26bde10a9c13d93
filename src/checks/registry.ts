/**
 * The rules that run by default.
 *
 * The engine is a layer below the domains and cannot import their rules. `src/interfaces/checks`, which composes them, registers them here.
 */
import { type Rule } from './rule';

let provided: readonly Rule[] = [];

export function provideRules(rules: readonly Rule[]): void {
  provided = rules;
}

export function defaultRules(): readonly Rule[] {
  return provided;
}
