/**
 * Findings that were there when somebody began to check, and are accepted: only what is new fails.
 */
import { type Finding } from '../../checks/finding';
import { type Report } from '../../checks/report';
import { asArray, asInteger, asObject, asString, isObject } from '../../manifests/read';
import { parseValue } from '../../manifests/yaml';
import { readText } from '../checks/read-files';
import { UsageError } from './terminal';

/** What a finding is the same by: not its line, which moves, and not its words, which a later version may change. */
type BaselineEntry = Pick<Finding, 'rule' | 'object' | 'path'> & { readonly file?: string };

const SYNTAX = 'yaml/syntax';

function keyOf({ rule, object, path, file }: BaselineEntry): string {
  // An object keeps its findings when it moves to another file; a document that is not an object has only its file.
  return [rule, object, path, object === '' ? (file ?? '') : ''].join('\n');
}

/** The baseline of a report, with the number of its findings: how often each finding occurs. A file that cannot be read is never accepted. */
export function baselineOf(report: Report): { readonly text: string; readonly count: number } {
  const counts = new Map<string, BaselineEntry & { count: number }>();
  for (const finding of report.findings.filter(({ rule }) => rule !== SYNTAX)) {
    const { rule, object, path, file } = finding;
    const key = keyOf(finding);
    const entry = counts.get(key) ?? { rule, object, path, ...(object === '' ? { file } : {}), count: 0 };
    counts.set(key, { ...entry, count: entry.count + 1 });
  }
  const findings = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  return {
    text: `${JSON.stringify({ gantry: 'baseline', version: 1, findings }, undefined, 2)}\n`,
    count: findings.reduce((sum, { count }) => sum + count, 0),
  };
}

/**
 * The report without the findings of a baseline, which count as suppressed.
 *
 * @throws UsageError if the file is not a baseline
 */
export function withoutBaseline(report: Report, file: string, cwd: string): Report {
  const left = readBaseline(file, cwd);
  const findings: Finding[] = [];
  const suppressed = [...report.suppressed];
  for (const finding of report.findings) {
    const key = keyOf(finding);
    const count = left.get(key) ?? 0;
    if (count > 0) {
      left.set(key, count - 1);
      suppressed.push({ ...finding, reason: `accepted in the baseline ${file}` });
    } else {
      findings.push(finding);
    }
  }
  return { ...report, findings, suppressed };
}

function readBaseline(file: string, cwd: string): Map<string, number> {
  const parsed = parseValue(readText(file, cwd), file);
  const value = asObject('value' in parsed ? parsed.value : {});
  if (value.gantry !== 'baseline' || value.version !== 1) {
    throw new UsageError(`${file}: not a baseline of gantry check; create one with --update-baseline`);
  }
  const left = new Map<string, number>();
  for (const entry of asArray(value.findings).filter(isObject)) {
    const [rule, object, path] = [asString(entry.rule), asString(entry.object), asString(entry.path)];
    if (rule === undefined || object === undefined || path === undefined) {
      throw new UsageError(`${file}: each finding of a baseline must have rule, object, and path`);
    }
    const key = keyOf({ rule, object, path, file: asString(entry.file) });
    left.set(key, (left.get(key) ?? 0) + (asInteger(entry.count) ?? 1));
  }
  return left;
}
