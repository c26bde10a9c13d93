/**
 * SARIF with the version of this package and the help texts of all its rules.
 */
import { type Report } from '../../checks/report/report';
import { renderSarif as render } from '../../checks/report/sarif';
import { type RuleFacts } from '../../checks/rules/rule';
import { ruleFacts } from './rule-facts';
import { versionOf } from './version';

/** Options of `renderSarif`. */
export interface SarifReportOptions {
  /**
   * Rules of your own, whose summaries and fixes become the help texts of their findings.
   * @default - none; the rules of Gantry are always included
   */
  readonly rules?: readonly RuleFacts[];
}

/** Renders a report as SARIF 2.1.0 for code-scanning views and editors. Suppressed findings are included and marked. */
export function renderSarif(report: Report, options: SarifReportOptions = {}): string {
  return render(report, { version: versionOf(), rules: [...ruleFacts(), ...(options.rules ?? [])] });
}
