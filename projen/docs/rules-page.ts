/**
 * `docs/rules.md`: every rule with all that is known of it, written from the rule values.
 */
import { type RuleFacts } from '../../src/checks/rules/rule';

const OPENING = `# Rules

Find out what a rule requires, why it exists, how to fix a violation, and its source. Find the rule by its id; \`gantry rules\` lists the rules
in a terminal. To suppress a rule with a reason, see [how checks work](checks.md#suppress-a-finding).

The \`tier\` names the component that would report a violation: \`schema\` and \`cel\` the API server with the schema, \`server\` the API server's own
code, \`webhook\` the project's webhook or controller, and \`advice\` no component. An \`error\` fails a check; \`warning\` and \`info\` do not.

<!-- This page is written by \`npm run generate:docs\` from the rules. -->
`;

/** The whole page: rules by domain, both in alphabetical order. */
export function rulesPage(rules: readonly RuleFacts[]): string {
  const domains = new Map<string, RuleFacts[]>();
  for (const rule of [...rules].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const domain = rule.id.slice(0, rule.id.indexOf('/'));
    domains.set(domain, [...(domains.get(domain) ?? []), rule]);
  }
  const contents = [...domains].map(
    ([domain, own]) => `- [${domain}](#${domain}): ${own.length} rule${own.length === 1 ? '' : 's'}`,
  );
  const chapters = [...domains].map(([domain, own]) => [`## ${domain}`, ...own.map(section)].join('\n\n'));
  return `${[`${OPENING}\n${contents.join('\n')}`, ...chapters].join('\n\n')}\n`;
}

function section(rule: RuleFacts): string {
  const { id, row, tier, severity, summary, why, source, fix } = rule;
  const lines = [
    `**${severity}** · ${tier}${row === undefined ? '' : ` · ${row}`}`,
    summary,
    `*Why:* ${why}`,
    ...(fix === '' ? [] : [`*Fix:* ${fix}`]),
    `*Source:* ${source}`,
  ];
  return [`### ${id}`, ...lines.map(oneLine)].join('\n\n');
}

/** Text as Markdown that shows it as it is: placeholders in angle brackets are no HTML. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replace(/</g, '&lt;');
}
