/**
 * The rules that run by default.
 *
 * The engine is a layer below the domains and cannot import their rules. `src/interfaces/checks`, which composes them, registers them here.
 */
import { type Rule } from './rule';

let provided: () => readonly Rule[] = () => [];

/** @param rules called when rules are needed for the first time, so that a program that never checks does not load them */
export function provideRules(rules: () => readonly Rule[]): void {
  let known: readonly Rule[] | undefined;
  provided = () => (known ??= rules());
}

export function defaultRules(): readonly Rule[] {
  return provided();
}
