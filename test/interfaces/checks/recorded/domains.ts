/**
 * The domains whose findings are recorded: each folder of rules in `src/constructs`. The verdicts of a live API server hold the server tier.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Rule } from '../../../../src/checks/rules/rule';

const PROJECT = resolve(__dirname, '../../../..');
export const FINDINGS = join(PROJECT, 'test/fixtures/findings');

export interface Domain {
  readonly name: string;
  /** Folder of the rules inside the project. */
  readonly folder: string;
  /** Folder of their tests inside the project. */
  readonly tests: string;
  /** Absolute paths of its modules. */
  readonly modules: readonly string[];
}

export function domains(): readonly Domain[] {
  return readdirSync(join(PROJECT, 'src/constructs'))
    .filter((name) => existsSync(join(PROJECT, 'src/constructs', name, 'rules')))
    .sort()
    .map((name) => {
      const folder = `src/constructs/${name}/rules`;
      return { name, folder, tests: `test/constructs/${name}`, modules: modulesIn(folder) };
    });
}

function modulesIn(folder: string): readonly string[] {
  return (readdirSync(join(PROJECT, folder), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => join(PROJECT, folder, file));
}

export function fixtureOf({ name }: Domain): string {
  return join(FINDINGS, `${name}.txt`);
}

/** What modules export, and its rules. */
const rulesBefore = new WeakMap<readonly unknown[], readonly Rule[]>();

/** The rules that modules export, each once. */
export function rulesOf(modules: readonly unknown[]): readonly Rule[] {
  const rules = rulesBefore.get(modules) ?? exportedRules(modules);
  rulesBefore.set(modules, rules);
  return rules;
}

function exportedRules(modules: readonly unknown[]): readonly Rule[] {
  const lists = modules.flatMap((exports) => Object.values(exports as Record<string, unknown>)).filter(Array.isArray);
  const rules = lists.flat().filter(isRule);
  return [...new Map(rules.map((rule) => [rule.id, rule])).values()];
}

function isRule(value: unknown): value is Rule {
  return typeof value === 'object' && value !== null && 'check' in value && 'id' in value;
}
