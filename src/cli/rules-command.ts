/**
 * `gantry rules`: every rule, with its tier and severity.
 */
import { oneOf } from './check-options';
import { ruleFacts } from './rule-facts';
import { table } from './table';
import { wantsColour, type Terminal } from './terminal';

export interface RulesFlags {
  readonly format?: string;
  readonly color?: boolean;
}

export function rulesCommand(flags: RulesFlags, terminal: Terminal): number {
  const format = flags.format === undefined ? 'text' : oneOf('--format', flags.format, ['text', 'json'], 'format');
  const rules = ruleFacts();
  if (format === 'json') {
    const rows = rules.map(({ id, row, tier, severity, summary, why, source, fix }) => {
      return { id, row, tier, severity, summary, why, source, fix };
    });
    terminal.out(`${JSON.stringify(rows, undefined, 2)}\n`);
  } else {
    const rows = rules.map(({ id, tier, severity, summary }) => [id, tier, severity, summary]);
    const options = { colour: wantsColour(terminal, flags.color), width: terminal.columns };
    terminal.out(table(['rule', 'tier', 'severity', 'what must hold'], rows, options));
  }
  return 0;
}
