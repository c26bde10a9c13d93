/**
 * `gantry rules [NAME]`: every rule, one's own among them, those of a domain, or all that is known of one.
 */
import pico from 'picocolors';
import { type RuleFacts } from '../../../checks/rules/rule';
import { nearestName } from '../../../facts/spelling';
import { oneOf } from './check-options';
import { ruleFacts } from '../../checks/rule-facts';
import { ownRules, readConfiguration } from '../settings/configuration';
import { table } from '../table';
import { UsageError, wantsColor, type Terminal } from '../terminal';

export interface RulesFlags {
  readonly format?: string;
  readonly color?: boolean;
}

/**
 * Lists rules, or tells all of the one that is named in full.
 *
 * @throws UsageError for a configuration file or a module of rules that cannot be read, and for a name that neither a rule nor a domain has
 */
export async function rulesCommand(name: string | undefined, flags: RulesFlags, terminal: Terminal): Promise<number> {
  const format = flags.format === undefined ? 'text' : oneOf('--format', flags.format, ['text', 'json'], 'format');
  const rules = selected(name, await rulesAndOwn(terminal));
  const color = wantsColor(terminal, flags.color);
  if (format === 'json') {
    const rows = rules.map(({ id, row, tier, severity, group, summary, why, source, fix }) => {
      return { id, row, tier, severity, group, summary, why, source, fix };
    });
    terminal.out(`${JSON.stringify(rows, undefined, 2)}\n`);
  } else if (rules[0]?.id === name) {
    terminal.out(wholeRule(rules[0], color));
  } else {
    const rows = rules.map(({ id, tier, severity, summary }) => [id, tier, severity, summary]);
    terminal.out(table(['rule', 'tier', 'severity', 'requirement'], rows, { color, width: terminal.columns }));
  }
  return 0;
}

/** The rules of Gantry, and those of the modules that the configuration file of the working folder names. */
export async function rulesAndOwn(terminal: Terminal): Promise<readonly RuleFacts[]> {
  return [...ruleFacts(), ...(await ownRules(readConfiguration(undefined, terminal.cwd), terminal))];
}

/** The rule of that id, the rules of that domain (`volcano` or `volcano/`), or all. */
function selected(name: string | undefined, rules: readonly RuleFacts[]): readonly RuleFacts[] {
  if (name === undefined) {
    return rules;
  }
  const named = rules.filter(({ id }) => id === name);
  const found =
    named.length > 0 ? named : rules.filter(({ id }) => id.startsWith(name.endsWith('/') ? name : `${name}/`));
  if (found.length > 0) {
    return found;
  }
  const near = nearestName(
    name,
    rules.map(({ id }) => id),
  );
  const domains = [...new Set(rules.map(({ id }) => id.slice(0, id.indexOf('/'))))];
  throw new UsageError(
    `rules ${name}: not found${near === undefined ? `; domains are ${domains.join(', ')}` : ` (did you mean ${near}?)`}`,
  );
}

function wholeRule({ id, row, tier, severity, group, summary, why, source, fix }: RuleFacts, color: boolean): string {
  const { bold } = pico.createColors(color);
  const facts = [
    ['severity', severity],
    ['tier', tier],
    ['group', group === undefined ? '' : `${group}, which runs with --${group}`],
    ['row', row ?? ''],
    ['summary', summary],
    ['why', why],
    ['fix', fix],
    ['source', source],
  ];
  const lines = facts
    .filter(([, text]) => text !== '')
    .map(([label = '', text = '']) => `  ${label.padEnd('severity'.length)}  ${text}\n`);
  return `${bold(id)}\n${lines.join('')}`;
}
