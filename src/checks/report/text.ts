/**
 * Findings as text for people.
 */
import { type Finding } from '../finding';
import { type Report } from '../report';

export interface FindingTextOptions {
  /** Leaves out the construct path, where the reader has it already. Default: false. */
  readonly withoutConstruct?: boolean;
}

/** One finding: what is wrong and where on the first line, then what was found, what was expected and what to do. */
export function findingText(finding: Finding, options: FindingTextOptions = {}): string {
  const place = placeOf(finding, options);
  const head = [finding.severity, `[${finding.rule}]`, finding.object, finding.path].filter((part) => part !== '').join(' ');
  const lines = [`${place === '' ? '' : `${place}: `}${head}: ${finding.message}`];
  if (finding.found !== undefined) lines.push(`    found: ${inline(finding.found)}`);
  if (finding.expected !== undefined) lines.push(`    expected: ${finding.expected}`);
  if (finding.fix !== undefined) lines.push(`    fix: ${finding.fix}`);
  return lines.join('\n');
}

/** `file:line`, or the construct path. */
export function placeOf(finding: Pick<Finding, 'file' | 'line' | 'construct'>, options: FindingTextOptions = {}): string {
  if (finding.file !== undefined) return finding.line === undefined ? finding.file : `${finding.file}:${finding.line}`;
  return options.withoutConstruct === true ? '' : (finding.construct ?? '');
}

/** A value on one line, cut where it is long. */
export function inline(value: NonNullable<Finding['found']> | null, limit = 120): string {
  const text = JSON.stringify(value);
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

/** The whole report, without colour: every finding, what was not checked, and a line that counts. */
export function renderText(report: Report): string {
  const lines = report.findings.map((finding) => findingText(finding));
  for (const { object, why } of report.notChecked) lines.push(`not checked: ${object}: ${why}`);
  return [...lines, summary(report)].join('\n');
}

function summary({ documents, findings, notChecked, suppressed }: Report): string {
  const count = (severity: Finding['severity']): number => findings.filter((finding) => finding.severity === severity).length;
  return `${documents} documents: ${count('error')} errors, ${count('warning')} warnings, ${notChecked.length} not checked, ${suppressed.length} suppressed`;
}
