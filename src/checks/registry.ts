/**
 * The rules that run when nobody names any.
 *
 * The engine stands below the domains and cannot import their rules. Whoever composes the whole (`src/rules`) provides them here;
 * as a function, so that an app that only builds constructs does not load a single rule before it is synthesised.
 */
import { type Rule } from './rule';

let provider: () => readonly Rule[] = () => [];

export function provideRules(rules: () => readonly Rule[]): void {
  provider = rules;
}

export function defaultRules(): readonly Rule[] {
  return provider();
}
