/**
 * The rule tables of the docs, written from the rule values: one place per fact.
 *
 * A page marks where it wants a table with `<!-- rules: volcano/ -->` and `<!-- end of rules -->`; the mark names what the ids begin
 * with, several separated by spaces. `npm run generate:docs` rewrites what is between.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { allRuleFacts } from '../../src/interfaces/checks/all-rules';
import { type RuleFacts } from '../../src/checks/rules/rule';
import { rulesPage } from './rules-page';

const DOCS = resolve(__dirname, '../../docs');
const ALL_RULES = 'rules.md';
const BLOCK = /<!-- rules: ([^>]*?) -->\n[\s\S]*?<!-- end of rules -->/g;

/** The page with its tables written again. Throws where a mark selects no rule. */
export function withRuleTables(page: string, rules: readonly RuleFacts[]): string {
  return page.replace(BLOCK, (_, prefixes: string) => {
    const wanted = prefixes.split(/\s+/);
    const selected = rules.filter(({ id }) => wanted.some((prefix) => id.startsWith(prefix)));
    if (selected.length === 0) {
      throw new Error(`no rule's id begins with "${prefixes}"`);
    }
    return `<!-- rules: ${prefixes} -->\n${ruleTable(selected)}\n<!-- end of rules -->`;
  });
}

function ruleTable(rules: readonly RuleFacts[]): string {
  const withRows = rules.some((rule) => rule.row !== undefined);
  const sorted = [...rules].sort((a, b) => compareRows(a.row, b.row) || (a.id < b.id ? -1 : 1));
  const head = withRows
    ? ['', 'rule', 'tier', 'severity', 'requirement', 'why', 'source']
    : ['rule', 'tier', 'severity', 'requirement', 'why', 'source'];
  const lines = sorted.map((rule) => {
    const cells = [`\`${rule.id}\``, rule.tier, rule.severity, rule.summary, rule.why, rule.source];
    return withRows ? [rule.row ?? '', ...cells] : cells;
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
}

/** `VJ2` before `VJ10`, and rules without a row last. */
function compareRows(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) {
    return a === b ? 0 : a === undefined ? 1 : -1;
  }
  return a.localeCompare(b, 'en', { numeric: true });
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');
}

interface Page {
  readonly file: string;
  readonly now: string;
  readonly wanted: string;
}

/** Every page of a domain, with its text as it should be. */
export function pagesWithTables(): readonly Page[] {
  const rules = allRuleFacts();
  return readdirSync(DOCS)
    .filter((file) => file.endsWith('.md') && file !== ALL_RULES)
    .map((file) => {
      const now = readFileSync(join(DOCS, file), 'utf8');
      return { file: join(DOCS, file), now, wanted: withRuleTables(now, rules) };
    });
}

/** The page of all rules. */
export function pageOfRules(): Page {
  const file = join(DOCS, ALL_RULES);
  return { file, now: existsSync(file) ? readFileSync(file, 'utf8') : '', wanted: rulesPage(allRuleFacts()) };
}

if (require.main === module) {
  for (const { file, now, wanted } of [...pagesWithTables(), pageOfRules()]) {
    if (now !== wanted) {
      writeFileSync(file, wanted);
    }
  }
}
