/**
 * Brings a report to where the command line wants it, and says whether it is a good one.
 */
import { SEVERITIES } from '../../../checks/report/finding';
import { isIncomplete, type Report } from '../../../checks/report/report';
import { renderJson } from '../../../checks/report/json';
import { renderSarif } from '../../../checks/report/sarif';
import { renderText } from '../../../checks/report/text';
import { failOnOf, formatOf, type CheckFlags } from './check-options';
import { ruleFacts } from '../../checks/rule-facts';
import { wantsColor, type Terminal } from '../terminal';
import { versionOf } from '../../checks/version';
import { deliver } from '../whole-file';

/** Renders the report as the flags say. `toFile` is true for what goes into a file: no colors and no line breaks there. */
export function renderReport(report: Report, flags: CheckFlags, terminal: Terminal, toFile: boolean): string {
  switch (formatOf(flags.format)) {
    case 'json':
      return renderJson(report);
    case 'sarif':
      return renderSarif(report, { version: versionOf(), rules: ruleFacts() });
    case 'text': {
      const text = renderText(report, {
        color: !toFile && wantsColor(terminal, flags.color),
        width: toFile ? undefined : terminal.columns,
        quiet: flags.quiet,
      });
      return text === '' ? '' : `${text}\n`;
    }
  }
}

export function writeReport(report: Report, flags: CheckFlags, terminal: Terminal): void {
  const { output } = flags;
  const text = renderReport(report, flags, terminal, output !== undefined);
  deliver(text, output, terminal);
}

/** True where nothing found is as grave as `--fail-on` says. */
export function passes(report: Report, flags: CheckFlags): boolean {
  const { severity: lowest, notChecked } = failOnOf(flags.failOn);
  const limit = SEVERITIES.indexOf(lowest);
  return (
    report.findings.every(({ severity }) => SEVERITIES.indexOf(severity) > limit) &&
    !(notChecked && report.notChecked.length > 0)
  );
}

/** 2 where something could not be read or a rule failed, 1 where something was found, else 0. */
export function exitStatus(report: Report, flags: CheckFlags): number {
  return isIncomplete(report) ? 2 : passes(report, flags) ? 0 : 1;
}
