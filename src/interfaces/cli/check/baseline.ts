/**
 * Findings that were there when somebody began to check, and are accepted: only what is new fails.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Finding, occurrencesOf } from '../../../checks/report/finding';
import { omittedMessage } from '../../../checks/report/most-findings';
import { type Report } from '../../../checks/report/report';
import { asArray, asInteger, asObject, asString, isObject } from '../../../manifests/read';
import { parseValue } from '../../../manifests/yaml';
import { readText } from '../../checks/read-files';
import { UsageError } from '../terminal';

/** What a finding is the same by: not its line, which moves, and not its words, which a later version may change. */
type BaselineEntry = Pick<Finding, 'rule' | 'object' | 'path' | 'omitted'> & { readonly file?: string };

const SYNTAX = 'yaml/syntax';

function keyOf({ rule, object, path, file }: BaselineEntry): string {
  // An object keeps its findings when it moves to another file; a document that is not an object has only its file.
  return [rule, object, path, object === '' ? (file ?? '') : ''].join('\n');
}

/** The baseline of a report, with the number of its findings: how often each finding occurs. A file that cannot be read is never accepted. */
export function baselineOf(report: Report): { readonly text: string; readonly count: number } {
  const counts = new Map<string, BaselineEntry & { count: number }>();
  let count = 0;
  for (const finding of report.findings.filter(({ rule }) => rule !== SYNTAX)) {
    const { rule, object, path, file, omitted } = finding;
    const key = `${keyOf(finding)}\n${omitted === undefined ? '' : 'omitted'}`;
    const entry = counts.get(key) ?? { rule, object, path, ...(object === '' ? { file } : {}), count: 0 };
    const ofOmitted = omitted === undefined ? {} : { omitted: omitted + (entry.omitted ?? 0) };
    counts.set(key, { ...entry, ...ofOmitted, count: entry.count + 1 });
    count += occurrencesOf(finding);
  }
  const findings = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  return { text: `${JSON.stringify({ gantry: 'baseline', version: 1, findings }, undefined, 2)}\n`, count };
}

/**
 * The report without the findings of a baseline, which count as suppressed.
 *
 * @throws UsageError if the file is not a baseline
 */
export function withoutBaseline(report: Report, file: string, cwd: string): Report {
  const accepted = new AcceptedFindings(readBaseline(file, cwd));
  const unmatched = new Set(report.findings.filter((finding) => !accepted.lists(finding)));
  // Findings that are not listed have no place, so only their number is compared; they count before new ones that are listed.
  const omitted = new Map([...unmatched].map((finding) => [finding, accepted.omittedOf(finding)]));
  const findings: Finding[] = [];
  const suppressed = [...report.suppressed];
  const reason = `accepted in the baseline ${file}`;
  for (const finding of report.findings) {
    const count = occurrencesOf(finding);
    const known = unmatched.has(finding) ? (omitted.get(finding) ?? accepted.unlisted(finding)) : count;
    if (known > 0) {
      suppressed.push({ ...timesOf(finding, known), reason, by: 'the baseline' });
    }
    if (known < count) {
      findings.push(timesOf(finding, count - known));
    }
  }
  return { ...report, findings, suppressed };
}

/** The finding, which represents the given number of findings. */
function timesOf(finding: Finding, count: number): Finding {
  return finding.omitted === undefined || finding.omitted === count
    ? finding
    : { ...finding, omitted: count, message: omittedMessage(count) };
}

/** What is left of a baseline while the findings of a report are looked up in it. */
class AcceptedFindings {
  private readonly listed = new Map<string, number>();
  /** How many findings a rule has in an object beside those that are listed. */
  private readonly others = new Map<string, number>();
  /** How many of the listed findings are left. */
  private readonly unused = new Map<string, number>();

  constructor(entries: readonly (BaselineEntry & { readonly count: number })[]) {
    for (const entry of entries) {
      const { omitted, count } = entry;
      if (omitted === undefined) {
        added(this.listed, keyOf(entry), count);
        added(this.unused, ruleAndObject(entry), count);
      } else {
        added(this.others, ruleAndObject(entry), omitted);
      }
    }
  }

  /** Whether the baseline lists the finding as often as it was found so far. */
  lists(finding: Finding): boolean {
    const isListed = finding.omitted === undefined && taken(this.listed, keyOf(finding), 1) === 1;
    if (isListed) {
      taken(this.unused, ruleAndObject(finding), 1);
    }
    return isListed;
  }

  /** How many of the findings that one represents are accepted; `undefined` for one that is listed. */
  omittedOf(finding: Finding): number | undefined {
    const { omitted } = finding;
    if (omitted === undefined) {
      return undefined;
    }
    const key = ruleAndObject(finding);
    const others = taken(this.others, key, omitted);
    return others + taken(this.unused, key, omitted - others);
  }

  /** 1 if the finding may be one of those that the baseline counts without listing them, otherwise 0. */
  unlisted(finding: Finding): number {
    return taken(this.others, ruleAndObject(finding), 1);
  }
}

function ruleAndObject({ rule, object }: BaselineEntry): string {
  return `${rule}\n${object}`;
}

function added(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + Math.max(0, count));
}

/** Takes up to so many away, and returns how many there were. */
function taken(counts: Map<string, number>, key: string, wanted: number): number {
  const left = counts.get(key) ?? 0;
  const count = Math.min(left, wanted);
  counts.set(key, left - count);
  return count;
}

function readBaseline(file: string, cwd: string): readonly (BaselineEntry & { readonly count: number })[] {
  if (!existsSync(resolve(cwd, file))) {
    throw new UsageError(
      `${file}: no such baseline; create it with \`gantry check --baseline ${file} --update-baseline\` and the same paths`,
    );
  }
  const parsed = parseValue(readText(file, cwd), file);
  const value = asObject('value' in parsed ? parsed.value : {});
  if (value.gantry !== 'baseline' || value.version !== 1) {
    throw new UsageError(`${file}: not a baseline of gantry check; create one with --update-baseline`);
  }
  return asArray(value.findings)
    .filter(isObject)
    .map((entry) => {
      const [rule, object, path] = [asString(entry.rule), asString(entry.object), asString(entry.path)];
      if (rule === undefined || object === undefined || path === undefined) {
        throw new UsageError(`${file}: each finding of a baseline must have rule, object, and path`);
      }
      const [omitted, count] = [asInteger(entry.omitted), asInteger(entry.count) ?? 1];
      return { rule, object, path, file: asString(entry.file), omitted, count };
    });
}
