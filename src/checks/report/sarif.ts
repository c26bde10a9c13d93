/**
 * Reports as SARIF 2.1.0, for code-scanning views and editors.
 */
import { type Log, type Location, type Notification, type ReportingDescriptor, type Result } from 'sarif';
import { type Finding, type NotChecked, type Severity } from './finding';
import { type Report, type SuppressedFinding } from './report';
import { type RuleFacts } from '../rules/rule';

export interface SarifOptions {
  /** Version of Gantry that made the report. */
  readonly version: string;
  /** What is known of the rules; those that a finding names and that are here get their help text. */
  readonly rules: readonly RuleFacts[];
}

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** The report as indented SARIF with a line end. Suppressed findings are kept, marked and with their reason. */
export function renderSarif(report: Report, options: SarifOptions): string {
  const findings: readonly (Finding | SuppressedFinding)[] = [...report.findings, ...report.suppressed];
  const facts = new Map(options.rules.map((rule) => [rule.id, rule]));
  const ids = [...new Set(findings.map(({ rule }) => rule))].sort();
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const log: Log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'gantry',
            semanticVersion: options.version,
            rules: ids.map((id) => descriptor(id, facts.get(id))),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: report.notChecked.map(notification) }],
        results: findings.map((finding) => result(finding, indexes.get(finding.rule)!)),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function descriptor(id: string, facts: RuleFacts | undefined): ReportingDescriptor {
  if (facts === undefined) {
    return { id };
  }
  return {
    id,
    shortDescription: { text: facts.summary },
    fullDescription: { text: facts.why },
    help: { text: `${facts.summary} ${facts.why} ${facts.fix}\nSource: ${facts.source}` },
    defaultConfiguration: { level: LEVELS[facts.severity] },
    properties: { tags: [facts.tier, ...(facts.group === undefined ? [] : [facts.group])] },
  };
}

function result(finding: Finding | SuppressedFinding, ruleIndex: number): Result {
  const { rule, severity, tier, object, path, message, found, expected, fix, omitted } = finding;
  const text = [message, expected === undefined ? '' : `Expected: ${expected}`, fix ?? '']
    .filter((part) => part !== '')
    .map((part, index, { length }) => (index < length - 1 || part !== message ? asSentence(part) : part))
    .join(' ');
  return {
    ruleId: rule,
    ruleIndex,
    level: LEVELS[severity],
    message: { text },
    locations: [location(finding)],
    ...(omitted === undefined ? {} : { occurrenceCount: omitted }),
    ...('reason' in finding
      ? { suppressions: [{ kind: 'external', status: 'accepted', justification: finding.reason } as const] }
      : {}),
    properties: { tier, object, path, ...(found === undefined ? {} : { found }) },
  };
}

/** With a mark at its end, so that another sentence can follow. */
function asSentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}

/** The line in the file, where there is one, and the object's field, or the construct, by name. */
function location({
  file,
  line,
  column,
  construct,
  object,
  path,
}: Pick<Finding, 'file' | 'line' | 'column' | 'construct' | 'object' | 'path'>): Location {
  const region =
    line === undefined ? {} : { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } };
  const logical =
    construct === undefined
      ? { fullyQualifiedName: `${object}${path}`, kind: 'object' }
      : { fullyQualifiedName: construct, kind: 'construct' };
  return {
    ...(file === undefined || file === '-'
      ? {}
      : { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...region } }),
    logicalLocations: [logical],
  };
}

function notification({ object, file, construct, why }: NotChecked): Notification {
  return {
    level: 'note',
    message: { text: `${object} was not checked: ${why}` },
    locations: [location({ file, construct, object, path: '' })],
  };
}

/** A relative reference, or a file URI for an absolute path. */
function uriOf(file: string): string {
  const path = file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return path.startsWith('/') ? `file://${path}` : path.replace(/^\.\//, '');
}
